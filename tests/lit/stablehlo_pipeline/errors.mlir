// RUN: not ttmlir-opt --split-input-file --stablehlo-pipeline %s 2>&1 | FileCheck %s

// CHECK: error: Could not compute local sharded shape for argument 0: tensor sharding is incompatible with tensor shape.
sdy.mesh @line = <["x"=4]>
func.func @uneven(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<6xf32> {
  return %a : tensor<6xf32>
}

// -----

// CHECK: error: Pass expects a 0D, 1D, or 2D mesh, got 3D
sdy.mesh @cube = <["x"=2, "y"=2, "z"=2]>
func.func @of_cube(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// CHECK: error: {{.*}}Fail to determine shardDims
func.func @unfit(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[4,2]T(1,0)}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----

// CHECK: error: {{.*}}has an xla.sdy.sharding that is no sharding: #sdy.mesh<["a"=2]>
func.func @text(%a: tensor<8x8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.mesh<[\22a\22=2]>"}}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
