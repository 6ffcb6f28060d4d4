// Packing into tiles: what must fit.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

func.func @whole(%a: tensor<8x6xf32>, %b: tensor<3x2x4x2xf32>, %c: tensor<?x?x4xf32>, %d: tensor<?x?xf32>) -> tensor<8x6xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %b : tensor<8x6xf32> -> tensor<3x2x4x2xf32>
  %1 = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %a : tensor<3x2x4x2xf32> -> tensor<8x6xf32>
  %2 = linalg.pack %d inner_dims_pos = [1] inner_tiles = [4] into %c : tensor<?x?xf32> -> tensor<?x?x4xf32>
  return %1 : tensor<8x6xf32>
}

// -----
func.func @f(%a: tensor<8xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{invalid zero tile factor}}
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [0] into %b : tensor<8xf32> -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{invalid inner_dims_pos vector}}
  %0 = linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<8xf32> -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8x8xf32>, %b: tensor<2x8x4xf32>) {
  // expected-error @+1 {{invalid outer_dims_perm vector}}
  %0 = linalg.pack %a outer_dims_perm = [1, 1] inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<8x8xf32> -> tensor<2x8x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8x8xf32>, %b: tensor<2x8x4xf32>) {
  // expected-error @+1 {{outer_dims_perm must be a permutation or empty}}
  %0 = linalg.pack %a outer_dims_perm = [1] inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<8x8xf32> -> tensor<2x8x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8x8xf32>, %b: tensor<2x8x4xf32>) {
  // expected-error @+1 {{tiling factors must equal the number of dimensions to tile}}
  %0 = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [4] into %b : tensor<8x8xf32> -> tensor<2x8x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8xf32>, %b: tensor<2x4x1xf32>) {
  // expected-error @+1 {{packed rank != (unpacked rank + num tiling factors), got 3 != 2}}
  %0 = linalg.unpack %b inner_dims_pos = [0] inner_tiles = [4] into %a : tensor<2x4x1xf32> -> tensor<8xf32>
  return
}

// -----
func.func @f(%a: tensor<9xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{the shape of output is not large enough to hold the packed data. Expected at least 'tensor<3x4xf32>', got 'tensor<2x4xf32>'}}
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<9xf32> -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%a: tensor<8xf32>, %b: tensor<2x5xf32>) {
  // expected-error @+1 {{mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type}}
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<8xf32> -> tensor<2x5xf32>
  return
}

// -----
func.func @f(%a: tensor<8xf32>, %b: tensor<2x4xf32>, %p: i32) {
  // expected-error @+1 {{expected padding_value has 'f32' but got: 'i32'}}
  %0 = linalg.pack %a padding_value(%p : i32) inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<8xf32> -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%a: tensor<9xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{invalid tile factor or output size provided. Only full tiles are supported when padding_value is not set}}
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<9xf32> -> tensor<3x4xf32>
  return
}
