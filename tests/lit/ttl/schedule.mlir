// Schedules of kernels as transforms: buffers' factors, copies that start early, registers, passes.
// RUN: ttlang-opt %s --transform-interpreter | FileCheck %s
// RUN: ttlang-opt %s -split-input-file | FileCheck %s --check-prefix=TEXT

#tensor = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<4x1x!ttcore.tile<32x32, bf16>, #tensor>

// TEXT: transform.sequence failures(propagate) {
// TEXT: transform.structured.match ops{["ttl.create_cb"]}
// TEXT: transform.ttl.optimize_buffer_factor %{{[0-9]+$}}
// TEXT: transform.ttl.schedule_pipeline %{{[0-9]+}} {strategy = "aggressive"}

// Used once: one block. In the loop: two. In one thread: one.
// CHECK-LABEL: func.func @kernel
// CHECK: %[[A:.*]] = ttl.create_cb : <[1, 1], !ttcore.tile<32x32, bf16>, 1, L1>
// CHECK: %[[B:.*]] = ttl.create_cb : <[1, 1], !ttcore.tile<32x32, bf16>, 2, L1>
// CHECK: %[[C:.*]] = ttl.create_cb : <[1, 1], !ttcore.tile<32x32, bf16>, 1, L1>
// Both copies start before anybody waits.
// CHECK: ttl.datamovement_thread
// CHECK: ttl.cb_reserve %[[A]]
// CHECK-NEXT: %[[FIRST:.*]] = ttl.copy
// CHECK-NEXT: ttl.cb_reserve %[[C]]
// CHECK-NEXT: %[[SECOND:.*]] = ttl.copy
// CHECK-NEXT: ttl.wait %[[FIRST]]
// CHECK-NEXT: ttl.cb_push
// CHECK-NEXT: ttl.wait %[[SECOND]]
// CHECK-NEXT: ttl.cb_push
func.func @kernel(%t: !tensor) {
  ttl.kernel(%t : !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%x: !tensor):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=4, memory_space=L1
    %b = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=4, memory_space=L1
    %c = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=4, memory_space=L1
    %in = ttl.tensor_accessor %x {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %p = ttl.cb_reserve %a
      %tx = ttl.copy %in[%c0, %c0], %p
      ttl.wait %tx
      ttl.cb_push %p
      %q = ttl.cb_reserve %c
      %ty = ttl.copy %in[%c1, %c0], %q
      ttl.wait %ty
      ttl.cb_push %q
      scf.for %i = %c0 to %c4 step %c1 {
        %r = ttl.cb_reserve %b
        %tz = ttl.copy %in[%i, %c0], %r
        ttl.wait %tz
        ttl.cb_push %r
      }
    }
    ttl.compute_thread {
      %p = ttl.cb_wait %a
      ttl.cb_pop %p
      %q = ttl.cb_wait %c
      ttl.cb_pop %q
      scf.for %i = %c0 to %c4 step %c1 {
        %r = ttl.cb_wait %b
        ttl.cb_pop %r
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @compute
// CHECK: ttl.compute
// CHECK: ttl.tile_exp {{.*}} {dst_idx = 0 : i32}
func.func @compute(%in: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>, %out: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %x = ttl.cb_wait %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> tensor<1x1x!ttcore.tile<32x32, bf16>>
  %v = ttl.cb_reserve %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> tensor<1x1x!ttcore.tile<32x32, bf16>>
  %y = ttl.exp %x : tensor<1x1x!ttcore.tile<32x32, bf16>> -> tensor<1x1x!ttcore.tile<32x32, bf16>>
  %o = ttl.attach_cb %y, %out : (tensor<1x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) -> tensor<1x1x!ttcore.tile<32x32, bf16>>
  ttl.cb_push %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
  ttl.cb_pop %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %kernel = transform.structured.match ops{["ttl.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
  %cbs = transform.structured.match ops{["ttl.create_cb"]} in %kernel : (!transform.any_op) -> !transform.any_op
  %opt_cbs = transform.ttl.optimize_buffer_factor %cbs
  %sched_kernel = transform.ttl.schedule_pipeline %kernel {strategy = "aggressive"}
  %compute_ops = transform.structured.match ops{["ttl.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  %with_dst = transform.ttl.allocate_dst_registers %compute_ops
  %checked = transform.apply_registered_pass "ttl-validate" to %root : (!transform.any_op) -> !transform.any_op
}
