// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{reinterpret_layout cannot change grid shape}}
  %r = d2m.view_layout %a remapping = affine_map<(d0, d1) -> (d0, d1)> {reinterpretLayout = true} : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> tensor<2x2x32x32xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{view must preserve total number of elements}}
  %r = d2m.view_layout %a remapping = affine_map<(d0, d1) -> (d0, d1)> : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{view must not change dtype}}
  %r = d2m.view_layout %a remapping = affine_map<(d0, d1) -> (d0, d1)> : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> tensor<1x1x64x64xbf16, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{view cannot change memory space}}
  %r = d2m.view_layout %a remapping = affine_map<(d0, d1) -> (d0, d1)> : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, dram, interleaved>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{dim out of range.}}
  %r = "d2m.composite_view"(%a) <{dim = 2 : si32}> : (tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f() {
  // expected-error @+1 {{must have at least one input.}}
  %r = "d2m.composite_view"() <{dim = 0 : si32}> : () -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x256x64xf32, #ttcore.metal_layout<logical_shape = 4x64x64, dim_alignments = 1x32x32, collapsed_intervals = dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{incompatible inputs & output ranks.}}
  %r = "d2m.composite_view"(%a) <{dim = 0 : si32}> : (tensor<1x1x256x64xf32, #ttcore.metal_layout<logical_shape = 4x64x64, dim_alignments = 1x32x32, collapsed_intervals = dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>, l1, sharded>>) -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, %b: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x32, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{incompatible non-composite dim.}}
  %r = "d2m.composite_view"(%a, %b) <{dim = 0 : si32}> : (tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x32, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, %b: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{incompatible composite dim.}}
  %r = "d2m.composite_view"(%a, %b) <{dim = 0 : si32}> : (tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8x4, 1>, #l1>) {
  // expected-error @+1 {{unneeded logicalSizes attr.}}
  %r = "d2m.composite_view"(%a) <{dim = 0 : si32, logicalSizes = array<i64: 2>}> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8x4, 1>, #l1>) -> memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8x4, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) {
  // expected-error @+1 {{missing logicalSizes attr.}}
  %r = "d2m.composite_view"(%a) <{dim = 0 : si32}> : (memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) -> memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) {
  // expected-error @+1 {{wrong logicalSizes length.}}
  %r = "d2m.composite_view"(%a) <{dim = 0 : si32, logicalSizes = array<i64: 1, 1>}> : (memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) -> memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) {
  // expected-error @+1 {{sum of logicalSizes exceeds output capacity.}}
  %r = "d2m.composite_view"(%a) <{dim = 0 : si32, logicalSizes = array<i64: 3>}> : (memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>) -> memref<1x1x2x2xf32, #ttcore.shard<8x4, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, %b: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{input must be a host tensor (no encoding or TensorMeshAttr encoding)}}
  %r = d2m.to_device %a, %b layout = <logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded> : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> into tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) {
  // expected-error @+1 {{output must be a device tensor with MetalLayoutAttr}}
  %r = d2m.to_device %a, %b layout = <logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded> : tensor<64x64xf32> into tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) {
  // expected-error @+1 {{input must be a device tensor with MetalLayoutAttr}}
  %r = d2m.to_host %a, %b layout = <logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded> : tensor<64x64xf32> into tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, %b: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{output must be a host tensor (no encoding or TensorMeshAttr encoding)}}
  %r = d2m.to_host %a, %b layout = <logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded> : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> into tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{input tensor shard shape (64, 64) does not match 1x1 for create_global_semaphore op}}
  %r = d2m.create_global_semaphore(%a) : tensor<1x1x64x64xf32, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> !d2m.global_semaphore
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<1x1x1x1xf32, #ttcore.metal_layout<logical_shape = 1x1, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  // expected-error @+1 {{input tensor element type ('f32') does not match ui32 for create_global_semaphore op}}
  %r = d2m.create_global_semaphore(%a) : tensor<1x1x1x1xf32, #ttcore.metal_layout<logical_shape = 1x1, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>> -> !d2m.global_semaphore
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @+1 {{logical_shape must have rank at least 2}}
  %r = d2m.mask %a, %b logical_shape = [4] fill_value = <zero> : tensor<4x4xf32> into tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{input, output, and result must have identical types}}
  %r = d2m.mask %a, %b logical_shape = [4, 4] fill_value = <zero> : tensor<4x4xf32> into tensor<4x5xf32> -> tensor<4x4xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2x!ttcore.tile<32x32, f32>>, %b: memref<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{output and index_tile_tensor must both be tensors or both be memrefs}}
  %r = "d2m.arange_block"(%a, %b) <{num_elements = 4 : i64, start = 0 : i64, step = 1 : i64}> : (tensor<2x2x!ttcore.tile<32x32, f32>>, memref<2x2x!ttcore.tile<32x32, f32>>) -> tensor<2x2x!ttcore.tile<32x32, f32>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>) {
  // expected-error @+1 {{operands to TileMatmulBlock must have ttcore.tile element type}}
  "d2m.tile_matmul_block"(%a, %a, %a) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2x!ttcore.tile<32x32, f32>>, %b: tensor<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{operand to TileTilizeBlock must not have ttcore.tile element type}}
  %r = "d2m.tile_tilize_block"(%a, %b) : (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>) -> tensor<2x2x!ttcore.tile<32x32, f32>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) {
  // expected-error @+1 {{output of TileTilizeBlock must have ttcore.tile element type}}
  %r = "d2m.tile_tilize_block"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{result type must match output parameter type}}
  %r = "d2m.tile_tilize_block"(%a, %b) : (tensor<64x64xf32>, tensor<2x2x!ttcore.tile<32x32, f32>>) -> tensor<64x64xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) {
  // expected-error @+1 {{operand to TileUntilizeBlock must have ttcore.tile element type}}
  %r = "d2m.tile_untilize_block"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2x!ttcore.tile<32x32, f32>>, %b: tensor<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{output of TileUntilizeBlock must not have ttcore.tile element type}}
  %r = "d2m.tile_untilize_block"(%a, %b) : (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>) -> tensor<2x2x!ttcore.tile<32x32, f32>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: !ttcore.tile<32x32, f32>) {
  // expected-error @+1 {{min and max attributes must be the same type (both F32Attr or both I32Attr)}}
  %r = "d2m.tile_clamp_scalar"(%a) <{min = 1.0 : f32, max = 2 : i32}> : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%v: tensor<2x2x!ttcore.tile<32x32, f32>>, %s: tensor<64x64xf32>, %p: i32, %t: index, %e: i1) {
  // expected-error @+1 {{operands to TileTopkMerge must have ttcore.tile element type}}
  "d2m.tile_topk_merge"(%v, %v, %s, %v, %p, %t, %t, %e, %e) <{k = 4 : i32, is_group_start = true}> : (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<64x64xf32>, tensor<2x2x!ttcore.tile<32x32, f32>>, i32, index, index, i1, i1) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%v: tensor<2x2x!ttcore.tile<32x32, f32>>, %m: memref<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{all operands must be tensors or all must be memrefs}}
  %r:2 = "d2m.topk_block"(%v, %v, %m, %v) <{k = 4 : i32, num_elements = 64 : i64, stable_sort = false, dim = 0 : i32}> : (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>, memref<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>) -> (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>)
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{used outside of generic op with pure tensor semantics}}
  d2m.yield %a : (tensor<2x2x!ttcore.tile<32x32, f32>>)
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2x!ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{used outside of spatial op with pure tensor semantics}}
  d2m.spatial_yield %a : (tensor<2x2x!ttcore.tile<32x32, f32>>)
  return
}

// -----

// expected-error @+1 {{D2M Generic Ops must be inside a generic region}}
%0 = d2m.core_index(0) : index

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
  // expected-error @+1 {{dim 2 exceeds grid rank 2}}
    %c = d2m.core_index(2) : index
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %s = d2m.scratch_allocate {slot = 0 : i64} : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    %one = arith.constant 1 : index
    %ls = d2m.create_local_semaphore <{initialValue = 0 : ui32}> -> !d2m.local_semaphore
  // expected-error @+1 {{semaphore_inc is not supported in regions that will be replicated across multiple threads, as all threads would increment the semaphore, creating a race condition on the shared semaphore.}}
    d2m.semaphore_inc %ls, %one : !d2m.local_semaphore
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%a: memref<1x1x2x4x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  // expected-error @+1 {{shard shape mismatch between operand[0] shard_shape=[64, 128] and operand[1] shard_shape=[64, 64] at affine dim d1}}
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<compute>]}
      ins(%a : memref<1x1x2x4x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  // expected-error @+1 {{grid has an inverse map but output operand does not have a VGM}}
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1) -> (0, d0, d1)>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
      ins() outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  // expected-error @+1 {{GenericOp virtual grid affine map must have 2 inputs, or be empty.}}
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0) -> (0, d0, d0)>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
      ins() outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f() {
  %o = memref.alloc() {d2m.virtualGridInverseMapping = affine_map<(d0, d1) -> (0, d1, d0)>} : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  // expected-error @+1 {{grid inverse map does not match output operand's inverse VGM}}
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1) -> (0, d0, d1)>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
      ins() outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %s = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  // expected-error @+1 {{region uses value defined outside that is not an operand of this generic op}}
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
      ins() outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
    %d = memref.dim %s, %z : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}
