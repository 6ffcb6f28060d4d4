// RUN: ttmlir-opt %s --ttcore-register-device --d2m-lower-to-layout | FileCheck %s

#l1 = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#dram = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, dram, sharded>
!tiles = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #l1>
!split = tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #l1>
!rows = tensor<1x1x64x64xf32, #l1>
!deep = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #dram>

// From the host: rows first, then tiles.
// CHECK-LABEL: func.func @to_device
// CHECK: %[[R:.*]] = d2m.to_device %arg0, %{{.*}} layout = #{{.*}} : tensor<64x64xf32> into tensor<1x1x64x64xf32
// CHECK: d2m.generic
// CHECK-SAME: grid = #ttcore.grid<1x1>
// CHECK: d2m.remote_load %{{.*}} %[[R]]
// CHECK: d2m.tile_tilize_block
// CHECK: d2m.remote_store
func.func @to_device(%a: tensor<64x64xf32>) -> !tiles {
  %e = d2m.empty() : !tiles
  %0 = d2m.to_layout %a, %e : tensor<64x64xf32> into !tiles -> !tiles
  return %0 : !tiles
}

// To the host: the same backwards.
// CHECK-LABEL: func.func @to_host
// CHECK: d2m.tile_untilize_block
// CHECK: d2m.to_host
// CHECK-SAME: into tensor<64x64xf32>
func.func @to_host(%a: !tiles) -> tensor<64x64xf32> {
  %e = d2m.empty() : tensor<64x64xf32>
  %0 = d2m.to_layout %a, %e : !tiles into tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Another grid: a view and a copy, tiles stay tiles.
// CHECK-LABEL: func.func @other_grid
// CHECK-NOT: tilize
// CHECK: %[[V:.*]] = d2m.view_layout %arg0 remapping = #{{.*}} -> tensor<2x2x1x1x
// CHECK: d2m.generic
// CHECK-SAME: grid = #ttcore.grid<2x2>
// CHECK: d2m.remote_load %{{.*}} %[[V]]
// CHECK-NOT: tilize
// CHECK: return
func.func @other_grid(%a: !tiles) -> !split {
  %e = d2m.empty() : !split
  %0 = d2m.to_layout %a, %e : !tiles into !split -> !split
  return %0 : !split
}

// Into DRAM and back: one copy each.
// CHECK-LABEL: func.func @dram
// CHECK-COUNT-2: d2m.remote_store
// CHECK-NOT: d2m.remote_store
// CHECK: return
func.func @dram(%a: !tiles) -> !tiles {
  %e = d2m.empty() : !deep
  %0 = d2m.to_layout %a, %e : !tiles into !deep -> !deep
  %f = d2m.empty() : !tiles
  %1 = d2m.to_layout %0, %f : !deep into !tiles -> !tiles
  return %1 : !tiles
}

// Tiles to rows to tiles of another grid: a copy is enough.
// CHECK-LABEL: func.func @tilize_only
// CHECK: d2m.tile_tilize_block
// CHECK-NOT: to_layout
// CHECK: return
func.func @tilize_only(%a: !rows) -> !tiles {
  %e = d2m.empty() : !tiles
  %0 = d2m.to_layout %a, %e : !rows into !tiles -> !tiles
  return %0 : !tiles
}

// No change at all: the input.
// CHECK-LABEL: func.func @same
// CHECK-NOT: d2m.generic
// CHECK: return %arg0
func.func @same(%a: !tiles) -> !tiles {
  %e = d2m.empty() : !tiles
  %0 = d2m.to_layout %a, %e : !tiles into !tiles -> !tiles
  return %0 : !tiles
}
