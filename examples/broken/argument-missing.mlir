// The kernel reads a runtime argument that the launch does not pass.
// Run it: tilewright sim examples/broken/argument-missing.mlir
// Report:
//   error <1>: kernel argument: there is no runtime argument 3: the launch gives 0 (kernel @reader, core 0,0,
//       cycle *)
//   note <1>: arguments are counted from 0; give the launch more (kernel_args in IR, Run(...) in Python), or ask
//       for one that is there

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
    %c3 = arith.constant 3 : index
    %v = "ttkernel.get_arg_val"(%c3) : (index) -> i32  // <1>
    return
  }
}
