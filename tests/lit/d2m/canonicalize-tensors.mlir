// RUN: ttmlir-opt %s --canonicalize | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize=disable-patterns=d2m.ToLayoutFoldRedundantPattern | FileCheck %s --check-prefix=KEPT

#l1 = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
!tiles = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #l1>
!split = tensor<2x2x1x1x!ttcore.tile<32x32, f32>, #l1>

// Two changes of layout are one, unless folding is off.
// CHECK-LABEL: func.func @twice
// CHECK: d2m.to_layout %arg0, %{{.*}} -> tensor<2x2x1x1x
// CHECK-NOT: d2m.to_layout
// CHECK: return
// KEPT-LABEL: func.func @twice
// KEPT-COUNT-2: d2m.to_layout
// KEPT: return
func.func @twice(%a: tensor<64x64xf32>) -> !split {
  %e = d2m.empty() : !tiles
  %0 = d2m.to_layout %a, %e : tensor<64x64xf32> into !tiles -> !tiles
  %f = d2m.empty() : !split
  %1 = d2m.to_layout %0, %f : !tiles into !split -> !split
  return %1 : !split
}

// The first one's value is used elsewhere and stays.
// CHECK-LABEL: func.func @used_twice
// CHECK: %[[A:.*]] = d2m.to_layout %arg0
// CHECK: %[[B:.*]] = d2m.to_layout %arg0
// CHECK: return %[[A]], %[[B]]
func.func @used_twice(%a: tensor<64x64xf32>) -> (!tiles, !split) {
  %e = d2m.empty() : !tiles
  %0 = d2m.to_layout %a, %e : tensor<64x64xf32> into !tiles -> !tiles
  %f = d2m.empty() : !split
  %1 = d2m.to_layout %0, %f : !tiles into !split -> !split
  return %0, %1 : !tiles, !split
}

// Views that only divide the tensor otherwise become one; back on the first division they are
// none.
// CHECK-LABEL: func.func @views
// CHECK-NOT: d2m.view_layout
// CHECK: return %arg0
func.func @views(%a: !split) -> !split {
  %0 = d2m.view_layout %a remapping = affine_map<(d0, d1, d2, d3) -> (d2 + d3 floordiv 2, d3 mod 2, 0, 0)> : !split -> !tiles
  %1 = d2m.view_layout %0 remapping = affine_map<(d0, d1, d2, d3) -> (0, 0, (d0 + d1 floordiv 2) mod 2, d1 mod 2)> : !tiles -> !split
  return %1 : !split
}

// A view that moves tiles is none of these.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-2: d2m.view_layout
// CHECK: return
func.func @transposed(%a: !split) -> !split {
  %0 = d2m.view_layout %a remapping = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3, d2)> : !split -> !split
  %1 = d2m.view_layout %0 remapping = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3, d2)> : !split -> !split
  return %1 : !split
}
