// RUN: ttmlir-opt %s --ttcore-register-device --convert-d2m-to-ttnn --mlir-print-local-scope | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --convert-d2m-to-ttnn=math-fidelity=LoFi --mlir-print-local-scope | FileCheck %s --check-prefix=FAST

#l1 = #ttcore.memory_space<l1>
#layout = #ttnn.ttnn_layout<(a, b) -> (a, b), <1x2>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>, core_ranges = #ttnn.core_range_set<[#ttnn.core_range<(0, 0), (1, 0)>]>>
!tensor = tensor<32x64xbf16, #layout>
!whole = memref<1x2x1x1x!ttcore.tile<32x32, bf16>, #ttcore.shard<2048x2048, 1>, #l1>
!slot = memref<1x1x!ttcore.tile<32x32, bf16>, #ttcore.cb_layout<2048x2048, 2>, #l1>

// Buffers become tensors of TTNN, circular buffers and semaphores parts of the program; the
// number is passed on. What TTNN computes itself stays.
// CHECK-LABEL: func.func @run
// CHECK-SAME: (%[[X:.*]]: tensor<32x64xbf16{{.*}}, %[[N:.*]]: i32)
// CHECK: %[[D:.*]] = "ttnn.get_device"
// CHECK: %[[Y:.*]] = "ttnn.empty"(%[[D]]) <{shape = #ttnn.shape<32x64>}>
// CHECK: "ttnn.generic"(%[[X]], %[[Y]], %[[N]])
// CHECK-SAME: operandSegmentSizes = array<i32: 2, 1>
// CHECK-SAME: #ttnn.data_movement_kernel<symbol_ref = @read, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>, processor = riscv1, noc_index = noc0
// CHECK-SAME: ct_args = [#ttnn.kernel_arg_cb_buffer_index<0>], common_rt_args = [#ttnn.kernel_arg_address_of_tensor<0>, #ttnn.kernel_arg_semaphore_at<0>, #ttnn.kernel_arg_scalar<2>]
// CHECK-SAME: #ttnn.compute_kernel<symbol_ref = @compute
// CHECK-SAME: math_fidelity = hifi4
// CHECK-SAME: ct_args = [#ttnn.kernel_arg_cb_buffer_index<0>, #ttnn.kernel_arg_cb_buffer_index<1>]
// CHECK-SAME: <total_size = 4096, {{.*}} formats = [<buffer_index = 0, dtype = bf16, page_size = 2048>]>
// CHECK-SAME: <total_size = 2048, {{.*}} formats = [<buffer_index = 1, dtype = bf16, page_size = 2048>], buffer = #ttnn.kernel_cb_global_buffer_address_of_tensor<1>>
// CHECK-SAME: semaphores = [<id = 0, core_type = worker, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>, initial_value = 0>]
// CHECK: %[[Z:.*]] = "ttnn.exp"(%[[Y]])
// CHECK: return %[[Z]]
// FAST: math_fidelity = lofi
func.func @run(%x: !tensor, %n: i32) -> !tensor {
  %a = ttir.ttnn_metal_layout_cast %x : !tensor -> !whole
  %y = memref.alloc() {address = 65536 : i64} : !whole
  %cb = memref.alloc() {address = 32768 : i64} : !slot
  %own = d2m.operand_alias %y : !whole -> memref<1x1x!ttcore.tile<32x32, bf16>, #ttcore.cb_layout<2048x2048, 1>, #l1>
  %s = d2m.create_local_semaphore <{initialValue = 0 : ui32}> -> !d2m.local_semaphore
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement, @read, dm_core = 1>, #d2m.thread<compute, @compute>]}
      ins(%a : !whole)
      outs(%y : !whole)
      additionalArgs(%s, %cb, %own, %n : !d2m.local_semaphore, !slot, memref<1x1x!ttcore.tile<32x32, bf16>, #ttcore.cb_layout<2048x2048, 1>, #l1>, i32)
  %r = ttir.ttnn_metal_layout_cast %y : !whole -> !tensor
  %z = "ttnn.exp"(%r) : (!tensor) -> !tensor
  memref.dealloc %y : !whole
  return %z : !tensor
}
func.func private @read() attributes {ttkernel.thread = #ttkernel.thread<noc>, ttkernel.arg_spec = #ttkernel.arg_spec<rt_args = [<arg_type = buffer_address, operand_index = 0>, <arg_type = local_semaphore, operand_index = 2>, <arg_type = scalar, operand_index = 5>] ct_args = [<arg_type = cb_port, operand_index = 3>]>} {
  return
}
func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>, ttkernel.arg_spec = #ttkernel.arg_spec<ct_args = [<arg_type = cb_port, operand_index = 3>, <arg_type = cb_port, operand_index = 4>]>} {
  return
}
