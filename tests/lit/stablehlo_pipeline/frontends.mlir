// RUN: ttmlir-opt --split-input-file --convert-xla-sdy-to-sdy --apply-argument-shard-status="result-presharded=1" --analyze-mesh %s | FileCheck %s

// Text written by PyTorch/XLA.
// CHECK: module
// CHECK-NOT: frontend_attributes
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22data\22=2, \22model\22=4]>}"}} {
  // CHECK: sdy.mesh @mesh = <["data"=2, "model"=4]>
  // CHECK: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, ttcore.shard_status = #ttcore.shard_status<presharded>}
  // CHECK-SAME: %arg1: tensor<8x8xf32> {ttcore.shard_status = #ttcore.shard_status<unsharded>}
  // CHECK-SAME: -> (tensor<8x8xf32> {ttcore.shard_status = #ttcore.shard_status<presharded>})
  func.func @main(%a: tensor<8x8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22data\22}, {}]>"}, mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK: sdy.sharding_constraint %arg1 <@mesh, [{}, {"model"}]>
    %0 = stablehlo.custom_call @tt.sharding_constraint(%b) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22mesh_idx_1\22}]>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

// -----

// GSPMD: the devices of the first annotation that has some make the mesh.
module {
  // CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<4x8xf32> {mhlo.sharding = "{replicated}"}, %b: tensor<4x8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"}) -> tensor<4x8xf32> {
    %0 = stablehlo.add %a, %b : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

module {
  // CHECK: sdy.mesh @mesh = <["x"=1, "y"=6]>
  func.func @main(%a: tensor<6x8xf32> {mhlo.sharding = "{devices=[6,1]0,1,2,3,4,5}"}) -> tensor<6x8xf32> {
    return %a : tensor<6x8xf32>
  }
}
