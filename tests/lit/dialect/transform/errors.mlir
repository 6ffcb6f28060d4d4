// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects either a dynamic or a static split point to be provided}}
  %0 = "transform.structured.split"(%a) <{dimension = 0 : i64, static_chunk_sizes = -9223372036854775808 : i64}> : (!transform.any_op) -> !transform.any_op
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expected at least one match/action pair}}
  %0 = "transform.foreach_match"(%a) <{actions = [], matchers = []}> : (!transform.any_op) -> !transform.any_op
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{dynamic option index 1 is out of bounds for the number of dynamic options: 0}}
  %0 = "transform.apply_registered_pass"(%a) <{options = {x = #transform.param_operand<index = 1 : i64>}, pass_name = "cse"}> : (!transform.any_op) -> !transform.any_op
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects a trailing functional type with one argument and one result}}
  %1:3 = transform.structured.multitile_sizes %a {dimension = 0, target_size = 3} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{failed to verify that all of {handles, replicated} have same type}}
  "transform.replicate"(%a, %a) : (!transform.any_op, !transform.any_op) -> ()
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expected 1 dynamic size values, got 0}}
  %0:3 = "transform.structured.tile_using_for"(%a) <{static_sizes = array<i64: 4, -9223372036854775808>, scalable_sizes = array<i1: false, false>}> : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  %n = transform.param.constant 1 : i64 -> !transform.param<i64>
  // expected-error @+1 {{expected 0 dynamic tile_sizes values, got 1}}
  %0:2 = "transform.structured.tile_using_forall"(%a, %n) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 0>, static_tile_sizes = array<i64: 4>}> : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
}
