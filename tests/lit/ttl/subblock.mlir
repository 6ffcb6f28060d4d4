// As many tiles at a time as DST has registers for: whole rows, or what divides one.
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst,ttl-subblock-compute-for-dst))' | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst,ttl-subblock-compute-for-dst{dst-capacity=3}))' | FileCheck %s --check-prefix=FEW
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst,ttl-subblock-compute-for-dst,ttl-insert-tile-regs-sync,ttl-lower-to-loops))' | FileCheck %s --check-prefix=LOOPS

// CHECK: ttl.subblock = array<i64: 2, 4>
// FEW: ttl.subblock = array<i64: 1, 2>
// LOOPS: scf.for %{{.*}} = %c0 to %c4 step %c2
// LOOPS: scf.for %{{.*}} = %c0 to %c4 step %c4
// LOOPS-COUNT-1: ttl.tile_regs_acquire
// LOOPS: ttl.tile_exp {{.*}} {dst_idx = 0 : i32}
// LOOPS: ttl.tile_exp {{.*}} {dst_idx = 7 : i32}
// LOOPS: ttl.tile_regs_commit
// LOOPS-COUNT-8: ttl.store
// LOOPS: ttl.tile_regs_release
// LOOPS-COUNT-8: tensor.insert
!tiles = tensor<4x4x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[4, 4], !ttcore.tile<32x32, bf16>, 2>
func.func @exp(%in: !cb, %out: !cb) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %x = ttl.cb_wait %in : <[4, 4], !ttcore.tile<32x32, bf16>, 2> -> !tiles
  %v = ttl.cb_reserve %out : <[4, 4], !ttcore.tile<32x32, bf16>, 2> -> !tiles
  %y = ttl.exp %x : !tiles -> !tiles
  %o = ttl.attach_cb %y, %out : (!tiles, !cb) -> !tiles
  ttl.cb_push %out : <[4, 4], !ttcore.tile<32x32, bf16>, 2>
  ttl.cb_pop %in : <[4, 4], !ttcore.tile<32x32, bf16>, 2>
  return
}
