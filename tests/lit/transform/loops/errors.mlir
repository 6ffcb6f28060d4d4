// Steps that do not apply, in MLIR's words.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @min(%n: index) {
  affine.for %i = 0 to min affine_map<(d0) -> (d0, 10)>(%n) {
    "use"(%i) : (index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.for"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{failed to unroll}}
    transform.loop.unroll %loops {factor = 4} : !transform.any_op
    transform.yield
  }
}

// -----

func.func @not_a_loop() {
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{failed to unroll, incorrect type of payload}}
    transform.loop.unroll %f {factor = 4} : !transform.any_op
    transform.yield
  }
}

// -----

func.func @jam(%n: index, %m: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      "use"(%i, %j) : (index, index) -> ()
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{failed to unroll and jam}}
    transform.loop.unroll_and_jam %loops {factor = 2} : !transform.any_op
    transform.yield
  }
}

// -----

func.func @even() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c4 {
    "use"(%i) : (index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.op<"scf.for">
    // expected-error @+1 {{failed to peel the last iteration}}
    %a, %b = transform.loop.peel %loops : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @other_kind() {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{payload operation}}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{incompatible payload operation name expected scf.for vs func.return -> "func.return"() : () -> ()}}
    %loops = transform.structured.match ops{["func.return"]} in %root : (!transform.any_op) -> !transform.op<"scf.for">
    transform.yield
  }
}

// -----

func.func @alone(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "use"(%i) : (index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{failed to coalesce}}
    %one = transform.loop.coalesce %loops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @dims() {
  // expected-note @+1 {{payload op}}
  scf.forall (%i, %j) in (8, 4) {
    "use"(%i, %j) : (index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{op expects as many results (1) as payload has induction variables (2)}}
    %one = transform.loop.forall_to_for %loops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-note @+1 {{payload op}}
func.func @parallel() {
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected the payload to be scf.parallel}}
    %one = transform.loop.parallel_for_to_nested_fors %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @chain(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> f32 {
    scf.yield %a : f32
  }
  // expected-error @+1 {{operands of target should be properly dominated by source}}
  %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %r) -> f32 {
    scf.yield %a : f32
  }
  return %q : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %one = transform.loop.fuse_sibling %b into %a : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @branch(%b: i1) {
  scf.if %b {
    "use"() : () -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %if = transform.structured.match ops{["scf.if"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{requires an scf.if op with a single-block `else` region}}
    transform.scf.take_assumed_branch %if take_else_branch : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

func.func @target() {
  // expected-note @+1 {{target op}}
  %c0 = arith.constant 0 : index
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %c = transform.structured.match ops{["arith.constant"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{target must be affine.min or affine.max}}
    transform.affine.simplify_min_max_affine_ops %c : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{'transform.affine.simplify_bounded_affine_ops' op incorrect number of upper bounds, expected 1 but found 2}}
    transform.affine.simplify_bounded_affine_ops %root with [%root : !transform.any_op] within [0] and [1, 2] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{'transform.loop.unroll' op attribute 'factor' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
    transform.loop.unroll %root {factor = 0} : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{'transform.loop.peel' op operand #0 must be Transform IR handle to scf.for operations, but got '!transform.any_op'}}
    %a, %b = transform.loop.peel %root : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
