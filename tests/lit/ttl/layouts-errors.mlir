// RUN: ttlang-opt %s --ttl-verify-layouts -split-input-file -verify-diagnostics

func.func @fits(%t: tensor<64x64xf32>) {
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded, grid=[2, 2], tiles_per_shard=[1, 1]>, memory_space = DRAM}
  return
}

// -----

func.func @too_few(%t: tensor<4x2x!ttcore.tile<32x32, bf16>>) {
  // expected-error @+1 {{has 3 shards of 1 tiles in dimension 0, the tensor has 4 tiles}}
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded, grid=[3, 2], tiles_per_shard=[1, 1]>, memory_space = DRAM}
  return
}

// -----

func.func @rank(%t: tensor<4x2x!ttcore.tile<32x32, bf16>>) {
  // expected-error @+1 {{has a grid of 1 and shards of 1 dimensions for a tensor of 2}}
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded, grid=[4], tiles_per_shard=[1]>, memory_space = DRAM}
  return
}

// -----

func.func @no_grid(%t: tensor<4x2x!ttcore.tile<32x32, bf16>>) {
  // expected-error @+1 {{has a sharded layout without a grid of shards}}
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded>, memory_space = DRAM}
  return
}

// -----

#own = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
func.func @elsewhere(%t: tensor<4x2x!ttcore.tile<32x32, bf16>, #own>) {
  // expected-error @+1 {{says L1, the tensor lies in DRAM}}
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<interleaved>, memory_space = L1}
  return
}

// -----

#own = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
func.func @otherwise(%t: tensor<4x2x!ttcore.tile<32x32, bf16>, #own>) {
  // expected-error @+1 {{says sharded, the tensor is interleaved}}
  %0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded, grid=[2, 2], tiles_per_shard=[2, 1]>, memory_space = DRAM}
  return
}
