// RUN: ttmlir-opt --split-input-file --ttcore-register-device --ttnn-decomposition %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file --ttcore-register-device --ttnn-allocate-distributed-op-buffers --ttnn-allocate-distributed-op-semaphores %s | FileCheck --check-prefix=BIND %s

#dram = #ttnn.buffer_type<dram>
#tall = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 96 + d2, d3), <1x1>, memref<3x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#weight = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// Of 96 rows the kernel takes none: each chip sums squares, chips exchange the sums, and the first of 32 columns counts.
// CHECK-LABEL: @tall
// CHECK: %[[SUMS:.*]] = "ttnn.rms_norm_pre_all_gather"(%arg0)
// CHECK-SAME: -> tensor<1x1x96x32xf32
// CHECK: %[[ALL:.*]] = "ttnn.all_gather"(%[[SUMS]]) <{all_gather_dim = 3 : si32, cluster_axis = 0 : ui32}>
// CHECK-SAME: -> tensor<1x1x96x128xf32
// CHECK: "ttnn.reshape"(%[[ALL]]) <{shape = [1 : i32, 1 : i32, 96 : i32, 4 : i32, 32 : i32]}>
// CHECK: "ttnn.slice_static"
// CHECK-SAME: ends = [1 : i32, 1 : i32, 96 : i32, 4 : i32, 1 : i32]
// CHECK: "ttnn.mean"
// CHECK: "ttnn.full"({{.*}}) <{fill_value = 1.562500e-02 : f32
// CHECK: "ttnn.rsqrt"
// CHECK-NOT: distributed_rms_norm
// BIND-LABEL: @tall
// BIND: %[[STATS:.*]] = "ttnn.empty"
// BIND-SAME: tensor<1x1x32x32xf32
// BIND-NOT: semaphore
// BIND: "ttnn.distributed_rms_norm"(%arg0, %arg1, %[[STATS]], %0)
func.func @tall(%x: tensor<1x1x96x64xf32, #tall>, %w: tensor<64xf32, #weight>) -> tensor<1x1x96x64xf32, #tall> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 4x2>}> : () -> !ttnn.device
  %y = "ttnn.distributed_rms_norm"(%x, %w, %d) <{cluster_axis = 0 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>}> : (tensor<1x1x96x64xf32, #tall>, tensor<64xf32, #weight>, !ttnn.device) -> tensor<1x1x96x64xf32, #tall>
  return %y : tensor<1x1x96x64xf32, #tall>
}

// -----

#l1 = #ttnn.buffer_type<l1>
#sharded = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x2>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>, <width_sharded>, core_ranges = #ttnn.core_range_set<[#ttnn.core_range<(2,1), (2,1)>, #ttnn.core_range<(4,3), (4,3)>]>>
#weight = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>

// The kernel takes these 32 rows; its weight is rows of 32. The semaphore spans the cores of the input's shards.
// CHECK-LABEL: @kernel
// CHECK: %[[W:.*]] = "ttnn.reshape"(%arg1) <{shape = [2 : i32, 32 : i32]}>
// CHECK: "ttnn.distributed_rms_norm"(%arg0, %[[W]], %0)
// BIND: tile<32x32, bf16>, #l1>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,0)>]>
// BIND-LABEL: @kernel
// BIND: %[[SEM:.*]] = "ttnn.create_global_semaphore"
// BIND-SAME: core_range<(2,1), (4,3)>
// BIND: %[[STATS:.*]] = "ttnn.empty"
// BIND-SAME: tensor<1x1x32x32xbf16
// BIND: "ttnn.distributed_rms_norm"(%arg0, %arg1, %[[STATS]], %[[SEM]], %0)
func.func @kernel(%x: tensor<1x1x32x64xbf16, #sharded>, %w: tensor<64xbf16, #weight>) -> tensor<1x1x32x64xbf16, #sharded> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
  %y = "ttnn.distributed_rms_norm"(%x, %w, %d) <{cluster_axis = 1 : ui32, compute_config = #ttnn.device_compute_kernel_config<fp32_dest_acc_en = false>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>}> : (tensor<1x1x32x64xbf16, #sharded>, tensor<64xbf16, #weight>, !ttnn.device) -> tensor<1x1x32x64xbf16, #sharded>
  return %y : tensor<1x1x32x64xbf16, #sharded>
}

// -----

// 6 groups of 1024 channels: 4 would fit but do not divide 6, so two parts of 3 groups.
// CHECK-LABEL: @groups
// CHECK: "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4 : i32, 3072 : i32]
// CHECK: "ttnn.conv2d"
// CHECK-SAME: groups = 3 : i32, in_channels = 3072 : i32
// CHECK: "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32, 3072 : i32]
// CHECK: "ttnn.slice_static"(%arg1) <{begins = [3072 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK: "ttnn.conv2d"
// CHECK: "ttnn.concat"
// CHECK-LABEL: @one_group
// CHECK-NOT: slice_static
func.func @groups(%x: tensor<1x1x4x6144xbf16>, %w: tensor<6144x1024x1x1xbf16>) -> tensor<1x1x4x6144xbf16> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %y = "ttnn.conv2d"(%x, %w, %d) <{batch_size = 1 : i32, dilation = array<i32: 1, 1>, groups = 6 : i32, in_channels = 6144 : i32, input_height = 2 : i32, input_width = 2 : i32, kernel_size = array<i32: 1, 1>, out_channels = 6144 : i32, padding = array<i32: 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x4x6144xbf16>, tensor<6144x1024x1x1xbf16>, !ttnn.device) -> tensor<1x1x4x6144xbf16>
  return %y : tensor<1x1x4x6144xbf16>
}
func.func @one_group(%x: tensor<1x1x4x6144xbf16>, %w: tensor<64x6144x1x1xbf16>) -> tensor<1x1x4x64xbf16> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %y = "ttnn.conv2d"(%x, %w, %d) <{batch_size = 1 : i32, dilation = array<i32: 1, 1>, groups = 1 : i32, in_channels = 6144 : i32, input_height = 2 : i32, input_width = 2 : i32, kernel_size = array<i32: 1, 1>, out_channels = 64 : i32, padding = array<i32: 0, 0>, stride = array<i32: 1, 1>}> : (tensor<1x1x4x6144xbf16>, tensor<64x6144x1x1xbf16>, !ttnn.device) -> tensor<1x1x4x64xbf16>
  return %y : tensor<1x1x4x64xbf16>
}
