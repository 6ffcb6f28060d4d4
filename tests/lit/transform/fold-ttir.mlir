// RUN: ttmlir-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @splats
// CHECK-DAG: "ttir.full"() <{fill_value = 5.000000e+00 : f32, shape = array<i32: 4, 4>}>
// CHECK-DAG: "ttir.ones"() <{shape = array<i32: 4, 4>}>
// CHECK-DAG: "ttir.zeros"() <{shape = array<i32: 4, 4>}>
// CHECK-NOT: ttir.add
func.func @splats() -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %2 = "ttir.full"() <{fill_value = 2.0 : f32, shape = array<i32: 4, 4>}> : () -> tensor<4x4xf32>
  %3 = "ttir.constant"() <{value = dense<3.0> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
  %add = "ttir.add"(%2, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %sub = "ttir.subtract"(%3, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %gt = "ttir.gt"(%2, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %add, %sub, %gt : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Element by element where values differ; integers wrap, logic gives 0 and 1.
// CHECK-LABEL: func.func @values
// CHECK-DAG: dense<[5, 7, 9]> : tensor<3xi32>
// CHECK-DAG: dense<[-2147483648, 3, 4]> : tensor<3xi32>
// CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00, 1.000000e+00]> : tensor<3xf32>
// CHECK-DAG: dense<[true, false, true]> : tensor<3xi1>
// CHECK-NOT: ttir.{{add|sign|ne}}
func.func @values() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi1>) {
  %a = "ttir.constant"() <{value = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %b = "ttir.constant"() <{value = dense<[4, 5, 6]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %m = "ttir.constant"() <{value = dense<[2147483647, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %o = "ttir.ones"() <{shape = array<i32: 3>}> : () -> tensor<3xi32>
  %f = "ttir.constant"() <{value = dense<[-3.5, 0.0, 2.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "ttir.zeros"() <{shape = array<i32: 3>}> : () -> tensor<3xf32>
  %0 = "ttir.add"(%a, %b) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %1 = "ttir.add"(%m, %o) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %2 = "ttir.sign"(%f) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = "ttir.ne"(%f, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2, %3 : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi1>
}

// -----

// Operations that could fail at run time are not folded.
// CHECK-LABEL: func.func @left
// CHECK: "ttir.div"
// CHECK: "ttir.rsqrt"
// CHECK: "ttir.typecast"
func.func @left() -> (tensor<2xi32>, tensor<2xf32>, tensor<2xi8>) {
  %a = "ttir.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %b = "ttir.constant"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %f = "ttir.constant"() <{value = dense<[300.0, 0.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %0 = "ttir.div"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = "ttir.rsqrt"(%f) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "ttir.typecast"(%f) : (tensor<2xf32>) -> tensor<2xi8>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xf32>, tensor<2xi8>
}

// -----

// CHECK-LABEL: func.func @moved
// CHECK-DAG: dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK-DAG: dense<{{\[\[}}1, 2, 3, 4]]> : tensor<1x4xi32>
// CHECK-DAG: dense<[3, 4]> : tensor<2xi32>
// CHECK-NOT: ttir.{{permute|reshape|slice_static}}
func.func @moved() -> (tensor<2x2xi32>, tensor<1x4xi32>, tensor<2xi32>) {
  %a = "ttir.constant"() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %1 = "ttir.reshape"(%a) <{shape = [1 : i32, 4 : i32]}> : (tensor<2x2xi32>) -> tensor<1x4xi32>
  %2 = "ttir.slice_static"(%a) <{begins = [1 : i32, 0 : i32], ends = [2 : i32, 2 : i32], step = [1 : i32, 1 : i32]}> : (tensor<2x2xi32>) -> tensor<1x2xi32>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32]}> : (tensor<1x2xi32>) -> tensor<2xi32>
  return %0, %1, %3 : tensor<2x2xi32>, tensor<1x4xi32>, tensor<2xi32>
}

// -----

// Chains of movements become one or none.
// CHECK-LABEL: func.func @chains
// CHECK-NEXT: "ttir.reshape"(%arg0) <{shape = [8 : i32, 2 : i32]}>
// CHECK-NEXT: "ttir.slice_static"(%arg0) <{begins = [1 : i32, 2 : i32], ends = [2 : i32, 7 : i32], step = [1 : i32, 4 : i32]}>
// CHECK-NEXT: return %{{.*}}, %arg0, %{{.*}}, %arg0
func.func @chains(%a: tensor<2x8xf32>) -> (tensor<8x2xf32>, tensor<2x8xf32>, tensor<1x2xf32>, tensor<2x8xf32>) {
  %0 = "ttir.reshape"(%a) <{shape = [16 : i32]}> : (tensor<2x8xf32>) -> tensor<16xf32>
  %1 = "ttir.reshape"(%0) <{shape = [8 : i32, 2 : i32]}> : (tensor<16xf32>) -> tensor<8x2xf32>
  %2 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %3 = "ttir.permute"(%2) <{permutation = array<i64: 1, 0>}> : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %4 = "ttir.slice_static"(%a) <{begins = [1 : i32, 0 : i32], ends = [2 : i32, 8 : i32], step = [1 : i32, 2 : i32]}> : (tensor<2x8xf32>) -> tensor<1x4xf32>
  %5 = "ttir.slice_static"(%4) <{begins = [0 : i32, 1 : i32], ends = [1 : i32, 4 : i32], step = [1 : i32, 2 : i32]}> : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %6 = "ttir.concat"(%a, %a) <{dim = 0 : si32}> : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %7 = "ttir.slice_static"(%6) <{begins = [2 : i32, 0 : i32], ends = [4 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return %1, %3, %5, %7 : tensor<8x2xf32>, tensor<2x8xf32>, tensor<1x2xf32>, tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @chosen
// CHECK-NEXT: return %arg0, %arg1
func.func @chosen(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %t = "ttir.ones"() <{shape = array<i32: 4>}> : () -> tensor<4xi1>
  %f = "ttir.zeros"() <{shape = array<i32: 4>}> : () -> tensor<4xi1>
  %0 = "ttir.where"(%t, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.where"(%f, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// NaN is not equal to itself: only integers are compared with themselves at compile time.
// CHECK-LABEL: func.func @self_compare
func.func @self_compare(%f: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: "ttir.ne"(%arg0, %arg0)
  // CHECK-DAG: "ttir.eq"(%arg0, %arg0)
  // CHECK-DAG: "ttir.ones"() <{shape = array<i32: 4>}> : () -> tensor<4xi1>
  // CHECK-NOT: (%arg1, %arg1)
  %0 = "ttir.ne"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = "ttir.eq"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = "ttir.eq"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
