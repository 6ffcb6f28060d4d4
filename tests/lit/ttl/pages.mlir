// Buffers that no tensor in rows is copied to or from have a page for each element of a block, unless declared as rows.
// RUN: ttlang-opt %s --convert-ttl-to-ttkernel | FileCheck %s
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x3xf32, #ttnn.buffer_type<dram>>, <interleaved>>

// CHECK-LABEL: func.func @elements
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: ttkernel.cb_reserve_back(%{{.*}}, %[[SIX]])
// CHECK: ttkernel.cb_push_back(%{{.*}}, %[[SIX]])
// CHECK: ttkernel.cb_push_back(%{{.*}}, %[[ONE]])
func.func @elements() attributes {ttl.kernel_thread = #ttkernel.thread<noc>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !ttl.cb<[2, 3], f32, 2>
  %b = ttl.bind_cb {cb_index = 1, buffer_factor = 2} {ttl.rows} : !ttl.cb<[2, 3], f32, 2>
  %v = ttl.cb_reserve %a : <[2, 3], f32, 2> -> tensor<2x3xf32>
  ttl.cb_push %a : <[2, 3], f32, 2>
  ttl.cb_push %b : <[2, 3], f32, 2>
  return
}

// CHECK-LABEL: func.func @copied
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: ttkernel.cb_reserve_back(%{{.*}}, %[[ONE]])
// CHECK: ttkernel.cb_push_back(%{{.*}}, %[[ONE]])
func.func @copied(%t: tensor<8x3xf32, #layout>) attributes {ttl.base_cta_index = 1 : i32, ttl.crta_indices = [0], ttl.kernel_thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %cb = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !ttl.cb<[2, 3], f32, 2>
  %v = ttl.cb_reserve %cb : <[2, 3], f32, 2> -> tensor<2x3xf32>
  %s = ttl.tensor_slice %t[%c0, %c0] : tensor<8x3xf32, #layout> -> tensor<2x3xf32>
  %h = ttl.copy %s, %cb : (tensor<2x3xf32>, !ttl.cb<[2, 3], f32, 2>) -> !ttl.transfer_handle<read>
  ttl.wait %h : !ttl.transfer_handle<read>
  ttl.cb_push %cb : <[2, 3], f32, 2>
  return
}
