// Two loops with equal iterations become one.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @first(%t: tensor<8xf32>, %n: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    %s = arith.addf %a, %a : f32
    scf.yield %s : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    "use"(%i) : (index) -> ()
    %s = arith.mulf %a, %a : f32
    scf.yield %s : f32
  }
  return %r, %q : f32, f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %one = transform.loop.fuse_sibling %a into %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @first
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0:2 = scf.for %arg3 = %c0 to %arg1 step %c1 iter_args(%arg4 = %arg2, %arg5 = %arg2) -> (f32, f32) {
// CHECK-NEXT: %1 = arith.addf %arg4, %arg4 : f32
// CHECK-NEXT: "use"(%arg3) : (index) -> ()
// CHECK-NEXT: %2 = arith.mulf %arg5, %arg5 : f32
// CHECK-NEXT: scf.yield %1, %2 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: return %0#0, %0#1 : f32, f32
// CHECK-NEXT: }

// -----

func.func @second(%t: tensor<8xf32>, %n: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    %s = arith.addf %a, %a : f32
    scf.yield %s : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    "use"(%i) : (index) -> ()
    %s = arith.mulf %a, %a : f32
    scf.yield %s : f32
  }
  return %r, %q : f32, f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %one = transform.loop.fuse_sibling %b into %a : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @second
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0:2 = scf.for %arg3 = %c0 to %arg1 step %c1 iter_args(%arg4 = %arg2, %arg5 = %arg2) -> (f32, f32) {
// CHECK-NEXT: "use"(%arg3) : (index) -> ()
// CHECK-NEXT: %1 = arith.mulf %arg4, %arg4 : f32
// CHECK-NEXT: %2 = arith.addf %arg5, %arg5 : f32
// CHECK-NEXT: scf.yield %1, %2 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: return %0#1, %0#0 : f32, f32
// CHECK-NEXT: }

// -----

func.func @forall(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<8xf32> {
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  %q = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<8xf32> {
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r, %q : tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %one = transform.loop.fuse_sibling %a into %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @forall
// CHECK-NEXT: %0:2 = scf.forall (%arg1) in (8) shared_outs(%arg2 = %arg0, %arg3 = %arg0) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg2[%arg1] [1] [1] : tensor<8xf32> to tensor<1xf32>
// CHECK-NEXT: %extracted_slice_0 = tensor.extract_slice %arg3[%arg1] [1] [1] : tensor<8xf32> to tensor<1xf32>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %extracted_slice into %arg2[%arg1] [1] [1] : tensor<1xf32> into tensor<8xf32>
// CHECK-NEXT: tensor.parallel_insert_slice %extracted_slice_0 into %arg3[%arg1] [1] [1] : tensor<1xf32> into tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: }
