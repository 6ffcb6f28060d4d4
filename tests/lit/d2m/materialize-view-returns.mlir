// RUN: ttmlir-opt %s --ttcore-register-device --d2m-materialize-view-returns | FileCheck %s

#layout = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#over = affine_map<(d0, d1, d2, d3) -> (0, 0, d0 + d2, d1 + d3)>
!one = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>
!four = tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #layout>

// A returned view is copied on the cores of its grid; the other result stays.
// CHECK-LABEL: func.func @returned
// CHECK: %[[V:.*]] = d2m.view_layout %arg0
// CHECK: %[[E:.*]] = d2m.empty() : tensor<2x2x1x1x
// CHECK: %[[G:.*]] = d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<2x2>
// CHECK: d2m.remote_load %{{.*}} %[[V]]
// CHECK: d2m.remote_store %[[E]]
// CHECK: return %[[G]], %arg0
func.func @returned(%a: !one) -> (!four, !one) {
  %0 = d2m.view_layout %a remapping = #over : !one -> !four
  return %0, %a : !four, !one
}

// A view that goes to the host is copied before it does.
// CHECK-LABEL: func.func @to_host
// CHECK: %[[G:.*]] = d2m.generic
// CHECK: d2m.to_layout %[[G]]
func.func @to_host(%a: !one) -> tensor<64x64xf32> {
  %0 = d2m.view_layout %a remapping = #over : !one -> !four
  %1 = d2m.empty() : tensor<64x64xf32>
  %2 = d2m.to_layout %0, %1 : !four into tensor<64x64xf32> -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// On the device a view stays a view.
// CHECK-LABEL: func.func @on_device
// CHECK-NOT: d2m.generic
// CHECK: return
func.func @on_device(%a: !one) -> !four {
  %0 = d2m.view_layout %a remapping = #over : !one -> !four
  %1 = d2m.empty() : !four
  %2 = d2m.to_layout %0, %1 : !four into !four -> !four
  return %2 : !four
}

// Memory: a buffer, and a copy by every core.
// CHECK-LABEL: func.func @memory
// CHECK: %[[V:.*]] = d2m.view_layout
// CHECK: %[[A:.*]] = memref.alloc() : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
// CHECK: d2m.generic {block_factors = [], grid = #ttcore.grid<2x2>, indexing_maps = []
// CHECK: d2m.core_index(0)
// CHECK: d2m.remote_load
// CHECK: d2m.remote_store %[[A]]
// CHECK: d2m.to_host %[[A]]
#l1 = #ttcore.memory_space<l1>
func.func @memory(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<64x64xf32>) {
  %0 = d2m.view_layout %a remapping = #over : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> -> memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.view<4>, #l1>
  d2m.to_host %0, %b layout = #layout : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.view<4>, #l1> into memref<64x64xf32>
  return
}
