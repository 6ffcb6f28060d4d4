// Distributed tensors: shards of this core, other strategies for the same values.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT
// RUN: ttlang-opt %s --ttl-validate --ttl-insert-synchronization --ttl-canonicalize | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-insert-synchronization,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED

// TEXT: ttl.extract_shard %{{.*}} : (!ttl.dist_tensor<grid = [2, 2], shard = [32, 64], f32, sharded, L1>) -> tensor<1x2x!ttcore.tile<32x32, f32>>
// TEXT: ttl.redistribute %{{.*}} {strategy = #ttl.distribution_strategy<replicated>} : ({{.*}}) -> !ttl.dist_tensor<grid = [1, 1], shard = [64, 128], f32, replicated, L1>

// CHECK-LABEL: func.func @distributed_add
// CHECK-SAME: tensor<2x4x!ttcore.tile<32x32, f32>, #{{.*}}>
// CHECK-NOT: dist_tensor
// CHECK: ttl.datamovement_thread
// CHECK: ttl.core_y
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK: ttl.tensor_slice %{{.*}} : tensor<2x4x{{.*}}> -> tensor<1x2x
// CHECK-NOT: ttl.core
// CHECK: ttl.tensor_slice
// CHECK: ttl.datamovement_thread
// CHECK: ttl.core_y

// LOWERED-LABEL: func.func @distributed_add_datamovement0
// LOWERED: ttkernel.noc_async_read_tile
!dist = !ttl.dist_tensor<grid = [2, 2], shard = [32, 64], f32, sharded, L1>
func.func @distributed_add(%A: !dist, %B: !dist, %out: !dist) {
  ttl.kernel(%A, %B, %out : !dist, !dist, !dist) attributes {grid = #ttl.grid<[2, 2]>} {
  ^bb0(%a: !dist, %b: !dist, %o: !dist):
    %a_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %b_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %o_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %a_local = ttl.extract_shard %a
    %b_all = ttl.redistribute %b strategy=replicated
    %b_whole = ttl.extract_shard %b_all
    %o_local = ttl.extract_shard %o
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      %a_blk = ttl.cb_reserve %a_cb
      %ta = ttl.copy %a_local, %a_blk
      ttl.wait %ta
      ttl.cb_push %a_blk
      %b_blk = ttl.cb_reserve %b_cb
      %tb = ttl.copy %b_whole[%c0, %c0], %b_blk
      ttl.wait %tb
      ttl.cb_push %b_blk
    }
    ttl.compute_thread {
      %a_blk = ttl.cb_wait %a_cb
      %b_blk = ttl.cb_wait %b_cb
      %o_blk = ttl.cb_reserve %o_cb
      %sum = ttl.block_add %a_blk, %b_blk
      ttl.block_store %o_blk, %sum
      ttl.cb_pop %a_blk
      ttl.cb_pop %b_blk
      ttl.cb_push %o_blk
    }
    ttl.datamovement_thread {
      %o_blk = ttl.cb_wait %o_cb
      %to = ttl.copy %o_blk, %o_local
      ttl.wait %to
      ttl.cb_pop %o_blk
    }
  }
  return
}
