// RUN: ttmlir-opt %s --ttcore-register-device=mesh-shape=1,2 --ttnn-layout --convert-ttir-to-ttnn --mlir-print-local-scope | FileCheck %s

// Conversions that are more than a change of the name.

// CHECK-LABEL: @heads
// CHECK: "ttnn.split_query_key_value_and_split_heads"(%arg0) <{num_heads = 2 : ui32, transpose_key = false}>
func.func @heads(%x: tensor<1x32x192xf32>) -> tensor<1x2x32x32xf32> {
  %q, %k, %v = "ttir.split_query_key_value_and_split_heads"(%x) <{num_heads = 2 : ui32, transpose_key = false}> : (tensor<1x32x192xf32>) -> (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>)
  return %q : tensor<1x2x32x32xf32>
}

// One query at a time: heads and batch are transposed, the mask is divided by the scale and broadcast for each head.
// CHECK-LABEL: @attention
// CHECK: %[[Q:.*]] = "ttnn.permute"(%arg0) <{permutation = array<i64: 2, 0, 1, 3>
// CHECK: %[[S:.*]] = "ttnn.multiply"(%arg2,
// CHECK: %[[P:.*]] = "ttnn.permute"(%[[S]]) <{permutation = array<i64: 0, 2, 1, 3>
// CHECK: %[[M:.*]] = "ttnn.repeat"(%[[P]]) <{repeat_dims = #ttnn.shape<1x1x4x1>}>
// CHECK: %[[Y:.*]] = "ttnn.scaled_dot_product_attention_decode"(%[[Q]], %arg1, %arg1, %[[M]]) <{is_causal = false,
// CHECK: "ttnn.permute"(%[[Y]]) <{permutation = array<i64: 1, 2, 0, 3>
func.func @attention(%q: tensor<2x4x1x32xf32>, %k: tensor<2x4x64x32xf32>, %m: tensor<2x1x1x64xf32>) -> tensor<2x4x1x32xf32> {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %k, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x4x1x32xf32>, tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>, tensor<2x1x1x64xf32>) -> tensor<2x4x1x32xf32>
  return %0 : tensor<2x4x1x32xf32>
}

// CHECK-LABEL: @conv3d
// CHECK: %[[X:.*]] = "ttnn.pad"(%arg0) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 29>
// CHECK: "ttnn.conv3d"(%[[X]], %arg1, {{.*}}conv3d_config = #ttnn.conv3d_config<t_out_block = 1, w_out_block = 1, h_out_block = 1, c_out_block = 32, c_in_block = 32,
// CHECK-SAME: in_channels = 32 : i32
func.func @conv3d(%x: tensor<1x4x8x8x3xf32>, %w: tensor<16x3x3x3x3xf32>) -> tensor<1x2x6x6x16xf32> {
  %0 = "ttir.conv3d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, groups = 1 : i32, padding_mode = "zeros"}> : (tensor<1x4x8x8x3xf32>, tensor<16x3x3x3x3xf32>) -> tensor<1x2x6x6x16xf32>
  return %0 : tensor<1x2x6x6x16xf32>
}

// CHECK-LABEL: @group_norm
// CHECK: %[[P:.*]] = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>
// CHECK: %[[F:.*]] = "ttnn.reshape"(%[[P]]) <{shape = [1 : i32, 1 : i32, 16 : i32, 8 : i32]
// CHECK: %[[W:.*]] = "ttnn.ones"
// CHECK: %[[B:.*]] = "ttnn.zeros"
// CHECK: %[[N:.*]] = "ttnn.group_norm"(%[[F]], %[[W]], %[[B]])
// CHECK: %[[R:.*]] = "ttnn.reshape"(%[[N]])
// CHECK: "ttnn.permute"(%[[R]]) <{permutation = array<i64: 0, 3, 1, 2>
func.func @group_norm(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %0 = "ttir.group_norm"(%x) <{num_groups = 2 : i64, epsilon = 1.0e-5 : f32, channel_dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// CHECK-LABEL: @mesh
// CHECK-SAME: #ttnn.buffer_type<system_memory>
// CHECK: %[[S:.*]] = "ttnn.distribute_tensor"(%arg0, {{.*}}mapper_config = #ttnn.mesh_mapper_config<placements = [<replicate, -1 : i32>, <shard, 1 : i32>], mesh_shape_override = [1 : ui32, 2 : ui32]>
// CHECK: "ttnn.all_gather"
// CHECK: %[[A:.*]] = "ttnn.assign"
// CHECK: "ttnn.point_to_point"({{.*}}, %[[A]]) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 0, 0>}>
// CHECK: "ttnn.aggregate_tensor"({{.*}}composer_config = #ttnn.mesh_composer_config<dims = [0 : i32, 1 : i32], mesh_shape_override = [1 : ui32, 2 : ui32]>
func.func @mesh(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = "ttir.mesh_shard"(%x) <{shard_type = #ttcore.shard_type<devices>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_dims = array<i64: -1, 1>}> : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = "ttir.all_gather"(%0) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (tensor<4x4xf32>) -> tensor<4x8xf32>
  %2 = "ttir.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.mesh_shard"(%2) <{shard_type = #ttcore.shard_type<devices>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2>, shard_dims = array<i64: -1, 1>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}
