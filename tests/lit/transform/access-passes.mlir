// RUN: ttmlir-opt %s --affine-loop-invariant-code-motion | FileCheck %s --check-prefix=HOIST
// RUN: ttmlir-opt %s --fold-memref-alias-ops --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: ttmlir-opt %s --int-range-optimizations | FileCheck %s --check-prefix=RANGE

// A load of what nothing in the loop writes moves out; a load of what is written, a load at
// the loop's index, and a load in a loop that may not run stay.
// HOIST-LABEL: func.func @loads
// HOIST: affine.load %arg0[0]
// HOIST: affine.for
// HOIST: affine.load %arg1[0]
// HOIST: affine.load %arg0[%{{.*}}]
// HOIST: affine.store
// HOIST: affine.for
// HOIST-NEXT: affine.load %arg0[1]
func.func @loads(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[0] : memref<8xf32>
    %1 = affine.load %b[0] : memref<8xf32>
    %2 = affine.load %a[%i] : memref<8xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %2, %3 : f32
    affine.store %4, %b[%i] : memref<8xf32>
  }
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> f32 {
    %0 = affine.load %a[1] : memref<8xf32>
    %1 = arith.addf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %r : f32
}

// The access goes through the part, its parts and the flat view to the whole; a copy of the
// part stays.
// FOLD-LABEL: func.func @views
// FOLD: %[[PART:.*]] = memref.subview %arg0
// FOLD: memref.copy %[[PART]]
// FOLD: %[[ROW:.*]] = affine.apply {{.*}}[%arg2, %arg3]
// FOLD: memref.load %arg0[%[[ROW]], %{{.*}}]
// FOLD-DAG: %[[Y:.*]] = affine.apply {{.*}}[%arg3]
// FOLD-DAG: %[[X:.*]] = affine.apply {{.*}}[%arg3]
// FOLD: memref.store %{{.*}}, %arg1[%{{.*}}, %{{.*}}]
func.func @views(%a: memref<8x8xf32>, %b: memref<4x4xf32>, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %part = memref.subview %a[%i, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
  %flat = memref.collapse_shape %b [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  memref.copy %part, %b : memref<4x4xf32, strided<[8, 1], offset: ?>> to memref<4x4xf32>
  %0 = memref.load %part[%j, %c1] : memref<4x4xf32, strided<[8, 1], offset: ?>>
  memref.store %0, %flat[%j] : memref<16xf32>
  return
}

// RANGE-LABEL: func.func @ranges
// RANGE: scf.for %[[I:.*]] =
// RANGE-NOT: arith.divsi %[[I]]
// RANGE: %[[REST:.*]] = arith.remsi %[[I]], %arg1
// RANGE: func.call @use(%[[I]], %{{.*}}, %[[REST]])
func.func private @use(index, i1, index)
func.func @ranges(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = arith.remsi %i, %c4 : index
    %1 = arith.divsi %i, %c4 : index
    %2 = arith.cmpi slt, %i, %c4 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.remsi %i, %m : index
    func.call @use(%0, %2, %4) : (index, i1, index) -> ()
  }
  return
}
