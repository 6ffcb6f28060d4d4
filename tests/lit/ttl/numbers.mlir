// Scalars in kernels: bounds, buffers filled with one value, integers known at run time.
// RUN: ttlang-opt %s --ttl-to-ttkernel-pipeline | FileCheck %s
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT
// RUN: not ttlang-opt %S/Inputs/fill-integers.mlir 2>&1 | FileCheck %s --check-prefix=FILL

// FILL: error: 'ttl.cb_fill' op fills tiles of floating-point elements, got '!ttcore.tile<32x32, si32>'

// TEXT: ttl.cb_fill %{{.*}}, 1.000000e+00 : <[1, 2]
// TEXT: ttl.clamp %{{.*}}, -1.000000e+00, 6.000000e+00 :

!block = tensor<1x2x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[1, 2], !ttcore.tile<32x32, bf16>, 2>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<4x2x!ttcore.tile<32x32, bf16>, #layout>

// CHECK-LABEL: func.func @compute()
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant -1082130432 : i32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 1086324736 : i32
// CHECK: %[[N:.*]] = ttkernel.get_common_arg_val(%c0)
// CHECK: %[[ROUNDS:.*]] = arith.index_cast %[[N]]
// CHECK: %[[IN:.*]] = ttkernel.get_compile_time_arg_val(0)
// CHECK: ttkernel.cb_reserve_back(%[[IN]], %c2_i32)
// CHECK: scf.for
// CHECK: ttkernel.fill_tile(%c0, %[[ONE]])
// CHECK: ttkernel.pack_tile(%c0, %[[IN]], %{{.*}}, false)
// CHECK: ttkernel.cb_push_back(%[[IN]], %c2_i32)
// CHECK: scf.for %{{.*}} = %c0 to %[[ROUNDS]]
// CHECK: ttkernel.clamp_tile(%c0, %[[LOW]], %[[HIGH]])
func.func @compute(%n: index) attributes {ttl.base_cta_index = 2 : i32, ttl.crta_indices = [1 : i32], ttl.kernel_thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %b = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  ttl.cb_fill %a, 1.0 : !cb
  scf.for %i = %c0 to %n step %c1 {
    %x = ttl.cb_wait %a : <[1, 2], !ttcore.tile<32x32, bf16>, 2> -> !block
    %v = ttl.cb_reserve %b : <[1, 2], !ttcore.tile<32x32, bf16>, 2> -> !block
    %y = ttl.clamp %x, -1.0, 6.0 : !block -> !block
    %o = ttl.attach_cb %y, %b : (!block, !cb) -> !block
    ttl.cb_push %b : <[1, 2], !ttcore.tile<32x32, bf16>, 2>
    ttl.cb_pop %a : <[1, 2], !ttcore.tile<32x32, bf16>, 2>
  }
  return
}

// CHECK-LABEL: func.func @read()
// CHECK: %[[ROW:.*]] = ttkernel.get_common_arg_val(%c1)
// CHECK: arith.index_cast %[[ROW]]
// CHECK: %[[ADDRESS:.*]] = ttkernel.get_common_arg_val(%c0)
// CHECK: ttkernel.TensorAccessor(%{{.*}}, %[[ADDRESS]],
func.func @read(%t: !tensor, %row: index) attributes {ttl.base_cta_index = 2 : i32, ttl.crta_indices = [0 : i32, 1 : i32], ttl.kernel_thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %v = ttl.cb_reserve %a : <[1, 2], !ttcore.tile<32x32, bf16>, 2> -> !block
  %s = ttl.tensor_slice %t[%row, %c0] : !tensor -> !block
  %h = ttl.copy %s, %a : (!block, !cb) -> !ttl.transfer_handle<read>
  ttl.wait %h : !ttl.transfer_handle<read>
  ttl.cb_push %a : <[1, 2], !ttcore.tile<32x32, bf16>, 2>
  return
}
