// RUN: ttmlir-opt %s --ttcore-one-shot-bufferize --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --ttir-bufferization-pipeline --split-input-file | FileCheck %s

#layout = #ttcore.metal_layout<logical_shape = 60x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#dram = #ttcore.metal_layout<logical_shape = 60x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, dram, interleaved>
#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3, d2)>
#parallel = #ttcore.iterator_type<parallel>

// From the host and back: padded rows go through a buffer with the device's strides.
// CHECK-LABEL: func.func @program
// CHECK-SAME: (%[[HOST:.*]]: memref<60x64xf32>) -> memref<60x64xf32>
// CHECK: %[[IN:.*]] = memref.alloc() : memref<2x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>
// CHECK: %[[PADDED:.*]] = memref.alloc() : memref<60x64xf32, #ttcore.host_layout<logical_shape = 60x64, host_strides = 64x1, host_volume = 4096>>
// CHECK: memref.copy %[[HOST]], %[[PADDED]]
// CHECK: d2m.to_device %[[PADDED]], %[[IN]]
// CHECK: %[[TILES:.*]] = memref.alloc() : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
// CHECK: d2m.generic
// CHECK: ins(%[[IN]] :
// CHECK: outs(%[[TILES]] :
// CHECK: %[[A:.*]] = memref.alloc() {{.*}}: memref<32x32xf32>
// CHECK: d2m.remote_load %[[A]] %[[IN]]
// CHECK: %[[B:.*]] = memref.alloc() {{.*}}: memref<1x1x!ttcore.tile<32x32, f32>>
// CHECK: "d2m.tile_tilize_block"(%[[A]], %[[B]]) : (memref<32x32xf32>, memref<1x1x!ttcore.tile<32x32, f32>>) -> ()
// CHECK: d2m.remote_store %[[TILES]][%{{.*}}] %[[B]]
// CHECK-NOT: d2m.yield
// CHECK-NOT: tensor<2x2
func.func @program(%host: tensor<60x64xf32>) -> tensor<60x64xf32> {
  %0 = d2m.empty() : tensor<2x2x32x32xf32, #layout>
  %1 = d2m.to_device %host, %0 layout = #layout : tensor<60x64xf32> into tensor<2x2x32x32xf32, #layout> -> tensor<2x2x32x32xf32, #layout>
  %2 = d2m.empty() : tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>
  %3 = d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<2x2>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%1 : tensor<2x2x32x32xf32, #layout>)
      outs(%2 : tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %a = tensor.empty() : tensor<32x32xf32>
    %b = d2m.remote_load %a %1[%i, %j] : tensor<32x32xf32>, tensor<2x2x32x32xf32, #layout> -> tensor<32x32xf32>
    %c = tensor.empty() : tensor<1x1x!ttcore.tile<32x32, f32>>
    %d = "d2m.tile_tilize_block"(%b, %c) : (tensor<32x32xf32>, tensor<1x1x!ttcore.tile<32x32, f32>>) -> tensor<1x1x!ttcore.tile<32x32, f32>>
    %e = d2m.remote_store %2[%i, %j] %d : tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>, tensor<1x1x!ttcore.tile<32x32, f32>> -> tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>
    d2m.yield %e : (tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>)
  } : tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>
  %4 = d2m.empty() : tensor<60x64xf32>
  %5 = d2m.to_host %1, %4 layout = #layout : tensor<2x2x32x32xf32, #layout> into tensor<60x64xf32> -> tensor<60x64xf32>
  return %5 : tensor<60x64xf32>
}

// A view keeps its map; interleaved memory has strides only; an unused allocation goes.
// CHECK-LABEL: func.func @views
// CHECK: %[[D:.*]] = memref.alloc() : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.interleaved<8192x4096>, #dram>
// CHECK-NOT: memref.alloc
// CHECK: d2m.view_layout %[[D]] remapping = #{{.*}} : {{.*}} -> memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.view<4>, #dram>
func.func @views() -> tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram> {
  %0 = d2m.empty() : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram>
  %unused = d2m.empty() : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>
  %1 = d2m.view_layout %0 remapping = #turned : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram> -> tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram>
  return %1 : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram>
}
