// Data is sent over NoC 1, its arrival signal over NoC 0: the signal may overtake it.
// Run it: tilewright sim examples/broken/noc-order.mlir
// Report:
//   error <1>: NoC order: signals a core over NoC 0 while data for it is under way on NoC 1 (kernel @sender, core
//       0,0, cycle *)
//   note <2>: the data was sent here; wait with noc_async_write_barrier between
//   error <3>: L1 race: uses bytes that a NoC write is still bringing (address 0x2c000, page 0 of circular buffer 0)
//       (kernel @receiver, core 0,1, cycle *)
//   note <2>: the write was started here; let a semaphore say that it has arrived

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
        #ttmetal.noc_config<@sender, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <local_semaphore[2]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@receiver, #ttmetal.core_range<0x1, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <local_semaphore[2]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 3, 2>}> : (!tensor, !tensor, !ttmetal.local_semaphore, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @sender() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %p0 = "ttkernel.reinterpret_cast"(%sem0) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    %x1 = arith.constant 19 : index
    %y0 = arith.constant 18 : index
    %far = "ttkernel.get_noc_addr"(%x1, %y0, %sem0) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.experimental.fill_arange_tile"(%cb) : (!cb) -> ()
    %bytes = arith.constant 2048 : i32
    %noc1 = arith.constant 1 : i8
    "ttkernel.noc_async_write"(%to, %x1, %y0, %to, %bytes, %noc1) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 1>}> : (i32, index, index, i32, i32, i8) -> ()  // <2>
    "ttkernel.noc_semaphore_inc"(%far, %w1) : (!ttkernel.noc_addr, i32) -> ()  // <1>
    "ttkernel.noc_async_write_barrier"(%noc1) : (i8) -> ()
    "ttkernel.noc_async_atomic_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @receiver() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %p0 = "ttkernel.reinterpret_cast"(%sem0) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    "ttkernel.experimental.semaphore_wait"(%p0, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    %from = "ttkernel.get_read_ptr"(%cb) : (!cb) -> i32
    %q = "ttkernel.reinterpret_cast"(%from) : (i32) -> !ttkernel.l1_addr_ptr
    %v = "ttkernel.load_from_l1"(%q, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32  // <3>
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }
}
