// Copies become reads and writes of tiles, waits become barriers; a compute thread keeps no tensors.
// RUN: ttlang-opt %s --ttl-to-ttkernel-pipeline | FileCheck %s

#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x3x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
!tensor = tensor<4x3x!ttcore.tile<32x32, bf16>, #layout>
!block = tensor<2x1x!ttcore.tile<32x32, bf16>>
!cb = !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>

// CHECK-LABEL: func.func @reader()
// CHECK-SAME: ttkernel.thread = #ttkernel.thread<noc>
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[PAGE:.*]] = arith.constant 2048 : index
// CHECK-DAG: %[[CTA:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[K:.*]] = arith.constant 0 : i32
// CHECK: %[[CB:.*]] = ttkernel.get_compile_time_arg_val(5)
// CHECK: %[[X:.*]] = ttkernel.my_logical_x_
// CHECK: %[[ARGS:.*]] = ttkernel.TensorAccessorArgs(%[[CTA]], %[[K]])
// CHECK: %[[ACC:.*]] = ttkernel.TensorAccessor(%[[ARGS]]
// CHECK: %[[TO:.*]] = ttkernel.get_write_ptr(%[[CB]])
// CHECK: scf.for %[[I:.*]] =
// The one column of the block needs no loop; the tile is (x + i) * 3 + 0.
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[X]], %[[I]]
// CHECK-NEXT: %[[ID:.*]] = arith.muli %[[ROW]], %[[COLUMNS]]
// CHECK: arith.muli %[[I]], %[[PAGE]]
// CHECK: ttkernel.noc_async_read_tile
// CHECK: ttkernel.noc_async_read_barrier
// CHECK-NOT: barrier
// CHECK: ttkernel.cb_push_back
func.func @reader(%t: !tensor) attributes {ttl.base_cta_index = 3 : i32, ttl.crta_indices = [1], ttl.kernel_thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %cb = ttl.bind_cb {cb_index = 5, buffer_factor = 2} : !cb
  %x = ttl.core_x : index
  %s = ttl.tensor_slice %t[%x, %c0] : !tensor -> !block
  %v = ttl.cb_reserve %cb : <[2, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
  %h = ttl.copy %s, %cb : (!block, !cb) -> !ttl.transfer_handle<read>
  ttl.wait %h : !ttl.transfer_handle<read>
  ttl.wait %h : !ttl.transfer_handle<read>
  ttl.cb_push %cb : <[2, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}

// CHECK-LABEL: func.func @compute()
// CHECK-SAME: ttkernel.thread = #ttkernel.thread<compute>
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[IN:.*]] = ttkernel.get_compile_time_arg_val(0)
// CHECK: %[[OUT:.*]] = ttkernel.get_compile_time_arg_val(1)
// CHECK-NEXT: ttkernel.cb_wait_front(%[[IN]], %[[TWO]])
// CHECK-NEXT: ttkernel.init_sfpu(%[[IN]], %[[OUT]])
// CHECK-NEXT: scf.for %[[I:.*]] = %{{.*}} {
// CHECK-NEXT: ttkernel.tile_regs_acquire
// CHECK-NEXT: ttkernel.copy_tile_init(%[[IN]])
// CHECK-NEXT: ttkernel.copy_tile(%[[IN]], %[[I]], %c0)
// CHECK-NEXT: ttkernel.negative_tile_init
// CHECK-NEXT: ttkernel.negative_tile(%c0)
// CHECK-NEXT: ttkernel.tile_regs_commit
// CHECK-NEXT: ttkernel.tile_regs_wait
// CHECK-NEXT: ttkernel.cb_reserve_back(%[[OUT]], %[[TWO]])
// CHECK-NEXT: ttkernel.pack_tile(%c0, %[[OUT]], %[[I]], false)
// CHECK-NEXT: ttkernel.tile_regs_release
// CHECK-NOT: tensor
func.func @compute() -> !block attributes {ttl.base_cta_index = 3 : i32, ttl.crta_indices = [], ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %a = ttl.cb_wait %0 : <[2, 1], !ttcore.tile<32x32, bf16>, 2> -> !block
  %n = ttl.neg %a : !block -> !block
  %out = ttl.attach_cb %n, %1 : (!block, !cb) -> !block
  return %out : !block
}
