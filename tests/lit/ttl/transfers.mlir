// Transfers in loops: several blocks at once, a block ahead, along rows.
// RUN: ttlang-opt %s --transform-interpreter -split-input-file | FileCheck %s
// RUN: ttlang-opt %s --transform-interpreter=erase-sequence=true --ttl-validate --ttl-lower-to-ttkernel -split-input-file | FileCheck %s --check-prefix=KERNEL

#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!tensor = tensor<8x1x!ttcore.tile<32x32, bf16>, #layout>
!slice = tensor<1x1x!ttcore.tile<32x32, bf16>, #layout>
!tile = tensor<1x1x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 8>

// A packet of the NoC holds four tiles, as does half of the buffer: two iterations of four.
// CHECK-LABEL: func.func @read
// CHECK: %[[CB:.*]] = ttl.bind_cb
// CHECK: %[[WIDE:.*]] = ttl.reshape_cb %[[CB]] : <[1, 1], !ttcore.tile<32x32, bf16>, 8> -> <[4, 1], !ttcore.tile<32x32, bf16>, 2>
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[FOUR]]
// CHECK: ttl.cb_reserve %[[WIDE]] {{.*}} -> tensor<4x1x
// CHECK: ttl.tensor_slice {{.*}} -> tensor<4x1x
// CHECK: ttl.copy %{{.*}}, %[[WIDE]]
// CHECK: ttl.cb_push %[[WIDE]]
// KERNEL-LABEL: func.func @read
// KERNEL: ttkernel.cb_reserve_back(%{{.*}}, %c4_i32)
// KERNEL: scf.for
// KERNEL: ttkernel.noc_async_read_tile
// KERNEL: ttkernel.noc_async_read_barrier
// KERNEL: ttkernel.cb_push_back(%{{.*}}, %c4_i32)
func.func @read(%t: !tensor) attributes {ttl.base_cta_index = 1 : i32, ttl.crta_indices = [0 : i32], ttl.kernel_thread = #ttkernel.thread<noc>} {
  %cb = ttl.bind_cb {cb_index = 0, buffer_factor = 8} : !cb
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = ttl.cb_reserve %cb : <[1, 1], !ttcore.tile<32x32, bf16>, 8> -> !tile
    %s = ttl.tensor_slice %t[%i, %c0] : !tensor -> !slice
    %x = ttl.copy %s, %cb : (!slice, !cb) -> !ttl.transfer_handle<read>
    ttl.wait %x : !ttl.transfer_handle<read>
    ttl.cb_push %cb : <[1, 1], !ttcore.tile<32x32, bf16>, 8>
  }
  return
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %ops = transform.structured.match ops{["ttl.copy"]} in %root : (!transform.any_op) -> !transform.any_op
  %done = transform.ttl.coalesce_dma %ops
}

// -----

// The waits of a thread follow the next read; the first read and the last wait are outside.
// CHECK-LABEL: func.func @both
// CHECK: ttl.cb_reserve
// CHECK: ttl.copy {{.*}} -> !ttl.transfer_handle<read>
// CHECK: ttl.cb_push
// CHECK: %[[LAST:.*]] = arith.constant 7 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[LAST]] step
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %
// CHECK: ttl.cb_reserve
// CHECK: ttl.tensor_slice %{{.*}}[%[[NEXT]], %
// CHECK: ttl.cb_push
// CHECK: ttl.cb_wait
// CHECK: ttl.tensor_slice %{{.*}}[%[[I]], %
// CHECK: ttl.cb_pop
// CHECK: }
// CHECK: ttl.cb_wait
// CHECK: ttl.tensor_slice %{{.*}}[%{{c7.*}}, %
// CHECK: ttl.cb_pop
#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!tensor = tensor<8x1x!ttcore.tile<32x32, bf16>, #layout>
!slice = tensor<1x1x!ttcore.tile<32x32, bf16>, #layout>
!tile = tensor<1x1x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
func.func @both(%t: !tensor, %u: !tensor) attributes {ttl.base_cta_index = 2 : i32, ttl.crta_indices = [0 : i32, 1 : i32], ttl.kernel_thread = #ttkernel.thread<noc>} {
  %in = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %out = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = ttl.cb_reserve %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !tile
    %s = ttl.tensor_slice %t[%i, %c0] : !tensor -> !slice
    %x = ttl.copy %s, %in : (!slice, !cb) -> !ttl.transfer_handle<read>
    ttl.wait %x : !ttl.transfer_handle<read>
    ttl.cb_push %in : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
    %d = ttl.cb_wait %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2> -> !tile
    %r = ttl.tensor_slice %u[%i, %c0] : !tensor -> !slice
    %y = ttl.copy %out, %r : (!cb, !slice) -> !ttl.transfer_handle<write>
    ttl.wait %y : !ttl.transfer_handle<write>
    ttl.cb_pop %out : <[1, 1], !ttcore.tile<32x32, bf16>, 2>
  }
  return
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %ops = transform.structured.match ops{["ttl.copy"]} in %root : (!transform.any_op) -> !transform.any_op
  %done = transform.ttl.insert_prefetch %ops
}

// -----

// Down the rows first becomes along the columns first, in both threads.
// CHECK-LABEL: func.func @down
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: ttl.datamovement_thread
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[EIGHT0:[^ ]*]] step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[TWO0:[^ ]*]] step
// CHECK: ttl.copy %{{.*}}[%[[I]], %[[J]]]
// CHECK: ttl.compute_thread
// CHECK: scf.for
// CHECK: scf.for
#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!tensor = tensor<8x2x!ttcore.tile<32x32, bf16>, #layout>
func.func @down(%t: !tensor) {
  ttl.kernel(%t : !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%x: !tensor):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %cb = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=2, memory_space=L1
    %in = ttl.tensor_accessor %x {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      scf.for %j = %c0 to %c2 step %c1 {
        scf.for %i = %c0 to %c8 step %c1 {
          %p = ttl.cb_reserve %cb
          %tx = ttl.copy %in[%i, %j], %p
          ttl.wait %tx
          ttl.cb_push %p
        }
      }
    }
    ttl.compute_thread {
      scf.for %j = %c0 to %c2 step %c1 {
        scf.for %i = %c0 to %c8 step %c1 {
          %p = ttl.cb_wait %cb
          ttl.cb_pop %p
        }
      }
    }
  }
  return
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %kernel = transform.structured.match ops{["ttl.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
  %done = transform.ttl.reorder_for_locality %kernel
}
