// RUN: tilewright sim %s 2>&1 | FileCheck %s
// RUN: tilewright sim %s --seed 9 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: sed 's/%%three = arith.constant 3/%%three = arith.constant 4/' %s | not tilewright sim - 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: sed '/ttkernel.noc_semaphore_inc/d' %s | not tilewright sim - 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: sed '/semaphore_wait_min/d' %s | not tilewright sim - 2>&1 | FileCheck %s --check-prefix=EARLY
// Core 0,0 of a 2x2 grid sends its tile to the others; a semaphore says that they are ready,
// a second one that the tile has come.  Every core writes what it has to its own shard.
// CHECK-DAG: remark: core 0,1: tile arrived
// CHECK-DAG: remark: core 1,1: tile arrived
// CHECK: out0: f32[64, 64] = 0 1 2 3 4 5 6 0 ...
// VALUES: out0: f32[64, 64] = 0 1 2 3 4 5 6 0 ...
// COUNT: error: multicast: the rectangle holds the sender, which this form leaves out, and 4 receivers are expected
// DEADLOCK: error: deadlock: no thread can go on: @mover waits for the semaphore at 0x{{[0-9a-f]+}} to be 3 (it is 0)
// DEADLOCK: semaphore_wait
// DEADLOCK: note: @mover on cores 0,1-1,1 and 1,0 waits for the semaphore at 0x{{[0-9a-f]+}} to be at least 1 (it is 0); no thread ever changed it
// EARLY: error: {{uninitialised read|L1 race}}

#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, f32>
!one = memref<1x1x1x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
!all = memref<2x2x1x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func @main(%a: memref<32x32xf32>) -> memref<64x64xf32> {
    %in = "ttmetal.create_buffer"() <{address = 16384 : i64}> : () -> !one
    %mid = "ttmetal.create_buffer"() <{address = 32768 : i64}> : () -> !all
    %out = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !all
    %ready = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore
    %come = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x32xf32>, !one) -> ()
    "ttmetal.enqueue_program"(%in, %mid, %out, %ready, %come) <{
      cb_ports = array<i64>,
      kernelConfigs = [
        #ttmetal.noc_config<@mover, #ttmetal.core_range<0x0, 2x2>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>, <buffer_address[2]>, <local_semaphore[3]>, <local_semaphore[4]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 5, 0>}> : (!one, !all, !all, !ttmetal.local_semaphore, !ttmetal.local_semaphore) -> ()
    %host = memref.alloc() : memref<64x64xf32>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!all, memref<64x64xf32>) -> ()
    return %host : memref<64x64xf32>
  }

  func.func private @mover() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %i4 = arith.constant 4 : index
    %need = arith.constant 3 : i32
    %three = arith.constant 3 : i32
    %c1 = arith.constant 1 : i32
    %size = arith.constant 4096 : i32
    %in = "ttkernel.get_common_arg_val"(%i0) : (index) -> i32
    %mid = "ttkernel.get_common_arg_val"(%i1) : (index) -> i32
    %out = "ttkernel.get_common_arg_val"(%i2) : (index) -> i32
    %ids0 = "ttkernel.get_common_arg_val"(%i3) : (index) -> i32
    %ids1 = "ttkernel.get_common_arg_val"(%i4) : (index) -> i32
    %ready = "ttkernel.get_semaphore"(%ids0) : (i32) -> !ttkernel.local_semaphore
    %come = "ttkernel.get_semaphore"(%ids1) : (i32) -> !ttkernel.local_semaphore
    %pready = "ttkernel.reinterpret_cast"(%ready) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    %pcome = "ttkernel.reinterpret_cast"(%come) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
    %y = "ttkernel.my_logical_y_"() : () -> index
    %x = "ttkernel.my_logical_x_"() : () -> index
    %x0 = "ttkernel.experimental.convert_logical_x_to_translated"(%i0) : (index) -> index
    %y0 = "ttkernel.experimental.convert_logical_y_to_translated"(%i0) : (index) -> index
    %x1 = "ttkernel.experimental.convert_logical_x_to_translated"(%i1) : (index) -> index
    %y1 = "ttkernel.experimental.convert_logical_y_to_translated"(%i1) : (index) -> index
    %sum = arith.addi %x, %y : index
    %sender = arith.cmpi eq, %sum, %i0 : index
    %from = scf.if %sender -> (i32) {
      "ttkernel.experimental.semaphore_wait"(%pready, %need) : (!ttkernel.l1_addr_ptr, i32) -> ()
      "ttkernel.noc_async_write_multicast"(%in, %size, %three, %x0, %y0, %x1, %y1, %mid) : (i32, i32, i32, index, index, index, index, i32) -> ()
      "ttkernel.noc_semaphore_set"(%pcome, %i1) : (!ttkernel.l1_addr_ptr, index) -> ()
      %all = "ttkernel.get_noc_multicast_addr"(%x0, %y0, %x1, %y1, %come) : (index, index, index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
      "ttkernel.noc_semaphore_set_multicast"(%come, %all, %three) : (!ttkernel.local_semaphore, !ttkernel.noc_addr, i32) -> ()
      "ttkernel.noc_async_write_barrier"() : () -> ()
      scf.yield %in : i32
    } else {
      %there = "ttkernel.get_noc_addr"(%x0, %y0, %ready) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
      "ttkernel.noc_semaphore_inc"(%there, %i1) : (!ttkernel.noc_addr, index) -> ()
      "ttkernel.experimental.semaphore_wait_min"(%pcome, %c1) : (!ttkernel.l1_addr_ptr, i32) -> ()
      "ttkernel.dprint"() <{fmt = "tile arrived"}> : () -> ()
      "ttkernel.noc_async_atomic_barrier"() : () -> ()
      scf.yield %mid : i32
    }
    %mx = "ttkernel.my_x"() : () -> index
    %my = "ttkernel.my_y"() : () -> index
    "ttkernel.noc_async_write"(%from, %mx, %my, %out, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    return
  }
}
