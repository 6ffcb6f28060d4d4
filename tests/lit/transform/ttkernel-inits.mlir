// RUN: ttmlir-opt %s --ttkernel-dedup-inits | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize | FileCheck %s --check-prefix=BARRIERS

!cb = !ttkernel.cb<4, !ttcore.tile<32x32, bf16>>

// CHECK-LABEL: @reductions
// CHECK-COUNT-1: ttkernel.init_sfpu
// CHECK-NOT: ttkernel.init_sfpu
// CHECK: ttkernel.reduce_init
// CHECK-NEXT: ttkernel.reduce_tile
// CHECK-NEXT: arith.addi
// CHECK-NEXT: ttkernel.reduce_tile
// CHECK-NEXT: ttkernel.reduce_uninit
// CHECK-NEXT: ttkernel.tile_regs_commit
// CHECK-NEXT: ttkernel.reduce_init
// CHECK-NEXT: return
func.func @reductions() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : i32
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  ttkernel.init_sfpu(%a, %a) : (!cb, !cb) -> ()
  ttkernel.init_sfpu(%a, %a) : (!cb, !cb) -> ()
  "ttkernel.reduce_init"(%a, %a, %a) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, !cb) -> ()
  "ttkernel.reduce_tile"(%a, %a, %c0, %c0, %c0) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, i32, i32, i32) -> ()
  "ttkernel.reduce_uninit"() : () -> ()
  %c1 = arith.addi %c0, %c0 : i32
  "ttkernel.reduce_init"(%a, %a, %a) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, !cb) -> ()
  "ttkernel.reduce_tile"(%a, %a, %c1, %c0, %c0) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, i32, i32, i32) -> ()
  "ttkernel.reduce_uninit"() : () -> ()
  "ttkernel.tile_regs_commit"() : () -> ()
  "ttkernel.reduce_init"(%a, %a, %a) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, !cb) -> ()
  return
}

// BARRIERS-LABEL: @barriers
// BARRIERS-NEXT: ttkernel.noc_async_read_barrier()
// BARRIERS-NEXT: ttkernel.noc_async_write_barrier()
// BARRIERS-NEXT: ttkernel.noc_async_read_barrier(%arg0)
// BARRIERS-NEXT: ttkernel.noc_async_read core
// BARRIERS-NEXT: ttkernel.noc_async_read_barrier()
// BARRIERS-NEXT: return
func.func @barriers(%noc: i8, %x: index, %at: i32) {
  ttkernel.noc_async_read_barrier() : () -> ()
  ttkernel.noc_async_read_barrier() : () -> ()
  ttkernel.noc_async_write_barrier() : () -> ()
  ttkernel.noc_async_read_barrier() : () -> ()
  ttkernel.noc_async_read_barrier(%noc) : (i8) -> ()
  ttkernel.noc_async_read core[%x, %x], %at, %at, %at : (index, index, i32, i32, i32) -> ()
  ttkernel.noc_async_read_barrier() : () -> ()
  return
}

// A word multicast to semaphores of many cores is waited for again.
// BARRIERS-LABEL: @semaphores
// BARRIERS: ttkernel.noc_async_write_barrier()
// BARRIERS-NEXT: ttkernel.noc_semaphore_set_multicast
// BARRIERS-NEXT: ttkernel.noc_async_write_barrier()
func.func @semaphores(%s: !ttkernel.local_semaphore, %to: !ttkernel.noc_addr, %n: i32) {
  ttkernel.noc_async_write_barrier() : () -> ()
  ttkernel.noc_semaphore_set_multicast(%s, %to, %n) : (!ttkernel.local_semaphore, !ttkernel.noc_addr, i32) -> ()
  ttkernel.noc_async_write_barrier() : () -> ()
  return
}
