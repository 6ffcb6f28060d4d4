// RUN: ttmlir-opt %s --split-input-file --canonicalize | FileCheck %s

// Tensors and memory, clones, freeing.

// CHECK-LABEL: func.func @tomemref(%arg0: tensor<?xf32>) -> memref<?xf32>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<?xf32> to memref<?xf32>
// CHECK-NEXT: return %0 : memref<?xf32>
func.func @tomemref(%t: tensor<?xf32>) -> memref<?xf32> {
  %0 = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  %1 = bufferization.to_tensor %0 : memref<?xf32> to tensor<?xf32>
  %2 = bufferization.to_buffer %1 : tensor<?xf32> to memref<?xf32>
  return %2 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @tomemref2(%arg0: memref<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %0 = bufferization.to_tensor %arg0 : memref<?xf32> to tensor<?xf32>
// CHECK-NEXT: return %0 : tensor<?xf32>
func.func @tomemref2(%m: memref<?xf32>) -> tensor<?xf32> {
  %1 = bufferization.to_tensor %m : memref<?xf32> to tensor<?xf32>
  %2 = bufferization.to_buffer %1 : tensor<?xf32> to memref<?xf32>
  %3 = bufferization.to_tensor %2 : memref<?xf32> to tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @tomemref3(%arg0: memref<?xf32, strided<[1], offset: 3>>) -> memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<?xf32, strided<[1], offset: 3>> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT: return %cast : memref<?xf32, strided<[1], offset: ?>>
func.func @tomemref3(%m: memref<?xf32, strided<[1], offset: 3>>) -> memref<?xf32, strided<[1], offset: ?>> {
  %1 = bufferization.to_tensor %m : memref<?xf32, strided<[1], offset: 3>> to tensor<?xf32>
  %2 = bufferization.to_buffer %1 : tensor<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  return %2 : memref<?xf32, strided<[1], offset: ?>>
}

// -----

// CHECK-LABEL: func.func @tomemref4(%arg0: memref<?xf32, strided<[1], offset: ?>>) -> memref<?xf32, strided<[1], offset: 3>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %dim = memref.dim %arg0, %c0 : memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %alloc = memref.alloc(%dim) : memref<?xf32, strided<[1], offset: 3>>
// CHECK-NEXT: memref.copy %arg0, %alloc : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: 3>>
// CHECK-NEXT: return %alloc : memref<?xf32, strided<[1], offset: 3>>
func.func @tomemref4(%m: memref<?xf32, strided<[1], offset: ?>>) -> memref<?xf32, strided<[1], offset: 3>> {
  %1 = bufferization.to_tensor %m : memref<?xf32, strided<[1], offset: ?>> to tensor<?xf32>
  %2 = bufferization.to_buffer %1 : tensor<?xf32> to memref<?xf32, strided<[1], offset: 3>>
  return %2 : memref<?xf32, strided<[1], offset: 3>>
}

// -----

// CHECK-LABEL: func.func @tomemref5(%arg0: memref<?xf32, 1>) -> memref<?xf32, 2>
// CHECK-NEXT: %0 = bufferization.to_tensor %arg0 : memref<?xf32, 1> to tensor<?xf32>
// CHECK-NEXT: %1 = bufferization.to_buffer %0 : tensor<?xf32> to memref<?xf32, 2>
// CHECK-NEXT: return %1 : memref<?xf32, 2>
func.func @tomemref5(%m: memref<?xf32, 1>) -> memref<?xf32, 2> {
  %1 = bufferization.to_tensor %m : memref<?xf32, 1> to tensor<?xf32>
  %2 = bufferization.to_buffer %1 : tensor<?xf32> to memref<?xf32, 2>
  return %2 : memref<?xf32, 2>
}

// -----

// CHECK-LABEL: func.func @tomemref6(%arg0: memref<*xf32>) -> memref<*xf32>
// CHECK-NEXT: return %arg0 : memref<*xf32>
func.func @tomemref6(%m: memref<*xf32>) -> memref<*xf32> {
  %1 = bufferization.to_tensor %m : memref<*xf32> to tensor<*xf32>
  %2 = bufferization.to_buffer %1 : tensor<*xf32> to memref<*xf32>
  return %2 : memref<*xf32>
}

// -----

// CHECK-LABEL: func.func @castto(%arg0: tensor<4xf32>) -> memref<?xf32>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<4xf32> to memref<4xf32>
// CHECK-NEXT: %cast = memref.cast %0 : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: return %cast : memref<?xf32>
func.func @castto(%t: tensor<4xf32>) -> memref<?xf32> {
  %c = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %2 = bufferization.to_buffer %c : tensor<?xf32> to memref<?xf32>
  return %2 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @castto2(%arg0: tensor<?xf32>) -> memref<4xf32>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<?xf32> to memref<?xf32>
// CHECK-NEXT: %cast = memref.cast %0 : memref<?xf32> to memref<4xf32>
// CHECK-NEXT: return %cast : memref<4xf32>
func.func @castto2(%t: tensor<?xf32>) -> memref<4xf32> {
  %c = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  %2 = bufferization.to_buffer %c : tensor<4xf32> to memref<4xf32>
  return %2 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @castto3(%arg0: tensor<*xf32>) -> memref<4xf32>
// CHECK-NEXT: %cast = tensor.cast %arg0 : tensor<*xf32> to tensor<4xf32>
// CHECK-NEXT: %0 = bufferization.to_buffer %cast : tensor<4xf32> to memref<4xf32>
// CHECK-NEXT: return %0 : memref<4xf32>
func.func @castto3(%t: tensor<*xf32>) -> memref<4xf32> {
  %c = tensor.cast %t : tensor<*xf32> to tensor<4xf32>
  %2 = bufferization.to_buffer %c : tensor<4xf32> to memref<4xf32>
  return %2 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @loadof(%arg0: tensor<?xf32>, %arg1: index) -> f32
// CHECK-NEXT: %extracted = tensor.extract %arg0[%arg1] : tensor<?xf32>
// CHECK-NEXT: return %extracted : f32
func.func @loadof(%t: tensor<?xf32>, %i: index) -> f32 {
  %2 = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  %3 = memref.load %2[%i] : memref<?xf32>
  return %3 : f32
}

// -----

// CHECK-LABEL: func.func @dimof(%arg0: memref<?xf32>, %arg1: index) -> (index, index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %dim = memref.dim %arg0, %arg1 : memref<?xf32>
// CHECK-NEXT: %dim_0 = memref.dim %arg0, %c0 : memref<?xf32>
// CHECK-NEXT: return %dim, %dim_0 : index, index
func.func @dimof(%t: memref<?xf32>, %i: index) -> (index, index) {
  %2 = bufferization.to_tensor %t : memref<?xf32> to tensor<?xf32>
  %3 = tensor.dim %2, %i : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %4 = tensor.dim %2, %c0 : tensor<?xf32>
  return %3, %4 : index, index
}

// -----

// CHECK-LABEL: func.func @dimof2(%arg0: tensor<?xf32>, %arg1: index) -> index
// CHECK-NEXT: %dim = tensor.dim %arg0, %arg1 : tensor<?xf32>
// CHECK-NEXT: return %dim : index
func.func @dimof2(%t: tensor<?xf32>, %i: index) -> index {
  %2 = bufferization.to_buffer %t : tensor<?xf32> to memref<?xf32>
  %3 = memref.dim %2, %i : memref<?xf32>
  return %3 : index
}

// -----

// CHECK-LABEL: func.func @alloc_tensor(%arg0: tensor<?xf32>, %arg1: index) -> (index, tensor<?x4xf32>)
// CHECK-NEXT: %0 = bufferization.alloc_tensor() : tensor<5x4xf32>
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<5x4xf32> to tensor<?x4xf32>
// CHECK-NEXT: %1 = bufferization.alloc_tensor(%arg1) : tensor<?x4xf32>
// CHECK-NEXT: %2 = bufferization.alloc_tensor() copy(%arg0) : tensor<?xf32>
// CHECK-NEXT: return %arg1, %cast : index, tensor<?x4xf32>
func.func @alloc_tensor(%t: tensor<?xf32>, %i: index) -> (index, tensor<?x4xf32>) {
  %c5 = arith.constant 5 : index
  %c0 = arith.constant 0 : index
  %0 = bufferization.alloc_tensor(%c5) : tensor<?x4xf32>
  %1 = bufferization.alloc_tensor(%i) : tensor<?x4xf32>
  %2 = tensor.dim %1, %c0 : tensor<?x4xf32>
  %3 = bufferization.alloc_tensor() copy(%t) : tensor<?xf32>
  return %2, %0 : index, tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @alloc_tensor2(%arg0: tensor<?xf32>, %arg1: index) -> (index, tensor<?xf32>)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = bufferization.alloc_tensor() copy(%arg0) : tensor<?xf32>
// CHECK-NEXT: %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
// CHECK-NEXT: return %dim, %0 : index, tensor<?xf32>
func.func @alloc_tensor2(%t: tensor<?xf32>, %i: index) -> (index, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %3 = bufferization.alloc_tensor() copy(%t) : tensor<?xf32>
  %2 = tensor.dim %3, %c0 : tensor<?xf32>
  return %2, %3 : index, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @clone(%arg0: memref<?xf32>) -> memref<?xf32>
// CHECK-NEXT: return %arg0 : memref<?xf32>
func.func @clone(%m: memref<?xf32>) -> memref<?xf32> {
  %0 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  return %m : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @clone1(%arg0: memref<?xf32>) -> memref<?xf32>
// CHECK-NEXT: return %arg0 : memref<?xf32>
func.func @clone1(%m: memref<?xf32>) -> memref<?xf32> {
  %0 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @clone2(%arg0: memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT: %0 = bufferization.clone %arg0 : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: %cast = memref.cast %0 : memref<?xf32> to memref<4xf32>
// CHECK-NEXT: return %cast : memref<4xf32>
func.func @clone2(%m: memref<4xf32>) -> memref<4xf32> {
  %c = memref.cast %m : memref<4xf32> to memref<?xf32>
  %0 = bufferization.clone %c : memref<?xf32> to memref<?xf32>
  %d = memref.cast %0 : memref<?xf32> to memref<4xf32>
  return %d : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @clone3(%arg0: index) -> memref<?xf32>
// CHECK-NEXT: %alloc = memref.alloc(%arg0) : memref<?xf32>
// CHECK-NEXT: return %alloc : memref<?xf32>
func.func @clone3(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  %0 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @clone4(%arg0: index, %arg1: f32) -> memref<?xf32>
// CHECK-NEXT: %alloc = memref.alloc(%arg0) : memref<?xf32>
// CHECK-NEXT: memref.store %arg1, %alloc[%arg0] : memref<?xf32>
// CHECK-NEXT: return %alloc : memref<?xf32>
func.func @clone4(%n: index, %v: f32) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  %0 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  memref.store %v, %m[%n] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @clone5(%arg0: index, %arg1: f32) -> memref<?xf32>
// CHECK-NEXT: %alloc = memref.alloc(%arg0) : memref<?xf32>
// CHECK-NEXT: return %alloc : memref<?xf32>
func.func @clone5(%n: index, %v: f32) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  %0 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  %1 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %1 : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @dealloc_tensor(%arg0: tensor<4xf32>)
// CHECK-NEXT: bufferization.dealloc_tensor %arg0 : tensor<4xf32>
// CHECK-NEXT: return
func.func @dealloc_tensor(%t: tensor<4xf32>) {
  bufferization.dealloc_tensor %t : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @mat(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %0 = bufferization.materialize_in_destination %arg0 in %arg1 : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %0 : tensor<?xf32>
func.func @mat(%t: tensor<4xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %0 = bufferization.materialize_in_destination %c in %d : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @mat1(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %0 = bufferization.materialize_in_destination %arg0 in %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = bufferization.materialize_in_destination %0 in %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %1 : tensor<4xf32>
func.func @mat1(%t: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bufferization.materialize_in_destination %t in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @dealloc(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: i1) -> (i1, i1)
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %0 = bufferization.dealloc (%arg0 : memref<4xf32>) if (%true) retain (%arg1 : memref<4xf32>)
// CHECK-NEXT: return %0, %0 : i1, i1
func.func @dealloc(%m: memref<4xf32>, %n: memref<4xf32>, %c: i1) -> (i1, i1) {
  %t = arith.constant true
  %0:2 = bufferization.dealloc (%m, %m : memref<4xf32>, memref<4xf32>) if (%c, %t) retain (%n, %n : memref<4xf32>, memref<4xf32>)
  return %0#0, %0#1 : i1, i1
}

// -----

// CHECK-LABEL: func.func @dealloc2(%arg0: index, %arg1: i1) -> i1
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %alloc = memref.alloc(%arg0) : memref<?xf32>
// CHECK-NEXT: %0 = bufferization.dealloc (%alloc : memref<?xf32>) if (%true) retain (%alloc : memref<?xf32>)
// CHECK-NEXT: return %0 : i1
func.func @dealloc2(%n: index, %c: i1) -> i1 {
  %t = arith.constant true
  %m = memref.alloc() : memref<4xf32>
  %mm = memref.alloc(%n) : memref<?xf32>
  %b, %o, %s, %st = memref.extract_strided_metadata %mm : memref<?xf32> -> memref<f32>, index, index, index
  %0 = bufferization.dealloc (%m, %b : memref<4xf32>, memref<f32>) if (%t, %t) retain (%mm : memref<?xf32>)
  return %0 : i1
}

// -----

// CHECK-LABEL: func.func @retained(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: i1, %arg3: i1) -> (i1, i1)
// CHECK-NEXT: %0 = bufferization.dealloc (%arg0, %arg1 : memref<4xf32>, memref<4xf32>) if (%arg2, %arg3) retain (%arg0 : memref<4xf32>)
// CHECK-NEXT: return %0, %0 : i1, i1
func.func @retained(%m: memref<4xf32>, %n: memref<4xf32>, %c: i1, %d: i1) -> (i1, i1) {
  %0:2 = bufferization.dealloc (%m, %n : memref<4xf32>, memref<4xf32>) if (%c, %d) retain (%m, %m : memref<4xf32>, memref<4xf32>)
  return %0#0, %0#1 : i1, i1
}

// -----

// CHECK-LABEL: func.func @retained2(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: i1, %arg3: i1) -> (i1, i1)
// CHECK-NEXT: %0:2 = bufferization.dealloc (%arg0, %arg1 : memref<4xf32>, memref<4xf32>) if (%arg2, %arg3) retain (%arg0, %arg1 : memref<4xf32>, memref<4xf32>)
// CHECK-NEXT: return %0#0, %0#1 : i1, i1
func.func @retained2(%m: memref<4xf32>, %n: memref<4xf32>, %c: i1, %d: i1) -> (i1, i1) {
  %0:2 = bufferization.dealloc (%m, %n : memref<4xf32>, memref<4xf32>) if (%c, %d) retain (%m, %n : memref<4xf32>, memref<4xf32>)
  return %0#0, %0#1 : i1, i1
}

// -----

// CHECK-LABEL: func.func @tb(%arg0: tensor<4xf32>) -> memref<?xf32, 1>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<4xf32> to memref<4xf32, 1>
// CHECK-NEXT: %cast = memref.cast %0 : memref<4xf32, 1> to memref<?xf32, 1>
// CHECK-NEXT: return %cast : memref<?xf32, 1>
func.func @tb(%t: tensor<4xf32>) -> memref<?xf32, 1> {
  %c = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %2 = bufferization.to_buffer %c : tensor<?xf32> to memref<?xf32, 1>
  return %2 : memref<?xf32, 1>
}

// -----

// CHECK-LABEL: func.func @tb2(%arg0: tensor<4x4xf32>) -> memref<?x4xf32, strided<[4, 1]>>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<4x4xf32> to memref<4x4xf32>
// CHECK-NEXT: %cast = memref.cast %0 : memref<4x4xf32> to memref<?x4xf32, strided<[4, 1]>>
// CHECK-NEXT: return %cast : memref<?x4xf32, strided<[4, 1]>>
func.func @tb2(%t: tensor<4x4xf32>) -> memref<?x4xf32, strided<[4, 1], offset: 0>> {
  %c = tensor.cast %t : tensor<4x4xf32> to tensor<?x4xf32>
  %2 = bufferization.to_buffer %c : tensor<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 0>>
  return %2 : memref<?x4xf32, strided<[4, 1], offset: 0>>
}

// -----

// CHECK-LABEL: func.func @tb3(%arg0: tensor<4x4xf32>) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: %0 = bufferization.to_buffer %arg0 : tensor<4x4xf32> to memref<4x4xf32>
// CHECK-NEXT: %cast = memref.cast %0 : memref<4x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: return %cast : memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func @tb3(%t: tensor<4x4xf32>) -> memref<?x?xf32, strided<[?, ?], offset: ?>> {
  %c = tensor.cast %t : tensor<4x4xf32> to tensor<?x?xf32>
  %2 = bufferization.to_buffer %c : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %2 : memref<?x?xf32, strided<[?, ?], offset: ?>>
}
