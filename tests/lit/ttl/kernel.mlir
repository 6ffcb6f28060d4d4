// A kernel with threads: buffers get indices, threads become functions, all of it becomes TTKernel.
// RUN: ttlang-opt %s --ttl-allocate-cbs --ttl-expand-threads | FileCheck %s
// RUN: ttlang-opt %s --ttl-lower-to-ttkernel | FileCheck %s --check-prefix=LOWERED
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT

// TEXT: ttl.kernel(%arg0, %arg1 : {{.*}}) attributes {grid = [1, 1]} {
// TEXT: ttl.create_cb at 3 : <[1, 1]
// TEXT: ttl.datamovement_thread attributes {name = "reader"} {

#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<2x2x!ttcore.tile<32x32, bf16>, #layout>
!block = tensor<1x1x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>

// CHECK-LABEL: func.func @host
// CHECK-NEXT: return

// CHECK-LABEL: func.func @reader(%arg0: tensor<2x2x{{.*}}>)
// CHECK-SAME: ttl.base_cta_index = 2 : i32, ttl.crta_indices = [0 : i32], ttl.kernel_thread = #ttkernel.thread<noc>
// CHECK: ttl.bind_cb{cb_index = 0
// CHECK: ttl.tensor_slice %arg0
// CHECK: ttl.dma_barrier
// LOWERED-LABEL: func.func @reader()
// LOWERED: ttkernel.noc_async_read_tile
// LOWERED: ttkernel.noc_async_read_barrier
// LOWERED: ttkernel.noc_async_write_barrier

// CHECK-LABEL: func.func @host_compute0()
// CHECK-SAME: ttkernel.thread<compute>
// CHECK-DAG: ttl.bind_cb{cb_index = 0
// CHECK-DAG: ttl.bind_cb{cb_index = 3
// CHECK: ttl.neg
// LOWERED-LABEL: func.func @host_compute0()
// LOWERED: ttkernel.negative_tile
// LOWERED: ttkernel.pack_tile

// CHECK-LABEL: func.func @host_datamovement1(%arg0: tensor<2x2x{{.*}}>)
// CHECK-SAME: ttl.crta_indices = [1 : i32]
// LOWERED-LABEL: func.func @host_datamovement1()
// LOWERED: ttkernel.noc_async_write_tile
func.func @host(%a: !tensor, %b: !tensor) {
  ttl.kernel(%a, %b : !tensor, !tensor) attributes {grid = [1, 1]} {
  ^bb0(%x: !tensor, %y: !tensor):
    %c0 = arith.constant 0 : index
    %in = ttl.create_cb : !cb
    %out = ttl.create_cb at 3 : !cb
    ttl.datamovement_thread attributes {name = "reader"} {
      %s = ttl.tensor_slice %x[%c0, %c0] : !tensor -> !block
      %v = ttl.cb_reserve %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %h = ttl.copy %s, %in : (!block, !cb) -> !ttl.transfer_handle<read>
      ttl.wait %h : !ttl.transfer_handle<read>
      ttl.dma_barrier
      ttl.cb_push %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
    ttl.compute_thread {
      %t = ttl.cb_wait %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %v = ttl.cb_reserve %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %n = ttl.neg %t : !block -> !block
      %o = ttl.attach_cb %n, %out : (!block, !cb) -> !block
      ttl.cb_push %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
      ttl.cb_pop %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
    ttl.datamovement_thread {
      %s = ttl.tensor_slice %y[%c0, %c0] : !tensor -> !block
      %v = ttl.cb_wait %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
      %h = ttl.copy %out, %s : (!cb, !block) -> !ttl.transfer_handle<write>
      ttl.wait %h : !ttl.transfer_handle<write>
      ttl.cb_pop %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    }
  }
  return
}
