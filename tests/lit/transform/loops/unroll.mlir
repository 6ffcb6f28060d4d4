// Several copies of a body per iteration; the remainder becomes a loop of its own, or its body alone.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @rest(%m: memref<?xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> f32 {
    %v = memref.load %m[%i] : memref<?xf32>
    %s = arith.addf %v, %a : f32
    scf.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 3} : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @rest
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %c6 = arith.constant 6 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %0 = scf.for %arg2 = %c0 to %c6 step %c3 iter_args(%arg3 = %arg1) -> (f32) {
// CHECK-NEXT: %3 = memref.load %arg0[%arg2] : memref<?xf32>
// CHECK-NEXT: %4 = arith.addf %3, %arg3 : f32
// CHECK-NEXT: %c1_0 = arith.constant 1 : index
// CHECK-NEXT: %5 = arith.muli %c1, %c1_0 : index
// CHECK-NEXT: %6 = arith.addi %arg2, %5 : index
// CHECK-NEXT: %7 = memref.load %arg0[%6] : memref<?xf32>
// CHECK-NEXT: %8 = arith.addf %7, %4 : f32
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %9 = arith.muli %c1, %c2 : index
// CHECK-NEXT: %10 = arith.addi %arg2, %9 : index
// CHECK-NEXT: %11 = memref.load %arg0[%10] : memref<?xf32>
// CHECK-NEXT: %12 = arith.addf %11, %8 : f32
// CHECK-NEXT: scf.yield %12 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = memref.load %arg0[%c6] : memref<?xf32>
// CHECK-NEXT: %2 = arith.addf %1, %0 : f32
// CHECK-NEXT: return %2 : f32
// CHECK-NEXT: }

// -----

func.func @dynamic(%from: i32, %to: i32, %step: i32) {
  scf.for %i = %from to %to step %step : i32 {
    "use"(%i) : (i32) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 2} : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: %0 = arith.subi %arg1, %arg0 : i32
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %1 = arith.subi %arg2, %c1_i32 : i32
// CHECK-NEXT: %2 = arith.addi %0, %1 : i32
// CHECK-NEXT: %3 = arith.divui %2, %arg2 : i32
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %4 = arith.remsi %3, %c2_i32 : i32
// CHECK-NEXT: %5 = arith.subi %3, %4 : i32
// CHECK-NEXT: %6 = arith.muli %5, %arg2 : i32
// CHECK-NEXT: %7 = arith.addi %arg0, %6 : i32
// CHECK-NEXT: %8 = arith.muli %arg2, %c2_i32 : i32
// CHECK-NEXT: scf.for %arg3 = %arg0 to %7 step %8  : i32 {
// CHECK-NEXT: "use"(%arg3) : (i32) -> ()
// CHECK-NEXT: %c1_i32_0 = arith.constant 1 : i32
// CHECK-NEXT: %9 = arith.muli %arg2, %c1_i32_0 : i32
// CHECK-NEXT: %10 = arith.addi %arg3, %9 : i32
// CHECK-NEXT: "use"(%10) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %arg3 = %7 to %arg1 step %arg2  : i32 {
// CHECK-NEXT: "use"(%arg3) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @affine(%m: memref<?xf32>, %n: index, %k: index) {
  affine.for %i = %k to %n step 2 {
    %v = affine.load %m[%i] : memref<?xf32>
    "use"(%v, %i) : (f32, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 4} : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1] -> (s0 + (((-s0 + s1) ceildiv 2) floordiv 4) * 8)>
// CHECK: #map1 = affine_map<(d0) -> (d0 + 2)>
// CHECK: #map2 = affine_map<(d0) -> (d0 + 4)>
// CHECK: #map3 = affine_map<(d0) -> (d0 + 6)>
// CHECK-LABEL: func.func @affine
// CHECK-NEXT: affine.for %arg3 = %arg2 to #map()[%arg2, %arg1] step 8 {
// CHECK-NEXT: %0 = affine.load %arg0[%arg3] : memref<?xf32>
// CHECK-NEXT: "use"(%0, %arg3) : (f32, index) -> ()
// CHECK-NEXT: %1 = affine.apply #map1(%arg3)
// CHECK-NEXT: %2 = affine.load %arg0[%1] : memref<?xf32>
// CHECK-NEXT: "use"(%2, %1) : (f32, index) -> ()
// CHECK-NEXT: %3 = affine.apply #map2(%arg3)
// CHECK-NEXT: %4 = affine.load %arg0[%3] : memref<?xf32>
// CHECK-NEXT: "use"(%4, %3) : (f32, index) -> ()
// CHECK-NEXT: %5 = affine.apply #map3(%arg3)
// CHECK-NEXT: %6 = affine.load %arg0[%5] : memref<?xf32>
// CHECK-NEXT: "use"(%6, %5) : (f32, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %arg3 = #map()[%arg2, %arg1] to %arg1 step 2 {
// CHECK-NEXT: %0 = affine.load %arg0[%arg3] : memref<?xf32>
// CHECK-NEXT: "use"(%0, %arg3) : (f32, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @affine_carried(%m: memref<?xf32>, %x: f32) -> f32 {
  %r = affine.for %i = 2 to 12 iter_args(%a = %x) -> f32 {
    %v = affine.load %m[%i] : memref<?xf32>
    %s = arith.addf %v, %a : f32
    affine.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = 3} : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0) -> (d0 + 1)>
// CHECK: #map1 = affine_map<(d0) -> (d0 + 2)>
// CHECK-LABEL: func.func @affine_carried
// CHECK-NEXT: %c11 = arith.constant 11 : index
// CHECK-NEXT: %0 = affine.for %arg2 = 2 to 11 step 3 iter_args(%arg3 = %arg1) -> (f32) {
// CHECK-NEXT: %3 = affine.load %arg0[%arg2] : memref<?xf32>
// CHECK-NEXT: %4 = arith.addf %3, %arg3 : f32
// CHECK-NEXT: %5 = affine.apply #map(%arg2)
// CHECK-NEXT: %6 = affine.load %arg0[%5] : memref<?xf32>
// CHECK-NEXT: %7 = arith.addf %6, %4 : f32
// CHECK-NEXT: %8 = affine.apply #map1(%arg2)
// CHECK-NEXT: %9 = affine.load %arg0[%8] : memref<?xf32>
// CHECK-NEXT: %10 = arith.addf %9, %7 : f32
// CHECK-NEXT: affine.yield %10 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = affine.load %arg0[%c11] : memref<?xf32>
// CHECK-NEXT: %2 = arith.addf %1, %0 : f32
// CHECK-NEXT: return %2 : f32
// CHECK-NEXT: }
