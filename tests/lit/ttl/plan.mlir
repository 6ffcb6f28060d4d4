// The plan's forms: types left out, blocks, accessors, markers; what they become, and what they lower to.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT
// RUN: ttlang-opt %s --ttl-validate --ttl-insert-synchronization --ttl-canonicalize | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-insert-synchronization,ttl-infer-dst-requirements,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED

#tensor = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<2x2x!ttcore.tile<32x32, f32>, #tensor>

// TEXT: ttl.create_cb : <[1, 1], !ttcore.tile<32x32, f32>, 2, L1>
// TEXT: ttl.tensor_accessor %{{.*}} {layout = #ttl.layout<sharded, grid = [2, 2], tiles_per_shard = [1, 1]>, memory_space = #ttl.memory_space<DRAM>} : ({{.*}}) -> !ttl.accessor<
// TEXT: ttl.core_linear : () -> index
// TEXT: ttl.cb_reserve %{{.*}} : <[1, 1], !ttcore.tile<32x32, f32>, 2, L1> -> !ttl.block<tensor<1x1x!ttcore.tile<32x32, f32>>, !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2, L1>>
// TEXT: ttl.copy %{{.*}}[%{{.*}}], %{{.*}} : ({{.*}}) -> !ttl.mem_tx
// TEXT: ttl.cb_push %{{.*}} : !ttl.block<
// TEXT: ttl.block_add %{{.*}}, %{{.*}} : (!ttl.block<{{.*}}>, !ttl.block<{{.*}}>) -> tensor<1x1x!ttcore.tile<32x32, f32>>

// CHECK-LABEL: func.func @sharded_elementwise_add
// CHECK: ttl.datamovement_thread
// CHECK: %[[X:.*]] = ttl.core_x
// CHECK: %[[BLOCK:.*]] = ttl.cb_reserve %[[CB:.*]] : <
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK: %[[SLICE:.*]] = ttl.tensor_slice
// CHECK: %[[TX:.*]] = ttl.copy %[[SLICE]], %[[CB]] {unit = "tile"} : {{.*}} -> !ttl.transfer_handle<read>
// CHECK: ttl.wait %[[TX]] : !ttl.transfer_handle<read>
// CHECK: ttl.cb_push %[[CB]]
// CHECK: ttl.compute_thread
// CHECK: %[[SUM:.*]] = ttl.add
// CHECK: ttl.exp %[[SUM]]
// CHECK: ttl.attach_cb
// CHECK: ttl.copy {{.*}} -> !ttl.transfer_handle<write>

// LOWERED-LABEL: func.func @sharded_elementwise_add_datamovement0
// LOWERED: ttkernel.noc_async_read_tile
// LOWERED: ttkernel.noc_async_read_barrier
// LOWERED-LABEL: func.func @sharded_elementwise_add_compute0
// LOWERED: ttkernel.add_binary_tile
// LOWERED: ttkernel.exp_tile
// LOWERED: ttkernel.pack_tile
// LOWERED-LABEL: func.func @sharded_elementwise_add_datamovement1
// LOWERED: ttkernel.noc_async_write_tile
func.func @sharded_elementwise_add(%a: !tensor, %b: !tensor, %out: !tensor) {
  ttl.kernel(%a, %b, %out : !tensor, !tensor, !tensor) attributes {grid = #ttl.grid<[2, 2]>, block_factors = [[1, 1], [1, 1], [1, 1]]} {
  ^bb0(%ka: !tensor, %kb: !tensor, %kout: !tensor):
    %a_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %b_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %out_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>,
                            buffer_factor=2, memory_space=L1
          : !ttl.cb<[1,1], !ttcore.tile<32x32,f32>, 2, L1>
    %a_accessor = ttl.tensor_accessor %ka {
      layout = #ttl.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>,
      memory_space = DRAM
    }
    %b_accessor = ttl.tensor_accessor %kb {
      layout = #ttl.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>,
      memory_space = DRAM
    }
    %out_accessor = ttl.tensor_accessor %kout {
      layout = #ttl.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>,
      memory_space = DRAM
    }

    ttl.datamovement_thread {
      %shard_id = ttl.core_linear() : index
      %a_blk = ttl.cb_reserve %a_cb
      %tx_a = ttl.copy %a_accessor[%shard_id], %a_blk : !ttl.mem_tx
      ttl.wait %tx_a
      ttl.cb_push %a_blk

      %b_blk = ttl.cb_reserve %b_cb
      %tx_b = ttl.copy %b_accessor[%shard_id], %b_blk : !ttl.mem_tx
      ttl.cb_push %b_blk
    }

    ttl.compute_thread {
      %a_blk = ttl.cb_wait %a_cb
      %b_blk = ttl.cb_wait %b_cb
      %o_blk = ttl.cb_reserve %out_cb
      %sum = ttl.block_add %a_blk, %b_blk
      ttl.require_dst %sum
      %result = ttl.block_exp %sum
      ttl.block_store %o_blk, %result
      ttl.cb_pop %a_blk
      ttl.cb_pop %b_blk
      ttl.cb_push %o_blk
    }

    ttl.datamovement_thread {
      %shard_id = ttl.core_linear() : index
      %o_blk = ttl.cb_wait %out_cb
      %tx_out = ttl.copy %o_blk, %out_accessor[%shard_id] : !ttl.mem_tx
      ttl.wait %tx_out
      ttl.cb_pop %o_blk
    }
  }
  return
}

// CHECK-LABEL: func.func @fused
// CHECK: %[[PRODUCT:.*]] = ttl.mul
// CHECK: ttl.relu %[[PRODUCT]]
// CHECK-NOT: compute_region
// CHECK-LABEL: func.func @places
// CHECK-DAG: arith.constant 16 : index
// CHECK-DAG: ttl.core_x
// CHECK-DAG: ttl.core_y
func.func @fused(%in: !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>, %out: !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>) {
  %x = ttl.cb_wait %in
  %o = ttl.cb_reserve %out
  %r = ttl.compute_region ins(%x, %x : !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>, !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>) outs(%o : !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>) {keep_in_dst = true} {
  ^bb0(%a: !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>, %b: !ttl.block<tensor<2x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>>):
    %p = ttl.block_mul %a, %b
    %q = ttl.block_relu %p
    ttl.yield %q : tensor<2x1x!ttcore.tile<32x32, bf16>>
  } -> tensor<2x1x!ttcore.tile<32x32, bf16>>
  ttl.block_store %o, %r
  ttl.cb_pop %x
  ttl.cb_push %o
  return
}

func.func @places() -> (index, index, index) attributes {grid = #ttl.grid<[4, 4]>} {
  %x, %y = ttl.core(dims = 2) : index, index
  %n = ttl.grid_size(dims = 1) : index
  return %x, %y, %n : index, index, index
}

// Microcores: threads by the unit that they run on.
// TEXT: ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
// TEXT: ttl.tile_proc attributes {microcores = [@noc0, @math]} {
// TEXT: ttl.thread on @math {
// TEXT: func.func private @distributed(!ttl.dist_tensor<grid = [8, 8], shard = [32, 32], f32, sharded, L1>)
// CHECK-LABEL: func.func @microcores
// CHECK: ttl.kernel attributes {grid = #ttl.grid<[1, 1]>}
// CHECK: ttl.datamovement_thread attributes {microcore_hint = "noc0"}
// CHECK: ttl.dma_barrier
// CHECK: ttl.compute_thread attributes {microcore_hint = "math"}
// LOWERED-LABEL: func.func @microcores_datamovement0
func.func @microcores() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    ttl.tile_proc attributes {microcores = [@noc0, @math]} {
      ttl.thread on @noc0 {
        ttl.dma_barrier
      }
      ttl.thread on @math {
      }
    }
  }
  return
}
func.func private @distributed(!ttl.dist_tensor<grid = [8, 8], shard = [32, 32], f32, sharded, L1>)
