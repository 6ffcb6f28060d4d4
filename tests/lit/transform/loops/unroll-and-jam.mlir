// Iterations of an outer loop are merged inside its inner loops.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @jam(%n: index, %x: f32, %m: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    "a"(%i) : (index) -> ()
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
      %v = memref.load %m[%i, %j] : memref<?x?xf32>
      %s = arith.addf %a, %v : f32
      scf.yield %s : f32
    }
    "b"(%i, %q) : (index, f32) -> ()
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll_and_jam %outer {factor = 2} : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @jam
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c2_0 = arith.constant 2 : index
// CHECK-NEXT: scf.for %arg3 = %c0 to %c8 step %c2_0 {
// CHECK-NEXT: "a"(%arg3) : (index) -> ()
// CHECK-NEXT: %c1_1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.addi %arg3, %c1_1 : index
// CHECK-NEXT: "a"(%0) : (index) -> ()
// CHECK-NEXT: %1:2 = scf.for %arg4 = %c0 to %arg0 step %c1 iter_args(%arg5 = %arg1, %arg6 = %arg1) -> (f32, f32) {
// CHECK-NEXT: %3 = memref.load %arg2[%arg3, %arg4] : memref<?x?xf32>
// CHECK-NEXT: %4 = arith.addf %arg5, %3 : f32
// CHECK-NEXT: %c1_3 = arith.constant 1 : index
// CHECK-NEXT: %5 = arith.addi %arg3, %c1_3 : index
// CHECK-NEXT: %6 = memref.load %arg2[%5, %arg4] : memref<?x?xf32>
// CHECK-NEXT: %7 = arith.addf %arg6, %6 : f32
// CHECK-NEXT: scf.yield %4, %7 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: "b"(%arg3, %1#0) : (index, f32) -> ()
// CHECK-NEXT: %c1_2 = arith.constant 1 : index
// CHECK-NEXT: %2 = arith.addi %arg3, %c1_2 : index
// CHECK-NEXT: "b"(%2, %1#1) : (index, f32) -> ()
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @affine(%n: index) {
  affine.for %i = 0 to 10 {
    "a"(%i) : (index) -> ()
    affine.for %j = 0 to %n {
      "b"(%i, %j) : (index, index) -> ()
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["affine.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll_and_jam %outer {factor = 3} : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0) -> (d0 + 1)>
// CHECK: #map1 = affine_map<(d0) -> (d0 + 2)>
// CHECK-LABEL: func.func @affine
// CHECK-NEXT: %c9 = arith.constant 9 : index
// CHECK-NEXT: affine.for %arg1 = 0 to 9 step 3 {
// CHECK-NEXT: "a"(%arg1) : (index) -> ()
// CHECK-NEXT: %0 = affine.apply #map(%arg1)
// CHECK-NEXT: "a"(%0) : (index) -> ()
// CHECK-NEXT: %1 = affine.apply #map1(%arg1)
// CHECK-NEXT: "a"(%1) : (index) -> ()
// CHECK-NEXT: affine.for %arg2 = 0 to %arg0 {
// CHECK-NEXT: "b"(%arg1, %arg2) : (index, index) -> ()
// CHECK-NEXT: %2 = affine.apply #map(%arg1)
// CHECK-NEXT: "b"(%2, %arg2) : (index, index) -> ()
// CHECK-NEXT: %3 = affine.apply #map1(%arg1)
// CHECK-NEXT: "b"(%3, %arg2) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: } {outer}
// CHECK-NEXT: "a"(%c9) : (index) -> ()
// CHECK-NEXT: affine.for %arg1 = 0 to %arg0 {
// CHECK-NEXT: "b"(%c9, %arg1) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
