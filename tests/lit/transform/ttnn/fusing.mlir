// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-layout --ttnn-fusing --mlir-print-local-scope | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-layout --ttnn-decomposition --mlir-print-local-scope | FileCheck %s --check-prefix=APART
// RUN: ttmlir-opt %s --ttnn-resolve-composites=composite-resolution=force-promote | FileCheck %s --check-prefix=TYPED
// RUN: ttmlir-opt %s --ttnn-resolve-composites | FileCheck %s --check-prefix=INLINE
// RUN: not ttmlir-opt %s --ttnn-resolve-composites=composite-resolution=maybe 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: composite-resolution is auto, inline, validate or force-promote, not 'maybe'

// Activations fused into a convolution or a matmul; one activation, and only if it is the only user.
// CHECK-LABEL: @activations
// CHECK: "ttnn.matmul"(%arg0, %arg0) <{activation = "sigmoid"
// CHECK-NEXT: %[[M:.*]] = "ttnn.matmul"(%arg0, %arg0) <{transpose_a
// CHECK-NEXT: "ttnn.gelu"(%[[M]])
// CHECK-NEXT: %[[R:.*]] = "ttnn.matmul"(%arg0, %arg0) <{transpose_a
// CHECK-NEXT: "ttnn.relu"(%[[R]])
func.func @activations(%x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = "ttnn.matmul"(%x, %x) <{transpose_a = false, transpose_b = false}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttnn.sigmoid"(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = "ttnn.matmul"(%x, %x) <{transpose_a = false, transpose_b = false}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = "ttnn.gelu"(%2) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = "ttnn.matmul"(%x, %x) <{transpose_a = false, transpose_b = false}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %5 = "ttnn.relu"(%4) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1, %2, %3, %5 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @conv
// CHECK: "ttnn.conv2d"({{.*}}conv2d_config = #ttnn.conv2d_config<weights_dtype = f32, activation = <op_type = relu>>
// CHECK-NOT: ttnn.relu
func.func @conv(%x: tensor<1x1x64x32xf32>, %w: tensor<32x32x1x1xf32>) -> tensor<1x8x8x32xf32> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %0 = "ttnn.conv2d"(%x, %w, %d) <{in_channels = 32 : i32, out_channels = 32 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, kernel_size = array<i32: 1, 1>, stride = array<i32: 1, 1>, padding = array<i32: 0, 0>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x1x64x32xf32>, tensor<32x32x1x1xf32>, !ttnn.device) -> tensor<1x1x64x32xf32>
  %1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 8 : i32, 8 : i32, 32 : i32]}> : (tensor<1x1x64x32xf32>) -> tensor<1x8x8x32xf32>
  %2 = "ttnn.relu"(%1) : (tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %2 : tensor<1x8x8x32xf32>
}

// APART-LABEL: @attention
// APART: %[[K:.*]] = "ttnn.repeat_interleave"(%arg1) <{dim = 1 : si32, repeats = 2 : ui32}>
// APART: %[[V:.*]] = "ttnn.repeat_interleave"(%arg1)
// APART: %[[T:.*]] = "ttnn.transpose"(%[[K]])
// APART: %[[S:.*]] = "ttnn.matmul"(%arg0, %[[T]])
// APART: %[[C:.*]] = "ttnn.multiply"(%[[S]]
// APART: "ttnn.gt"
// APART: %[[M:.*]] = "ttnn.where"
// APART: %[[A:.*]] = "ttnn.add"(%[[C]], %[[M]])
// APART: %[[P:.*]] = "ttnn.softmax"(%[[A]])
// APART: "ttnn.matmul"(%[[P]], %[[V]])
func.func @attention(%q: tensor<1x4x32x32xf32>, %k: tensor<1x2x32x32xf32>) -> tensor<1x4x32x32xf32> {
  %0 = "ttnn.scaled_dot_product_attention"(%q, %k, %k) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x4x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) -> tensor<1x4x32x32xf32>
  return %0 : tensor<1x4x32x32xf32>
}

// APART-LABEL: @norm
// APART: "ttnn.reshape"(%arg0) <{shape = [1 : i32, 64 : i32, 2 : i32, 16 : i32]
// APART: "ttnn.mean"
// APART: "ttnn.subtract"
// APART: "ttnn.rsqrt"
// APART: "ttnn.multiply"
// APART-NOT: group_norm
func.func @norm(%x: tensor<1x1x64x32xf32>) -> tensor<1x1x64x32xf32> {
  %0 = "ttnn.group_norm"(%x) <{num_groups = 2 : i64, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<1x1x64x32xf32>) -> tensor<1x1x64x32xf32>
  return %0 : tensor<1x1x64x32xf32>
}

// TYPED-LABEL: @composite
// TYPED: "ttnn.rotary_embedding"(%arg0, %arg1, %arg1)
// INLINE-LABEL: @composite
// INLINE: "ttnn.multiply"(%arg0, %arg1)
// INLINE-NOT: @rotate
func.func @composite(%x: tensor<1x1x32x32xf32>, %c: tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> {
  %0 = "ttcore.composite"(%x, %c, %c) <{composite_name = "rotary_embedding", decomposition = @rotate}> : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  return %0 : tensor<1x1x32x32xf32>
}
func.func private @rotate(%x: tensor<1x1x32x32xf32>, %c: tensor<1x1x32x32xf32>, %s: tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> {
  %0 = "ttnn.multiply"(%x, %c) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  return %0 : tensor<1x1x32x32xf32>
}
