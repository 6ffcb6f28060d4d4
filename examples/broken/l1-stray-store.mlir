// A store to an address outside of all buffers.
// Run it: tilewright sim examples/broken/l1-stray-store.mlir
// Report:
//   error <1>: L1 range: address 0x80000 with 4 bytes on core 0,0 lies in no circular buffer and no tensor (kernel
//       @reader, core 0,0, cycle *)
//   note <1>: on hardware these bytes may be another program's, or the firmware's; use addresses that circular
//       buffers, tensors and semaphores have

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
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!tensor, !tensor, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %stray = arith.constant 524288 : i32
    %p = "ttkernel.reinterpret_cast"(%stray) : (i32) -> !ttkernel.l1_addr_ptr
    "ttkernel.store_to_l1"(%w1, %p, %w0) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()  // <1>
    return
  }
}
