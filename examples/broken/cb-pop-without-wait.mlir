// A consumer pops a page that it has not waited for.
// Run it: tilewright sim examples/broken/cb-pop-without-wait.mlir
// Report:
//   error <1>: circular buffer underflow: pops 1 page of circular buffer 1, of which 0 were waited for (kernel
//       @writer, core 0,0, cycle *)
//   note <1>: wait, in this thread, for as many pages as are popped

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, bf16>
!cb = !ttkernel.cb<2, !tile>
!tensor = memref<1x1x1x2x!tile, #ttcore.interleaved<1x1>, #dram>
!buffer = memref<1x1x1x2x!tile, #ttcore.shard<2048x2048, 1>, #l1>
module {
  func.func @main(%a: memref<32x64xbf16>) -> memref<32x64xbf16> {
    %in = "ttmetal.create_buffer"() <{address = 4096 : i64}> : () -> !tensor
    %out = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !tensor
    %cb0 = "ttmetal.create_buffer"() <{address = 180224 : i64}> : () -> !buffer
    %cb1 = "ttmetal.create_buffer"() <{address = 200704 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x64xbf16>, !tensor) -> ()
    "ttmetal.enqueue_program"(%in, %out, %cb0, %cb1) <{
      cb_ports = array<i64: 0, 1>,
      kernelConfigs = [
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[1]>] ct_args = [<cb_port[1]>, <tensor_accessor_args[1]>]>, dm_core = 0, noc1>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!tensor, !tensor, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()  // <1>
    return
  }
}
