// A semaphore that is almost enough: the consumer waits for one of two producers and reads what both bring.
// In the first order both have come by the time it looks.
// Run it: tilewright sim examples/explore/race-almost.mlir --explore=1000
// Found: L1 race, or an uninitialised read

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, bf16>
!cb = !ttkernel.cb<2, !tile>
!tensor = memref<1x1x1x2x!tile, #ttcore.interleaved<1x1>, #dram>
!buffer = memref<1x4x1x2x!tile, #ttcore.shard<2048x2048, 1>, #l1>
module {
  func.func @main(%a: memref<32x64xbf16>) -> memref<32x64xbf16> {
    %in = "ttmetal.create_buffer"() <{address = 4096 : i64}> : () -> !tensor
    %out = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !tensor
    %s0 = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore
    %s1 = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore
    %cb0 = "ttmetal.create_buffer"() <{address = 180224 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x64xbf16>, !tensor) -> ()
    "ttmetal.enqueue_write_buffer"(%a, %out) : (memref<32x64xbf16>, !tensor) -> ()
    "ttmetal.enqueue_program"(%in, %out, %s0, %s1, %cb0) <{
      cb_ports = array<i64: 0>,
      kernelConfigs = [
        #ttmetal.noc_config<@consumer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <local_semaphore[2]>, <local_semaphore[3]>]>, dm_core = 0, noc0>,
        #ttmetal.noc_config<@first, #ttmetal.core_range<0x1, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <local_semaphore[2]>, <local_semaphore[3]>]>, dm_core = 0, noc0>,
        #ttmetal.noc_config<@second, #ttmetal.core_range<0x2, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <local_semaphore[2]>, <local_semaphore[3]>]>, dm_core = 0, noc0>],
      operandSegmentSizes = array<i32: 4, 1>}> : (!tensor, !tensor, !ttmetal.local_semaphore, !ttmetal.local_semaphore, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @consumer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %w2 = arith.constant 2 : i32
    %bytes = arith.constant 2048 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %p0 = "ttkernel.reinterpret_cast"(%sem0) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    %at = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    %word = "ttkernel.reinterpret_cast"(%at) : (i32) -> !ttkernel.l1_addr_ptr
    "ttkernel.cb_reserve_back"(%cb, %w2) : (!cb, i32) -> ()
    "ttkernel.cb_push_back"(%cb, %w2) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w2) : (!cb, i32) -> ()
    %n1 = arith.constant 2000 : index
    scf.for %i1 = %c0 to %n1 step %c1 {
      "ttkernel.get_tile_size"(%cb) : (!cb) -> i32
    }
    "ttkernel.experimental.semaphore_wait_min"(%p0, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()  // right: "ttkernel.experimental.semaphore_wait_min"(%p0, %w2) : (!ttkernel.l1_addr_ptr, i32) -> ()
    %a = "ttkernel.load_from_l1"(%word, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
    %second = arith.addi %at, %bytes : i32
    %next = "ttkernel.reinterpret_cast"(%second) : (i32) -> !ttkernel.l1_addr_ptr
    %b = "ttkernel.load_from_l1"(%next, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
    "ttkernel.cb_pop_front"(%cb, %w2) : (!cb, i32) -> ()
    return
  }

  func.func private @first() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %bytes = arith.constant 2048 : i32
    %y = arith.constant 18 : index
    %x0 = arith.constant 18 : index
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %at = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.experimental.fill_arange_tile"(%cb) : (!cb) -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    %far = "ttkernel.get_noc_addr"(%x0, %y, %sem0) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
    "ttkernel.noc_async_write"(%at, %x0, %y, %at, %bytes) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.noc_semaphore_inc"(%far, %w1) : (!ttkernel.noc_addr, i32) -> ()
    "ttkernel.noc_async_atomic_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @second() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %bytes = arith.constant 2048 : i32
    %y = arith.constant 18 : index
    %x0 = arith.constant 18 : index
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %at = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.experimental.fill_arange_tile"(%cb) : (!cb) -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    %far = "ttkernel.get_noc_addr"(%x0, %y, %sem0) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
    %to = arith.addi %at, %bytes : i32
    "ttkernel.noc_async_write"(%at, %x0, %y, %to, %bytes) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.noc_semaphore_inc"(%far, %w1) : (!ttkernel.noc_addr, i32) -> ()
    "ttkernel.noc_async_atomic_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }
}
