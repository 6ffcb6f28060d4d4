// One block at a time: fusion, registers, the DST protocol, loops.
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute))' | FileCheck %s --check-prefix=COMPUTE
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst))' | FileCheck %s --check-prefix=DST
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst{separate-output-region=true}))' | FileCheck %s --check-prefix=APART
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst))' -debug-only=ttl-assign-dst 2>&1 | FileCheck %s --check-prefix=LOG
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute,ttl-assign-dst,ttl-insert-tile-regs-sync,ttl-lower-to-loops))' | FileCheck %s --check-prefix=LOOPS

!tile = !ttcore.tile<32x32, bf16>
!block = tensor<1x2x!tile>
!cb = !ttl.cb<[1, 2], !tile, 2>
func.func @chain(%a: !block, %b: !block) -> !block {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %2 = ttl.bind_cb {cb_index = 2, buffer_factor = 2} : !cb
  %in0 = ttl.attach_cb %a, %0 : (!block, !cb) -> !block
  %in1 = ttl.attach_cb %b, %1 : (!block, !cb) -> !block
  %e = ttl.exp %in0 : !block -> !block
  %m = ttl.mul %e, %in0 : !block, !block -> !block
  %s = ttl.sub %m, %in1 : !block, !block -> !block
  %out = ttl.attach_cb %s, %2 : (!block, !cb) -> !block
  return %out : !block
}

// The whole chain is one compute; %a is read once.
// COMPUTE: %[[A:.*]] = ttl.attach_cb %arg0
// COMPUTE: %[[B:.*]] = ttl.attach_cb %arg1
// COMPUTE: %[[R:.*]] = ttl.compute ins(%[[A]], %[[B]] :
// COMPUTE-NEXT: ^bb0(%[[X:.*]]: {{.*}}, %[[Y:.*]]: {{.*}}, %{{.*}}):
// COMPUTE-NEXT: %[[E:.*]] = ttl.tile_exp %[[X]]
// COMPUTE-NEXT: %[[M:.*]] = ttl.tile_mul %[[E]], %[[X]]
// COMPUTE-NEXT: %[[S:.*]] = ttl.tile_sub %[[M]], %[[Y]]
// COMPUTE-NEXT: ttl.yield %[[S]]
// COMPUTE: ttl.attach_cb %[[R]]
// COMPUTE-NOT: ttl.exp

// exp overwrites its input, which mul needs too: two copies of the tile.
// DST-DAG: ttl.copy_tile %[[X:.*]], %{{.*}}, %c0
// DST-DAG: %{{.*}}, %[[T:.*]] = ttl.copy_tile %[[X]], %{{.*}}, %c1
// DST: %[[E:.*]] = ttl.tile_exp %[[T]] {dst_idx = 1 : i32}
// DST: ttl.tile_mul %[[E]], %{{.*}} {dst_idx = 0 : i32}
// DST: ttl.tile_sub %{{.*}} {dst_idx = 0 : i32}

// APART: ttl.tile_mul %{{.*}} {dst_idx = 0 : i32}
// APART: ttl.tile_sub %{{.*}} {dst_idx = 2 : i32}

// LOG: Phase 1: Inserted placeholder copy_tile for consumer 0 of block arg
// LOG: Max DST usage: 2 / 8 registers

// LOOPS: ttl.init_sfpu
// LOOPS: scf.for %[[I:.*]] = %c0 to %c1 step %c1
// LOOPS: scf.for %[[J:.*]] = %c0 to %c2 step %c1
// LOOPS: tensor.extract %{{.*}}[%[[I]], %[[J]]]
// LOOPS: affine.apply #{{.*}}(%[[I]], %[[J]])
// LOOPS: ttl.tile_regs_acquire
// LOOPS: ttl.tile_sub
// LOOPS-NEXT: ttl.tile_regs_commit
// LOOPS-NEXT: ttl.tile_regs_wait
// LOOPS-NEXT: %[[V:.*]] = ttl.cb_reserve
// LOOPS-NEXT: ttl.store %{{.*}}, %[[V]]
// LOOPS-NEXT: ttl.tile_regs_release
