// RUN: ttmlir-opt %s --split-input-file --canonicalize | FileCheck %s

// Canonical forms of structured operations: fills, copies, transpositions, casts, sizes.

// CHECK-LABEL: func.func @fold_fill(%arg0: f32) -> tensor<?x?xf32>
// CHECK-NEXT: %0 = tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT: %1 = linalg.fill ins(%arg0 : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %2 = linalg.fill ins(%arg0 : f32) outs(%1 : tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %cast = tensor.cast %2 : tensor<2x3xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @fold_fill(%v: f32) -> tensor<?x?xf32> {
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tensor.cast %1 : tensor<2x3xf32> to tensor<?x?xf32>
  %3 = linalg.fill ins(%v : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @memref_cast(%arg0: memref<4x8xf32>, %arg1: memref<4x8xf32>)
// CHECK-NEXT: %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<4x8xf32> to memref<?x8xf32>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : memref<4x8xf32>) outs(%arg1 : memref<4x8xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %0 = arith.addf %in, %out : f32
// CHECK-NEXT: linalg.yield %0 : f32
// CHECK-NEXT: }
// CHECK-NEXT: linalg.copy ins(%arg0 : memref<4x8xf32>) outs(%arg1 : memref<4x8xf32>)
// CHECK-NEXT: linalg.map { math.exp } ins(%cast : memref<?x8xf32>) outs(%cast : memref<?x8xf32>)
// CHECK-NEXT: linalg.transpose ins(%cast : memref<?x8xf32>) outs(%cast : memref<?x8xf32>) permutation = [0, 1]
// CHECK-NEXT: linalg.fill ins(%cst : f32) outs(%arg1 : memref<4x8xf32>)
// CHECK-NEXT: return
func.func @memref_cast(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %0 = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  %1 = memref.cast %b : memref<4x8xf32> to memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : memref<?x8xf32>) outs(%1 : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  linalg.copy ins(%0 : memref<?x8xf32>) outs(%1 : memref<?x?xf32>)
  linalg.map { math.exp } ins(%0 : memref<?x8xf32>) outs(%0 : memref<?x8xf32>)
  linalg.transpose ins(%0 : memref<?x8xf32>) outs(%0 : memref<?x8xf32>) permutation = [0, 1]
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%1 : memref<?x?xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @zero(%arg0: memref<0x8xf32>, %arg1: memref<8x4xf32>, %arg2: memref<0x4xf32>)
// CHECK-NEXT: return
func.func @zero(%a: memref<0x8xf32>, %b: memref<8x4xf32>, %c: memref<0x4xf32>) {
  linalg.matmul ins(%a, %b : memref<0x8xf32>, memref<8x4xf32>) outs(%c : memref<0x4xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @dead(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4x4xf32>)
// CHECK-NEXT: return
func.func @dead(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @identity(%arg0: tensor<?x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<?x8xf32>)
// CHECK-NEXT: %cast = tensor.cast %arg0 : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %arg1 : tensor<4x8xf32> to tensor<?x8xf32>
// CHECK-NEXT: return %cast, %cast_0 : tensor<4x8xf32>, tensor<?x8xf32>
func.func @identity(%a: tensor<?x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<?x8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x8xf32>) outs(%b, %a : tensor<4x8xf32>, tensor<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %x, %y : f32, f32
  } -> (tensor<4x8xf32>, tensor<?x8xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @identity_mem(%arg0: memref<?x8xf32>, %arg1: memref<?x8xf32>)
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : memref<?x8xf32>) outs(%arg1 : memref<?x8xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: linalg.yield %in : f32
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @identity_mem(%a: memref<?x8xf32>, %b: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x8xf32>) outs(%a : memref<?x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x8xf32>) outs(%b : memref<?x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.copy ins(%a : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @copy(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %0 : tensor<4x8xf32>
func.func @copy(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.copy ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @copyd(%arg0: tensor<4x8xf32>, %arg1: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: %cast = tensor.cast %arg1 : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK-NEXT: %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%cast : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %0 : tensor<4x8xf32> to tensor<?x8xf32>
// CHECK-NEXT: return %cast_0 : tensor<?x8xf32>
func.func @copyd(%a: tensor<4x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.copy ins(%a : tensor<4x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @copyt(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf64>) -> tensor<4x8xf64>
// CHECK-NEXT: %0 = linalg.copy ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4x8xf64>) -> tensor<4x8xf64>
// CHECK-NEXT: return %0 : tensor<4x8xf64>
func.func @copyt(%a: tensor<4x8xf32>, %b: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = linalg.copy ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

// CHECK-LABEL: func.func @infer(%arg0: tensor<4x?xf32>, %arg1: tensor<?x16xf32>, %arg2: tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %cast = tensor.cast %arg2 : tensor<?x?xf32> to tensor<4x16xf32>
// CHECK-NEXT: %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<?x16xf32>) outs(%cast : tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %0 : tensor<4x16xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast_0 : tensor<?x?xf32>
func.func @infer(%a: tensor<4x?xf32>, %b: tensor<?x16xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x?xf32>, tensor<?x16xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @infer2(%arg0: tensor<4x8xf32>, %arg1: tensor<?x?xf32>, %arg2: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK-NEXT: %cast = tensor.cast %arg1 : tensor<?x?xf32> to tensor<8x4xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %arg2 : tensor<?x?xf32> to tensor<4x8xf32>
// CHECK-NEXT: %0:2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x8xf32>) outs(%cast, %cast_0 : tensor<8x4xf32>, tensor<4x8xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32, %out_3: f32):
// CHECK-NEXT: %1 = arith.addf %in, %out : f32
// CHECK-NEXT: linalg.yield %1, %in : f32, f32
// CHECK-NEXT: } -> (tensor<8x4xf32>, tensor<4x8xf32>)
// CHECK-NEXT: %cast_1 = tensor.cast %0#0 : tensor<8x4xf32> to tensor<?x?xf32>
// CHECK-NEXT: %cast_2 = tensor.cast %0#1 : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast_1, %cast_2 : tensor<?x?xf32>, tensor<?x?xf32>
func.func @infer2(%a: tensor<4x8xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%b, %c : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s, %x : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @consumer(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>, %arg2: tensor<?x?xf32>) -> (tensor<4x8xf32>, tensor<?x?xf32>)
// CHECK-NEXT: %cast = tensor.cast %arg2 : tensor<?x?xf32> to tensor<4x8xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %arg0 : tensor<?x?xf32> to tensor<4x?xf32>
// CHECK-NEXT: %cast_1 = tensor.cast %arg1 : tensor<?x?xf32> to tensor<?x8xf32>
// CHECK-NEXT: %0 = linalg.matmul ins(%cast_0, %cast_1 : tensor<4x?xf32>, tensor<?x8xf32>) outs(%cast : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %cast_2 = tensor.cast %0 : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %0, %cast_2 : tensor<4x8xf32>, tensor<?x?xf32>
func.func @consumer(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<4x8xf32>, tensor<?x?xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<4x8xf32>
  return %1, %0 : tensor<4x8xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @producer(%arg0: tensor<4x8xf32>, %arg1: tensor<8x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<4x?xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @producer(%a: tensor<4x8xf32>, %b: tensor<8x?xf32>, %c: tensor<4x?xf32>) -> tensor<?x?xf32> {
  %0 = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %1 = tensor.cast %b : tensor<8x?xf32> to tensor<?x?xf32>
  %2 = tensor.cast %c : tensor<4x?xf32> to tensor<?x?xf32>
  %3 = linalg.matmul ins(%0, %1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @fillreshape(%arg0: f32) -> (tensor<6xf32>, tensor<2x3x1xf32>)
// CHECK-NEXT: %0 = tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT: %collapsed = tensor.collapse_shape %0 {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK-NEXT: %1 = linalg.fill ins(%arg0 : f32) outs(%collapsed : tensor<6xf32>) -> tensor<6xf32>
// CHECK-NEXT: %expanded = tensor.expand_shape %0 {{\[\[}}0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
// CHECK-NEXT: %2 = linalg.fill ins(%arg0 : f32) outs(%expanded : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT: return %1, %2 : tensor<6xf32>, tensor<2x3x1xf32>
func.func @fillreshape(%v: f32) -> (tensor<6xf32>, tensor<2x3x1xf32>) {
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %3 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  return %2, %3 : tensor<6xf32>, tensor<2x3x1xf32>
}

// -----

// CHECK-LABEL: func.func @fillreshape_dyn(%arg0: f32, %arg1: tensor<?x3xf32>) -> tensor<?xf32>
// CHECK-NEXT: %collapsed = tensor.collapse_shape %arg1 {{\[\[}}0, 1]] : tensor<?x3xf32> into tensor<?xf32>
// CHECK-NEXT: %0 = linalg.fill ins(%arg0 : f32) outs(%collapsed : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %0 : tensor<?xf32>
func.func @fillreshape_dyn(%v: f32, %0: tensor<?x3xf32>) -> tensor<?xf32> {
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @fillreshape_dyn2(%arg0: f32, %arg1: tensor<?x3xf32>, %arg2: index) -> tensor<?x4x3xf32>
// CHECK-NEXT: %expanded = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [%arg2, 4, 3] : tensor<?x3xf32> into tensor<?x4x3xf32>
// CHECK-NEXT: %0 = linalg.fill ins(%arg0 : f32) outs(%expanded : tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
// CHECK-NEXT: return %0 : tensor<?x4x3xf32>
func.func @fillreshape_dyn2(%v: f32, %0: tensor<?x3xf32>, %s: index) -> tensor<?x4x3xf32> {
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [%s, 4, 3] : tensor<?x3xf32> into tensor<?x4x3xf32>
  return %2 : tensor<?x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @fillpad() -> tensor<5x7xf32>
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %0 = tensor.empty() : tensor<5x7xf32>
// CHECK-NEXT: %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x7xf32>) -> tensor<5x7xf32>
// CHECK-NEXT: return %1 : tensor<5x7xf32>
func.func @fillpad() -> tensor<5x7xf32> {
  %v = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tensor.pad %1 low[1, 2] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x3xf32> to tensor<5x7xf32>
  return %2 : tensor<5x7xf32>
}

// -----

// CHECK-LABEL: func.func @fillpad_dyn(%arg0: tensor<?x3xf32>, %arg1: index, %arg2: index) -> tensor<?x?xf32>
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %dim = tensor.dim %arg0, %c0 : tensor<?x3xf32>
// CHECK-NEXT: %0 = affine.apply #map()[%arg1, %dim]
// CHECK-NEXT: %1 = affine.apply #map1()[%arg2]
// CHECK-NEXT: %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
// CHECK-NEXT: %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: return %3 : tensor<?x?xf32>
func.func @fillpad_dyn(%0: tensor<?x3xf32>, %l: index, %h: index) -> tensor<?x?xf32> {
  %v = arith.constant 0.0 : f32
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = tensor.pad %1 low[%l, 2] high[2, %h] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<?x3xf32> to tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @fillpad_diff() -> tensor<5x7xf32>
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %cst_0 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %0 = tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT: %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %padded = tensor.pad %1 low[1, 2] high[2, 2] {
// CHECK-NEXT: ^bb0(%arg0: index, %arg1: index):
// CHECK-NEXT: tensor.yield %cst_0 : f32
// CHECK-NEXT: } : tensor<2x3xf32> to tensor<5x7xf32>
// CHECK-NEXT: return %padded : tensor<5x7xf32>
func.func @fillpad_diff() -> tensor<5x7xf32> {
  %v = arith.constant 0.0 : f32
  %w = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tensor.pad %1 low[1, 2] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %w : f32
  } : tensor<2x3xf32> to tensor<5x7xf32>
  return %2 : tensor<5x7xf32>
}

// -----

// CHECK-LABEL: func.func @fillextract(%arg0: f32, %arg1: index, %arg2: tensor<?xf32>) -> f32
// CHECK-NEXT: return %arg0 : f32
func.func @fillextract(%v: f32, %i: index, %0: tensor<?xf32>) -> f32 {
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.extract %1[%i] : tensor<?xf32>
  return %2 : f32
}

// -----

// CHECK-LABEL: func.func @fillcopy(%arg0: f32, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %0 = linalg.fill ins(%arg0 : f32) outs(%arg2 : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @fillcopy(%v: f32, %0: tensor<4xf32>, %1: tensor<4xf32>) -> tensor<4xf32> {
  %2 = linalg.fill ins(%v : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.copy ins(%2 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @copyfill(%arg0: f32, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %0 = linalg.copy ins(%arg2 : tensor<4xf32>) outs(%arg1 : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = linalg.fill ins(%arg0 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %1 : tensor<4xf32>
func.func @copyfill(%v: f32, %0: tensor<4xf32>, %1: tensor<4xf32>) -> tensor<4xf32> {
  %3 = linalg.copy ins(%1 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.fill ins(%v : f32) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @filltranspose(%arg0: f32, %arg1: tensor<4x5xf32>, %arg2: tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT: %0 = linalg.fill ins(%arg0 : f32) outs(%arg2 : tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT: return %0 : tensor<5x4xf32>
func.func @filltranspose(%v: f32, %0: tensor<4x5xf32>, %1: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %2 = linalg.fill ins(%v : f32) outs(%0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = linalg.transpose ins(%2 : tensor<4x5xf32>) outs(%1 : tensor<5x4xf32>) permutation = [1, 0]
  return %3 : tensor<5x4xf32>
}

// -----

// CHECK-LABEL: func.func @transposes(%arg0: tensor<4x5x6xf32>, %arg1: tensor<5x4x6xf32>, %arg2: tensor<6x4x5xf32>, %arg3: tensor<4x5x6xf32>) -> (tensor<6x4x5xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>)
// CHECK-NEXT: %transposed = linalg.transpose ins(%arg0 : tensor<4x5x6xf32>) outs(%arg2 : tensor<6x4x5xf32>) permutation = [2, 0, 1]
// CHECK-NEXT: return %transposed, %arg0, %arg0 : tensor<6x4x5xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>
func.func @transposes(%0: tensor<4x5x6xf32>, %1: tensor<5x4x6xf32>, %2: tensor<6x4x5xf32>, %3: tensor<4x5x6xf32>) -> (tensor<6x4x5xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>) {
  %4 = linalg.transpose ins(%0 : tensor<4x5x6xf32>) outs(%1 : tensor<5x4x6xf32>) permutation = [1, 0, 2]
  %5 = linalg.transpose ins(%4 : tensor<5x4x6xf32>) outs(%2 : tensor<6x4x5xf32>) permutation = [2, 1, 0]
  %6 = linalg.transpose ins(%4 : tensor<5x4x6xf32>) outs(%3 : tensor<4x5x6xf32>) permutation = [1, 0, 2]
  %7 = linalg.transpose ins(%0 : tensor<4x5x6xf32>) outs(%3 : tensor<4x5x6xf32>) permutation = [0, 1, 2]
  return %5, %6, %7 : tensor<6x4x5xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @transpose1(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: return %arg0 : tensor<16xf32>
func.func @transpose1(%0: tensor<16xf32>, %1: tensor<16xf32>) -> tensor<16xf32> {
  %5 = linalg.transpose ins(%0 : tensor<16xf32>) outs(%1 : tensor<16xf32>) permutation = [0]
  return %5 : tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @transpose_mem(%arg0: memref<16xf32>, %arg1: memref<16xf32>)
// CHECK-NEXT: linalg.transpose ins(%arg0 : memref<16xf32>) outs(%arg1 : memref<16xf32>) permutation = [0]
// CHECK-NEXT: linalg.transpose ins(%arg0 : memref<16xf32>) outs(%arg0 : memref<16xf32>) permutation = [0]
// CHECK-NEXT: return
func.func @transpose_mem(%0: memref<16xf32>, %1: memref<16xf32>) {
  linalg.transpose ins(%0 : memref<16xf32>) outs(%1 : memref<16xf32>) permutation = [0]
  linalg.transpose ins(%0 : memref<16xf32>) outs(%0 : memref<16xf32>) permutation = [0]
  return
}

// -----

// CHECK-LABEL: func.func @bcast(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4x3xf32>, %arg2: tensor<4x2x3x5xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%arg0 : tensor<2x3xf32>) outs(%arg1 : tensor<2x4x3xf32>) dimensions = [1]
// CHECK-NEXT: return %broadcasted : tensor<2x4x3xf32>
func.func @bcast(%0: tensor<2x3xf32>, %1: tensor<2x4x3xf32>, %2: tensor<4x2x3x5xf32>) -> tensor<2x4x3xf32> {
  %3 = linalg.broadcast ins(%0 : tensor<2x3xf32>) outs(%1 : tensor<2x4x3xf32>) dimensions = [1]
  return %3 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @bcast_bcast(%arg0: tensor<2xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%arg0 : tensor<2xf32>) outs(%arg1 : tensor<2x3xf32>) dimensions = [1]
// CHECK-NEXT: %broadcasted_0 = linalg.broadcast ins(%broadcasted : tensor<2x3xf32>) outs(%arg2 : tensor<2x4x3xf32>) dimensions = [1]
// CHECK-NEXT: return %broadcasted_0 : tensor<2x4x3xf32>
func.func @bcast_bcast(%0: tensor<2xf32>, %1: tensor<2x3xf32>, %2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %3 = linalg.broadcast ins(%0 : tensor<2xf32>) outs(%1 : tensor<2x3xf32>) dimensions = [1]
  %4 = linalg.broadcast ins(%3 : tensor<2x3xf32>) outs(%2 : tensor<2x4x3xf32>) dimensions = [1]
  return %4 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @bcast_none(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %arg0 : tensor<2xf32>
func.func @bcast_none(%0: tensor<2xf32>, %1: tensor<2xf32>) -> tensor<2xf32> {
  %3 = linalg.broadcast ins(%0 : tensor<2xf32>) outs(%1 : tensor<2xf32>) dimensions = []
  return %3 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @bcast_transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4x3xf32>, %arg2: tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: %0 = tensor.empty() : tensor<3x2xf32>
// CHECK-NEXT: %transposed = linalg.transpose ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<3x2xf32>) permutation = [1, 0]
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%transposed : tensor<3x2xf32>) outs(%arg2 : tensor<3x2x4xf32>) dimensions = [2]
// CHECK-NEXT: return %broadcasted : tensor<3x2x4xf32>
func.func @bcast_transpose(%0: tensor<2x3xf32>, %1: tensor<2x4x3xf32>, %2: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %3 = linalg.broadcast ins(%0 : tensor<2x3xf32>) outs(%1 : tensor<2x4x3xf32>) dimensions = [1]
  %4 = linalg.transpose ins(%3 : tensor<2x4x3xf32>) outs(%2 : tensor<3x2x4xf32>) permutation = [2, 0, 1]
  return %4 : tensor<3x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @bcast_transpose_id(%arg0: tensor<2x3xf32>, %arg1: tensor<4x2x3xf32>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%arg0 : tensor<2x3xf32>) outs(%arg2 : tensor<2x4x3xf32>) dimensions = [1]
// CHECK-NEXT: return %broadcasted : tensor<2x4x3xf32>
func.func @bcast_transpose_id(%0: tensor<2x3xf32>, %1: tensor<4x2x3xf32>, %2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %3 = linalg.broadcast ins(%0 : tensor<2x3xf32>) outs(%1 : tensor<4x2x3xf32>) dimensions = [0]
  %4 = linalg.transpose ins(%3 : tensor<4x2x3xf32>) outs(%2 : tensor<2x4x3xf32>) permutation = [1, 0, 2]
  return %4 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @insertpad(%arg0: tensor<7x9xf32>, %arg1: tensor<20x20xf32>) -> tensor<20x20xf32>
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %0 = linalg.fill ins(%cst : f32) outs(%arg1 : tensor<20x20xf32>) -> tensor<20x20xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %arg0 into %0[4, 6] [7, 9] [1, 1] : tensor<7x9xf32> into tensor<20x20xf32>
// CHECK-NEXT: return %inserted_slice : tensor<20x20xf32>
func.func @insertpad(%a: tensor<7x9xf32>, %d: tensor<20x20xf32>) -> tensor<20x20xf32> {
  %v = arith.constant 0.0 : f32
  %f = linalg.fill ins(%v : f32) outs(%d : tensor<20x20xf32>) -> tensor<20x20xf32>
  %p = tensor.pad %a low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<7x9xf32> to tensor<10x12xf32>
  %0 = tensor.insert_slice %p into %f[3, 4] [10, 12] [1, 1] : tensor<10x12xf32> into tensor<20x20xf32>
  return %0 : tensor<20x20xf32>
}

// -----

// CHECK-LABEL: func.func @insertpad2(%arg0: tensor<7x?xf32>, %arg1: tensor<20x20xf32>, %arg2: index, %arg3: index) -> tensor<20x20xf32>
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %0 = linalg.fill ins(%cst : f32) outs(%arg1 : tensor<20x20xf32>) -> tensor<20x20xf32>
// CHECK-NEXT: %1 = affine.apply #map()[%arg2, %arg3]
// CHECK-NEXT: %2 = affine.apply #map1()[%arg2]
// CHECK-NEXT: %dim = tensor.dim %arg0, %c1 : tensor<7x?xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %arg0 into %0[%1, %2] [7, %dim] [1, 1] : tensor<7x?xf32> into tensor<20x20xf32>
// CHECK-NEXT: return %inserted_slice : tensor<20x20xf32>
func.func @insertpad2(%a: tensor<7x?xf32>, %d: tensor<20x20xf32>, %l: index, %o: index) -> tensor<20x20xf32> {
  %v = arith.constant 0.0 : f32
  %f = linalg.fill ins(%v : f32) outs(%d : tensor<20x20xf32>) -> tensor<20x20xf32>
  %p = tensor.pad %a low[%l, %l] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<7x?xf32> to tensor<10x12xf32>
  %0 = tensor.insert_slice %p into %f[%o, 4] [10, 12] [1, 1] : tensor<10x12xf32> into tensor<20x20xf32>
  return %0 : tensor<20x20xf32>
}

// -----

// CHECK-LABEL: func.func @insertpad3(%arg0: tensor<7x9xf32>, %arg1: tensor<20x20xf32>) -> tensor<20x20xf32>
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %0 = linalg.fill ins(%cst : f32) outs(%arg1 : tensor<20x20xf32>) -> tensor<20x20xf32>
// CHECK-NEXT: %padded = tensor.pad %arg0 low[1, 2] high[2, 1] {
// CHECK-NEXT: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %cst : f32
// CHECK-NEXT: } : tensor<7x9xf32> to tensor<10x12xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %arg0 into %0[0, 0] [7, 9] [1, 1] : tensor<7x9xf32> into tensor<20x20xf32>
// CHECK-NEXT: %inserted_slice_0 = tensor.insert_slice %arg0 into %inserted_slice[9, 6] [7, 9] [1, 1] : tensor<7x9xf32> into tensor<20x20xf32>
// CHECK-NEXT: %inserted_slice_1 = tensor.insert_slice %padded into %inserted_slice_0[8, 4] [10, 12] [1, 1] : tensor<10x12xf32> into tensor<20x20xf32>
// CHECK-NEXT: return %inserted_slice_1 : tensor<20x20xf32>
func.func @insertpad3(%a: tensor<7x9xf32>, %d: tensor<20x20xf32>) -> tensor<20x20xf32> {
  %v = arith.constant 0.0 : f32
  %f = linalg.fill ins(%v : f32) outs(%d : tensor<20x20xf32>) -> tensor<20x20xf32>
  %p = tensor.pad %a low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<7x9xf32> to tensor<10x12xf32>
  %0 = tensor.insert_slice %a into %f[0, 0] [7, 9] [1, 1] : tensor<7x9xf32> into tensor<20x20xf32>
  %1 = tensor.insert_slice %p into %0[8, 4] [10, 12] [1, 1] : tensor<10x12xf32> into tensor<20x20xf32>
  %2 = tensor.insert_slice %p into %1[8, 4] [10, 12] [1, 1] : tensor<10x12xf32> into tensor<20x20xf32>
  return %2 : tensor<20x20xf32>
}

// -----

// CHECK-LABEL: func.func @dup(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg0 : tensor<4xf32>, tensor<4xf32>) outs(%arg1 : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT: %1 = arith.addf %in, %in_0 : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @dup(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @idx(%arg0: tensor<1x4xindex>) -> tensor<1x4xindex>
// CHECK-NEXT: %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%arg0 : tensor<1x4xindex>) {
// CHECK-NEXT: ^bb0(%out: index):
// CHECK-NEXT: %1 = linalg.index 0 : index
// CHECK-NEXT: %2 = linalg.index 1 : index
// CHECK-NEXT: %3 = arith.addi %1, %2 : index
// CHECK-NEXT: linalg.yield %3 : index
// CHECK-NEXT: } -> tensor<1x4xindex>
// CHECK-NEXT: return %0 : tensor<1x4xindex>
func.func @idx(%b: tensor<1x4xindex>) -> tensor<1x4xindex> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%b : tensor<1x4xindex>) {
  ^bb0(%z: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    linalg.yield %s : index
  } -> tensor<1x4xindex>
  return %0 : tensor<1x4xindex>
}

// -----

// CHECK-LABEL: func.func @softmax(%arg0: tensor<4x8xf32>, %arg1: memref<4x8xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %0 = linalg.softmax dimension(1) ins(%arg0 : tensor<4x8xf32>) outs(%arg0 : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK-NEXT: linalg.softmax dimension(1) ins(%arg1 : memref<4x8xf32>) outs(%arg1 : memref<4x8xf32>)
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @softmax(%a: tensor<4x8xf32>, %b: memref<4x8xf32>) -> tensor<?x?xf32> {
  %0 = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = memref.cast %b : memref<4x8xf32> to memref<?x?xf32>
  linalg.softmax dimension(1) ins(%2 : memref<?x?xf32>) outs(%2 : memref<?x?xf32>)
  return %1 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @dims(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>, %arg2: tensor<?x?xf32>) -> (index, index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %dim = tensor.dim %arg2, %c0 : tensor<?x?xf32>
// CHECK-NEXT: %dim_0 = tensor.dim %arg2, %c1 : tensor<?x?xf32>
// CHECK-NEXT: return %dim, %dim_0 : index, index
func.func @dims(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %2 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %1, %2 : index, index
}

// -----

// CHECK-LABEL: func.func @map(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: %mapped = linalg.map { arith.addf } ins(%arg0, %arg0 : tensor<4xf32>, tensor<4xf32>) outs(%arg1 : tensor<4xf32>)
// CHECK-NEXT: %cast = tensor.cast %mapped : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @map(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %b : tensor<4xf32> to tensor<?xf32>
  %2 = linalg.map { arith.addf } ins(%0, %0 : tensor<?xf32>, tensor<?xf32>) outs(%1 : tensor<?xf32>)
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @reduce(%arg0: tensor<4x5xf32>, %arg1: tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1]
// CHECK-NEXT: %cast = tensor.cast %reduced : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @reduce(%a: tensor<4x5xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<4x5xf32> to tensor<?x?xf32>
  %1 = tensor.cast %b : tensor<4xf32> to tensor<?xf32>
  %2 = linalg.reduce { arith.addf } ins(%0 : tensor<?x?xf32>) outs(%1 : tensor<?xf32>) dimensions = [1]
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @mapid(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %mapped = linalg.map ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4xf32>)
// CHECK-NEXT: (%in: f32) {
// CHECK-NEXT: linalg.yield %in : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %mapped : tensor<4xf32>
func.func @mapid(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %2 = linalg.map ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) (%x: f32) {
    linalg.yield %x : f32
  }
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @emptyreshape(%arg0: index) -> (tensor<6xf32>, tensor<?xf32>, tensor<2xf32>, tensor<2x?x3xf32>)
// CHECK-NEXT: %0 = tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT: %1 = tensor.empty(%arg0) : tensor<?x3xf32>
// CHECK-NEXT: %collapsed = tensor.collapse_shape %0 {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK-NEXT: %collapsed_0 = tensor.collapse_shape %1 {{\[\[}}0, 1]] : tensor<?x3xf32> into tensor<?xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %0[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
// CHECK-NEXT: %expanded = tensor.expand_shape %1 {{\[\[}}0, 1], [2]] output_shape [2, %arg0, 3] : tensor<?x3xf32> into tensor<2x?x3xf32>
// CHECK-NEXT: return %collapsed, %collapsed_0, %extracted_slice, %expanded : tensor<6xf32>, tensor<?xf32>, tensor<2xf32>, tensor<2x?x3xf32>
func.func @emptyreshape(%s: index) -> (tensor<6xf32>, tensor<?xf32>, tensor<2xf32>, tensor<2x?x3xf32>) {
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = tensor.empty(%s) : tensor<?x3xf32>
  %2 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %3 = tensor.collapse_shape %1 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %4 = tensor.extract_slice %0[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %5 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [2, %s, 3] : tensor<?x3xf32> into tensor<2x?x3xf32>
  return %2, %3, %4, %5 : tensor<6xf32>, tensor<?xf32>, tensor<2xf32>, tensor<2x?x3xf32>
}

// -----

// CHECK-LABEL: func.func @winograd(%arg0: tensor<2x8x8x3xf32>, %arg1: tensor<4x?x?x3xf32>, %arg2: tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
// CHECK-NEXT: %0 = linalg.conv_2d_nhwc_fhwc ins(%arg0, %arg1 : tensor<2x8x8x3xf32>, tensor<4x?x?x3xf32>) outs(%arg2 : tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
// CHECK-NEXT: return %0 : tensor<?x6x6x4xf32>
func.func @winograd(%a: tensor<2x8x8x3xf32>, %b: tensor<4x?x?x3xf32>, %c: tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<2x8x8x3xf32>, tensor<4x?x?x3xf32>) outs(%c : tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
  return %0 : tensor<?x6x6x4xf32>
}

// -----

// CHECK-LABEL: func.func @scalar(%arg0: tensor<4xf32>, %arg1: f32, %arg2: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %cast = tensor.cast %arg2 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %0 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<4xf32>, f32) outs(%cast : tensor<4xf32>) attrs =  {foo = "bar"} {
// CHECK-NEXT: ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT: %1 = arith.addf %in, %in_1 : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast_0 : tensor<?xf32>
func.func @scalar(%a: tensor<4xf32>, %v: f32, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %v : tensor<4xf32>, f32) outs(%c : tensor<?xf32>) attrs = {foo = "bar"} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @batch(%arg0: tensor<2x?x4xf32>, %arg1: tensor<?x4x?xf32>, %arg2: tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
// CHECK-NEXT: %cast = tensor.cast %arg0 : tensor<2x?x4xf32> to tensor<2x3x4xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %arg1 : tensor<?x4x?xf32> to tensor<2x4x5xf32>
// CHECK-NEXT: %cast_1 = tensor.cast %arg2 : tensor<?x3x5xf32> to tensor<2x3x5xf32>
// CHECK-NEXT: %0 = linalg.batch_matmul ins(%cast, %cast_0 : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%cast_1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %cast_2 = tensor.cast %0 : tensor<2x3x5xf32> to tensor<?x3x5xf32>
// CHECK-NEXT: return %cast_2 : tensor<?x3x5xf32>
func.func @batch(%a: tensor<2x?x4xf32>, %b: tensor<?x4x?xf32>, %c: tensor<?x3x5xf32>) -> tensor<?x3x5xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x?x4xf32>, tensor<?x4x?xf32>) outs(%c : tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
  return %0 : tensor<?x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @trd(%arg0: tensor<?x3xf32>, %arg1: tensor<3x?xf32>, %arg2: tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<?x?xf32>)
// CHECK-NEXT: %transposed = linalg.transpose ins(%arg0 : tensor<?x3xf32>) outs(%arg1 : tensor<3x?xf32>) permutation = [1, 0]
// CHECK-NEXT: %transposed_0 = linalg.transpose ins(%arg0 : tensor<?x3xf32>) outs(%arg2 : tensor<3x?xf32>) permutation = [1, 0]
// CHECK-NEXT: %cast = tensor.cast %transposed_0 : tensor<3x?xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %transposed, %cast : tensor<3x?xf32>, tensor<?x?xf32>
func.func @trd(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>, %c: tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.transpose ins(%a : tensor<?x3xf32>) outs(%b : tensor<3x?xf32>) permutation = [1, 0]
  %cc = tensor.cast %c : tensor<3x?xf32> to tensor<?x?xf32>
  %aa = tensor.cast %a : tensor<?x3xf32> to tensor<?x?xf32>
  %1 = linalg.transpose ins(%aa : tensor<?x?xf32>) outs(%cc : tensor<?x?xf32>) permutation = [1, 0]
  return %0, %1 : tensor<3x?xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @bcd(%arg0: tensor<?xf32>, %arg1: tensor<?x3x?xf32>, %arg2: tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%arg0 : tensor<?xf32>) outs(%arg2 : tensor<3x?x?xf32>) dimensions = [0, 2]
// CHECK-NEXT: return %broadcasted : tensor<3x?x?xf32>
func.func @bcd(%a: tensor<?xf32>, %b: tensor<?x3x?xf32>, %d: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  %0 = linalg.broadcast ins(%a : tensor<?xf32>) outs(%b : tensor<?x3x?xf32>) dimensions = [1, 2]
  %1 = linalg.transpose ins(%0 : tensor<?x3x?xf32>) outs(%d : tensor<3x?x?xf32>) permutation = [1, 0, 2]
  return %1 : tensor<3x?x?xf32>
}

// -----

// CHECK-LABEL: func.func @insertcast(%arg0: tensor<4xf32>, %arg1: f32, %arg2: index) -> tensor<?xf32>
// CHECK-NEXT: %inserted = tensor.insert %arg1 into %arg0[%arg2] : tensor<4xf32>
// CHECK-NEXT: %cast = tensor.cast %inserted : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @insertcast(%a: tensor<4xf32>, %v: f32, %i: index) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.insert %v into %0[%i] : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @perm(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<4x5xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: linalg.yield %in : f32
// CHECK-NEXT: } -> tensor<4x5xf32>
// CHECK-NEXT: return %0 : tensor<4x5xf32>
func.func @perm(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x5xf32>) outs(%b : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @captured(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: f32) -> tensor<4xf32>
// CHECK-NEXT: %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: linalg.yield %arg2 : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @captured(%a: tensor<4xf32>, %b: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @ops(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: %cast_0 = memref.cast %arg1 : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: linalg.add ins(%arg0, %arg0 : memref<4xf32>, memref<4xf32>) outs(%arg1 : memref<4xf32>)
// CHECK-NEXT: linalg.reduce { arith.addf } ins(%cast : memref<?xf32>) outs(%cast_0 : memref<?xf32>) dimensions = []
// CHECK-NEXT: linalg.broadcast ins(%cast : memref<?xf32>) outs(%cast_0 : memref<?xf32>) dimensions = []
// CHECK-NEXT: linalg.transpose ins(%cast : memref<?xf32>) outs(%cast_0 : memref<?xf32>) permutation = [0]
// CHECK-NEXT: return
func.func @ops(%a: memref<4xf32>, %b: memref<4xf32>) {
  %0 = memref.cast %a : memref<4xf32> to memref<?xf32>
  %1 = memref.cast %b : memref<4xf32> to memref<?xf32>
  linalg.add ins(%0, %0 : memref<?xf32>, memref<?xf32>) outs(%1 : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%0 : memref<?xf32>) outs(%1 : memref<?xf32>) dimensions = []
  linalg.broadcast ins(%0 : memref<?xf32>) outs(%1 : memref<?xf32>) dimensions = []
  linalg.transpose ins(%0 : memref<?xf32>) outs(%1 : memref<?xf32>) permutation = [0]
  linalg.broadcast ins(%0 : memref<?xf32>) outs(%0 : memref<?xf32>) dimensions = []
  return
}

// -----

// CHECK-LABEL: func.func @block(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: i1) -> tensor<?xf32>
// CHECK-NEXT: %0 = linalg.exp ins(%arg0 : tensor<?xf32>) outs(%arg1 : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %1 = scf.if %arg2 -> (tensor<?xf32>) {
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %arg1 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %2 = linalg.exp ins(%cast : tensor<4xf32>) outs(%cast_0 : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %cast_1 = tensor.cast %2 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: scf.yield %cast_1 : tensor<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %0 : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : tensor<?xf32>
func.func @block(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %1 = scf.if %c -> tensor<?xf32> {
    %2 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
    %3 = linalg.exp ins(%2 : tensor<4xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %3 : tensor<?xf32>
  } else {
    scf.yield %0 : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}
