// Errors of the specification's operations and of this interpreter.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @triangle(%n: index) {
  // expected-note @+1 {{when applied to this op}}
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}
transform.sequence {
  %loops = transform.structured.match ops{["affine.for"]}
  // expected-error @+1 {{failed to tile}}
  %tiled = transform.loop.tile %loops tile_sizes=[2, 2]
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{'transform.loop.tile' op expects tile sizes above 0, got 0}}
  %tiled = transform.loop.tile %root tile_sizes=[2, 0]
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{'transform.loop.hoist_loop_invariant_subsets' op is not executed by the interpreter of transforms}}
  transform.loop.hoist_loop_invariant_subsets %root : !transform.any_op
}

// -----

// expected-error @+1 {{expected 'failures'}}
transform.sequence nothing {
}

// -----

func.func @reduces(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{payload op}}
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    }
  }
  return %r : f32
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %loops = transform.structured.match interface{LoopLikeInterface} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error @+1 {{failed to convert a loop that reduces to nested fors}}
  %one = transform.loop.parallel_for_to_nested_fors %loops : (!transform.any_op) -> !transform.any_op
}
