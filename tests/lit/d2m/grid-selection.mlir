// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection=override-device-shape=2,2 | FileCheck %s --check-prefix=SMALL

// Sixteen tiles by sixteen on 64 cores: two by two on each.  The shape of the user stays.
// CHECK-LABEL: func.func @square(%arg0: tensor<512x512xf32>)
// CHECK: d2m.to_layout %arg0, %{{.*}} into tensor<8x8x2x2x!ttcore.tile<32x32, f32>
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<8x8>
// CHECK: tensor.empty() : tensor<2x2x!ttcore.tile<32x32, f32>>
// CHECK: d2m.tile_exp
// CHECK: d2m.to_layout %{{.*}} into tensor<512x512xf32>
// SMALL-LABEL: func.func @square(%arg0: tensor<512x512xf32>)
// SMALL: into tensor<2x2x8x8x!ttcore.tile<32x32, f32>
// SMALL: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<2x2>
func.func @square(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = "ttir.exp"(%a) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Rows of a product follow the left matrix, columns the right one; what is summed has as
// many blocks as the grid has columns.
// CHECK-LABEL: func.func @product
// CHECK: d2m.generic {block_factors = [1, 1, 8], grid = #ttcore.grid<8x8>
// CHECK: d2m.tile_matmul
// SMALL-LABEL: func.func @product
// SMALL: d2m.generic {block_factors = [1, 1, 2], grid = #ttcore.grid<2x2>
func.func @product(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>) -> tensor<256x256xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// One row of 64 tiles: a grid of 1x64 that the device does not have, on all of its cores.  Of two by two
// cores one row is enough.
// CHECK-LABEL: func.func @row
// CHECK: d2m.empty() {virtualGridForwardMapping = #[[F:[a-z0-9]+]], virtualGridInverseMapping = #[[I:[a-z0-9]+]]} : tensor<1x64x1x1x
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x64, virt_to_physical_map = {{.*}}, physical_to_virt_map = {{.*}}>
// SMALL-LABEL: func.func @row
// SMALL: grid = #ttcore.grid<1x2>
func.func @row(%a: tensor<32x2048xf32>) -> tensor<32x2048xf32> {
  %0 = "ttir.exp"(%a) : (tensor<32x2048xf32>) -> tensor<32x2048xf32>
  return %0 : tensor<32x2048xf32>
}

// One tile is on one core.
// CHECK-LABEL: func.func @one_tile
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>
func.func @one_tile(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.exp"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// Indices of three rows: no grid of three divides the 32 rows that they are padded to.
// CHECK-LABEL: func.func @rows_of_table
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1
// CHECK: d2m.embedding
func.func @rows_of_table(%i: tensor<3x1xui32>, %t: tensor<16x1xi32>) -> tensor<3x1x1xi32> {
  %0 = "ttir.embedding"(%i, %t) : (tensor<3x1xui32>, tensor<16x1xi32>) -> tensor<3x1x1xi32>
  return %0 : tensor<3x1x1xi32>
}
