// RUN: ttmlir-opt %s --ttir-multi-device-tensor-annotation --split-input-file | FileCheck %s

// What lies between the two mesh_shards is a part on each device; what the user gives and
// gets is whole.
// CHECK-LABEL: func.func @sharded(%arg0: tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: "ttir.mesh_shard"(%arg0) {{.*}} -> tensor<32x32xf32, #ttcore.tensor_mesh<"mesh">>
// CHECK: "ttir.exp"(%{{.*}}) : (tensor<32x32xf32, #ttcore.tensor_mesh<"mesh">>) -> tensor<32x32xf32, #ttcore.tensor_mesh<"mesh">>
// CHECK: "ttir.mesh_shard"(%{{.*}}) {{.*}} -> tensor<64x64xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  func.func @sharded(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = "ttir.mesh_shard"(%a) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<64x64xf32>) -> tensor<32x32xf32>
    %1 = "ttir.exp"(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 2>, shard_type = #ttcore.shard_type<devices>}> : (tensor<32x32xf32>) -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}

// -----

// An argument that is divided already: the function's type says so, too.
// CHECK-LABEL: func.func @presharded
// CHECK-SAME: (%arg0: tensor<32x32xf32, #ttcore.tensor_mesh<"mesh">>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @presharded(%a: tensor<32x32xf32> {ttcore.shard_status = #ttcore.shard_status<presharded>}) -> tensor<32x128xf32> {
    %0 = "ttir.mesh_shard"(%a) <{shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 4>, shard_type = #ttcore.shard_type<devices>}> : (tensor<32x32xf32>) -> tensor<32x128xf32>
    return %0 : tensor<32x128xf32>
  }
}

// -----

// One device has all of it.
// CHECK-LABEL: func.func @single
// CHECK-NOT: tensor_mesh
// CHECK: return
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {
  func.func @single(%a: tensor<32x32xf32> {ttcore.shard_status = #ttcore.shard_status<presharded>}) -> tensor<32x32xf32> {
    %0 = "ttir.exp"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
