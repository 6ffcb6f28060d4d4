// RUN: ttmlir-opt %s --split-input-file --stablehlo-to-ttir-pipeline | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%q: tensor<1x2x4x8xf32>, %m: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) {
  // CHECK: "ttir.scaled_dot_product_attention"(%arg0, %arg0, %arg0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 5.000000e-01 : f32}>
  %0 = stablehlo.custom_call @tt.scaled_dot_product_attention(%q, %q, %q) {mhlo.frontend_attributes = {is_causal = "True", scale = "0.5"}} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  // A fourth operand without attributes is the mask.
  // CHECK: "ttir.scaled_dot_product_attention"(%arg0, %arg0, %arg0, %arg1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
  %1 = stablehlo.custom_call @tt.scaled_dot_product_attention(%q, %q, %q, %m) {mhlo.frontend_attributes = {is_causal = "False"}} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x8xf32>
  return %0, %1 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>
}

// -----

// CHECK-LABEL: @paged
func.func @paged(%q: tensor<1x1x2x8xf32>, %c: tensor<4x2x32x8xf32>, %t: tensor<1x2xi32>, %p: tensor<1xi32>) -> tensor<1x1x2x8xf32> {
  // CHECK: %[[E:.*]] = ttir.empty()
  // CHECK: "ttir.paged_scaled_dot_product_attention_decode"(%arg0, %arg1, %arg1, %arg2, %[[E]], %arg3) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>, sliding_window_size = 16 : ui32}>
  %0 = stablehlo.custom_call @tt.paged_scaled_dot_product_attention_decode(%q, %c, %c, %t, %p) {mhlo.frontend_attributes = {has_cur_pos_tensor = "True", has_attention_mask = "False", has_attention_sink = "False", sliding_window_size = "16"}} : (tensor<1x1x2x8xf32>, tensor<4x2x32x8xf32>, tensor<4x2x32x8xf32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<1x1x2x8xf32>
  return %0 : tensor<1x1x2x8xf32>
}

// -----

// CHECK-LABEL: @composites
func.func @composites(%x: tensor<2x6xf32>, %q: tensor<2x4x8xf32>, %g: tensor<1x4x6xf32>) -> (tensor<2x3xf32>, tensor<2x4x8xf32>, tensor<1x4x6xf32>) {
  // CHECK: "ttir.topk"(%arg0) <{dim = -1 : i32, k = 3 : i32, largest = false, sorted = true}>
  %0 = stablehlo.composite "tenstorrent.topk_values" %x {composite_attributes = {k = 3 : i64, largest = false, sorted = true}, decomposition = @first} : (tensor<2x6xf32>) -> tensor<2x3xf32>
  // CHECK: %[[Q:.*]] = "ttir.reshape"(%arg1) <{shape = [2 : i32, 1 : i32, 4 : i32, 8 : i32]}>
  // CHECK: %[[A:.*]] = "ttir.scaled_dot_product_attention"(%[[Q]]
  // CHECK: "ttir.reshape"(%[[A]]) <{shape = [2 : i32, 4 : i32, 8 : i32]}>
  %1 = stablehlo.composite "tenstorrent.scaled_dot_product_attention" %q, %q, %q {composite_attributes = {is_causal = true}, decomposition = @attend} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: "ttir.group_norm"(%{{.*}}) <{channel_dim = 1 : i64, epsilon = 9.99999974E-6 : f32, num_groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<1x4x6x1xf32>) -> tensor<1x4x6x1xf32>
  %2 = stablehlo.composite "tenstorrent.group_norm" %g {composite_attributes = {channel_dim = 1 : i64, epsilon = 1.0e-5 : f32, num_groups = 2 : i64}, decomposition = @norm} : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x4x8xf32>, tensor<1x4x6xf32>
}
func.func private @first(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.slice %x [0:2, 0:3] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func private @attend(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  return %q : tensor<2x4x8xf32>
}
func.func private @norm(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  return %x : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: @quantized
func.func @quantized(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Q:.*]] = "ttir.quantize"(%arg0)
  // CHECK: %[[R:.*]] = "ttir.requantize"(%[[Q]])
  // CHECK: "ttir.dequantize"(%[[R]])
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.0e-01>>
  %1 = stablehlo.uniform_quantize %0 : (tensor<4x!quant.uniform<i8:f32, 5.0e-01>>) -> tensor<4x!quant.uniform<i8:f32, 2.5e-01>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 2.5e-01>>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
