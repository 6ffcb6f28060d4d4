// RUN: ttmlir-opt %s --ttir-decompose-composites | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK: %[[M:.*]] = "ttir.max"(%arg0) <{dim_arg = [1 : i32], keep_dim = true}>
// CHECK: %[[S:.*]] = "ttir.subtract"(%arg0, %[[M]])
// CHECK: %[[E:.*]] = "ttir.exp"(%[[S]])
// CHECK: %[[T:.*]] = "ttir.sum"(%[[E]]) <{dim_arg = [1 : i32], keep_dim = true}>
// CHECK: "ttir.div"(%[[E]], %[[T]])
func.func @softmax(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = "ttir.softmax"(%a) <{dimension = -1 : si32, numericStable = true}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Without care for large numbers the maximum is not taken.
// CHECK-LABEL: func.func @plain_softmax
// CHECK-NOT: ttir.max
// CHECK: "ttir.exp"(%arg0)
func.func @plain_softmax(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = "ttir.softmax"(%a) <{dimension = 0 : si32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// All dimensions that are normalized have one mean; the weight gets ones in front.
// CHECK-LABEL: func.func @rms
// CHECK: "ttir.multiply"(%arg0, %arg0)
// CHECK: "ttir.mean"(%{{.*}}) <{dim_arg = [1 : i32, 2 : i32], keep_dim = true}>
// CHECK: "ttir.rsqrt"
// CHECK: "ttir.reshape"(%arg1) <{shape = [1 : i32, 4 : i32, 8 : i32]}>
// CHECK-NOT: ttir.subtract
// CHECK: return
func.func @rms(%a: tensor<2x4x8xf32>, %w: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = "ttir.rms_norm"(%a, %w) <{normalized_shape = array<i64: 4, 8>, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Centred first, one dimension after the other.
// CHECK-LABEL: func.func @layer
// CHECK: "ttir.mean"(%arg0) <{dim_arg = [2 : i32], keep_dim = true}>
// CHECK: "ttir.mean"(%{{.*}}) <{dim_arg = [1 : i32], keep_dim = true}>
// CHECK: "ttir.subtract"(%arg0,
// CHECK: "ttir.rsqrt"
// CHECK: "ttir.add"(%{{.*}}, %{{.*}}) : (tensor<2x4x8xf32>, tensor<1x4x8xf32>)
func.func @layer(%a: tensor<2x4x8xf32>, %b: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = "ttir.layer_norm"(%a, %b) <{normalized_shape = array<i64: 4, 8>, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Eight heads share two keys: four heads' rows are one matrix.
// CHECK-LABEL: func.func @attention
// CHECK: "ttir.full"() <{fill_value = 5.000000e-01 : f32
// CHECK: "ttir.reshape"(%arg0) <{shape = [1 : i32, 2 : i32, 64 : i32, 32 : i32]}>
// CHECK: "ttir.permute"(%arg1) <{permutation = array<i64: 0, 1, 3, 2>}>
// CHECK: "ttir.matmul"
// CHECK: "ttir.arange"() <{arange_dimension = 2
// CHECK: "ttir.arange"() <{arange_dimension = 3
// CHECK: "ttir.where"
// CHECK: "ttir.exp"
// CHECK: "ttir.matmul"(%{{.*}}, %arg2)
// CHECK: return %{{.*}} : tensor<1x8x16x32xf32>
func.func @attention(%q: tensor<1x8x16x32xf32>, %k: tensor<1x2x16x32xf32>, %v: tensor<1x2x16x32xf32>) -> tensor<1x8x16x32xf32> {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, scale = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x8x16x32xf32>, tensor<1x2x16x32xf32>, tensor<1x2x16x32xf32>) -> tensor<1x8x16x32xf32>
  return %0 : tensor<1x8x16x32xf32>
}

// A window is not decomposed.
// CHECK-LABEL: func.func @window
// CHECK: ttir.scaled_dot_product_attention
func.func @window(%q: tensor<1x8x16x32xf32>, %k: tensor<1x8x16x32xf32>, %v: tensor<1x8x16x32xf32>) -> tensor<1x8x16x32xf32> {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, sliding_window_size = 4 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x8x16x32xf32>, tensor<1x8x16x32xf32>, tensor<1x8x16x32xf32>) -> tensor<1x8x16x32xf32>
  return %0 : tensor<1x8x16x32xf32>
}

// Five times: once, and twice twice.
// CHECK-LABEL: func.func @five
// CHECK: %[[A:.*]] = "ttir.concat"(%arg0, %arg0) <{dim = 1 : si32}>
// CHECK: %[[B:.*]] = "ttir.concat"(%[[A]], %[[A]])
// CHECK: "ttir.concat"(%arg0, %[[B]])
// CHECK-NOT: ttir.repeat
func.func @five(%a: tensor<2x3xf32>) -> tensor<2x15xf32> {
  %0 = "ttir.repeat"(%a) <{repeat_dimensions = array<i64: 1, 5>}> : (tensor<2x3xf32>) -> tensor<2x15xf32>
  return %0 : tensor<2x15xf32>
}
