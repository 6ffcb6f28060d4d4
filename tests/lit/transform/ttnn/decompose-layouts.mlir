// RUN: ttmlir-opt %s --split-input-file --ttnn-decompose-layouts | FileCheck %s

// Decompositions of to_layout, case by case.

#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#host = #ttnn.buffer_type<system_memory>
#host_rows_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<40x32xf32, #host>>
#host_rows_si32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<40x32xsi32, #host>>
#host_rows_u8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<40x32xui8, #host>>
#tiles_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#tiles_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#tiles_u8 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, u8>, #dram>, <interleaved>>
#l1_tiles_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, f32>, #l1>, <interleaved>>
#rows_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<40x32xf32, #dram>, <interleaved>>
#sharded_rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<20x32xf32, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>

// To the device, then into tiles; floats change on the way.
// CHECK-LABEL: @upload
// CHECK: %[[D:.*]] = "ttnn.get_device"
// CHECK: %[[A:.*]] = "ttnn.to_device"(%arg0, %[[D]])
// CHECK: "ttnn.to_layout"(%[[A]]) : {{.*}} -> tensor<40x32xf32,
// CHECK: %[[B:.*]] = "ttnn.to_device"(%arg0, %[[D]])
// CHECK: "ttnn.to_layout"(%[[B]]) : {{.*}} -> tensor<40x32xbf16,
func.func @upload(%x: tensor<40x32xf32, #host_rows_f32>) -> (tensor<40x32xf32, #tiles_f32>, tensor<40x32xbf16, #tiles_bf16>) {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xf32, #host_rows_f32>) -> tensor<40x32xf32, #tiles_f32>
  %1 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xf32, #host_rows_f32>) -> tensor<40x32xbf16, #tiles_bf16>
  return %0, %1 : tensor<40x32xf32, #tiles_f32>, tensor<40x32xbf16, #tiles_bf16>
}

// Integers change by a cast of their own.
// CHECK-LABEL: @integers
// CHECK: %[[A:.*]] = "ttnn.to_device"(%arg0
// CHECK: %[[B:.*]] = "ttnn.to_layout"(%[[A]]) : {{.*}} -> tensor<40x32xsi32,
// CHECK: "ttnn.typecast"(%[[B]]) : {{.*}} -> tensor<40x32xbf16,
func.func @integers(%x: tensor<40x32xsi32, #host_rows_si32>) -> tensor<40x32xbf16, #tiles_bf16> {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xsi32, #host_rows_si32>) -> tensor<40x32xbf16, #tiles_bf16>
  return %0 : tensor<40x32xbf16, #tiles_bf16>
}

// CHECK-LABEL: @download
// CHECK: %[[A:.*]] = "ttnn.typecast"(%arg0)
// CHECK: %[[B:.*]] = "ttnn.to_layout"(%[[A]])
// CHECK: "ttnn.from_device"(%[[B]])
func.func @download(%x: tensor<40x32xbf16, #tiles_bf16>) -> tensor<40x32xf32, #host_rows_f32> {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xbf16, #tiles_bf16>) -> tensor<40x32xf32, #host_rows_f32>
  return %0 : tensor<40x32xf32, #host_rows_f32>
}

// Bytes are laid out on the host.
// CHECK-LABEL: @bytes
// CHECK: %[[A:.*]] = "ttnn.from_device"(%arg0)
// CHECK: "ttnn.to_layout"(%[[A]])
func.func @bytes(%x: tensor<40x32xui8, #tiles_u8>) -> tensor<40x32xui8, #host_rows_u8> {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xui8, #tiles_u8>) -> tensor<40x32xui8, #host_rows_u8>
  return %0 : tensor<40x32xui8, #host_rows_u8>
}

// Out of L1 first, then out of the tiles.
// CHECK-LABEL: @untilize
// CHECK: %[[A:.*]] = "ttnn.to_memory_config"(%arg0)
// CHECK: "ttnn.to_layout"(%[[A]])
func.func @untilize(%x: tensor<40x32xf32, #l1_tiles_f32>) -> tensor<40x32xf32, #rows_f32> {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xf32, #l1_tiles_f32>) -> tensor<40x32xf32, #rows_f32>
  return %0 : tensor<40x32xf32, #rows_f32>
}

// Shards that are no whole tiles are padded in DRAM and cut again.
// CHECK-LABEL: @padded
// CHECK: %[[A:.*]] = "ttnn.to_memory_config"(%arg0)
// CHECK: %[[B:.*]] = "ttnn.pad"(%[[A]]) <{padding = array<i32: 0, 24, 0, 0>
// CHECK: %[[C:.*]] = "ttnn.to_layout"(%[[B]])
// CHECK: "ttnn.slice_static"(%[[C]])
func.func @padded(%x: tensor<40x32xf32, #sharded_rows>) -> tensor<40x32xf32, #tiles_f32> {
  %0 = "ttnn.to_tensor_spec"(%x) : (tensor<40x32xf32, #sharded_rows>) -> tensor<40x32xf32, #tiles_f32>
  return %0 : tensor<40x32xf32, #tiles_f32>
}
