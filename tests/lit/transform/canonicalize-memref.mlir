// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Canonical forms of operations on memory.

// CHECK-LABEL: func.func @f0(%arg0: memref<4x?xf32>) -> index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: return %c4 : index
func.func @f0(%m: memref<4x?xf32>) -> (index) {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %m, %c0 : memref<4x?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f1(%arg0: index) -> index
// CHECK-NEXT: return %arg0 : index
func.func @f1(%n: index) -> (index) {
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<4x?xf32>
  %0 = memref.dim %m, %c1 : memref<4x?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f2()
// CHECK-NEXT: return
func.func @f2() -> () {
  %m = memref.alloc() : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @f3()
// CHECK-NEXT: return
func.func @f3() -> () {
  %m = memref.alloc() : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @f4(%arg0: f32)
// CHECK-NEXT: return
func.func @f4(%x: f32) -> () {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  memref.store %x, %m[%c0] : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @f5() -> memref<?xf32>
// CHECK-NEXT: %alloc = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %cast = memref.cast %alloc : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: return %cast : memref<?xf32>
func.func @f5() -> (memref<?xf32>) {
  %c4 = arith.constant 4 : index
  %m = memref.alloc(%c4) : memref<?xf32>
  return %m : memref<?xf32>
}

// CHECK-LABEL: func.func @f6() -> memref<?xf32>
// CHECK-NEXT: %alloca = memref.alloca() {alignment = 8 : i64} : memref<4xf32>
// CHECK-NEXT: %cast = memref.cast %alloca : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: return %cast : memref<?xf32>
func.func @f6() -> (memref<?xf32>) {
  %c4 = arith.constant 4 : index
  %m = memref.alloca(%c4) {alignment = 8 : i64} : memref<?xf32>
  return %m : memref<?xf32>
}

// CHECK-LABEL: func.func @f7(%arg0: memref<4xf32>, %arg1: index) -> f32
// CHECK-NEXT: %0 = memref.load %arg0[%arg1] : memref<4xf32>
// CHECK-NEXT: return %0 : f32
func.func @f7(%m: memref<4xf32>, %i: index) -> (f32) {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  %v = memref.load %d[%i] : memref<?xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @f8(%arg0: memref<4xf32>, %arg1: index, %arg2: f32)
// CHECK-NEXT: memref.store %arg2, %arg0[%arg1] : memref<4xf32>
// CHECK-NEXT: return
func.func @f8(%m: memref<4xf32>, %i: index, %v: f32) -> () {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  memref.store %v, %d[%i] : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @f9(%arg0: memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT: return %arg0 : memref<4xf32>
func.func @f9(%m: memref<4xf32>) -> (memref<4xf32>) {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  %e = memref.cast %d : memref<?xf32> to memref<4xf32>
  return %e : memref<4xf32>
}

// CHECK-LABEL: func.func @f10(%arg0: memref<4xf32>) -> memref<*xf32>
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<4xf32> to memref<*xf32>
// CHECK-NEXT: return %cast : memref<*xf32>
func.func @f10(%m: memref<4xf32>) -> (memref<*xf32>) {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  %e = memref.cast %d : memref<?xf32> to memref<*xf32>
  return %e : memref<*xf32>
}

// CHECK-LABEL: func.func @f11(%arg0: memref<?xf32>) -> memref<?xf32>
// CHECK-NEXT: return %arg0 : memref<?xf32>
func.func @f11(%m: memref<?xf32>) -> (memref<?xf32>) {
  %d = memref.cast %m : memref<?xf32> to memref<?xf32>
  return %d : memref<?xf32>
}

// CHECK-LABEL: func.func @f12(%arg0: memref<4xf32>) -> index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: return %c4 : index
func.func @f12(%m: memref<4xf32>) -> (index) {
  %c0 = arith.constant 0 : index
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  %0 = memref.dim %d, %c0 : memref<?xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f13(%arg0: memref<?x?xf32>) -> index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: return %c4 : index
func.func @f13(%m: memref<?x?xf32>) -> (index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = memref.subview %m[0, 0] [%c4, %c4] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %0 = memref.dim %s, %c1 : memref<?x?xf32, strided<[?, 1]>>
  return %0 : index
}

// CHECK-LABEL: func.func @f14(%arg0: memref<8x8xf32>) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: %subview = memref.subview %arg0[0, 1] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 1>>
// CHECK-NEXT: %cast = memref.cast %subview : memref<4x4xf32, strided<[8, 1], offset: 1>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: return %cast : memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func @f14(%m: memref<8x8xf32>) -> (memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = memref.subview %m[%c0, %c1] [%c4, %c4] [%c1, %c1] : memref<8x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %s : memref<?x?xf32, strided<[?, ?], offset: ?>>
}

// CHECK-LABEL: func.func @f15(%arg0: memref<8x8xf32>) -> memref<8x8xf32, strided<[8, 1]>>
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
// CHECK-NEXT: return %cast : memref<8x8xf32, strided<[8, 1]>>
func.func @f15(%m: memref<8x8xf32>) -> (memref<8x8xf32, strided<[8, 1]>>) {
  %s = memref.subview %m[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  return %s : memref<8x8xf32, strided<[8, 1]>>
}

// CHECK-LABEL: func.func @f16(%arg0: memref<8x8xf32>) -> memref<8x8xf32>
// CHECK-NEXT: return %arg0 : memref<8x8xf32>
func.func @f16(%m: memref<8x8xf32>) -> (memref<8x8xf32>) {
  %s = memref.subview %m[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32>
  return %s : memref<8x8xf32>
}

// CHECK-LABEL: func.func @f17(%arg0: memref<8x8xf32>, %arg1: index, %arg2: index) -> memref<?x4xf32, strided<[8, 1], offset: ?>>
// CHECK-NEXT: %subview = memref.subview %arg0[%arg1, 0] [%arg2, 4] [1, 1] : memref<8x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
// CHECK-NEXT: return %subview : memref<?x4xf32, strided<[8, 1], offset: ?>>
func.func @f17(%m: memref<8x8xf32>, %i: index, %n: index) -> (memref<?x4xf32, strided<[8, 1], offset: ?>>) {
  %d = memref.cast %m : memref<8x8xf32> to memref<?x8xf32>
  %s = memref.subview %d[%i, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
  return %s : memref<?x4xf32, strided<[8, 1], offset: ?>>
}

// CHECK-LABEL: func.func @f18(%arg0: memref<4xf32>)
// CHECK-NEXT: return
func.func @f18(%m: memref<4xf32>) -> () {
  memref.copy %m, %m : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @f19(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
// CHECK-NEXT: memref.copy %arg0, %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: return
func.func @f19(%m: memref<4xf32>, %n: memref<4xf32>) -> () {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  memref.copy %d, %n : memref<?xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @f20(%arg0: memref<0xf32>, %arg1: memref<0xf32>)
// CHECK-NEXT: return
func.func @f20(%m: memref<0xf32>, %n: memref<0xf32>) -> () {
  memref.copy %m, %n : memref<0xf32> to memref<0xf32>
  return
}

// CHECK-LABEL: func.func @f21(%arg0: memref<4xf32>)
// CHECK-NEXT: memref.dealloc %arg0 : memref<4xf32>
// CHECK-NEXT: return
func.func @f21(%m: memref<4xf32>) -> () {
  %d = memref.cast %m : memref<4xf32> to memref<?xf32>
  memref.dealloc %d : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @f22(%arg0: memref<2x3x4xf32>) -> memref<24xf32>
// CHECK-NEXT: %collapse_shape = memref.collapse_shape %arg0 {{\[\[}}0, 1, 2]] : memref<2x3x4xf32> into memref<24xf32>
// CHECK-NEXT: return %collapse_shape : memref<24xf32>
func.func @f22(%m: memref<2x3x4xf32>) -> (memref<24xf32>) {
  %0 = memref.collapse_shape %m [[0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
  %1 = memref.collapse_shape %0 [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  return %1 : memref<24xf32>
}

// CHECK-LABEL: func.func @f23(%arg0: memref<24xf32>) -> memref<24xf32>
// CHECK-NEXT: return %arg0 : memref<24xf32>
func.func @f23(%m: memref<24xf32>) -> (memref<24xf32>) {
  %0 = memref.expand_shape %m [[0, 1]] output_shape [6, 4] : memref<24xf32> into memref<6x4xf32>
  %1 = memref.collapse_shape %0 [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  return %1 : memref<24xf32>
}

// CHECK-LABEL: func.func @f24(%arg0: memref<6x4xf32>) -> memref<6x4xf32>
// CHECK-NEXT: return %arg0 : memref<6x4xf32>
func.func @f24(%m: memref<6x4xf32>) -> (memref<6x4xf32>) {
  %0 = memref.collapse_shape %m [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  %1 = memref.expand_shape %0 [[0, 1]] output_shape [6, 4] : memref<24xf32> into memref<6x4xf32>
  return %1 : memref<6x4xf32>
}

// CHECK-LABEL: func.func @f25(%arg0: memref<6x4xf32>) -> memref<4x6xf32, strided<[1, 4]>>
// CHECK-NEXT: %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<6x4xf32> to memref<4x6xf32, strided<[1, 4]>>
// CHECK-NEXT: return %transpose : memref<4x6xf32, strided<[1, 4]>>
func.func @f25(%m: memref<6x4xf32>) -> (memref<4x6xf32, strided<[1, 4]>>) {
  %0 = memref.transpose %m (i, j) -> (j, i) : memref<6x4xf32> to memref<4x6xf32, strided<[1, 4]>>
  return %0 : memref<4x6xf32, strided<[1, 4]>>
}

// CHECK-LABEL: func.func @f26(%arg0: memref<6x4xf32>) -> memref<6x4xf32>
// CHECK-NEXT: %transpose = memref.transpose %arg0 (d0, d1) -> (d0, d1) : memref<6x4xf32> to memref<6x4xf32, strided<[4, 1]>>
// CHECK-NEXT: %cast = memref.cast %transpose : memref<6x4xf32, strided<[4, 1]>> to memref<6x4xf32>
// CHECK-NEXT: return %cast : memref<6x4xf32>
func.func @f26(%m: memref<6x4xf32>) -> (memref<6x4xf32>) {
  %0 = memref.transpose %m (i, j) -> (i, j) : memref<6x4xf32> to memref<6x4xf32, strided<[4, 1]>>
  %1 = memref.cast %0 : memref<6x4xf32, strided<[4, 1]>> to memref<6x4xf32>
  return %1 : memref<6x4xf32>
}

// CHECK-LABEL: func.func @f27(%arg0: memref<16xf32>) -> memref<2x4xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%c0], sizes: [2, 4], strides: [%c4, %c1] : memref<16xf32> to memref<2x4xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: return %reinterpret_cast : memref<2x4xf32, strided<[?, ?], offset: ?>>
func.func @f27(%m: memref<16xf32>) -> (memref<2x4xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %0 = memref.reinterpret_cast %m to offset: [%c0], sizes: [2, 4], strides: [%c4, %c1] : memref<16xf32> to memref<2x4xf32, strided<[?, ?], offset: ?>>
  return %0 : memref<2x4xf32, strided<[?, ?], offset: ?>>
}

// CHECK-LABEL: func.func @f28(%arg0: memref<?xf32>) -> index
// CHECK-NEXT: %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<?xf32> -> index
// CHECK-NEXT: return %intptr : index
func.func @f28(%m: memref<?xf32>) -> (index) {
  %0 = memref.extract_aligned_pointer_as_index %m : memref<?xf32> -> index
  return %0 : index
}

// CHECK-LABEL: func.func @f29(%arg0: memref<2x4xf32>) -> (index, index)
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: return %c4, %c4 : index, index
func.func @f29(%m: memref<2x4xf32>) -> (index, index) {
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<2x4xf32> -> memref<f32>, index, index, index, index, index
  return %s#1, %t#0 : index, index
}

// CHECK-LABEL: func.func @f30(%arg0: index) -> memref<?xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %alloc = memref.alloc() : memref<64xi8>
// CHECK-NEXT: %view = memref.view %alloc[%c0][] : memref<64xi8> to memref<8xi8>
// CHECK-NEXT: %cast = memref.cast %view : memref<8xi8> to memref<?xi8>
// CHECK-NEXT: return %cast : memref<?xi8>
func.func @f30(%n: index) -> (memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = memref.alloc() : memref<64xi8>
  %0 = memref.view %m[%c0][%c8] : memref<64xi8> to memref<?xi8>
  return %0 : memref<?xi8>
}

// CHECK-LABEL: func.func @f31(%arg0: memref<*xf32>) -> index
// CHECK-NEXT: %0 = memref.rank %arg0 : memref<*xf32>
// CHECK-NEXT: return %0 : index
func.func @f31(%m: memref<*xf32>) -> (index) {
  %0 = memref.rank %m : memref<*xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f32(%arg0: memref<4x4xf32>) -> index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: return %c2 : index
func.func @f32(%m: memref<4x4xf32>) -> (index) {
  %0 = memref.rank %m : memref<4x4xf32>
  return %0 : index
}

// CHECK-LABEL: func.func @f33(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index) -> memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT: %subview = memref.subview %arg0[%arg1, 0] [%arg2, %arg2] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT: "test.f"(%arg2) : (index) -> ()
// CHECK-NEXT: return %subview : memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @f33(%m: memref<?x?xf32>, %i: index, %s: index) -> (memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %0 = memref.subview %m[%i, 0] [%s, %s] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %0, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  "test.f"(%d) : (index) -> ()
  return %0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
}

// CHECK-LABEL: func.func @f34(%arg0: index) -> index
// CHECK-NEXT: %alloca = memref.alloca(%arg0) : memref<?xf32>
// CHECK-NEXT: "test.f"(%alloca) : (memref<?xf32>) -> ()
// CHECK-NEXT: return %arg0 : index
func.func @f34(%s: index) -> (index) {
  %c0 = arith.constant 0 : index
  %m = memref.alloca(%s) : memref<?xf32>
  "test.f"(%m) : (memref<?xf32>) -> ()
  %d = memref.dim %m, %c0 : memref<?xf32>
  return %d : index
}

// CHECK-LABEL: func.func @f35()
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: return
func.func @f35() -> () {
  memref.alloca_scope {
    "test.f"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @f36() -> memref<4xf32>
// CHECK-NEXT: %0 = memref.get_global @g : memref<4xf32>
// CHECK-NEXT: return %0 : memref<4xf32>
memref.global @g : memref<4xf32>
func.func @f36() -> (memref<4xf32>) {
  %0 = memref.get_global @g : memref<4xf32>
  return %0 : memref<4xf32>
}

// CHECK-LABEL: func.func @f37(%arg0: f32) -> f32
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %alloc = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %arg0, %alloc[%c0] : memref<4xf32>
// CHECK-NEXT: %0 = memref.load %alloc[%c0] : memref<4xf32>
// CHECK-NEXT: return %0 : f32
func.func @f37(%v: f32) -> (f32) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  memref.store %v, %m[%c0] : memref<4xf32>
  %r = memref.load %m[%c0] : memref<4xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @metadata
// CHECK-NEXT: %base_buffer, %offset = memref.extract_strided_metadata %arg0
// CHECK-NEXT: %base_buffer_0, %offset_1, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg1
// CHECK-NEXT: return %base_buffer, %offset, %offset_1, %sizes#1, %strides#0
func.func @metadata(%m: memref<f32, strided<[], offset: ?>>, %n: memref<?x?xf32, strided<[?, ?], offset: ?>>) -> (memref<f32>, index, index, index, index) {
  %b, %o = memref.extract_strided_metadata %m : memref<f32, strided<[], offset: ?>> -> memref<f32>, index
  %b2, %o2, %s:2, %t:2 = memref.extract_strided_metadata %n : memref<?x?xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
  return %b, %o, %o2, %s#1, %t#0 : memref<f32>, index, index, index, index
}
