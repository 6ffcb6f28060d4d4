// Named sequences that include themselves are refused, not carried out without end.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s
// RUN: not ttmlir-opt --split-input-file --transform-interpreter %s

module attributes {transform.with_named_sequence} {
  // expected-error @below {{recursion not allowed in named sequences}}
  transform.named_sequence @self(%a: !transform.any_op {transform.readonly}) {
    transform.include @self failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // expected-note @below {{operation on recursion stack}}
  transform.named_sequence @first(%a: !transform.any_op {transform.readonly}) {
    transform.include @second failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield
  }
  // expected-error @below {{recursion not allowed in named sequences}}
  transform.named_sequence @second(%a: !transform.any_op {transform.readonly}) {
    transform.include @first failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// Meeting again on two ways is no recursion.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @end(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @middle(%a: !transform.any_op {transform.readonly}) {
    transform.include @end failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield
  }
  transform.named_sequence @start(%a: !transform.any_op {transform.readonly}) {
    transform.include @middle failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.include @end failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield
  }
}
