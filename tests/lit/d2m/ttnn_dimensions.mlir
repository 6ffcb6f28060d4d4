// Tensors of TTNN of three dimensions: an operation that needs each of them sees the tiles so, by a view of the rows of matrices; padding
// that would be the largest value is masked; a ring of three dimensions is not its reverse; a layout is not one of another shape.
// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttir-to-d2m="ttnn-mode=true" | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file --ttir-to-ttmetal-pipeline="ttnn-mode=true" | FileCheck %s --check-prefix=TTNN

#dram = #ttnn.buffer_type<dram>
#in = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<6x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#out = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<6x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, 0, d3 * 2 + d4, d5)>
// CHECK-LABEL: func.func @largest
// CHECK: d2m.view_layout %{{.*}} remapping = #[[ROWS]] : tensor<1x1x6x2x!ttcore.tile<32x32, f32>, {{.*}}> -> tensor<1x1x1x3x2x2x!ttcore.tile<32x32, f32>
// CHECK: d2m.mask {{.*}}logical_shape = [3, 50, 40] fill_value = <neginf>
// TTNN-LABEL: func.func @largest
// TTNN: "ttnn.empty"{{.*}} -> tensor<{{[0-9]+x[0-9]+}}xf32
// TTNN: "ttnn.generic"
func.func @largest(%arg0: tensor<3x50x40xf32, #in>) -> tensor<3x50x1xf32, #out> {
  %0 = "ttir.max"(%arg0) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<3x50x40xf32, #in>) -> tensor<3x50x1xf32>
  %1 = ttir.empty() : tensor<3x50x1xf32, #out>
  %2 = ttir.to_layout %0, %1 : tensor<3x50x1xf32> into tensor<3x50x1xf32, #out> -> tensor<3x50x1xf32, #out>
  return %2 : tensor<3x50x1xf32, #out>
}

// -----

#dram = #ttnn.buffer_type<dram>
#in = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<6x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#out = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<96x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
// Dimensions 0, 1 and 2 of the result are 1, 2 and 0 of the input.
// CHECK: #[[RING:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (0, 0, 0, 0, d6 mod 2, d4, d5, d7)>
// CHECK-LABEL: func.func @ring
// CHECK: d2m.view_layout %{{.*}} remapping = #[[RING]]
// TTNN-LABEL: func.func @ring
// TTNN: "ttnn.generic"
func.func @ring(%arg0: tensor<2x3x32x32xf32, #in>) -> tensor<3x32x2x32xf32, #out> {
  %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 2, 0, 3>}> : (tensor<2x3x32x32xf32, #in>) -> tensor<3x32x2x32xf32>
  %1 = ttir.empty() : tensor<3x32x2x32xf32, #out>
  %2 = ttir.to_layout %0, %1 : tensor<3x32x2x32xf32> into tensor<3x32x2x32xf32, #out> -> tensor<3x32x2x32xf32, #out>
  return %2 : tensor<3x32x2x32xf32, #out>
}
