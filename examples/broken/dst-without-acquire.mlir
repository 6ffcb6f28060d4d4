// Computing in DST before tile_regs_acquire.
// Run it: tilewright sim examples/broken/dst-without-acquire.mlir
// Report:
//   error <1>: DST use: computes in DST, but DST belongs to no unit; tile_regs_acquire comes first (kernel @compute,
//       core 0,0, cycle *)

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
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>]>, dm_core = 1, noc0>,
        #ttmetal.compute_config<@compute, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>]>, hifi4, false, false, false, [default]>,
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[1]>] ct_args = [<cb_port[1]>, <tensor_accessor_args[1]>]>, dm_core = 0, noc1>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!tensor, !tensor, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_read_tile"(%w0, %acc, %to) : (i32, !ttkernel.TensorAccessor, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
    %c0 = arith.constant 0 : index
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %out = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    "ttkernel.init_sfpu"(%cb, %out) : (!cb, !cb) -> ()
    "ttkernel.copy_tile_init"(%cb) : (!cb) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_reserve_back"(%out, %w1) : (!cb, i32) -> ()
    "ttkernel.copy_tile"(%cb, %c0, %c0) : (!cb, index, index) -> ()  // <1>
    "ttkernel.tile_regs_commit"() : () -> ()
    "ttkernel.tile_regs_wait"() : () -> ()
    "ttkernel.pack_tile"(%c0, %out, %c0) <{out_of_order = true}> : (index, !cb, index) -> ()
    "ttkernel.tile_regs_release"() : () -> ()
    "ttkernel.cb_push_back"(%out, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    %from = "ttkernel.get_read_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_write_tile"(%c0, %acc, %from) : (index, !ttkernel.TensorAccessor, i32) -> ()
    "ttkernel.noc_async_write_tile"(%c1, %acc, %from) : (index, !ttkernel.TensorAccessor, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }
}
