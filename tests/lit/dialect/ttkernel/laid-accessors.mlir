// Accessors that say how their tensors lie, as the plan of TTL sketches them: text with and without types, bytecode, what
// they become, C++.
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode -o %t.mlirbc && ttmlir-opt %t.mlirbc | FileCheck %s
// RUN: ttmlir-opt %s --ttkernel-lower-tensor-accessors | FileCheck %s --check-prefix=LOWERED
// RUN: ttmlir-opt %s --lower-affine --convert-ttkernel-to-emitc=functions=true -o %t && ttmlir-translate --ttkernel-to-cpp %t | FileCheck %s --check-prefix=CPP

// The reader of the plan's sharded example.
// CHECK-LABEL: func.func @dm_reader_0(%{{.*}}: i64, %{{.*}}: i64) attributes {ttkernel.compile_time_args = [0 : i32, 1 : i32, #ttkernel.tensor_accessor_args<layout = sharded, grid = [2, 2], shard_shape = [1, 1]>, #ttkernel.tensor_accessor_args<layout = sharded, grid = [2, 2], shard_shape = [1, 1]>]}
// LOWERED-LABEL: func.func @dm_reader_0() attributes {ttkernel.thread = #ttkernel.thread<noc>}
// LOWERED: %[[A:.*]] = ttkernel.get_arg_val(%c0_i32) : (i32) -> i32
// LOWERED: %[[B:.*]] = ttkernel.get_arg_val(%c1_i32) : (i32) -> i32
// LOWERED-NOT: arith.ext
// LOWERED: %[[FIRST:.*]] = ttkernel.TensorAccessorArgs(%c2_i32, %c0_i32{{.*}})
// LOWERED: %[[NEXT:.*]] = ttkernel.TensorAccessorArgs(prev = %[[FIRST]])
// LOWERED: ttkernel.TensorAccessor(%[[FIRST]], %[[A]], %c4096_i32) {ttkernel.accessor = !ttkernel.tensor_accessor<tensor<64x64xf32>, #ttkernel.layout<sharded, grid = [2, 2], tiles_per_shard = [1, 1]>>} : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
// LOWERED: %[[ACCESSOR:.*]] = ttkernel.TensorAccessor(%[[NEXT]], %[[B]],
// LOWERED: ttkernel.noc_async_read_shard(%{{.*}}, %[[ACCESSOR]], %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32, i8) -> ()
// CPP: // dm_reader_0
// CPP: get_arg_val<uint32_t>
// CPP: constexpr auto [[ARGS:.*]] = TensorAccessorArgs<2, 0>();
// CPP: constexpr auto [[MORE:.*]] = TensorAccessorArgs<[[ARGS]].next_compile_time_args_offset(), [[ARGS]].next_common_runtime_args_offset()>();
// CPP: = TensorAccessor([[ARGS]], v{{[0-9]+}}, v{{[0-9]+}});
// CPP: TensorAccessor [[LAST:.*]] = TensorAccessor([[MORE]], v{{[0-9]+}}, v{{[0-9]+}});
// CPP: noc_async_read_shard(v{{[0-9]+}}, [[LAST]], v{{[0-9]+}}, v{{[0-9]+}});
func.func @dm_reader_0(%a_addr: i64, %b_addr: i64) attributes {
  ttkernel.compile_time_args = [
    0 : i32, 1 : i32,
    #ttkernel.tensor_accessor_args<layout=sharded, grid=[2,2], shard_shape=[1,1]>,
    #ttkernel.tensor_accessor_args<layout=sharded, grid=[2,2], shard_shape=[1,1]>
  ]
} {
  %y = ttkernel.my_logical_y_ : () -> index
  %x = ttkernel.my_logical_x_ : () -> index
  %c2 = arith.constant 2 : index
  %shard_id = affine.apply affine_map<(y, x)[gx] -> (y * gx + x)>(%y, %x)[%c2]
  %shard_id_i32 = arith.index_cast %shard_id : index to i32
  // CHECK: ttkernel.tensor_accessor %{{.*}} {layout = #ttkernel.layout<sharded, grid = [2, 2], tiles_per_shard = [1, 1]>} : (i64) -> !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %a_accessor = ttkernel.tensor_accessor %a_addr {
    layout = #ttkernel.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>
  } : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %b_accessor = ttkernel.tensor_accessor %b_addr {
    layout = #ttkernel.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>
  } : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %a_cb = ttkernel.get_compile_time_arg_val(0) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: ttkernel.cb_reserve_back(%{{.*}}, %[[ONE]]) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>, i32) -> ()
  // CHECK-NEXT: ttkernel.get_write_ptr(%{{.*}}) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>) -> i32
  // CHECK-NEXT: %[[NOC:.*]] = arith.constant 0 : i8
  // CHECK-NEXT: ttkernel.noc_async_read_shard(%{{.*}}, %{{.*}}, %{{.*}}, %[[NOC]]) : (i32, !ttkernel.tensor_accessor<tensor<64x64xf32>>, i32, i8) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_barrier() : () -> ()
  ttkernel.cb_reserve_back %a_cb, 1
  %a_write_ptr = ttkernel.get_write_ptr %a_cb
  ttkernel.noc_async_read_shard %shard_id_i32, %a_accessor, %a_write_ptr, 0
  ttkernel.noc_async_read_barrier
  ttkernel.cb_push_back %a_cb, 1
  %b_cb = ttkernel.get_compile_time_arg_val(1) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
  ttkernel.cb_reserve_back %b_cb, 1
  %b_write_ptr = ttkernel.get_write_ptr %b_cb
  ttkernel.noc_async_read_shard %shard_id_i32, %b_accessor, %b_write_ptr, 0
  ttkernel.noc_async_read_barrier
  ttkernel.cb_push_back %b_cb, 1
  return
}

// Without a list accessors come behind what is read; the layout as the type's second parameter; an offset within a page.
// CHECK-LABEL: func.func @pages
// CHECK: ttkernel.tensor_accessor %{{.*}} : (i32) -> !ttkernel.tensor_accessor<tensor<2x3x!ttcore.tile<32x32, bf16>>, #ttkernel.layout<interleaved>>
// CHECK: ttkernel.noc_async_read_page(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {offset = 64 : i32} : (i32, !ttkernel.tensor_accessor<{{.*}}>, i32, i8) -> ()
// CHECK: ttkernel.noc_async_write_page(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {offset = 32 : i32} :
// CHECK: ttkernel.noc_async_read_tile(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.tensor_accessor<tensor<64x64xf32>>, i32, i8) -> ()
// CHECK: ttkernel.noc_async_write_tile(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.tensor_accessor<tensor<64x64xf32>>, i32) -> ()
// LOWERED-LABEL: func.func @pages() attributes {ttkernel.thread = #ttkernel.thread<noc>}
// LOWERED: %[[PLACE:.*]] = ttkernel.get_arg_val
// LOWERED: ttkernel.TensorAccessorArgs(%c4_i32, %c0_i32{{.*}})
// LOWERED: ttkernel.TensorAccessor(%{{.*}}, %[[PLACE]], %c2048_i32)
// LOWERED: arith.index_cast %{{.*}} : index to i32
// LOWERED: ttkernel.TensorAccessor(%{{.*}}, %{{.*}}, %c4096_i32)
func.func @pages(%addr: i32) attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %id = arith.constant 1 : i32
  %offset = arith.constant 32 : i32
  %base = arith.constant 65536 : index
  %cb = ttkernel.get_compile_time_arg_val(3) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
  %l1 = ttkernel.get_write_ptr %cb
  %paged = ttkernel.tensor_accessor %addr : !ttkernel.tensor_accessor<tensor<2x3x!ttcore.tile<32x32, bf16>>, #ttkernel.layout<interleaved>>
  ttkernel.noc_async_read_page %id, %paged, %l1, 64, 1
  ttkernel.noc_async_write_page %id, %paged, %l1, %offset, 0
  %tiled = ttkernel.tensor_accessor %base {layout = #ttkernel.layout<tiled>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  ttkernel.noc_async_read_tile %id, %tiled, %l1, 0
  ttkernel.noc_async_write_tile %id, %tiled, %l1
  // CHECK: ttkernel.get_semaphore(%{{.*}}) : (i32) -> !ttkernel.local_semaphore
  %semaphore = ttkernel.get_semaphore(%id) : (i32) -> !ttkernel.semaphore
  return
}
