// Parallel loops as nests of sequential ones, and as each other.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @to_for(%n: index, %s: index) {
  scf.forall (%i, %j) = (0, %n) to (8, %s) step (2, %s) {
    "use"(%i, %j) : (index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %nest:2 = transform.loop.forall_to_for %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK-LABEL: func.func @to_for
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: scf.for %arg2 = %c0 to %c8 step %c2 {
// CHECK-NEXT: scf.for %arg3 = %arg0 to %arg1 step %arg1 {
// CHECK-NEXT: "use"(%arg2, %arg3) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @to_parallel(%n: index, %s: index) {
  scf.forall (%i, %j) = (0, %n) to (8, %s) step (2, %s) {
    "use"(%i, %j) : (index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %p = transform.loop.forall_to_parallel %loops : (!transform.any_op) -> !transform.any_op
    %f = transform.loop.parallel_for_to_nested_fors %p : (!transform.any_op) -> !transform.any_op
    transform.loop.promote_if_one_iteration %f : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @to_parallel
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: scf.for %arg2 = %c0 to %c8 step %c2 {
// CHECK-NEXT: scf.for %arg3 = %arg0 to %arg1 step %arg1 {
// CHECK-NEXT: "use"(%arg2, %arg3) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @parallel(%n: index, %s: index) {
  scf.forall (%i, %j) = (0, %n) to (8, %s) step (2, %s) {
    "use"(%i, %j) : (index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %p = transform.loop.forall_to_parallel %loops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @parallel
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: scf.parallel (%arg2, %arg3) = (%c0, %arg0) to (%c8, %arg1) step (%c2, %arg1) {
// CHECK-NEXT: "use"(%arg2, %arg3) : (index, index) -> ()
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
