// Loops that run once, or never.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @once(%x: f32, %n: index) -> (f32, f32) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c3 to %c4 step %c4 iter_args(%a = %x) -> f32 {
    %s = "use"(%a, %i) : (f32, index) -> f32
    scf.yield %s : f32
  }
  %z = scf.for %i = %n to %n step %c4 iter_args(%a = %x) -> f32 {
    %s = "use"(%a, %i) : (f32, index) -> f32
    scf.yield %s : f32
  }
  return %r, %z : f32, f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.promote_if_one_iteration %loops : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @once
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %0 = "use"(%arg0, %c3) : (f32, index) -> f32
// CHECK-NEXT: return %0, %arg0 : f32, f32
// CHECK-NEXT: }

// -----

func.func @forall(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i, %j) = (3, 0) to (4, 2) step (1, 2) shared_outs(%o = %t) -> tensor<8xf32> {
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.promote_if_one_iteration %loops : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @forall
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg0[%c3] [1] [1] : tensor<8xf32> to tensor<1xf32>
// CHECK-NEXT: %inserted_slice = tensor.insert_slice %extracted_slice into %arg0[%c0] [1] [1] : tensor<1xf32> into tensor<8xf32>
// CHECK-NEXT: return %inserted_slice : tensor<8xf32>
// CHECK-NEXT: }

// -----

func.func @branch(%b: i1, %x: f32) -> f32 {
  %r = scf.if %b -> f32 {
    %s = arith.addf %x, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.if"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.scf.take_assumed_branch %loops take_else_branch : (!transform.any_op) -> ()
    transform.yield
  }
}
// CHECK-LABEL: func.func @branch
// CHECK-NEXT: return %arg1 : f32
// CHECK-NEXT: }
