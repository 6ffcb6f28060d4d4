// RUN: ttmlir-opt %s --ttcore-register-device --d2m-optimize-masks | FileCheck %s

#full = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#part = #ttcore.metal_layout<logical_shape = 50x50, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
!full = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #full>
!part = tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #part>

// Without padding there is nothing to mask.
// CHECK-LABEL: func.func @no_padding
// CHECK-NOT: d2m.mask
// CHECK: return %arg0
func.func @no_padding(%a: !full) -> !full {
  %e = d2m.empty() : !full
  %0 = d2m.mask %a, %e logical_shape = [64, 64] fill_value = <zero> : !full into !full -> !full
  return %0 : !full
}

// The second mask writes what is there already; the third another value.
// CHECK-LABEL: func.func @again
// CHECK: %[[A:.*]] = d2m.mask %arg0{{.*}}
// CHECK-NOT: <zero>
// CHECK: %[[B:.*]] = d2m.mask %[[A]]
// CHECK-SAME: <neginf>
// CHECK: return %[[A]], %[[B]]
func.func @again(%a: !part) -> (!part, !part) {
  %e = d2m.empty() : !part
  %0 = d2m.mask %a, %e logical_shape = [50, 50] fill_value = <zero> : !part into !part -> !part
  %f = d2m.empty() : !part
  %1 = d2m.mask %0, %f logical_shape = [50, 50] fill_value = <zero> : !part into !part -> !part
  %g = d2m.empty() : !part
  %2 = d2m.mask %1, %g logical_shape = [50, 50] fill_value = <neginf> : !part into !part -> !part
  return %1, %2 : !part, !part
}

// What padding holds is not known of an argument.
// CHECK-LABEL: func.func @unknown
// CHECK: d2m.mask
func.func @unknown(%a: !part) -> !part {
  %e = d2m.empty() : !part
  %0 = d2m.mask %a, %e logical_shape = [50, 50] fill_value = <zero> : !part into !part -> !part
  return %0 : !part
}

// What a view of the same blocks shows is masked already.
// CHECK-LABEL: func.func @seen_again
// CHECK: d2m.mask
// CHECK: %[[V:.*]] = d2m.view_layout
// CHECK-NOT: d2m.mask
// CHECK: return %[[V]]
func.func @seen_again(%a: !part) -> !part {
  %e = d2m.empty() : !part
  %0 = d2m.mask %a, %e logical_shape = [50, 50] fill_value = <zero> : !part into !part -> !part
  %v = d2m.view_layout %0 remapping = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : !part -> !part
  %f = d2m.empty() : !part
  %1 = d2m.mask %v, %f logical_shape = [50, 50] fill_value = <zero> : !part into !part -> !part
  return %1 : !part
}
