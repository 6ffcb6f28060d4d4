// RUN: ttmlir-opt %s --ttcore-register-device --d2m-grid-selection | FileCheck %s

#layout = #ttcore.metal_layout<logical_shape = 128x128, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
!t = tensor<1x1x4x4x!ttcore.tile<32x32, f32>, #layout>

// Marked to be left alone.
// CHECK-LABEL: func.func @marked
// CHECK: d2m.generic {block_factors = [1, 1], d2m.skip_grid_selection, grid = #ttcore.grid<1x1>
// CHECK-NOT: 4x4x1x1x
func.func @marked(%a: tensor<128x128xf32>) -> !t {
  %e = d2m.empty() : !t
  %l = d2m.to_layout %a, %e : tensor<128x128xf32> into !t -> !t
  %o = d2m.empty() : !t
  %g = d2m.generic {block_factors = [1, 1], d2m.skip_grid_selection, grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%l : !t) outs(%o : !t) {
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %b = tensor.empty() : tensor<4x4x!ttcore.tile<32x32, f32>>
    %x = d2m.remote_load %b %l[%i, %j] : tensor<4x4x!ttcore.tile<32x32, f32>>, !t -> tensor<4x4x!ttcore.tile<32x32, f32>>
    %y = d2m.remote_store %o[%i, %j] %x : !t, tensor<4x4x!ttcore.tile<32x32, f32>> -> !t
    d2m.yield %y : (!t)
  } : !t
  return %g : !t
}

// The explicit form says itself what each core does.
// CHECK-LABEL: func.func @explicit
// CHECK: d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>
// CHECK-NOT: 4x4x1x1x
func.func @explicit(%a: tensor<128x128xf32>) -> !t {
  %e = d2m.empty() : !t
  %l = d2m.to_layout %a, %e : tensor<128x128xf32> into !t -> !t
  %o = d2m.empty() : !t
  %g = d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%l : !t) outs(%o : !t) {
    %i = d2m.core_index(0) : index
    %j = d2m.core_index(1) : index
    %b = tensor.empty() : tensor<4x4x!ttcore.tile<32x32, f32>>
    %x = d2m.remote_load %b %l[%i, %j] : tensor<4x4x!ttcore.tile<32x32, f32>>, !t -> tensor<4x4x!ttcore.tile<32x32, f32>>
    %y = d2m.remote_store %o[%i, %j] %x : !t, tensor<4x4x!ttcore.tile<32x32, f32>> -> !t
    d2m.yield %y : (!t)
  } : !t
  return %g : !t
}

// The same without a mark: four tiles by four on as many cores.
// CHECK-LABEL: func.func @chosen
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<4x4>
func.func @chosen(%a: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %e = d2m.empty() : !t
  %l = d2m.to_layout %a, %e : tensor<128x128xf32> into !t -> !t
  %o = d2m.empty() : !t
  %g = d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%l : !t) outs(%o : !t) {
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %b = tensor.empty() : tensor<4x4x!ttcore.tile<32x32, f32>>
    %x = d2m.remote_load %b %l[%i, %j] : tensor<4x4x!ttcore.tile<32x32, f32>>, !t -> tensor<4x4x!ttcore.tile<32x32, f32>>
    %y = d2m.remote_store %o[%i, %j] %x : !t, tensor<4x4x!ttcore.tile<32x32, f32>> -> !t
    d2m.yield %y : (!t)
  } : !t
  %h = d2m.empty() : tensor<128x128xf32>
  %r = d2m.to_layout %g, %h : !t into tensor<128x128xf32> -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
