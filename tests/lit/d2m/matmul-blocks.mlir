// RUN: not ttmlir-opt %s --ttir-to-d2m --split-input-file 2>%t.errors | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.errors

// Products of blocks in generics become loops over tiles; what follows reads the sum.

// CHECK: #[[A:map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[B:map[0-9]*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[C:map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @product
// CHECK: %[[BEFORE:.*]] = tensor.dim %arg2
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : {{.*}}) outs(%arg2 : {{.*}})
// CHECK: "d2m.tile_matmul"
// CHECK: return %[[SUM]], %[[BEFORE]]
func.func @product(%a: tensor<2x4x!ttcore.tile<32x32, bf16>>, %b: tensor<4x3x!ttcore.tile<32x32, bf16>>, %c: tensor<2x3x!ttcore.tile<32x32, bf16>>) -> (tensor<2x3x!ttcore.tile<32x32, bf16>>, index) {
  %zero = arith.constant 0 : index
  %before = tensor.dim %c, %zero : tensor<2x3x!ttcore.tile<32x32, bf16>>
  "d2m.tile_matmul_block"(%a, %b, %c) : (tensor<2x4x!ttcore.tile<32x32, bf16>>, tensor<4x3x!ttcore.tile<32x32, bf16>>, tensor<2x3x!ttcore.tile<32x32, bf16>>) -> ()
  return %c, %before : tensor<2x3x!ttcore.tile<32x32, bf16>>, index
}

// -----

// CHECK: #[[B:map[0-9]*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @transposed
// CHECK: linalg.generic {indexing_maps = [#{{map[0-9]*}}, #[[B]], #{{map[0-9]*}}]
func.func @transposed(%a: tensor<2x4x!ttcore.tile<32x32, bf16>>, %b: tensor<3x4x!ttcore.tile<32x32, bf16>>, %c: tensor<2x3x!ttcore.tile<32x32, bf16>>) -> tensor<2x3x!ttcore.tile<32x32, bf16>> {
  "d2m.tile_matmul_block"(%a, %b, %c) <{transpose_b = true}> : (tensor<2x4x!ttcore.tile<32x32, bf16>>, tensor<3x4x!ttcore.tile<32x32, bf16>>, tensor<2x3x!ttcore.tile<32x32, bf16>>) -> ()
  return %c : tensor<2x3x!ttcore.tile<32x32, bf16>>
}

// -----

// ERROR: error: failed to legalize operation 'd2m.tile_matmul_block' that was explicitly marked illegal
// ERROR: note: expected tensors of tiles with 2 dimensions
func.func @buffers(%a: memref<2x2x!ttcore.tile<32x32, bf16>>) {
  "d2m.tile_matmul_block"(%a, %a, %a) : (memref<2x2x!ttcore.tile<32x32, bf16>>, memref<2x2x!ttcore.tile<32x32, bf16>>, memref<2x2x!ttcore.tile<32x32, bf16>>) -> ()
  return
}
