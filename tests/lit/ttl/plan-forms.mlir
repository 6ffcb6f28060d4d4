// More of the plan's forms: markers of registers, places by attributes and by index_accessor, a maximum without a
// scaling tile, blocks of computation.
// RUN: ttlang-opt %s --ttl-validate --ttl-canonicalize | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-insert-synchronization,ttl-infer-dst-requirements,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED

#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<2x2x!ttcore.tile<32x32, f32>, #layout>

// CHECK-LABEL: func.func @forms
// CHECK: ttl.create_cb at 5 :
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: ttl.tensor_slice %{{.*}}[%[[C0]], %[[C0]]]
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: ttl.tensor_slice %{{.*}}[%{{.*}}, %[[ONE]]]
// CHECK: %[[ONES:.*]] = ttl.create_cb : <[1, 1], !ttcore.tile<32x32, f32>, 1>
// CHECK: ttl.cb_fill %[[ONES]], 1.000000e+00
// CHECK: %[[VIEW:.*]] = ttl.cb_wait %[[ONES]]
// CHECK: %[[TILE:.*]] = ttl.attach_cb %[[VIEW]], %[[ONES]]
// CHECK-NOT: ttl.acquire_dst
// CHECK: ttl.reduce_max %{{.*}}, %[[TILE]] [1]
// CHECK: ttl.reduce_max %{{.*}}, %[[TILE]] [0]
// CHECK-NOT: ttl.block_compute
// CHECK: ttl.cb_pop %[[ONES]]
// LOWERED-LABEL: func.func @forms_compute0
// LOWERED: ttkernel.fill_tile
// LOWERED: ttkernel.reduce_tile
func.func @forms(%x: !tensor, %y: !tensor) {
  ttl.kernel(%x, %y : !tensor, !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%kx: !tensor, %ky: !tensor):
    %x_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1, buffer_index = 5 : i32
    %y_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %x_acc = ttl.tensor_accessor %kx {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %y_acc = ttl.tensor_accessor %ky {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %z = arith.constant 0 : index
      %a = ttl.cb_reserve %x_cb
      %at = ttl.index_accessor %x_acc[%z, %z]
      %tx = ttl.copy %at, %a : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_push %a
      %b = ttl.cb_reserve %x_cb
      %ty = ttl.copy %x_acc, %b {src_coords = [0, 1]} : !ttl.mem_tx
      ttl.wait %ty
      ttl.cb_push %b
    }
    ttl.compute_thread {
      %dst0 = ttl.acquire_dst
      %a = ttl.cb_wait %x_cb
      %o = ttl.cb_reserve %y_cb
      ttl.block_compute {
        %m = ttl.block_reduce_max %a {axis = 1 : i64}
        ttl.block_store %o, %m
      }
      ttl.release_dst %dst0
      ttl.cb_pop %a
      ttl.cb_push %o
      %b = ttl.cb_wait %x_cb
      %p = ttl.cb_reserve %y_cb
      %n = ttl.block_reduce_max %b {axis = 0 : i64}
      ttl.block_store %p, %n
      ttl.cb_pop %b
      ttl.cb_push %p
    }
    ttl.datamovement_thread {
      %a = ttl.cb_wait %y_cb
      %tx = ttl.copy %a, %y_acc {dst_coords = [0, 0]} : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_pop %a
      %b = ttl.cb_wait %y_cb
      %ty = ttl.copy %b, %y_acc {dst_coords = [0, 1]} : !ttl.mem_tx
      ttl.wait %ty
      ttl.cb_pop %b
    }
  }
  return
}
