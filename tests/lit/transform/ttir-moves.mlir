// RUN: ttmlir-opt %s --ttir-decompose-complex-permute | FileCheck %s --check-prefix=PERMUTE
// RUN: ttmlir-opt %s --ttir-decompose-complex-reshape | FileCheck %s --check-prefix=RESHAPE
// RUN: ttmlir-opt %s --ttir-move-reshape-to-constant | FileCheck %s --check-prefix=MOVE
// RUN: ttmlir-opt %s --ttir-fold-constant-reshape-broadcast | FileCheck %s --check-prefix=FOLD
// RUN: ttmlir-opt %s --ttir-flatten-sliding-window | FileCheck %s --check-prefix=WINDOW

// PERMUTE-LABEL: @permutes
func.func @permutes(%a: tensor<2x3x4x5xf32>) -> (tensor<5x4x3x2xf32>, tensor<3x2x5x4xf32>, tensor<2x3x5x4xf32>) {
  // PERMUTE: %[[A:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 2, 1, 0, 3>}> {decomposed}
  // PERMUTE: %[[B:.*]] = "ttir.permute"(%[[A]]) <{permutation = array<i64: 0, 1, 3, 2>}> {decomposed}
  // PERMUTE: "ttir.permute"(%[[B]]) <{permutation = array<i64: 2, 0, 1, 3>}> {decomposed}
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 3, 2, 1, 0>}> : (tensor<2x3x4x5xf32>) -> tensor<5x4x3x2xf32>
  // PERMUTE: %[[C:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 0, 2, 3>}> {decomposed}
  // PERMUTE: "ttir.permute"(%[[C]]) <{permutation = array<i64: 0, 1, 3, 2>}> {decomposed}
  %1 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0, 3, 2>}> : (tensor<2x3x4x5xf32>) -> tensor<3x2x5x4xf32>
  // PERMUTE: "ttir.permute"(%arg0) <{permutation = array<i64: 0, 1, 3, 2>}> :
  %2 = "ttir.permute"(%a) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
  return %0, %1, %2 : tensor<5x4x3x2xf32>, tensor<3x2x5x4xf32>, tensor<2x3x5x4xf32>
}

// RESHAPE-LABEL: @reshapes
func.func @reshapes(%a: tensor<4x1xf32>, %b: tensor<4x3xf32>, %c: tensor<2x4x1xf32>) -> (tensor<1x4xf32>, tensor<4x3x1xf32>, tensor<1x8xf32>) {
  // RESHAPE: "ttir.permute"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<4x1xf32>) -> tensor<1x4xf32>
  %0 = "ttir.reshape"(%a) <{shape = [1 : i32, 4 : i32]}> : (tensor<4x1xf32>) -> tensor<1x4xf32>
  // RESHAPE: %[[R:.*]] = "ttir.reshape"(%arg1) <{shape = [4 : i32, 1 : i32, 3 : i32]}>
  // RESHAPE: "ttir.permute"(%[[R]]) <{permutation = array<i64: 0, 2, 1>}>
  %1 = "ttir.reshape"(%b) <{shape = [4 : i32, 3 : i32, 1 : i32]}> : (tensor<4x3xf32>) -> tensor<4x3x1xf32>
  // RESHAPE: %[[S:.*]] = "ttir.reshape"(%arg2) <{shape = [8 : i32, 1 : i32]}>
  // RESHAPE: "ttir.permute"(%[[S]]) <{permutation = array<i64: 1, 0>}> : (tensor<8x1xf32>) -> tensor<1x8xf32>
  %2 = "ttir.reshape"(%c) <{shape = [1 : i32, 8 : i32]}> : (tensor<2x4x1xf32>) -> tensor<1x8xf32>
  return %0, %1, %2 : tensor<1x4xf32>, tensor<4x3x1xf32>, tensor<1x8xf32>
}

// MOVE-LABEL: @constants
// FOLD-LABEL: @constants
func.func @constants(%a: tensor<2x6xf32>) -> (tensor<2x3x2xf32>, tensor<2x6xf32>) {
  // MOVE: %[[C:.*]] = "ttir.constant"() <{value = dense<{{.*}}> : tensor<2x6xf32>}>
  // MOVE: %[[S:.*]] = "ttir.add"(%arg0, %[[C]])
  // MOVE: "ttir.reshape"(%[[S]])
  %c = "ttir.constant"() <{value = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>}> : () -> tensor<2x3x2xf32>
  %0 = "ttir.reshape"(%a) <{shape = [2 : i32, 3 : i32, 2 : i32]}> : (tensor<2x6xf32>) -> tensor<2x3x2xf32>
  %1 = "ttir.add"(%0, %c) : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  // FOLD: "ttir.multiply"(%arg0, %{{.*}}) : (tensor<2x6xf32>, tensor<2x6xf32>)
  // FOLD-NOT: "ttir.broadcast"
  %d = "ttir.constant"() <{value = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %2 = "ttir.broadcast"(%d) <{broadcast_dimensions = array<i64: 2, 6>}> : (tensor<1x1xf32>) -> tensor<2x6xf32>
  %3 = "ttir.multiply"(%a, %2) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %1, %3 : tensor<2x3x2xf32>, tensor<2x6xf32>
}

// MOVE-LABEL: @brought_constants
// FOLD-LABEL: @brought_constants
func.func @brought_constants(%a: tensor<2x6xf32>, %b: tensor<6xf32>) -> (tensor<2x1x6xf32>, tensor<2x1x6xf32>, tensor<2x6xf32>) {
  // MOVE-DAG: %[[ONES:.*]] = "ttir.constant"() <{value = dense<1.000000e+00> : tensor<2x6xf32>}>
  // MOVE-DAG: "ttir.add"(%arg0, %[[ONES]])
  %ones = "ttir.constant"() <{value = dense<1.0> : tensor<2x6xf32>}> : () -> tensor<2x6xf32>
  %0 = "ttir.reshape"(%ones) <{shape = [2 : i32, 1 : i32, 6 : i32]}> : (tensor<2x6xf32>) -> tensor<2x1x6xf32>
  %1 = "ttir.reshape"(%a) <{shape = [2 : i32, 1 : i32, 6 : i32]}> : (tensor<2x6xf32>) -> tensor<2x1x6xf32>
  %2 = "ttir.add"(%1, %0) : (tensor<2x1x6xf32>, tensor<2x1x6xf32>) -> tensor<2x1x6xf32>
  // MOVE-DAG: %[[TWO:.*]] = "ttir.full"() <{fill_value = 2.000000e+00 : f32, shape = array<i32: 2, 6>}>
  // MOVE-DAG: "ttir.multiply"(%arg0, %[[TWO]])
  %two = "ttir.full"() <{shape = array<i32: 1, 1, 6>, fill_value = 2.0 : f32}> : () -> tensor<1x1x6xf32>
  %3 = "ttir.broadcast"(%two) <{broadcast_dimensions = array<i64: 2, 1, 1>}> : (tensor<1x1x6xf32>) -> tensor<2x1x6xf32>
  %4 = "ttir.reshape"(%a) <{shape = [2 : i32, 1 : i32, 6 : i32]}> : (tensor<2x6xf32>) -> tensor<2x1x6xf32>
  %5 = "ttir.multiply"(%4, %3) : (tensor<2x1x6xf32>, tensor<2x1x6xf32>) -> tensor<2x1x6xf32>
  // FOLD-DAG: %[[HALF:.*]] = "ttir.constant"() <{value = dense<5.000000e-01> : tensor<2x6xf32>}>
  // FOLD-DAG: "ttir.pow"(%arg0, %[[HALF]])
  %half = "ttir.constant"() <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
  %6 = "ttir.reshape"(%half) <{shape = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<f32>) -> tensor<1x1x1xf32>
  %7 = "ttir.broadcast"(%6) <{broadcast_dimensions = array<i64: 1, 2, 6>}> : (tensor<1x1x1xf32>) -> tensor<1x2x6xf32>
  %8 = "ttir.reshape"(%7) <{shape = [2 : i32, 6 : i32]}> : (tensor<1x2x6xf32>) -> tensor<2x6xf32>
  %9 = "ttir.pow"(%a, %8) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %2, %5, %9 : tensor<2x1x6xf32>, tensor<2x1x6xf32>, tensor<2x6xf32>
}

// MOVE-LABEL: @several_values
func.func @several_values(%a: tensor<4x3xf32>) -> tensor<4x1x3xf32> {
  // A constant of several values that a broadcast repeats stays as it is.
  // MOVE: "ttir.broadcast"
  // MOVE: "ttir.reshape"(%{{.*}}) <{shape = [4 : i32, 3 : i32]}>
  %c = "ttir.constant"() <{value = dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>}> : () -> tensor<1x1x3xf32>
  %0 = "ttir.broadcast"(%c) <{broadcast_dimensions = array<i64: 4, 1, 1>}> : (tensor<1x1x3xf32>) -> tensor<4x1x3xf32>
  %1 = "ttir.reshape"(%a) <{shape = [4 : i32, 1 : i32, 3 : i32]}> : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
  %2 = "ttir.add"(%1, %0) : (tensor<4x1x3xf32>, tensor<4x1x3xf32>) -> tensor<4x1x3xf32>
  return %2 : tensor<4x1x3xf32>
}

// WINDOW-LABEL: @window
func.func @window(%x: tensor<2x4x6x8xf32>) -> tensor<2x2x3x8xf32> {
  // WINDOW: %[[X:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 48 : i32, 8 : i32]}>
  // WINDOW: %[[Y:.*]] = "ttir.max_pool2d"(%[[X]]) <{ceil_mode = false, dilation = 1 : i32, flattened_compat_info = #ttir<flattened_compat batch_size = 2, input_height = 4, input_width = 6>, kernel = 2 : i32
  // WINDOW: "ttir.reshape"(%[[Y]]) <{shape = [2 : i32, 2 : i32, 3 : i32, 8 : i32]}>
  %0 = "ttir.max_pool2d"(%x) <{kernel = 2 : i32, stride = 2 : i32, dilation = 1 : i32, padding = 0 : i32, ceil_mode = false}> : (tensor<2x4x6x8xf32>) -> tensor<2x2x3x8xf32>
  return %0 : tensor<2x2x3x8xf32>
}
