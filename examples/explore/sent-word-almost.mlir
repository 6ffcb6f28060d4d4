// A word is sent, and set back after a barrier for reads: the packet may not have left.
// In the first order it has left by then.
// Run it: tilewright sim examples/explore/sent-word-almost.mlir --explore=1000
// Found: semaphore

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
        #ttmetal.noc_config<@sender, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <local_semaphore[2]>, <local_semaphore[3]>]>, dm_core = 0, noc0>,
        #ttmetal.noc_config<@receiver, #ttmetal.core_range<0x1, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <local_semaphore[2]>, <local_semaphore[3]>]>, dm_core = 0, noc0>],
      operandSegmentSizes = array<i32: 4, 1>}> : (!tensor, !tensor, !ttmetal.local_semaphore, !ttmetal.local_semaphore, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x64xbf16>) -> ()
    return %host : memref<32x64xbf16>
  }

  func.func private @sender() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %y = arith.constant 18 : index
    %x1 = arith.constant 19 : index
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %p0 = "ttkernel.reinterpret_cast"(%sem0) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    %far = "ttkernel.get_noc_addr"(%x1, %y, %sem0) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
    "ttkernel.noc_semaphore_set"(%p0, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.remote_sram_write_u32"(%sem0, %far) : (!ttkernel.local_semaphore, !ttkernel.noc_addr) -> ()
    %n1 = arith.constant 300 : index
    scf.for %i1 = %c0 to %n1 step %c1 {
      "ttkernel.get_tile_size"(%cb) : (!cb) -> i32
    }
    "ttkernel.noc_async_read_barrier"() : () -> ()  // right: "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.noc_semaphore_set"(%p0, %w0) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    return
  }

  func.func private @receiver() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %w1 = arith.constant 1 : i32
    %id0 = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
    %sem0 = "ttkernel.get_semaphore"(%id0) : (i32) -> !ttkernel.local_semaphore
    %p0 = "ttkernel.reinterpret_cast"(%sem0) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    "ttkernel.experimental.semaphore_wait_min"(%p0, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()
    return
  }
}
