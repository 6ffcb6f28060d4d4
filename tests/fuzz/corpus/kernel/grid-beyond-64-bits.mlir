#tensor = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<2x2x!ttcore.tile<32x32, f32>, #tensor>
func.func @sharded_elementwise_add(%a: !tensor, %b: !tensor, %out: !tensor) {
  ttl.kernel(%a, %b, %out : !tensor, !tensor, !tensor) attributes {grid = #ttl.grid<[9223372036854775807, 2]>, block_factors = [[1, 1], [1, 1], [1, 1]]} {
  ^bb0(%ka: !tensor, %kb: !tensor, %kout: !tensor):
    %a_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %b_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %out_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>,
    %a_accessor = ttl.tensor_accessor %ka {
    }
    %b_accessor = ttl.tensor_accessor %kb {
    }
    %out_accessor = ttl.tensor_accessor %kout {
    }
    ttl.datamovement_thread {
      %shard_id = ttl.core_linear() : index
      %b_blk = ttl.cb_reserve %b_cb
    }
    ttl.compute_thread {
      %o_blk = ttl.cb_reserve %out_cb
    }
    ttl.datamovement_thread {
      %shard_id = ttl.core_linear() : index
      %o_blk = ttl.cb_wait %out_cb
    }
  }
  return
}
func.func @fused(%in: !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>, %out: !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>) {
  %x = ttl.cb_wait %in
  %o = ttl.cb_reserve %out
  %r = ttl.compute_region ins(%x, %x : !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>, !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>) outs(%o : !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>) {keep_in_dst = true} {
  ^bb0(%a: !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>, %b: !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>):
    %p = ttl.block_mul %a, %b
    %q = ttl.block_relu %p
    ttl.yield %q : tensor<2x1x!ttcore.tile<32x32, bf16>>
  } -> tensor<2x1x!ttcore.tile<32x32, bf16>>
  return
}
func.func @places() -> (index, index, index) attributes {grid = #ttl.grid<[4, 4]>} {
  %x, %y = ttl.core(dims = 2) : index, index
  %n = ttl.grid_size(dims = 1) : index
  return %x, %y, %n : index, index, index
}
func.func @microcores() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    ttl.tile_proc attributes {microcores = [@noc0, @math]} {
      ttl.thread on @noc0 {
      }
    }
  }
  return
}
