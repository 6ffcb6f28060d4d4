// RUN: ttmlir-opt %s --canonicalize | FileCheck %s

// Canonical forms of operations on tensors.

// CHECK-LABEL: func.func @f0(%arg0: tensor<4x?xf32>) -> index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: return %c4 : index
func.func @f0(%t: tensor<4x?xf32>) -> (index) {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %t, %c0 : tensor<4x?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f1(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %arg0 : tensor<4xf32>
func.func @f1(%t: tensor<4xf32>) -> (tensor<4xf32>) {
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f2(%arg0: tensor<?x4xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %cast = tensor.cast %arg0 : tensor<?x4xf32> to tensor<4x4xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %cast : tensor<4x4xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast_0 : tensor<?x?xf32>
func.func @f2(%t: tensor<?x4xf32>) -> (tensor<?x?xf32>) {
  %0 = tensor.cast %t : tensor<?x4xf32> to tensor<4x4xf32>
  %1 = tensor.cast %0 : tensor<4x4xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @f3(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %arg0 : tensor<4xf32>
func.func @f3(%t: tensor<4xf32>) -> (tensor<4xf32>) {
  %0 = tensor.cast %t : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f4(%arg0: tensor<4xf32>, %arg1: index) -> f32
// CHECK-NEXT: %extracted = tensor.extract %arg0[%arg1] : tensor<4xf32>
// CHECK-NEXT: return %extracted : f32
func.func @f4(%t: tensor<4xf32>, %i: index) -> (f32) {
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.extract %0[%i] : tensor<?xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @f5() -> f32
// CHECK-NEXT: %cst = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: return %cst : f32
func.func @f5() -> (f32) {
  %c1 = arith.constant 1 : index
  %t = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = tensor.extract %t[%c1] : tensor<3xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @f6(%arg0: index) -> f32
// CHECK-NEXT: %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: return %cst : f32
func.func @f6(%i: index) -> (f32) {
  %t = arith.constant dense<1.0> : tensor<3xf32>
  %1 = tensor.extract %t[%i] : tensor<3xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @f7(%arg0: f32, %arg1: f32) -> f32
// CHECK-NEXT: return %arg1 : f32
func.func @f7(%a: f32, %b: f32) -> (f32) {
  %c1 = arith.constant 1 : index
  %t = tensor.from_elements %a, %b : tensor<2xf32>
  %1 = tensor.extract %t[%c1] : tensor<2xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @f8(%arg0: f32, %arg1: f32, %arg2: f32, %arg3: f32) -> f32
// CHECK-NEXT: return %arg2 : f32
func.func @f8(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %t = tensor.from_elements %a, %b, %c, %d : tensor<2x2xf32>
  %1 = tensor.extract %t[%c1, %c0] : tensor<2x2xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @f9() -> tensor<2xf32>
// CHECK-NEXT: %cst = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %cst : tensor<2xf32>
func.func @f9() -> (tensor<2xf32>) {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %t = tensor.from_elements %a, %b : tensor<2xf32>
  return %t : tensor<2xf32>
}

// CHECK-LABEL: func.func @f10(%arg0: f32, %arg1: index) -> f32
// CHECK-NEXT: return %arg0 : f32
func.func @f10(%a: f32, %i: index) -> (f32) {
  %t = tensor.splat %a : tensor<2xf32>
  %0 = tensor.extract %t[%i] : tensor<2xf32>
  return %0 : f32
}

// CHECK-LABEL: func.func @f11() -> tensor<2xf32>
// CHECK-NEXT: %cst = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %cst : tensor<2xf32>
func.func @f11() -> (tensor<2xf32>) {
  %a = arith.constant 1.0 : f32
  %t = tensor.splat %a : tensor<2xf32>
  return %t : tensor<2xf32>
}

// CHECK-LABEL: func.func @f12(%arg0: index) -> index
// CHECK-NEXT: return %arg0 : index
func.func @f12(%n: index) -> (index) {
  %c0 = arith.constant 0 : index
  %t = tensor.empty(%n) : tensor<?xf32>
  %0 = tensor.dim %t, %c0 : tensor<?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f13() -> tensor<?xf32>
// CHECK-NEXT: %0 = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @f13() -> (tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %t = tensor.empty(%c4) : tensor<?xf32>
  return %t : tensor<?xf32>
}

// CHECK-LABEL: func.func @f14(%arg0: index) -> tensor<4xf32>
// CHECK-NEXT: %0 = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @f14(%n: index) -> (tensor<4xf32>) {
  %t = tensor.empty(%n) : tensor<?xf32>
  %0 = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f15() -> tensor<2xf32>
// CHECK-NEXT: %0 = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK-NEXT: return %extracted_slice : tensor<2xf32>
func.func @f15() -> (tensor<2xf32>) {
  %t = tensor.empty() : tensor<4xf32>
  %0 = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @f16(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %arg0 : tensor<4xf32>
func.func @f16(%t: tensor<4xf32>) -> (tensor<4xf32>) {
  %0 = tensor.extract_slice %t[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f17(%arg0: tensor<8x8xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg0[0, 1] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
// CHECK-NEXT: %cast = tensor.cast %extracted_slice : tensor<4x4xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @f17(%t: tensor<8x8xf32>) -> (tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %t[%c0, %c1] [%c4, %c4] [%c1, %c1] : tensor<8x8xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @f18(%arg0: tensor<8x8xf32>, %arg1: index) -> tensor<4x4xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg0[%arg1, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
// CHECK-NEXT: return %extracted_slice : tensor<4x4xf32>
func.func @f18(%t: tensor<8x8xf32>, %i: index) -> (tensor<4x4xf32>) {
  %d = tensor.cast %t : tensor<8x8xf32> to tensor<?x8xf32>
  %0 = tensor.extract_slice %d[%i, 0] [4, 4] [1, 1] : tensor<?x8xf32> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @f19() -> tensor<2xf32>
// CHECK-NEXT: %cst = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %cst : tensor<2xf32>
func.func @f19() -> (tensor<2xf32>) {
  %t = arith.constant dense<1.0> : tensor<4xf32>
  %0 = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @f20() -> tensor<2xf32>
// CHECK-NEXT: %cst = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %cst[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK-NEXT: return %extracted_slice : tensor<2xf32>
func.func @f20() -> (tensor<2xf32>) {
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @f21(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %arg0 : tensor<4xf32>
func.func @f21(%s: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>) {
  %0 = tensor.insert_slice %s into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f22(%arg0: tensor<?x?xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %cast = tensor.cast %arg0 : tensor<?x?xf32> to tensor<4x4xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %cast into %arg1[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
// CHECK-NEXT: return %inserted_slice : tensor<8x8xf32>
func.func @f22(%s: tensor<?x?xf32>, %t: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.insert_slice %s into %t[%c0, %c0] [%c4, %c4] [1, 1] : tensor<?x?xf32> into tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @f23(%arg0: tensor<4x4xf32>, %arg1: tensor<8x8xf32>, %arg2: index) -> tensor<8x8xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %arg0 into %arg1[%arg2, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
// CHECK-NEXT: return %inserted_slice : tensor<8x8xf32>
func.func @f23(%s: tensor<4x4xf32>, %t: tensor<8x8xf32>, %i: index) -> (tensor<8x8xf32>) {
  %d = tensor.cast %s : tensor<4x4xf32> to tensor<?x?xf32>
  %c4 = arith.constant 4 : index
  %0 = tensor.insert_slice %d into %t[%i, 0] [%c4, %c4] [1, 1] : tensor<?x?xf32> into tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @f24(%arg0: tensor<2x3x4xf32>) -> tensor<24xf32>
// CHECK-NEXT: %collapsed = tensor.collapse_shape %arg0 {{\[\[}}0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
// CHECK-NEXT: return %collapsed : tensor<24xf32>
func.func @f24(%t: tensor<2x3x4xf32>) -> (tensor<24xf32>) {
  %0 = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: func.func @f25(%arg0: tensor<24xf32>) -> tensor<24xf32>
// CHECK-NEXT: return %arg0 : tensor<24xf32>
func.func @f25(%t: tensor<24xf32>) -> (tensor<24xf32>) {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: func.func @f26(%arg0: tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: return %arg0 : tensor<6x4xf32>
func.func @f26(%t: tensor<6x4xf32>) -> (tensor<6x4xf32>) {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @f27(%arg0: tensor<24xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %expanded = tensor.expand_shape %arg0 {{\[\[}}0, 1, 2]] output_shape [2, 3, 4] : tensor<24xf32> into tensor<2x3x4xf32>
// CHECK-NEXT: return %expanded : tensor<2x3x4xf32>
func.func @f27(%t: tensor<24xf32>) -> (tensor<2x3x4xf32>) {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @f28() -> tensor<6x4xf32>
// CHECK-NEXT: %cst = arith.constant dense<1.000000e+00> : tensor<6x4xf32>
// CHECK-NEXT: return %cst : tensor<6x4xf32>
func.func @f28() -> (tensor<6x4xf32>) {
  %t = arith.constant dense<1.0> : tensor<24xf32>
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @f29(%arg0: f32) -> tensor<6x4xf32>
// CHECK-NEXT: %splat = tensor.splat %arg0 : tensor<6x4xf32>
// CHECK-NEXT: return %splat : tensor<6x4xf32>
func.func @f29(%a: f32) -> (tensor<6x4xf32>) {
  %t = tensor.splat %a : tensor<24xf32>
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @f30(%arg0: f32) -> tensor<24xf32>
// CHECK-NEXT: %splat = tensor.splat %arg0 : tensor<24xf32>
// CHECK-NEXT: return %splat : tensor<24xf32>
func.func @f30(%a: f32) -> (tensor<24xf32>) {
  %t = tensor.splat %a : tensor<6x4xf32>
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  return %0 : tensor<24xf32>
}

// CHECK-LABEL: func.func @f31(%arg0: tensor<2x3xf32>, %arg1: f32) -> tensor<2x3xf32>
// CHECK-NEXT: return %arg0 : tensor<2x3xf32>
func.func @f31(%t: tensor<2x3xf32>, %v: f32) -> (tensor<2x3xf32>) {
  %0 = tensor.pad %t low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x3xf32> to tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @f32(%arg0: tensor<2x3xf32>, %arg1: f32) -> tensor<?x?xf32>
// CHECK-NEXT: %padded = tensor.pad %arg0 low[1, 1] high[0, 1] {
// CHECK: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %arg1 : f32
// CHECK-NEXT: } : tensor<2x3xf32> to tensor<3x5xf32>
// CHECK-NEXT: %cast = tensor.cast %padded : tensor<3x5xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @f32(%t: tensor<2x3xf32>, %v: f32) -> (tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %0 = tensor.pad %t low[%c1, %c1] high[0, %c1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @f33(%arg0: tensor<2x3xf32>, %arg1: f32) -> tensor<?x?xf32>
// CHECK-NEXT: %padded = tensor.pad %arg0 low[1, 1] high[0, 0] {
// CHECK: ^bb0(%arg2: index, %arg3: index):
// CHECK-NEXT: tensor.yield %arg1 : f32
// CHECK-NEXT: } : tensor<2x3xf32> to tensor<3x4xf32>
// CHECK-NEXT: %cast = tensor.cast %padded : tensor<3x4xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %cast : tensor<?x?xf32>
func.func @f33(%t: tensor<2x3xf32>, %v: f32) -> (tensor<?x?xf32>) {
  %d = tensor.cast %t : tensor<2x3xf32> to tensor<?x?xf32>
  %0 = tensor.pad %d low[1, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @f34() -> tensor<?xindex>
// CHECK-NEXT: %generated = tensor.generate  {
// CHECK: ^bb0(%arg0: index):
// CHECK-NEXT: tensor.yield %arg0 : index
// CHECK-NEXT: } : tensor<4xindex>
// CHECK-NEXT: %cast = tensor.cast %generated : tensor<4xindex> to tensor<?xindex>
// CHECK-NEXT: return %cast : tensor<?xindex>
func.func @f34() -> (tensor<?xindex>) {
  %c4 = arith.constant 4 : index
  %0 = tensor.generate %c4 {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex>
  return %0 : tensor<?xindex>
}

// CHECK-LABEL: func.func @f35(%arg0: index) -> index
// CHECK-NEXT: %0 = arith.addi %arg0, %arg0 : index
// CHECK-NEXT: return %0 : index
func.func @f35(%k: index) -> (index) {
  %c4 = arith.constant 4 : index
  %0 = tensor.generate {
  ^bb0(%i: index):
    %j = arith.addi %i, %i : index
    tensor.yield %j : index
  } : tensor<8xindex>
  %1 = tensor.extract %0[%k] : tensor<8xindex>
  return %1 : index
}

// CHECK-LABEL: func.func @f36(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32>
// CHECK-NEXT: %cst = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: return %cst : tensor<4xf32>
func.func @f36(%t: tensor<4xf32>, %v: f32) -> (tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %x = arith.constant 1.0 : f32
  %0 = tensor.insert %x into %c[%c1] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f37(%arg0: tensor<?x?xf32>) -> index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: return %c2 : index
func.func @f37(%t: tensor<?x?xf32>) -> (index) {
  %0 = tensor.rank %t : tensor<?x?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f38(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>) -> tensor<2x2xf32>
// CHECK-NEXT: %reshape = tensor.reshape %arg0(%arg1) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %reshape : tensor<2x2xf32>
func.func @f38(%t: tensor<4xf32>, %s: tensor<2xi32>) -> (tensor<2x2xf32>) {
  %0 = tensor.reshape %t(%s) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @f39(%arg0: tensor<?x?xf32>, %arg1: index, %arg2: index) -> index
// CHECK-NEXT: return %arg2 : index
func.func @f39(%t: tensor<?x?xf32>, %i: index, %s: index) -> (index) {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %t[%i, 0] [%s, 4] [1, 1] : tensor<?x?xf32> to tensor<?x4xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x4xf32>
  return %1 : index
}

// CHECK-LABEL: func.func @f40(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>, %arg2: index) -> tensor<4xf32>
// CHECK-NEXT: return %arg1 : tensor<4xf32>
func.func @f40(%t: tensor<?xf32>, %u: tensor<4xf32>, %i: index) -> (tensor<4xf32>) {
  %0 = tensor.extract_slice %u[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %1 = tensor.insert_slice %0 into %u[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f41(%arg0: tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %0 = tensor.bitcast %arg0 : tensor<i32> to tensor<f32>
// CHECK-NEXT: return %0 : tensor<f32>
func.func @f41(%t: tensor<i32>) -> (tensor<f32>) {
  %0 = tensor.bitcast %t : tensor<i32> to tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @f42(%arg0: tensor<8xf32>) -> tensor<2xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg0[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: %extracted_slice_0 = tensor.extract_slice %extracted_slice[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK-NEXT: return %extracted_slice_0 : tensor<2xf32>
func.func @f42(%t: tensor<8xf32>) -> (tensor<2xf32>) {
  %0 = tensor.extract_slice %t[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @f43(%arg0: tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg0[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> to tensor<4xf32>
// CHECK-NEXT: return %extracted_slice : tensor<4xf32>
func.func @f43(%t: tensor<4x1xf32>) -> (tensor<4xf32>) {
  %0 = tensor.extract_slice %t[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f44(%arg0: tensor<?xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
// CHECK-NEXT: %expanded = tensor.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [%dim, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK-NEXT: return %expanded : tensor<?x1xf32>
func.func @f44(%t: tensor<?xf32>) -> (tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [%d, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @f45(%arg0: tensor<4xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<4xf32>
// CHECK-NEXT: %concat = tensor.concat dim(0) %arg1, %arg2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %concat : tensor<4xf32>
func.func @f45(%t: tensor<4xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>) {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @f46(%arg0: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %arg0 : tensor<2xf32>
func.func @f46(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %0 = tensor.concat dim(0) %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
