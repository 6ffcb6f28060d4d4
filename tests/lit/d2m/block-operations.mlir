// RUN: ttmlir-opt --split-input-file %s --d2m-fe-pipeline=override-device-shape=1,1 --d2m-be-pipeline --mlir-print-ir-after=d2m-insert-tile-matmul-block -o %t 2>&1 | FileCheck %s --check-prefix=MATMUL
// RUN: ttmlir-opt --split-input-file %s --d2m-fe-pipeline=override-device-shape=1,1 "--d2m-be-pipeline=use-tile-matmul=true" --mlir-print-ir-after=d2m-insert-tile-matmul-block -o %t 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: ttmlir-opt --split-input-file %s --d2m-fe-pipeline=override-device-shape=1,1 --d2m-be-pipeline --mlir-print-ir-after=d2m-decompose-topk -o %t 2>&1 | FileCheck %s --check-prefix=TOPK
// Operations on blocks: made of loops over tiles (matmul), and split into operations on pairs of tiles (top-k).

// MATMUL-LABEL: func.func @matmul
// MATMUL-NOT: "d2m.tile_matmul"(
// MATMUL: "d2m.tile_matmul_block"({{.*}}) <{transpose_b = false}>
// MATMUL-NOT: "d2m.tile_matmul"(
// TILES-LABEL: func.func @matmul
// TILES-NOT: tile_matmul_block
// TILES: "d2m.tile_matmul"(
func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// TOPK-LABEL: func.func @topk
// TOPK-NOT: d2m.topk_block
// TOPK: "d2m.tile_topk_local_sort"({{.*}}i_end_phase = 4 : i32
// TOPK: "d2m.tile_topk_merge"
// TOPK: "d2m.tile_topk_rebuild"({{.*}}k = 16 : i32, logk = 5 : i32
func.func @topk(%a: tensor<32x64xf32>) -> (tensor<32x16xf32>, tensor<32x16xsi32>) {
  %0, %1 = "ttir.topk"(%a) {k = 16 : i32, dim = 1 : i32, largest = true, sorted = true} : (tensor<32x64xf32>) -> (tensor<32x16xf32>, tensor<32x16xsi32>)
  return %0, %1 : tensor<32x16xf32>, tensor<32x16xsi32>
}
