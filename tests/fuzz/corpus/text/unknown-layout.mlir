

func.func @interleaved(%a: i64, %i: i32, %l: i32) {
  %t = ttkernel.tensor_accessor %a {layout = #ttcernel.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  ttkernel.noc_async_write_shard %i, %t, %l
  return
}

