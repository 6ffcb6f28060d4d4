// Rules of the transform dialect's operations for attributes and results.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

module attributes {transform.with_named_sequence} {
transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{'transform.structured.interchange' op expects iterator_interchange to be a permutation, found 1, 1}}
  %0 = transform.structured.interchange %a iterator_interchange = [1, 1] : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{'transform.split_handle' op overflow_result is not a valid result index}}
  %0:2 = transform.split_handle %a {overflow_result = 2} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{'transform.structured.hoist_pad' op expects transpose to be a permutation, found 0, 2}}
  %0 = transform.structured.hoist_pad %a by 1 loops, transpose by [0, 2] : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{'transform.structured.pack_transpose' op "inner_perm" is not a valid permutation}}
  %0:3 = transform.structured.pack_transpose %a with_compute_op(%a) inner_perm = [1, 1] : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{'transform.structured.continuous_tile_sizes' op expects all results type to be the same}}
  %0:2 = "transform.structured.continuous_tile_sizes"(%a) {dimension = 0 : i64, target_size = 4 : i64} : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
  transform.yield
}
}
