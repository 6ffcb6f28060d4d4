// Parts that the specification omits: a block's type as <...>, tiles of a shard, the longer word for memory.
// RUN: ttlang-opt %s | FileCheck %s
// RUN: ttlang-opt %s --ttl-validate --ttl-verify-layouts --ttl-lower-to-ttkernel | FileCheck %s --check-prefix=LOWERED
// RUN: sed 's/grid=\[2,2\]/grid=[3,2]/' %s | not ttlang-opt - --ttl-verify-layouts 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: ttl.tensor_accessor %{{.*}} {layout = #ttl.layout<sharded, grid = [2, 2]>, memory_space = #ttl.memory_space<DRAM>}
// CHECK: ttl.cb_reserve %{{.*}} : <[2, 1], !ttcore.tile<32x32, f32>, 2, L1> -> !ttl.block<tensor<2x1x!ttcore.tile<32x32, f32>>
// LOWERED: ttkernel.noc_async_read_shard
// WRONG: error: 'ttl.tensor_accessor' op has 3 shards of 1 tiles in dimension 0, the tensor has 4 tiles
ttl.kernel @reader(%a: tensor<128x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  %cb = ttl.create_cb shape=[2,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<sharded, grid=[2,2]>, memspace = DRAM}
  ttl.datamovement_thread {
    %shard = ttl.core_linear() : index
    %blk = ttl.cb_reserve %cb : !ttl.block<...>
    %tx = ttl.copy %from[%shard], %blk : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_push %blk
  }
  ttl.compute_thread {
    %blk = ttl.cb_wait %cb : !ttl.block<...>
    ttl.cb_pop %blk
  }
}
