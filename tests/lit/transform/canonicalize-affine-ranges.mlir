// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | FileCheck %s

// Divisions and remainders that loops' bounds make superfluous; loops and conditions on constants.

// CHECK-LABEL: func.func @range(%arg0: memref<100xf32>, %arg1: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: affine.for %arg2 = 0 to 10 {
// CHECK-NEXT: %0 = affine.min #map(%arg2)
// CHECK-NEXT: %1 = affine.max #map1(%arg2)
// CHECK-NEXT: "test.use"(%c0, %arg2, %0, %1) : (index, index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @range(%m: memref<100xf32>, %n: index) {
  affine.for %i = 0 to 10 {
    %0 = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 mod 16)>(%i)
    %2 = affine.min affine_map<(d0) -> (d0 + 5, 100)>(%i)
    %3 = affine.max affine_map<(d0) -> (d0, 0)>(%i)
    "test.use"(%0, %1, %2, %3) : (index, index, index, index) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @loops(%arg0: memref<100xf32>, %arg1: index) -> f32
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: affine.for %arg2 = 0 to 0 {
// CHECK-NEXT: "test.use"(%arg2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %arg2 = 0 to 1 {
// CHECK-NEXT: "test.use"(%arg2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return %cst : f32
func.func @loops(%m: memref<100xf32>, %n: index) -> f32 {
  %c = arith.constant 0.0 : f32
  affine.for %i = 0 to 0 {
    "test.use"(%i) : (index) -> ()
  }
  affine.for %i = 0 to 10 {
  }
  %0 = affine.for %i = 0 to 10 iter_args(%x = %c) -> f32 {
    affine.yield %x : f32
  }
  %1 = affine.for %i = 10 to 5 iter_args(%x = %c) -> f32 {
    %y = arith.addf %x, %x : f32
    affine.yield %y : f32
  }
  affine.for %i = 0 to 1 {
    "test.use"(%i) : (index) -> ()
  }
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// -----

// CHECK-LABEL: func.func @minmax(%arg0: index, %arg1: index) -> (index, index, index, index)
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = affine.min #map()[%arg0]
// CHECK-NEXT: %1 = affine.max #map1()[%arg1, %arg0]
// CHECK-NEXT: return %0, %1, %c4, %arg1 : index, index, index, index
func.func @minmax(%n: index, %k: index) -> (index, index, index, index) {
  %c3 = arith.constant 3 : index
  %0 = affine.min affine_map<(d0) -> (d0, 7, 9)>(%n)
  %1 = affine.max affine_map<(d0)[s0] -> (d0, s0, d0)>(%n)[%k]
  %2 = affine.min affine_map<(d0) -> (d0 + 1, 7)>(%c3)
  %3 = affine.max affine_map<()[s0] -> (s0)>()[%k]
  return %0, %1, %2, %3 : index, index, index, index
}

// -----

// CHECK-LABEL: func.func @par(%arg0: memref<100xf32>)
// CHECK-NEXT: affine.parallel (%arg1, %arg2) = (0, 0) to (1, 10) {
// CHECK-NEXT: "test.use"(%arg1, %arg2) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @par(%m: memref<100xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1, 10) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  affine.parallel (%i) = (0) to (10) {
  }
  return
}

// -----

// CHECK-LABEL: func.func @pref(%arg0: memref<10xf32>)
// CHECK-NEXT: affine.for %arg1 = 0 to 10 {
// CHECK-NEXT: affine.prefetch %arg0[%arg1], read, locality<3>, data : memref<10xf32>
// CHECK-NEXT: %0 = affine.load %arg0[%arg1] : memref<10xf32>
// CHECK-NEXT: affine.store %0, %arg0[%arg1] : memref<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @pref(%m: memref<10xf32>) {
  %c = memref.cast %m : memref<10xf32> to memref<?xf32>
  affine.for %i = 0 to 10 {
    affine.prefetch %c[%i], read, locality<3>, data : memref<?xf32>
    %v = affine.load %c[%i] : memref<?xf32>
    affine.store %v, %c[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @more(%arg0: memref<100xf32>, %arg1: index)
// CHECK-NEXT: affine.for %arg2 = 3 to 10 step 2 {
// CHECK-NEXT: affine.for %arg3 = -4 to 4 {
// CHECK-NEXT: %0 = affine.apply #map(%arg2, %arg3)
// CHECK-NEXT: %1 = affine.apply #map1(%arg2, %arg3)
// CHECK-NEXT: %2 = affine.load %arg0[%arg2 * 3] : memref<100xf32>
// CHECK-NEXT: %3 = affine.apply #map2(%arg3)
// CHECK-NEXT: %4 = affine.apply #map3(%arg2)
// CHECK-NEXT: affine.for %arg4 = #map4(%arg2) to #map5(%arg2) {
// CHECK-NEXT: "test.use"(%0, %1, %2, %3, %4) : (index, index, f32, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %arg2 = 0 to %arg1 {
// CHECK-NEXT: %0 = affine.apply #map4(%arg2)
// CHECK-NEXT: "test.use"(%0) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @more(%m: memref<100xf32>, %n: index) {
  affine.for %i = 3 to 10 step 2 {
    affine.for %j = -4 to 4 {
      %0 = affine.apply affine_map<(d0, d1) -> ((d0 + d1) floordiv 16)>(%i, %j)
      %1 = affine.apply affine_map<(d0, d1) -> ((d0 * 2 + 1) mod 32 + d1 mod 8)>(%i, %j)
      %2 = affine.load %m[(%i * 3) mod 64] : memref<100xf32>
      %3 = affine.apply affine_map<(d0, d1) -> (d1 floordiv 16)>(%i, %j)
      %4 = affine.apply affine_map<(d0, d1) -> ((d0 floordiv 2) mod 8)>(%i, %j)
      affine.for %k = affine_map<(d0) -> (d0 mod 16)>(%i) to affine_map<(d0) -> (d0 floordiv 16 + 100)>(%i) {
        "test.use"(%0, %1, %2, %3, %4) : (index, index, f32, index, index) -> ()
      }
    }
  }
  affine.for %i = 0 to %n {
    %0 = affine.apply affine_map<(d0) -> (d0 mod 16)>(%i)
    "test.use"(%0) : (index) -> ()
  }
  return
}
