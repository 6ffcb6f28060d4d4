// The last iteration, which does less, or the first one, as a loop of its own; minima in both are folded.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @known(%from: index, %to: index, %step: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c4 iter_args(%a = %x) -> f32 {
    %rest = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %c10)[%c4]
    %s = "part"(%i, %rest, %a) : (index, index, f32) -> f32
    scf.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %for = transform.cast %loops : !transform.any_op to !transform.op<"scf.for">
    %a, %b = transform.loop.peel %for : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK: #map = affine_map<() -> (4)>
// CHECK: #map1 = affine_map<(d0) -> (-d0 + 10)>
// CHECK-LABEL: func.func @known
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %0 = scf.for %arg4 = %c0 to %c8 step %c4 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %2 = affine.apply #map()
// CHECK-NEXT: %3 = "part"(%arg4, %2, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = scf.for %arg4 = %c8 to %c10 step %c4 iter_args(%arg5 = %0) -> (f32) {
// CHECK-NEXT: %2 = affine.apply #map1(%arg4)
// CHECK-NEXT: %3 = "part"(%arg4, %2, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : f32
// CHECK-NEXT: }

// -----

func.func @dynamic(%from: index, %to: index, %step: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %from to %to step %step iter_args(%a = %x) -> f32 {
    %rest = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %to)[%step]
    %s = "part"(%i, %rest, %a) : (index, index, f32) -> f32
    scf.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %for = transform.cast %loops : !transform.any_op to !transform.op<"scf.for">
    %a, %b = transform.loop.peel %for : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1, s2] -> (s1 - (s1 - s0) mod s2)>
// CHECK: #map1 = affine_map<()[s0] -> (s0)>
// CHECK: #map2 = affine_map<(d0)[s0] -> (-d0 + s0)>
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %0 = affine.apply #map()[%arg0, %arg1, %arg2]
// CHECK-NEXT: %1 = scf.for %arg4 = %arg0 to %0 step %arg2 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %3 = affine.apply #map1()[%arg2]
// CHECK-NEXT: %4 = "part"(%arg4, %3, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %4 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = scf.for %arg4 = %0 to %arg1 step %arg2 iter_args(%arg5 = %1) -> (f32) {
// CHECK-NEXT: %3 = affine.apply #map2(%arg4)[%arg1]
// CHECK-NEXT: %4 = "part"(%arg4, %3, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %4 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %2 : f32
// CHECK-NEXT: }

// -----

func.func @front(%from: index, %to: index, %step: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c4 iter_args(%a = %x) -> f32 {
    %rest = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %c10)[%c4]
    %s = "part"(%i, %rest, %a) : (index, index, f32) -> f32
    scf.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %for = transform.cast %loops : !transform.any_op to !transform.op<"scf.for">
    %a, %b = transform.loop.peel %for {peel_front = true} : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>
// CHECK-LABEL: func.func @front
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %c4_0 = arith.constant 4 : index
// CHECK-NEXT: %0 = scf.for %arg4 = %c0 to %c4_0 step %c4 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %2 = affine.min #map(%arg4, %c10)[%c4]
// CHECK-NEXT: %3 = "part"(%arg4, %2, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = scf.for %arg4 = %c4_0 to %c10 step %c4 iter_args(%arg5 = %0) -> (f32) {
// CHECK-NEXT: %2 = affine.min #map(%arg4, %c10)[%c4]
// CHECK-NEXT: %3 = "part"(%arg4, %2, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : f32
// CHECK-NEXT: }

// -----

func.func @dynamic_front(%from: index, %to: index, %step: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %from to %to step %step iter_args(%a = %x) -> f32 {
    %rest = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %to)[%step]
    %s = "part"(%i, %rest, %a) : (index, index, f32) -> f32
    scf.yield %s : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %for = transform.cast %loops : !transform.any_op to !transform.op<"scf.for">
    %a, %b = transform.loop.peel %for {peel_front = true} : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK: #map1 = affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>
// CHECK-LABEL: func.func @dynamic_front
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %0 = affine.apply #map()[%arg0, %arg2]
// CHECK-NEXT: %1 = scf.for %arg4 = %arg0 to %0 step %arg2 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %3 = affine.min #map1(%arg4, %arg1)[%arg2]
// CHECK-NEXT: %4 = "part"(%arg4, %3, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %4 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = scf.for %arg4 = %0 to %arg1 step %arg2 iter_args(%arg5 = %1) -> (f32) {
// CHECK-NEXT: %3 = affine.min #map1(%arg4, %arg1)[%arg2]
// CHECK-NEXT: %4 = "part"(%arg4, %3, %arg5) : (index, index, f32) -> f32
// CHECK-NEXT: scf.yield %4 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %2 : f32
// CHECK-NEXT: }
