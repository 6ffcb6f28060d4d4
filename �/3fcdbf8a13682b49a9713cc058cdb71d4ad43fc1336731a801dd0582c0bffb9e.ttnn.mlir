88925fe64e48a7392897e88d7d5a507912f9300c60d121e67e17f8f87cbb68e6
tilewright program 1
main
2 1
0 3 2 4 4
0 3 2 4 3
0 3 2 4 3
#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 1024, erisc_l1_unreserved_base = 1024, dram_unreserved_base = 1024, dram_unreserved_end = 1073741824, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, <si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)], dram_bank_to_logical_worker_noc1 = [(7, 3), (0, 0), (3, 0), (4, 0), (0, 4), (7, 7), (1, 4), (6, 4), (5, 4), (2, 6), (3, 4), (4, 4)]}], [0], [1 : i32], [ 0x0x0x0]>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module attributes {ttcore.system_desc = #system_desc} {
  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) mod 12, ((((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) floordiv s4) floordiv 12) * s4 + ((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2) mod s4 + s5), meshShape = , chipIds = [0]>
  func.func @main(%arg0: tensor<2x4x4xf32, #ttnn_layout>, %arg1: tensor<2x4x3xf32, #ttnn_layout>) -> tensor<2x4x3xf32, #ttnn_layout> attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.permute"(%arg0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf32, #ttnn_layout>) -> tensor<2x4x4xf32, #ttnn_layout>
    %1 = "ttnn.slice_static"(%arg1) <{begins = [0 : i32, 3 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    %2 = "ttnn.slice_static"(%arg1) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x3xf32, #ttnn_layout>) -> tensor<2x3x3xf32, #ttnn_layout>
    %3 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 3 : i32], ends = [2 : i32, 3 : i32, 4 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x4xf32, #ttnn_layout>) -> tensor<2x3x1xf32, #ttnn_layout>
    %4 = "ttnn.multiply"(%3, %1) : (tensor<2x3x1xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x3x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%3) <{force = false}> : (tensor<2x3x1xf32, #ttnn_layout>) -> ()
    %5 = "ttnn.subtract"(%2, %4) : (tensor<2x3x3xf32, #ttnn_layout>, tensor<2x3x3xf32, #ttnn_layout>) -> tensor<2x3x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%4) <{force = false}> : (tensor<2x3x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%2) <{force = false}> : (tensor<2x3x3xf32, #ttnn_layout>) -> ()
    %6 = "ttnn.slice_static"(%5) <{begins = [0 : i32, 2 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x3x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    %7 = "ttnn.slice_static"(%5) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 2 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x3x3xf32, #ttnn_layout>) -> tensor<2x2x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%5) <{force = false}> : (tensor<2x3x3xf32, #ttnn_layout>) -> ()
    %8 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 2 : i32], ends = [2 : i32, 2 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x4xf32, #ttnn_layout>) -> tensor<2x2x1xf32, #ttnn_layout>
    %9 = "ttnn.multiply"(%8, %6) : (tensor<2x2x1xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x2x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%8) <{force = false}> : (tensor<2x2x1xf32, #ttnn_layout>) -> ()
    %10 = "ttnn.subtract"(%7, %9) : (tensor<2x2x3xf32, #ttnn_layout>, tensor<2x2x3xf32, #ttnn_layout>) -> tensor<2x2x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%9) <{force = false}> : (tensor<2x2x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%7) <{force = false}> : (tensor<2x2x3xf32, #ttnn_layout>) -> ()
    %11 = "ttnn.slice_static"(%10) <{begins = [0 : i32, 1 : i32, 0 : i32], ends = [2 : i32, 2 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x2x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    %12 = "ttnn.slice_static"(%10) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 1 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x2x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%10) <{force = false}> : (tensor<2x2x3xf32, #ttnn_layout>) -> ()
    %13 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 1 : i32], ends = [2 : i32, 1 : i32, 2 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x4xf32, #ttnn_layout>) -> tensor<2x1x1xf32, #ttnn_layout>
    "ttnn.deallocate"(%0) <{force = false}> : (tensor<2x4x4xf32, #ttnn_layout>) -> ()
    %14 = "ttnn.multiply"(%13, %11) : (tensor<2x1x1xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%13) <{force = false}> : (tensor<2x1x1xf32, #ttnn_layout>) -> ()
    %15 = "ttnn.subtract"(%12, %14) : (tensor<2x1x3xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%14) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%12) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    %16 = "ttnn.slice_static"(%15) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 1 : i32, 3 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x1x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%15) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    %17 = "ttnn.concat"(%16, %11, %6, %1) <{dim = 1 : si32}> : (tensor<2x1x3xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>, tensor<2x1x3xf32, #ttnn_layout>) -> tensor<2x4x3xf32, #ttnn_layout>
    "ttnn.deallocate"(%16) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%11) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%6) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    "ttnn.deallocate"(%1) <{force = false}> : (tensor<2x1x3xf32, #ttnn_layout>) -> ()
    return %17 : tensor<2x4x3xf32, #ttnn_layout>
  }
}
