// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

func.func @aff(%n: index, %k: index, %m: memref<8x8xf32>) {
  affine.for %i = 0 to 8 { %v = affine.load %m[%i + 1, symbol(%k) * 2] : memref<8x8xf32> 
   affine.store %v, %m[%i, %i mod 2] : memref<8x8xf32> }
  affine.for %i = max affine_map<(d0)[s0] -> (d0, s0)>(%n)[%k] to min affine_map<(d0) -> (d0, 8)>(%n) step 2 { }
  affine.for %i = %n to %k {}
  %c = arith.constant 1.0 : f32
  %r:2 = affine.for %i = affine_map<(d0)->(d0+1)>(%n) to 9 iter_args(%a = %c, %b = %c) -> (f32, f32) { affine.yield %a, %b : f32, f32 }
  %z = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%n)[%k]
  %z2 = affine.min affine_map<(d0)[s0] -> (d0 + s0, 4)>(%n)[%k]
  %z1 = affine.max affine_map<() -> (8, 4)>()
  affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%n)[%k] { } else { }
  %ff = affine.if affine_set<(d0) : (d0 >= 0, 5 == d0)>(%n) -> f32 { affine.yield %c : f32 } else { affine.yield %c : f32}
  affine.parallel (%i, %j) = (0, %n) to (8, %k) step (2, 1) { }
  %pp = affine.parallel (%i, %j) = (0, 0) to (8, min(8, %k, %n + 2)) reduce ("addf") -> (f32) { affine.yield %c : f32}
  affine.parallel (%i) = (max(0, %n)) to (8) { }
  affine.prefetch %m[%n, %k + 5], read, locality<3>, data : memref<8x8xf32>
  %v1 = affine.vector_load %m[%n, %k] : memref<8x8xf32>, vector<8xf32>
  affine.vector_store %v1, %m[%n, 0] : memref<8x8xf32>, vector<8xf32>
  return
}

// CHECK: #map = affine_map<(d0)[s0] -> (d0, s0)>
// CHECK: #map1 = affine_map<(d0) -> (d0, 8)>
// CHECK: #map2 = affine_map<(d0) -> (d0 + 1)>
// CHECK: #map3 = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK: #map4 = affine_map<(d0)[s0] -> (d0 + s0, 4)>
// CHECK: #map5 = affine_map<() -> (8, 4)>
// CHECK: #set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
// CHECK: #set1 = affine_set<(d0) : (d0 >= 0, -d0 + 5 == 0)>
// CHECK: func.func @aff(%arg0: index, %arg1: index, %arg2: memref<8x8xf32>) {
// CHECK-NEXT: affine.for %arg3 = 0 to 8 {
// CHECK-NEXT: %7 = affine.load %arg2[%arg3 + 1, symbol(%arg1) * 2] : memref<8x8xf32>
// CHECK-NEXT: affine.store %7, %arg2[%arg3, %arg3 mod 2] : memref<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %arg3 = max #map(%arg0)[%arg1] to min #map1(%arg0) step 2 {
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %arg3 = %arg0 to %arg1 {
// CHECK-NEXT: }
// CHECK-NEXT: %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %0:2 = affine.for %arg3 = #map2(%arg0) to 9 iter_args(%arg4 = %cst, %arg5 = %cst) -> (f32, f32) {
// CHECK-NEXT: affine.yield %arg4, %arg5 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = affine.apply #map3(%arg0)[%arg1]
// CHECK-NEXT: %2 = affine.min #map4(%arg0)[%arg1]
// CHECK-NEXT: %3 = affine.max #map5()
// CHECK-NEXT: affine.if #set(%arg0)[%arg1] {
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: %4 = affine.if #set1(%arg0) -> f32 {
// CHECK-NEXT: affine.yield %cst : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: affine.yield %cst : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.parallel (%arg3, %arg4) = (0, %arg0) to (8, %arg1) step (2, 1) {
// CHECK-NEXT: }
// CHECK-NEXT: %5 = affine.parallel (%arg3, %arg4) = (0, 0) to (8, min(8, %arg1, %arg0 + 2)) reduce ("addf") -> (f32) {
// CHECK-NEXT: affine.yield %cst : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.parallel (%arg3) = (max(0, %arg0)) to (8) {
// CHECK-NEXT: }
// CHECK-NEXT: affine.prefetch %arg2[%arg0, %arg1 + 5], read, locality<3>, data : memref<8x8xf32>
// CHECK-NEXT: %6 = affine.vector_load %arg2[%arg0, %arg1] : memref<8x8xf32>, vector<8xf32>
// CHECK-NEXT: affine.vector_store %6, %arg2[%arg0, 0] : memref<8x8xf32>, vector<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
