// Two threads each wait for pages that the other has not pushed.
// Run it: tilewright sim examples/broken/deadlock-mutual.mlir
// Report:
//   error <1>: deadlock: no thread can go on: @left waits for 1 filled page of circular buffer 1 (none is there);
//       no thread ever pushed to it: @right, which would, waits, too (kernel @left, cores 0,0-0,1, cycle *)
//   note <1>: fill and push these pages in another thread of the same core, before it waits itself, or wait for
//       fewer
//   note <2>: @right on cores 0,0-0,1 waits for 1 filled page of circular buffer 0 (none is there); no thread ever
//       pushed to it: @left, which would, waits, too

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, bf16>
!cb = !ttkernel.cb<2, !tile>
!tensor = memref<1x1x1x2x!tile, #ttcore.interleaved<1x1>, #dram>
!buffer = memref<1x2x1x2x!tile, #ttcore.shard<2048x2048, 1>, #l1>
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
        #ttmetal.noc_config<@left, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@right, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>]>, dm_core = 0, noc1>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!tensor, !tensor, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @left() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %other = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    "ttkernel.cb_wait_front"(%other, %w1) : (!cb, i32) -> ()  // <1>
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%other, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @right() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %other = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    "ttkernel.cb_wait_front"(%other, %w1) : (!cb, i32) -> ()  // <2>
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%other, %w1) : (!cb, i32) -> ()
    return
  }
}
