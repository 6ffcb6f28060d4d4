// Maps that nobody wrote: operations with the attribute have it all the same, MLIR's verifier leaves
// those of others with them.  The numbers of the loops are MLIR's.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic --mlir-print-local-scope | FileCheck %s --check-prefix=GENERIC
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

func.func @f(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x5xf32>, %c: tensor<1x6x6x5xf32>, %m: tensor<4x4xf32>, %v: tensor<4xf32>,
             %t: tensor<2x2x4x4xf32>, %p: tensor<4x9xf32>, %d: tensor<2x4x9xf32>, %w: tensor<4x3xf32>, %o: tensor<2x4x7xf32>) {
  // CHECK: linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>} ins(
  // GENERIC: "linalg.conv_2d_nhwc_hwcf"
  // GENERIC: {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]}
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x8x8x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
  // CHECK: linalg.depthwise_conv_1d_ncw_cw ins(
  // GENERIC: {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>]}
  %1 = linalg.depthwise_conv_1d_ncw_cw ins(%d, %w : tensor<2x4x9xf32>, tensor<4x3xf32>) outs(%o : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  // CHECK: linalg.mmt4d ins(
  // GENERIC: {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>]}
  %2 = linalg.mmt4d ins(%t, %t : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) outs(%t : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  // CHECK: linalg.matmul ins(
  // GENERIC: "linalg.matmul"({{.*}}) <{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
  %3 = linalg.matmul ins(%m, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.matmul indexing_maps = [
  %4 = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%m, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.elementwise kind=#linalg.elementwise_kind<add> ins(
  // GENERIC: "linalg.elementwise"({{.*}}) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
  %5 = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%m, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m: tensor<4x4xf32>) -> tensor<4x4xf32>
  // GENERIC: "linalg.fill"
  // GENERIC: }) : (f32, tensor<4xf32>) -> tensor<4xf32>
  %cst = arith.constant 0.0 : f32
  %6 = linalg.fill ins(%cst : f32) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return
}
