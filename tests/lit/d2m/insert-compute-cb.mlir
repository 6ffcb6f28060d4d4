// RUN: ttmlir-opt %s --ttcore-register-device --d2m-insert-compute-cb | FileCheck %s

#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, f32>
!buffer = memref<1x2x!tile, #ttcore.cb_layout<8192x4096, 2>, #l1>
!shard = memref<1x1x1x2x!tile, #ttcore.shard<8192x4096, 1>, #l1>

// A thread that only moves tiles from one buffer to another waits for them, too.
// CHECK-LABEL: func.func @moved
// CHECK: }, {
// CHECK: %[[FROM:.*]] = d2m.wait
// CHECK: %[[TILE:.*]] = memref.load %[[FROM]]
// CHECK: %[[TO:.*]] = d2m.reserve
// CHECK: memref.store %[[TILE]], %[[TO]]
// CHECK: d2m.push
// CHECK: d2m.pop
func.func @moved(%in: !shard, %out: !shard) {
  %from = memref.alloc() {address = 1024 : i64, alignment = 16 : i64, d2m.synchronized_buffer = 2 : i32} : !buffer
  %to = memref.alloc() {address = 17408 : i64, alignment = 16 : i64, d2m.synchronized_buffer = 2 : i32} : !buffer
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>, #d2m.thread<compute>]}
      ins(%in : !shard)
      outs(%out : !shard)
      additionalArgs(%from, %to : !buffer, !buffer)
      {
    %cb0 = d2m.get_cb(2) resolution_stage = compile : <!buffer>
    %cb1 = d2m.get_cb(3) resolution_stage = compile : <!buffer>
    %c0 = arith.constant 0 : index
    d2m.remote_load %in[%c0, %c0] into %cb0 : !shard into !d2m.cb<!buffer>
    d2m.remote_store %out[%c0, %c0] from %cb1 : !shard from !d2m.cb<!buffer>
  }, {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tile = memref.load %from[%c0, %c1] : !buffer
    memref.store %tile, %to[%c0, %c0] : !buffer
  }
  return
}
