// RUN: ttmlir-opt %s --ttnn-collect-perf-metrics="ttnn-perf-metrics-output-file=%t.out/m ttnn-perf-metrics-verbose-output-enabled=true" -o /dev/null
// RUN: FileCheck %s --input-file=%t.out/m.json
// RUN: sed -e "s/forward_device/const_eval/" %s | not ttmlir-opt --ttnn-collect-perf-metrics -o /dev/null - 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/ttcore.system_desc = #system_desc//" %s | not ttmlir-opt --ttnn-collect-perf-metrics -o /dev/null - 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// NONE: error: {{.*}}expected exactly one outer forward-device function for perf target estimate; got 0.
// UNKNOWN: error: {{.*}}no ttcore.system_desc on the module

// 2 * 64 * 64 * 128 operations; 64 * 128 numbers in 8704 bytes take 0.0302 us at 288 GB/s,
// 2 * 2 * 4 tile products of 32 cycles on one core of 64 take 0.008 us.
// CHECK: "peak_flops_per_sec": 65536000000000,
// CHECK: "per_op": [
// CHECK: "flops": 1048576,
// CHECK: "location": "product",
// CHECK: "math_fidelity": "hifi4",
// CHECK: "operation": "ttnn.matmul"
// CHECK: "total_flops": 1048576
// CHECK: "ttnn.matmul": 1,
// CHECK: "ttnn.to_memory_config": 1
// CHECK: "dram_bound_ops": 1,
// CHECK: "params_count": 8192,
// CHECK: "params_memory_bytes": 8704,
// CHECK: "roofline_ms": 3.02{{.*}}e-05,
// CHECK: "is_sharded": true,
// CHECK: "is_spilled_to_dram": true,
// CHECK: "layout_info": "#ttnn.ttnn_layout<
// CHECK: "sharded_and_spilled_ops": 1,
// CHECK: "sharded_percentage": 50,
// CHECK: "total_shardable_ops": 2
#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 1024, erisc_l1_unreserved_base = 1024, dram_unreserved_base = 1024, dram_unreserved_end = 1073741824, supported_data_types = [<f32>], supported_tile_sizes = [ 32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#x = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#w = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#s = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!ttcore.tile<32x32, f32>, #l1>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0, 0), (0, 0)>]>>
module attributes {ttcore.system_desc = #system_desc} {
  func.func @f(%x: tensor<64x64xf32, #x>, %w: tensor<64x128xf32, #w> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<64x128xf32, #w> attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (tensor<64x64xf32, #x>, tensor<64x128xf32, #w>) -> tensor<64x128xf32, #w> loc("product")
    %1 = "ttnn.relu"(%0) : (tensor<64x128xf32, #w>) -> tensor<64x128xf32, #s>
    %2 = "ttnn.to_memory_config"(%1) : (tensor<64x128xf32, #s>) -> tensor<64x128xf32, #w>
    return %2 : tensor<64x128xf32, #w>
  }
}
