// RUN: ttlang-opt --split-input-file --verify-diagnostics --ttl-canonicalize %s

func.func @no_distribution(%x: tensor<2x2xf32>) {
  // expected-error @+1 {{needs a !ttl.dist_tensor}}
  %s = ttl.extract_shard %x : (tensor<2x2xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @another_strategy(%x: !ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>) {
  // expected-error @+1 {{gives a tensor whose type has another strategy}}
  %s = ttl.redistribute %x {strategy = #ttl.distribution_strategy<replicated>} : (!ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>) -> !ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>
  return
}

// -----

func.func @another_shape(%x: !ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>) {
  // expected-error @+1 {{gives a tensor of another shape or element type}}
  %s = ttl.redistribute %x {strategy = #ttl.distribution_strategy<interleaved>} : (!ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>) -> !ttl.dist_tensor<grid = [2, 1], shard = [32, 32], f32, interleaved, L1>
  return
}

// -----

func.func @more_cores(%x: !ttl.dist_tensor<grid = [2, 2], shard = [32, 32], f32, sharded, L1>) attributes {grid = #ttl.grid<[4, 4]>} {
  // expected-error @+1 {{takes one of 4 shards on each of 16 cores; give the kernel's grid as many cores}}
  %s = ttl.extract_shard %x
  return
}

// -----

func.func @part_of_a_tile(%x: !ttl.dist_tensor<grid = [1, 1], shard = [16, 32], f32, sharded, L1>) {
  // expected-error @+1 {{needs shards of whole tiles, and 16 is no multiple of 32}}
  %s = ttl.extract_shard %x
  return
}

// -----

func.func @too_many(%x: !ttl.dist_tensor<grid = [1125899906842624, 4], shard = [32, 32], f32, sharded, L1>) {
  // expected-error @+1 {{has 1125899906842624 shards of 32 elements on axis 0; at most 268435456 are possible}}
  %s = ttl.extract_shard %x
  return
}

// -----

func.func @returned(%x: !ttl.dist_tensor<grid = [1, 1], shard = [32, 32], f32, sharded, L1>) -> !ttl.dist_tensor<grid = [1, 1], shard = [32, 32], f32, interleaved, L1> {
  // expected-error @+1 {{is used by what is no ttl.extract_shard}}
  %s = ttl.redistribute %x strategy=interleaved
  return %s : !ttl.dist_tensor<grid = [1, 1], shard = [32, 32], f32, interleaved, L1>
}

// -----

// expected-error @+1 {{expected positive sizes whose product has 64 bits, found 9223372036854775807 cores with 32 elements each in dimension 0}}
func.func @beyond_64_bits(%x: !ttl.dist_tensor<grid = [9223372036854775807, 2], shard = [32, 32], f32, sharded, L1>)

// -----

// expected-error @+1 {{found 0 cores with 32 elements each in dimension 1}}
func.func @no_cores(%x: !ttl.dist_tensor<grid = [2, 0], shard = [32, 32], f32, sharded, L1>)
