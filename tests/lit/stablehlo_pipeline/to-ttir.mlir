// RUN: ttmlir-opt --split-input-file --stablehlo-pipeline --stablehlo-to-ttir-pipeline %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file --stablehlo-pipeline --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline="mock-system-desc-arch=wormhole_b0" %s | FileCheck %s --check-prefix=TTNN
// RUN: not ttmlir-opt --convert-stablehlo-to-ttir %S/Inputs/askew.mlir 2>&1 | FileCheck %s --check-prefix=ASKEW

// A mesh_shard cannot say which axis is the major one of a dimension; groups of devices
// must lie along an axis.
// ASKEW: error: 'sdy.manual_computation' op Axes that shard a dimension must be in the order of the mesh.
// ASKEW: error: failed to legalize operation 'stablehlo.all_reduce'

// One argument comes split, the other whole; the sum of products goes along the columns.
// CHECK: ttcore.meshes = #ttcore.meshes<[<"grid" = 2x4>]>
// CHECK-LABEL: func.func @inner
// CHECK-SAME: %arg0: tensor<4x2xf32>
// CHECK-SAME: %arg1: tensor<8x6xf32>
// CHECK-SAME: -> (tensor<8x6xf32>
// CHECK: %[[B:.*]] = "ttir.mesh_shard"(%arg1) <{shard_dims = array<i64: -1, 0>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<8x6xf32>) -> tensor<2x6xf32>
// CHECK: %[[P:.*]] = "ttir.dot_general"(%arg0, %[[B]])
// CHECK: %[[S:.*]] = "ttir.all_reduce"(%[[P]]) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK: "ttir.mesh_shard"(%[[S]]) <{shard_dims = array<i64: 0, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<4x6xf32>) -> tensor<8x6xf32>
// TTNN: "ttnn.distribute_tensor"(%arg1
// TTNN: "ttnn.matmul"
// TTNN: "ttnn.{{all_reduce|reduce_scatter}}
// TTNN: "ttnn.aggregate_tensor"
sdy.mesh @grid = <["rows"=2, "cols"=4]>
func.func @inner(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {"cols"}]>}, %b: tensor<8x6xf32>)
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

// Replicated values are sliced where parts are needed.
// CHECK-LABEL: func.func @cut
// CHECK: %[[R:.*]] = "ttir.mesh_partition"(%{{.*}}) <{cluster_axis = 0 : ui32, dim = 1 : si32}> : (tensor<4x8xf32>) -> tensor<4x4xf32>
// CHECK: "ttir.mesh_partition"(%[[R]]) <{cluster_axis = 1 : ui32, dim = 0 : si32}> : (tensor<4x4xf32>) -> tensor<2x4xf32>
sdy.mesh @grid = <["rows"=2, "cols"=2]>
func.func @cut(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.reverse %a, dims = [0, 1] : tensor<4x8xf32>
  %1 = sdy.sharding_constraint %0 <@grid, [{"cols"}, {"rows"}]> : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// GSPMD's calls.
// CHECK-LABEL: func.func @calls
// CHECK: "ttir.mesh_shard"(%arg0) <{shard_dims = array<i64: 1, 0>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 4, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<8x8xf32>) -> tensor<2x4xf32>
// CHECK: "ttir.all_gather"(%{{.*}}) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<2x4xf32>) -> tensor<8x4xf32>
// CHECK: "ttir.mesh_shard"(%{{.*}}) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2>,
func.func @calls(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>}> : (tensor<2x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
