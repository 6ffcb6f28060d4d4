// RUN: ttmlir-opt %s --ttir-erase-inverse-ops | FileCheck %s
// RUN: ttmlir-opt %s --ttir-erase-inverse-ops=enable-commute-downwards=false | FileCheck %s --check-prefix=UP
// RUN: ttmlir-opt %s --ttir-erase-inverse-ops=enable-commute-upwards=false | FileCheck %s --check-prefix=DOWN
// RUN: ttmlir-opt %s --ttir-erase-inverse-ops=force=false | FileCheck %s --check-prefix=KEPT
// RUN: not ttmlir-opt %s --ttir-erase-inverse-ops=max-iterations=1 2>&1 | FileCheck %s --check-prefix=LIMIT

// LIMIT: EraseInverseOps: TM count has not converged after 1 iterations.

// Two permutes meet through an element-wise operation and a reduction.
// CHECK-LABEL: @meet
// KEPT-LABEL: @meet
func.func @meet(%a: tensor<2x3x4xf32>) -> tensor<2x1x4xf32> {
  // CHECK-NEXT: %[[E:.*]] = "ttir.exp"(%arg0)
  // CHECK-NEXT: %[[S:.*]] = "ttir.sum"(%[[E]]) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  // CHECK-NEXT: return %[[S]]
  // KEPT-COUNT-2: "ttir.permute"
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = "ttir.sum"(%1) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<4x2x3xf32>) -> tensor<4x2x1xf32>
  %3 = "ttir.permute"(%2) <{permutation = array<i64: 1, 2, 0>}> : (tensor<4x2x1xf32>) -> tensor<2x1x4xf32>
  return %3 : tensor<2x1x4xf32>
}

// A removed dimension is removed from the permutation.
// UP-LABEL: @dropped
// DOWN-LABEL: @dropped
func.func @dropped(%a: tensor<2x3x4x5xf32>) -> (tensor<5x4x2xf32>, tensor<4x2x5xf32>) {
  // UP: %[[P:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 3, 1, 2, 0>}>
  // UP: "ttir.max"(%[[P]]) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<5x3x4x2xf32>) -> tensor<5x4x2xf32>
  %0 = "ttir.max"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x3x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x4x5xf32>) -> tensor<5x4x2xf32>
  // DOWN: %[[M:.*]] = "ttir.min"(%arg0) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x3x4x5xf32>) -> tensor<2x4x5xf32>
  // DOWN: "ttir.permute"(%[[M]]) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x4x5xf32>) -> tensor<4x2x5xf32>
  %2 = "ttir.permute"(%a) <{permutation = array<i64: 2, 1, 0, 3>}> : (tensor<2x3x4x5xf32>) -> tensor<4x3x2x5xf32>
  %3 = "ttir.min"(%2) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x3x2x5xf32>) -> tensor<4x2x5xf32>
  return %1, %3 : tensor<5x4x2xf32>, tensor<4x2x5xf32>
}

// A weight is moved back, once and for all; an input would not be.
// DOWN-LABEL: @weight
func.func @weight(%a: tensor<2x3xf32>, %w: tensor<3x2xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  // DOWN: %[[W:.*]] = "ttir.permute"(%arg1) <{permutation = array<i64: 1, 0>}>
  // DOWN: %[[S:.*]] = "ttir.add"(%arg0, %[[W]])
  // DOWN: "ttir.permute"(%[[S]])
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "ttir.add"(%0, %w) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // DOWN: %[[P:.*]] = "ttir.permute"(%arg0)
  // DOWN: "ttir.multiply"(%[[P]], %arg2)
  %2 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = "ttir.multiply"(%2, %b) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1, %3 : tensor<3x2xf32>, tensor<3x2xf32>
}

// Repeated and own elements in one dimension: no reshape puts that above the broadcast.
// UP-LABEL: @broadcasts
func.func @broadcasts(%a: tensor<1x2x1xf32>) -> (tensor<4x2x3xf32>, tensor<2x2x1x2x3xf32>, tensor<8x3xf32>) {
  // UP: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 2 : i32, 1 : i32]}>
  // UP: "ttir.broadcast"(%[[R]]) <{broadcast_dimensions = array<i64: 2, 2, 1, 1, 3>}>
  // UP: "ttir.reshape"(%{{.*}}) <{shape = [8 : i32, 3 : i32]}>
  %0 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 4, 1, 3>}> : (tensor<1x2x1xf32>) -> tensor<4x2x3xf32>
  %1 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 4, 1, 3>}> : (tensor<1x2x1xf32>) -> tensor<4x2x3xf32>
  %2 = "ttir.reshape"(%1) <{shape = [2 : i32, 2 : i32, 1 : i32, 2 : i32, 3 : i32]}> : (tensor<4x2x3xf32>) -> tensor<2x2x1x2x3xf32>
  %3 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 4, 1, 3>}> : (tensor<1x2x1xf32>) -> tensor<4x2x3xf32>
  %4 = "ttir.reshape"(%3) <{shape = [8 : i32, 3 : i32]}> : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  return %0, %2, %4 : tensor<4x2x3xf32>, tensor<2x2x1x2x3xf32>, tensor<8x3xf32>
}

// UP-LABEL: @parts
func.func @parts(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> (tensor<4x2x8xf32>, tensor<1x2x8x2x2xf32>, tensor<6x2xf32>) {
  // UP: "ttir.concat"(%{{.*}}, %{{.*}}) <{dim = 2 : si32}> : (tensor<4x2x3xf32>, tensor<4x2x5xf32>) -> tensor<4x2x8xf32>
  %0 = "ttir.concat"(%a, %b) <{dim = -2 : si32}> : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x8x4xf32>) -> tensor<4x2x8xf32>
  // UP: "ttir.concat"(%{{.*}}, %{{.*}}) <{dim = 2 : si32}> : (tensor<1x2x3x2x2xf32>, tensor<1x2x5x2x2xf32>) -> tensor<1x2x8x2x2xf32>
  %2 = "ttir.concat"(%a, %b) <{dim = 1 : si32}> : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
  %3 = "ttir.reshape"(%2) <{shape = [1 : i32, 2 : i32, 8 : i32, 2 : i32, 2 : i32]}> : (tensor<2x8x4xf32>) -> tensor<1x2x8x2x2xf32>
  // UP: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [6 : i32, 4 : i32]}>
  // UP: "ttir.slice_static"(%[[R]]) <{begins = [0 : i32, 1 : i32], ends = [6 : i32, 3 : i32], step = [1 : i32, 1 : i32]}>
  %4 = "ttir.slice_static"(%a) <{begins = [0 : i32, 0 : i32, 1 : i32], ends = [2 : i32, 3 : i32, -1 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  %5 = "ttir.reshape"(%4) <{shape = [6 : i32, 2 : i32]}> : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
  return %1, %3, %5 : tensor<4x2x8xf32>, tensor<1x2x8x2x2xf32>, tensor<6x2xf32>
}

// UP-LABEL: @norms
func.func @norms(%a: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<2x12xf32>, tensor<6x4xf32>) {
  // UP: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [6 : i32, 4 : i32]}>
  // UP: "ttir.softmax"(%[[R]]) <{dimension = 1 : si32
  %0 = "ttir.softmax"(%a) <{dimension = 2 : si32, numericStable = true}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = "ttir.reshape"(%0) <{shape = [6 : i32, 4 : i32]}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // UP: %[[S:.*]] = "ttir.softmax"(%arg0) <{dimension = 2 : si32, numericStable = false}>
  // UP: "ttir.reshape"(%[[S]]) <{shape = [2 : i32, 12 : i32]}>
  %2 = "ttir.softmax"(%a) <{dimension = 2 : si32, numericStable = false}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 12 : i32]}> : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  // UP: "ttir.rms_norm"(%{{.*}}) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 4>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %4 = "ttir.rms_norm"(%a) <{normalized_shape = array<i64: 4>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %5 = "ttir.reshape"(%4) <{shape = [6 : i32, 4 : i32]}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return %1, %3, %5 : tensor<6x4xf32>, tensor<2x12xf32>, tensor<6x4xf32>
}

// CHECK-LABEL: @fused
func.func @fused(%a: tensor<1x2x3x4xf32>) -> tensor<1x1x6x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 6 : i32, 4 : i32]}>
  // CHECK-NEXT: return %[[R]]
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  %1 = "ttir.reshape"(%0) <{shape = [1 : i32, 4 : i32, 1 : i32, 6 : i32]}> : (tensor<1x4x2x3xf32>) -> tensor<1x4x1x6xf32>
  %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x4x1x6xf32>) -> tensor<1x1x6x4xf32>
  return %2 : tensor<1x1x6x4xf32>
}

// An operand that the addition repeats by itself cannot be moved like its result.
// CHECK-LABEL: @repeated
func.func @repeated(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x2xf32> {
  // CHECK: "ttir.add"(%arg0, %arg1)
  // CHECK: "ttir.permute"
  %0 = "ttir.add"(%a, %b) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
