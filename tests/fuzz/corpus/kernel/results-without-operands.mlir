func.func @f() {
  %in = ttl.tensor_accessor {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  return
}
