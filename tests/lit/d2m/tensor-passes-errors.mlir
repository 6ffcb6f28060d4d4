// RUN: not ttmlir-opt %s --d2m-grid-selection 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-grid-selection=override-device-shape=2,2,2 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-build-topk-chain 2>&1 | FileCheck %s --check-prefix=TOPK
// RUN: not ttmlir-opt %s --d2m-fe-pipeline="default-input-memspace=sram" 2>&1 | FileCheck %s --check-prefix=SPACE

// DEVICE: error: Device not found
// SHAPE: error: option 'override-device-shape' is '2,2,2': expected two numbers from 1 to 1024
// SPACE: error: option 'default-input-memspace' is 'sram': expected l1 or dram
#layout = #ttcore.metal_layout<logical_shape = 32x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#one = #ttcore.metal_layout<logical_shape = 1x1, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#id = affine_map<(d0, d1) -> (d0, d1)>
#zero = affine_map<(d0, d1) -> (0, 0)>
#p = #ttcore.iterator_type<parallel>
!v = tensor<1x1x1x2x!ttcore.tile<32x32, f32>, #layout>
!i = tensor<1x1x1x2x!ttcore.tile<32x32, si32>, #layout>
!s = tensor<1x1x1x1x!ttcore.tile<32x32, si32>, #one>

// A plan that lists too little.
// TOPK: error: 'd2m.generic' op topk plan holds 1 placements but the emission builds 13
func.func @short_plan(%a: tensor<32x64xf32>) -> (!v, !i) {
  %e = d2m.empty() : !v
  %l = d2m.to_layout %a, %e : tensor<32x64xf32> into !v {d2m.topk_input} -> !v
  %s = d2m.empty() : !s
  %o = d2m.empty() : !v
  %x = d2m.empty() : !i
  %g:2 = d2m.generic {block_factors = [1, 1], d2m.topk_index_type = si32, d2m.topk_plan = #d2m.topk_plan<numShards = 2, ntShards = 1, mergeSchedule = 1, placements = <type = !i, grid = <1x1>>>, grid = #ttcore.grid<1x1>, indexing_maps = [#id, #zero, #id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%l, %s : !v, !s) outs(%o, %x : !v, !i) {
    %c0 = arith.constant 0 : index
    %b0 = tensor.empty() : tensor<1x2x!ttcore.tile<32x32, f32>>
    %b1 = d2m.remote_load %b0 %l[%c0, %c0] : tensor<1x2x!ttcore.tile<32x32, f32>>, !v -> tensor<1x2x!ttcore.tile<32x32, f32>>
    %b2 = tensor.empty() : tensor<1x1x!ttcore.tile<32x32, si32>>
    %b3 = d2m.remote_load %b2 %s[%c0, %c0] : tensor<1x1x!ttcore.tile<32x32, si32>>, !s -> tensor<1x1x!ttcore.tile<32x32, si32>>
    %b4 = tensor.empty() : tensor<1x2x!ttcore.tile<32x32, f32>>
    %b5 = tensor.empty() : tensor<1x2x!ttcore.tile<32x32, si32>>
    %r, %q = "d2m.topk_block"(%b1, %b3, %b4, %b5) <{dim = 0 : i32, generate_indices = true, k = 8 : i32, num_elements = 64 : i64, stable_sort = false}> : (tensor<1x2x!ttcore.tile<32x32, f32>>, tensor<1x1x!ttcore.tile<32x32, si32>>, tensor<1x2x!ttcore.tile<32x32, f32>>, tensor<1x2x!ttcore.tile<32x32, si32>>) -> (tensor<1x2x!ttcore.tile<32x32, f32>>, tensor<1x2x!ttcore.tile<32x32, si32>>)
    %t = d2m.remote_store %o[%c0, %c0] %r : !v, tensor<1x2x!ttcore.tile<32x32, f32>> -> !v
    %u = d2m.remote_store %x[%c0, %c0] %q : !i, tensor<1x2x!ttcore.tile<32x32, si32>> -> !i
    d2m.yield %t, %u : (!v, !i)
  } : !v, !i
  return %g#0, %g#1 : !v, !i
}
