// RUN: ttmlir-opt %s --ttir-explicate-tms | FileCheck %s --check-prefix=EXPLICIT
// RUN: ttmlir-opt %s --ttir-reduction-force-keep-dim | FileCheck %s --check-prefix=KEEP
// RUN: ttmlir-opt %s --ttir-fold-full-to-scalar | FileCheck %s --check-prefix=SCALAR
// RUN: ttmlir-opt %s --ttir-element-type-normalization | FileCheck %s --check-prefix=TYPES

func.func @explicit(%a: tensor<3xf32>, %b: tensor<2x1xf32>) -> tensor<2x3xf32> {
  // EXPLICIT: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 3 : i32]}>
  // EXPLICIT: %[[A:.*]] = "ttir.broadcast"(%[[R]]) <{broadcast_dimensions = array<i64: 2, 1>}>
  // EXPLICIT: %[[B:.*]] = "ttir.broadcast"(%arg1) <{broadcast_dimensions = array<i64: 1, 3>}>
  // EXPLICIT: "ttir.add"(%[[A]], %[[B]])
  %0 = "ttir.add"(%a, %b) : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @reduced(%a: tensor<2x3x4xf32>) -> tensor<4xf32> {
  // KEEP: %[[S:.*]] = "ttir.sum"(%arg0) <{dim_arg = [0 : i32, -2 : i32], keep_dim = true}> : (tensor<2x3x4xf32>) -> tensor<1x1x4xf32>
  // KEEP: "ttir.reshape"(%[[S]]) <{shape = [4 : i32]}>
  %0 = "ttir.sum"(%a) <{dim_arg = [0 : i32, -2 : i32], keep_dim = false}> : (tensor<2x3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The filled tensor gave the sum its rows: the sum is broadcast.
func.func @filled(%a: tensor<1x4xf32>) -> tensor<2x4xf32> {
  // SCALAR: %[[F:.*]] = "ttir.full"() <{fill_value = 2.000000e+00 : f32, shape = array<i32: 1, 1>}>
  // SCALAR: %[[S:.*]] = "ttir.add"(%arg0, %[[F]]) : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  // SCALAR: "ttir.broadcast"(%[[S]]) <{broadcast_dimensions = array<i64: 2, 1>}>
  %0 = "ttir.full"() <{fill_value = 2.0 : f32, shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  %1 = "ttir.add"(%a, %0) : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// TYPES: func.func @types(%arg0: tensor<2xbf16>, %arg1: tensor<2xsi32>, %arg2: tensor<2xui8>) -> (tensor<2xf32>, tensor<2xui32>)
func.func @types(%a: tensor<2xi1>, %b: tensor<2xi64>, %c: tensor<2xi8>) -> (tensor<2xf64>, tensor<2xui64>) {
  // TYPES: "ttir.constant"() <{value = dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>}>
  // TYPES: "ttir.constant"() <{value = dense<[1, 2]> : tensor<2xui32>}>
  %0 = "ttir.constant"() <{value = dense<[1.0, 2.5]> : tensor<2xf64>}> : () -> tensor<2xf64>
  %1 = "ttir.constant"() <{value = dense<[1, 2]> : tensor<2xui64>}> : () -> tensor<2xui64>
  return %0, %1 : tensor<2xf64>, tensor<2xui64>
}
