// One core writes a page of a tensor, another reads it, and the accesses are unordered.
// Run it: tilewright sim examples/broken/dram-race.mlir
// Report:
//   error <1>: DRAM race: writes 2048 bytes of DRAM at 0x1000, which @reader on core 0,1 reads in no order with it
//       (kernel @writer, core 0,0, cycle *)
//   note <2>: the other access is here; a semaphore, or pages of a circular buffer that are pushed or popped between
//       them, would order them (NoC writes count once a barrier has waited for them)

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
    %s0 = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore
    %cb0 = "ttmetal.create_buffer"() <{address = 180224 : i64}> : () -> !buffer
    %cb1 = "ttmetal.create_buffer"() <{address = 200704 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x64xbf16>, !tensor) -> ()
    "ttmetal.enqueue_program"(%in, %out, %s0, %cb0, %cb1) <{
      cb_ports = array<i64: 0, 1>,
      kernelConfigs = [
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x1, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 3, 2>}> : (!tensor, !tensor, !ttmetal.local_semaphore, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %c0 = arith.constant 0 : index
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.experimental.fill_arange_tile"(%cb) : (!cb) -> ()
    %from = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_write_tile"(%c0, %acc, %from) : (index, !ttkernel.TensorAccessor, i32) -> ()  // <1>
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %c0 = arith.constant 0 : index
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_read_tile"(%w0, %acc, %to) : (i32, !ttkernel.TensorAccessor, i32) -> ()  // <2>
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }
}
