func.func @fits(%t: tensor<63x64xf32>) {
  %-0.0 = ttl.tensor_accessor %t {layout = #ttl.layout<sharded, grid=[2, 2], tiles_per_shard=[9223372036854775807, 1]>, memory_space = DRAM}
  return
}

