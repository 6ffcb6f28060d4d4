// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttnn-layout --ttnn-workaround=ttnn-enable-layout-workaround-pass=false --mlir-print-local-scope | FileCheck %s

// Operations that do not run as they are become others.

// CHECK-LABEL: @gather
// CHECK: %[[Z:.*]] = "ttnn.full"({{.*}}fill_value = 0 : i32
// CHECK: %[[M:.*]] = "ttnn.lt"(%arg1, %[[Z]])
// CHECK: %[[C:.*]] = "ttnn.maximum"(%arg1, %[[Z]])
// CHECK: %[[U:.*]] = "ttnn.to_tensor_spec"(%[[C]])
// CHECK: %[[G:.*]] = "ttnn.gather"(%arg0, %[[U]])
// CHECK: %[[N:.*]] = "ttnn.full"({{.*}}fill_value = 0x7FC00000 : f32
// CHECK: "ttnn.where"(%[[M]], %[[N]], %[[G]])
func.func @gather(%x: tensor<5x3xf32>, %i: tensor<2x3xsi32>) -> tensor<2x3xf32> {
  %0 = "ttnn.gather"(%x, %i) <{dim = 0 : si32}> : (tensor<5x3xf32>, tensor<2x3xsi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @high_pad
// CHECK: "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 4, 1, 3>
// CHECK: "ttnn.reshape"({{.*}}shape = [30 : i32, 3 : i32, 4 : i32]
// CHECK: "ttnn.pad"({{.*}}padding = array<i32: 0, 0, 1, 0, 0, 2>
// CHECK: "ttnn.reshape"({{.*}}shape = [2 : i32, 3 : i32, 5 : i32, 4 : i32, 6 : i32]
// CHECK: "ttnn.permute"({{.*}}permutation = array<i64: 0, 3, 1, 4, 2>{{.*}} -> tensor<2x4x3x6x5xf32
func.func @high_pad(%x: tensor<2x3x3x4x5xf32>) -> tensor<2x4x3x6x5xf32> {
  %0 = "ttnn.pad"(%x) <{padding = array<i32: 0, 0, 1, 0, 0, 0, 0, 2, 0, 0>, value = 0.0 : f32, use_multicore = true}> : (tensor<2x3x3x4x5xf32>) -> tensor<2x4x3x6x5xf32>
  return %0 : tensor<2x4x3x6x5xf32>
}

// -----

// A bias of more than one row is added after the product; one row stays.
// CHECK-LABEL: @linear
// CHECK: %[[P:.*]] = "ttnn.matmul"(%arg0, %arg1)
// CHECK: %[[S:.*]] = "ttnn.add"(%[[P]], %arg2)
// CHECK: "ttnn.relu"(%[[S]])
// CHECK: "ttnn.linear"(%arg0, %arg1, %arg3)
func.func @linear(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %rows: tensor<4x16xf32>, %row: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = "ttnn.linear"(%a, %b, %rows) <{transpose_a = false, transpose_b = false, activation = "relu"}> : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = "ttnn.linear"(%a, %b, %row) <{transpose_a = false, transpose_b = false}> : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = "ttnn.slice_static"(%arg0) {{.*}}ends = [2 : i32, 1 : i32]
// CHECK: %[[B:.*]] = "ttnn.slice_static"(%arg0) {{.*}}ends = [2 : i32, 2 : i32]
// CHECK: %[[M:.*]] = "ttnn.multiply"(%[[A]], %[[B]])
// CHECK: "ttnn.reshape"(%[[M]])
func.func @product(%x: tensor<2x2xsi32>) -> tensor<2xsi32> {
  %0 = "ttnn.prod"(%x) <{dim_arg = 1 : si64, keep_dim = false}> : (tensor<2x2xsi32>) -> tensor<2xsi32>
  return %0 : tensor<2xsi32>
}

// -----

// CHECK-LABEL: @norm
// CHECK: compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, math_approx_mode = false, fp32_dest_acc_en = true, packer_l1_acc = true>
func.func @norm(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {
  %0 = "ttnn.rms_norm"(%x, %w) <{epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

// CHECK-LABEL: @update
// CHECK: %[[U:.*]] = "ttnn.to_tensor_spec"(%arg1) {{.*}}<10x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<l1>>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,0)>, #ttnn.core_range<(0,1), (1,1)>]>>>
// CHECK: "ttnn.paged_update_cache"(%arg0, %[[U]]
func.func @update(%c: tensor<16x4x32x32xf32>, %x: tensor<1x10x4x32xf32>, %i: tensor<10xsi32>, %t: tensor<10x2xsi32>) {
  "ttnn.paged_update_cache"(%c, %x, %i, %t) <{share_cache = false}> : (tensor<16x4x32x32xf32>, tensor<1x10x4x32xf32>, tensor<10xsi32>, tensor<10x2xsi32>) -> ()
  return
}
