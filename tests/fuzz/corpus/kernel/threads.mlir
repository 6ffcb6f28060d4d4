// A kernel with threads: buffers get numbers, threads become functions, all of it becomes TTKernel.


#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<2x2x!ttcore.tile<32x32, bf16>, #layout>
!block = tensor<1x1x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>




func.func @host(%a: !tensor, %b: !tensor) {
  ttl.kernel(%a, %b : !tensor, !tensor) attributes {grid = [1, 1]} {
  ^bb0(%x: !tensor, %y: !tensor):
    %c0 = arith.constant 0 : index
    %in = ttl.create_cb : !cb
    %out = ttl.create_cb at 3 : !cb
    ttl.datamovement_thread attributes {name = "reader"} {
      %s = ttl.tensor_slice %x[%c0, %c0] : !tensor -> !block
      %v = ttl.cb_reserve %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %h = ttl.copy %s, %in : (!block, !cb) -> !ttl.transfer_handle<read>
      ttl.wait %h : !ttl.transfer_handle<read>
      ttl.dma_barrier
      ttl.cb_push %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
    ttl.compute_thread {
      %t = ttl.cb_wait %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %v = ttl.cb_reserve %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %n = ttl.neg %t : !block -> !block
      %o = ttl.attach_cb %n, %out : (!block, !cb) -> !block
      ttl.cb_push %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
      ttl.cb_pop %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
    ttl.datamovement_thread {
      %s = ttl.tensor_slice %y[%c0, %c0] : !tensor -> !block
      %v = ttl.cb_wait %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %h = ttl.copy %out, %s : (!cb, !block) -> !ttl.transfer_handle<write>
      ttl.wait %h : !ttl.transfer_handle<write>
      ttl.cb_pop %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
  }
  return
}
