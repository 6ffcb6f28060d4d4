// Buffers of elements: pages of as many as a tile has, or of a whole block; rows are read and written one by one.
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | ttlang-opt | FileCheck %s
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<128x96xf32, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<128x96xf32, #layout>

// CHECK-LABEL: func.func @rows_datamovement0
// CHECK-DAG: %[[PAGES:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[PAGE:.*]] = arith.constant 384 : i32
// CHECK: %[[CB:.*]] = ttkernel.get_compile_time_arg_val(0) : () -> !ttkernel.cb<4096, f32>
// CHECK: ttkernel.cb_reserve_back(%[[CB]], %[[PAGES]])
// CHECK: %[[TENSOR:.*]] = ttkernel.TensorAccessor(%{{.*}}, %{{.*}}, %[[PAGE]])
// CHECK: scf.for
// CHECK: %[[FAR:.*]] = ttkernel.tensor_accessor.get_noc_addr(%[[TENSOR]],
// CHECK: ttkernel.noc_async_read, %[[FAR]], %{{.*}}, %[[BYTES]] : (!ttkernel.noc_addr, i32, i32) -> ()
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: ttkernel.cb_push_back(%[[CB]], %[[PAGES]])
// CHECK: ttkernel.cb_reserve_back(%{{.*}}, %{{.*}}) : (!ttkernel.cb<120, f32>, i32)
// CHECK-LABEL: func.func @rows_datamovement1
// CHECK: ttkernel.noc_async_write %{{.*}},, %{{.*}}, %{{.*}} : (i32, !ttkernel.noc_addr, i32) -> ()
func.func @rows(%x: !tensor) {
  ttl.kernel(%x : !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%kx: !tensor):
    %cb = ttl.create_cb shape=[64,32], element_type=f32, buffer_factor=2, memory_space=L1
    %odd = ttl.create_cb shape=[3,20], element_type=f32, buffer_factor=2, memory_space=L1
    %at = ttl.tensor_accessor %kx {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %c64 = arith.constant 64 : index
      %a = ttl.cb_reserve %cb
      %tx = ttl.copy %at[%c64, %c64], %a : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_push %a
      %b = ttl.cb_reserve %odd
      %ty = ttl.copy %at[%c64, %c64], %b : !ttl.mem_tx
      ttl.wait %ty
      ttl.cb_push %b
    }
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      %a = ttl.cb_wait %cb
      %tx = ttl.copy %a, %at[%c0, %c0] : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_pop %a
      %b = ttl.cb_wait %odd
      ttl.cb_pop %b
    }
  }
  return
}
