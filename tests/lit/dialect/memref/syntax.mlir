// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

func.func @mem(%m: memref<8x4xf32>, %i: index, %f: f32, %s: index, %tag: memref<1xi32>, %k: index, %tt: tensor<?xf32>) {
  %t = memref.transpose %m (i, j) -> (j, i) : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>
  memref.alloca_scope { }
  %z = memref.alloca_scope -> (f32) { memref.alloca_scope.return %f : f32 }
  %x = memref.generic_atomic_rmw %m[%i, %i] : memref<8x4xf32> { ^bb0(%c: f32): 
   memref.atomic_yield %c : f32 }
  memref.prefetch %m[%i, %i], write, locality<2>, data : memref<8x4xf32>
  memref.dma_start %m[%i, %i], %m[%i, %i], %s, %tag[%k] : memref<8x4xf32>, memref<8x4xf32>, memref<1xi32>
  memref.dma_start %m[%i, %i], %m[%i, %i], %s, %tag[%k], %s, %s : memref<8x4xf32>, memref<8x4xf32>, memref<1xi32>
  %0 = bufferization.alloc_tensor(%i) : tensor<?xf32>
  %1 = bufferization.alloc_tensor() copy(%tt) {memory_space = 1 : i64} : tensor<?xf32>
  %2 = bufferization.alloc_tensor(%i) size_hint=%k : tensor<?xf32>
  return
}

func.func @names(%m: memref<8x4xf32>) {
  %0 = memref.assume_alignment %m, 16 : memref<8x4xf32>
  return
}
// CHECK: func.func @mem(%arg0: memref<8x4xf32>, %arg1: index, %arg2: f32, %arg3: index, %arg4: memref<1xi32>, %arg5: index, %arg6: tensor<?xf32>) {
// CHECK-NEXT: %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>
// CHECK-NEXT: memref.alloca_scope  {
// CHECK-NEXT: }
// CHECK-NEXT: %0 = memref.alloca_scope  -> (f32) {
// CHECK-NEXT: memref.alloca_scope.return %arg2 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = memref.generic_atomic_rmw %arg0[%arg1, %arg1] : memref<8x4xf32> {
// CHECK-NEXT: ^bb0(%arg7: f32):
// CHECK-NEXT: memref.atomic_yield %arg7 : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.prefetch %arg0[%arg1, %arg1], write, locality<2>, data : memref<8x4xf32>
// CHECK-NEXT: memref.dma_start %arg0[%arg1, %arg1], %arg0[%arg1, %arg1], %arg3, %arg4[%arg5] : memref<8x4xf32>, memref<8x4xf32>, memref<1xi32>
// CHECK-NEXT: memref.dma_start %arg0[%arg1, %arg1], %arg0[%arg1, %arg1], %arg3, %arg4[%arg5], %arg3, %arg3 : memref<8x4xf32>, memref<8x4xf32>, memref<1xi32>
// CHECK-NEXT: %2 = bufferization.alloc_tensor(%arg1) : tensor<?xf32>
// CHECK-NEXT: %3 = bufferization.alloc_tensor() copy(%arg6) {memory_space = 1 : i64} : tensor<?xf32>
// CHECK-NEXT: %4 = bufferization.alloc_tensor(%arg1) size_hint=%arg5 : tensor<?xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-LABEL: func.func @names
// CHECK-NEXT: %assume_align = memref.assume_alignment %arg0, 16 : memref<8x4xf32>
