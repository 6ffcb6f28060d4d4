ttl.kernel @reader(%a: tensor<64x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<sharded, grid=[2,2]>, memspace = DRAM}
  ttl.datamovement_thread {
    %shard = ttl.core_linear() : index
    %tx = ttl.copy %from[%shard], wrong : !ttl.mem_tx
  }
}
