// Handles: which are invalid after a step, which lose operations; sequences in sequences, failures that are forgotten.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file --verify-diagnostics | FileCheck %s

func.func @nested(%n: index) {
  // expected-note @+1 {{ancestor payload op}}
  affine.for %i = 0 to %n {
    // expected-note @+1 {{nested payload op}}
    affine.for %j = 0 to %n {
      "use"(%i, %j) : (index, index) -> ()
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %outer = transform.structured.match ops{["affine.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %uses = transform.structured.match ops{["affine.for"]} in %outer : (!transform.any_op) -> !transform.any_op
    // expected-note @+1 {{handle to invalidated ops}}
    %inner, %same = transform.split_handle %uses : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-note @+1 {{invalidated by this transform op that consumes its operand #0 and invalidates all handles to payload IR entities associated with this operand and entities nested in them}}
    transform.loop.unroll %same {factor = 2} : !transform.any_op
    // expected-error @+1 {{op uses a handle invalidated by a previously executed transform op}}
    transform.loop.unroll %inner {factor = 2} : !transform.any_op
    transform.yield
  }
}

// -----

// The first loop has no unrolled form: that is forgotten. The second one is unrolled by the sequence that is included.
func.func @suppressed(%n: index) {
  affine.for %i = 0 to min affine_map<(d0) -> (d0, 10)>(%n) {
    "min"(%i) : (index) -> ()
  } {first}
  affine.for %i = 0 to 6 {
    "use"() : () -> ()
  } {second}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @halve(%loops: !transform.any_op {transform.consumed}) {
    transform.loop.unroll %loops {factor = 2} : !transform.any_op
    transform.yield
  }
  transform.named_sequence @find(%root: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %second = transform.structured.match ops{["affine.for"]} attributes {second} in %root : (!transform.any_op) -> !transform.any_op
    transform.yield %second : !transform.any_op
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %first = transform.structured.match ops{["affine.for"]} attributes {first} in %root : (!transform.any_op) -> !transform.any_op
    transform.include @halve failures(suppress) (%first) : (!transform.any_op) -> ()
    %second = transform.include @find failures(propagate) (%root) : (!transform.any_op) -> !transform.any_op
    %funcs = transform.get_parent_op %second {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    transform.include @halve failures(propagate) (%second) : (!transform.any_op) -> ()
    transform.annotate %funcs "seen" : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @suppressed
// CHECK-SAME: attributes {seen}
// CHECK-NEXT: affine.for
// CHECK-NEXT: "min"
// CHECK-NEXT: } {first}
// CHECK-NEXT: affine.for %{{.*}} = 0 to 6 step 2 {
// CHECK-NEXT: "use"
// CHECK-NEXT: "use"
// CHECK-NEXT: } {second}

// -----

// A handle that names operations which patterns erase names the others afterwards.
func.func @erased(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %dead = arith.addi %x, %x : index
  %sum = arith.addi %x, %c0 : index
  %kept = arith.addi %sum, %sum : index
  return %kept : index
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %sums = transform.structured.match ops{["arith.addi"]} in %root : (!transform.any_op) -> !transform.any_op
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.annotate %sums "left" : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @erased
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %arg0, %arg0 {left} : index
// CHECK-NEXT: return %[[SUM]]

// -----

func.func @several() {
  "one"() : () -> ()
  "one"() : () -> ()
  "one"() : () -> ()
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %all = transform.structured.match ops{["one"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected to contain 2 payloads but it contains 3 payloads}}
    %a, %b = transform.split_handle %all : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
