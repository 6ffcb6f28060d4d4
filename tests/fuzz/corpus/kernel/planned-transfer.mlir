// A kernel in the form of the plan has transfers without directions until ttl-expand-threads.
// RUN: ttlang-opt %s --convert-ttl-to-ttkernel -verify-diagnostics
func.func @writer(%out: tensor<64x64xbf16>) {
  ttl.kernel(%out) attributes {grid = #ttl.grid<[2, 2]>} {
  ^bb0(%tensor: tensor<64x64xbf16>):
    %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1
    %acc = ttl.tensor_accessor %tensor {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %n = ttl.core_linear() : index
      %b = ttl.cb_wait %cb
      %tx = ttl.copy %b, %acc[%n] : !ttl.mem_tx
      // expected-error @+1 {{failed to legalize operation 'ttl.wait' that was explicitly marked illegal: ttl-expand-threads comes first, which gives transfers their directions}}
      ttl.wait %tx
    }
  }
  return
}
