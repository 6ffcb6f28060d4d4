// Tensors over a mesh: mappers and composers of its configurations, in C++ and in Python.
// RUN: ttmlir-opt --ttir-to-emitc-pipeline="mesh-shape=2,4" %s | ttmlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=CPP
// RUN: ttmlir-opt --ttir-to-emitpy-pipeline="mesh-shape=2,4" %s | ttmlir-translate --mlir-to-python | FileCheck %s --check-prefix=PY

// CPP: MeshDevice& [[MESH:v[0-9]+]] = *
// CPP: MeshMapperConfig [[CONFIG:v[0-9]+]] = ::ttnn::distributed::MeshMapperConfig{{[{][{]}}::ttnn::distributed::MeshMapperConfig::Placement{::ttnn::distributed::MeshMapperConfig::Shard{0}}, ::ttnn::distributed::MeshMapperConfig::Placement{::ttnn::distributed::MeshMapperConfig::Replicate{}}}, ::ttnn::distributed::MeshShape({2, 4})};
// CPP: ::std::unique_ptr<::ttnn::distributed::TensorToMesh> [[MAPPER:v[0-9]+]] = ::ttnn::distributed::create_mesh_mapper([[MESH]], [[CONFIG]]);
// CPP: auto &[[REF:ref_[0-9]+]] = *[[MAPPER]];
// CPP: ::ttnn::distributed::distribute_tensor(v{{[0-9]+}}, [[REF]]);
// CPP: ::ttnn::distributed::MeshComposerConfig{{[{][{]}}0, 1}, ::ttnn::distributed::MeshShape({2, 1})};
// CPP: ::std::unique_ptr<::ttnn::distributed::MeshToTensor> [[COMPOSER:v[0-9]+]] = ::ttnn::distributed::create_mesh_composer(
// CPP: auto &[[JOIN:ref_[0-9]+]] = *[[COMPOSER]];
// CPP: ::ttnn::distributed::aggregate_tensor(v{{[0-9]+}}, [[JOIN]]);

// PY: [[CONFIG:ttnn_MeshMapperConfig_0]] = ttnn.MeshMapperConfig([ttnn.PlacementShard(0), ttnn.PlacementReplicate()], ttnn.MeshShape([2, 4]))
// PY: [[MAPPER:ttnn_create_mesh_mapper_0]] = ttnn.create_mesh_mapper(utils_DeviceGetter_get_device_0, [[CONFIG]])
// PY: ttnn.distribute_tensor(item_0, mapper=[[MAPPER]])
// PY: [[JOIN:ttnn_MeshComposerConfig_0]] = ttnn.MeshComposerConfig([0, 1], ttnn.MeshShape([2, 1]))
// PY: [[COMPOSER:ttnn_create_mesh_composer_0]] = ttnn.create_mesh_composer(utils_DeviceGetter_get_device_0, [[JOIN]])
// PY: ttnn.aggregate_tensor({{.*}}, composer=[[COMPOSER]])
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 0, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<64x128xf32>) -> tensor<32x128xf32>
    %1 = "ttir.add"(%0, %0) : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: 0, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<32x128xf32>) -> tensor<64x128xf32>
    return %2 : tensor<64x128xf32>
  }
}
