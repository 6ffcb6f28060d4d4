// What needs more registers than there are is cut: a part is computed first, kept in a buffer of the thread's own behind the
// kernel's, and read from there; so is what an operation that reads buffers gets computed. Tiles spilled and restored.
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst{dst-capacity=2 reload-arguments=true spill=true}))' -split-input-file | FileCheck %s
// RUN: ttlang-opt %s --ttl-to-ttkernel-pipeline -split-input-file | FileCheck %s --check-prefix=SPILL
!tile = !ttcore.tile<32x32, f32>
!block = tensor<2x1x!tile>
!cb = !ttl.cb<[2, 1], !tile, 2>

// CHECK-LABEL: func.func @expression
// CHECK: %[[OWN:.*]] = ttl.bind_cb{cb_index = 5, buffer_factor = 1} {ttl.scratch} : <[2, 1], !ttcore.tile<32x32, f32>, 1>
// CHECK: ttl.cb_reserve %[[OWN]]
// CHECK: ttl.compute
// CHECK: ttl.tile_exp
// CHECK: ttl.tile_mul
// CHECK: ttl.yield
// CHECK: ttl.cb_push %[[OWN]]
// CHECK: ttl.cb_wait %[[OWN]]
// CHECK: %[[PART:.*]] = ttl.attach_cb %{{.*}}, %[[OWN]]
// CHECK: ttl.compute ins(%{{.*}}, %{{.*}}, %[[PART]]
// CHECK: ttl.tile_sin
// CHECK: ttl.tile_sub
// CHECK: ttl.tile_add
// CHECK: ttl.cb_pop %[[OWN]]
// CHECK-NOT: ttl.bind_cb
func.func @expression(%a: !block, %b: !block) -> !block attributes {ttl.base_cta_index = 5 : i32, ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %2 = ttl.bind_cb {cb_index = 2, buffer_factor = 2} : !cb
  %x = ttl.attach_cb %a, %0 : (!block, !cb) -> !block
  %y = ttl.attach_cb %b, %1 : (!block, !cb) -> !block
  %e = ttl.exp %x : !block -> !block
  %p = ttl.mul %e, %y : !block, !block -> !block
  %s = ttl.sin %y : !block -> !block
  %q = ttl.sub %s, %x : !block, !block -> !block
  %r = ttl.add %p, %q : !block, !block -> !block
  %o = ttl.attach_cb %r, %2 : (!block, !cb) -> !block
  return %o : !block
}

// -----

!tile = !ttcore.tile<32x32, bf16>
!block = tensor<1x1x!tile>
!cb = !ttl.cb<[1, 1], !tile, 2>
// CHECK-LABEL: func.func @product
// CHECK: %[[OWN:.*]] = ttl.bind_cb{cb_index = 2, buffer_factor = 1} {ttl.scratch}
// CHECK: ttl.cb_reserve %[[OWN]]
// CHECK: ttl.tile_exp
// CHECK: ttl.cb_push %[[OWN]]
// CHECK: ttl.cb_wait %[[OWN]]
// CHECK: ttl.tile_matmul
// CHECK: ttl.cb_pop %[[OWN]]
func.func @product(%x: !block) -> !block attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %p = ttl.attach_cb %x, %0 : (!block, !cb) -> !block
  %e = ttl.exp %p : !block -> !block
  %r = ttl.matmul %e, %p : !block, !block -> !block
  %o = ttl.attach_cb %r, %1 : (!block, !cb) -> !block
  return %o : !block
}

// -----

!cb = !ttl.cb<[2, 1], !ttcore.tile<32x32, f32>, 2>
// SPILL-LABEL: func.func @spill
// SPILL: %[[OWN:.*]] = ttkernel.get_compile_time_arg_val(2) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
// SPILL: ttkernel.tile_regs_acquire
// SPILL: ttkernel.tile_regs_commit
// SPILL: ttkernel.tile_regs_wait
// SPILL: ttkernel.cb_reserve_back(%[[OWN]],
// SPILL: ttkernel.pack_tile(%{{.*}}, %[[OWN]], %{{.*}}, true)
// SPILL: ttkernel.pack_tile(%{{.*}}, %[[OWN]], %{{.*}}, true)
// SPILL: ttkernel.cb_push_back(%[[OWN]],
// SPILL: ttkernel.tile_regs_release
// SPILL: ttkernel.tile_regs_acquire
// SPILL: ttkernel.cb_wait_front(%[[OWN]],
// SPILL: ttkernel.copy_tile(%[[OWN]],
// SPILL: ttkernel.mul_binary_tile
// SPILL: ttkernel.copy_tile(%[[OWN]],
// SPILL: ttkernel.cb_pop_front(%[[OWN]],
// SPILL: ttkernel.add_binary_tile
func.func @spill() attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %o = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  ttl.tile_regs_acquire
  %x = ttl.get_tile %a, %c0
  %y = ttl.get_tile %a, %c1
  %s = ttl.spill_tile_to_l1 %x, %c0
  %z = ttl.tile_mul %y, %y {dst_idx = 0 : i32} : !ttcore.tile<32x32, f32>
  %r = ttl.restore_tile_from_l1 %s
  %w = ttl.tile_add %r, %z {dst_idx = 2 : i32} : !ttcore.tile<32x32, f32>
  ttl.tile_regs_commit
  ttl.tile_regs_wait
  ttl.pack_tile %c0, %o, %c0
  ttl.tile_regs_release
  return
}
