// Rules of sequences, their calls and their nested operations.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

transform.sequence failures(propagate) {
// expected-error @-1 {{expects the first entry block argument to be of type implementing TransformHandleTypeInterface}}
^bb0(%a: !transform.param<i64>):
}

// -----
// expected-error @+2 {{expects trailing entry block arguments to be of type implementing TransformHandleTypeInterface, TransformValueHandleTypeInterface or TransformParamTypeInterface}}
// expected-note @+1 {{argument #1 does not}}
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op, %b: i64):
}

// -----
// expected-note @+1 {{nested in another possible top-level op}}
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects operands to be provided for a nested op}}
  transform.sequence failures(propagate) {
  ^bb1(%b: !transform.any_op):
  }
}

// -----
// expected-error @+1 {{expected children ops to implement TransformOpInterface}}
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-note @+1 {{op without interface}}
  %c = arith.constant 1 : i32
}

// -----
// expected-error @+1 {{expects the types of the terminator operands to match the types of the result}}
%r = transform.sequence -> !transform.any_op failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-note @+1 {{terminator}}
  transform.yield
}

// -----
// expected-error @+1 {{block argument #0 has more than one potential consumer}}
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-note @+1 {{used here as operand #0}}
  %0 = transform.structured.generalize %a : (!transform.any_op) -> !transform.any_op
  // expected-note @+1 {{used here as operand #0}}
  %1 = transform.structured.generalize %a : (!transform.any_op) -> !transform.any_op
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{result #0 has more than one potential consumer}}
  %0 = transform.select "f" in %a : (!transform.any_op) -> !transform.any_op
  // expected-note @+1 {{used here as operand #0}}
  transform.foreach %0 : !transform.any_op {
  ^bb1(%b: !transform.any_op):
    %1 = transform.structured.generalize %b : (!transform.any_op) -> !transform.any_op
  }
  // expected-note @+1 {{used here as operand #0}}
  transform.sequence %0 : !transform.any_op failures(propagate) {
  ^bb2(%c: !transform.any_op):
    %2 = transform.structured.vectorize_children_and_apply_patterns %c : (!transform.any_op) -> !transform.any_op
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects terminator operands to have the same type as results of the operation}}
  %0 = transform.alternatives %a : !transform.any_op -> !transform.any_op {
  ^bb1(%b: !transform.any_op):
    transform.yield %b : !transform.any_op
  }, {
  ^bb1(%b: !transform.any_op):
    // expected-note @+1 {{terminator}}
    transform.yield
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects the same number of targets as the body has block arguments}}
  transform.foreach %a : !transform.any_op {
  ^bb1(%b: !transform.any_op, %c: !transform.any_op):
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects co-indexed targets and the body's block arguments to have the same op/value/param type}}
  transform.foreach %a : !transform.any_op {
  ^bb1(%b: !transform.any_value):
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects the same number of results as the yield terminator has operands}}
  %0 = transform.foreach %a : !transform.any_op -> !transform.any_op {
  ^bb1(%b: !transform.any_op):
    transform.yield
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expects co-indexed results and yield operands to have the same op/value/param type}}
  %0 = transform.foreach %a : !transform.any_op -> !transform.any_value {
  ^bb1(%b: !transform.any_op):
    transform.yield %b : !transform.any_op
  }
}

// -----
// expected-note @+1 {{symbol table operation}}
module {
  // expected-error @+1 {{expects the parent symbol table to have the 'transform.with_named_sequence' attribute}}
  transform.named_sequence @f(%a: !transform.any_op) {
    transform.yield
  }
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-error @+1 {{expected 'transform.yield' as terminator}}
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-note @+1 {{terminator}}
    transform.print
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) -> !transform.any_op {
    // expected-error @+1 {{expected terminator to have as many operands as the parent op has results}}
    transform.yield
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) -> !transform.any_value {
    // expected-error @+1 {{the type of the terminator operand #0 must match the type of the corresponding parent op result ('!transform.any_op' vs '!transform.any_value')}}
    transform.yield %a : !transform.any_op
  }
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-error @+1 {{argument #0 cannot be both readonly and consumed}}
  transform.named_sequence @f(%a: !transform.any_op {transform.readonly, transform.consumed}) {
    transform.yield
  }
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-error @+1 {{must provide consumed/readonly status for arguments of external or called ops}}
  transform.named_sequence @f(!transform.any_op)
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-error @+1 {{argument #0 is consumed in the body but is not marked as such}}
  transform.named_sequence @f(%a: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.generalize %a : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-warning @+1 {{op argument #0 is not consumed in the body but is marked as consumed}}
  transform.named_sequence @f(%a: !transform.any_op {transform.consumed}) {
    transform.yield
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{does not reference a named transform sequence}}
    transform.include @f failures(propagate) (%a) : (!transform.any_op) -> ()
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{incorrect number of operands for callee}}
    transform.include @f failures(propagate) (%a, %a) : (!transform.any_op, !transform.any_op) -> ()
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.yield %a : !transform.any_op
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{type of result #0 must implement the same transform dialect interface as the corresponding callee result}}
    %0 = transform.include @f failures(propagate) (%a) : (!transform.any_op) -> !transform.any_value
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @m(%a: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.yield %a : !transform.any_op
  }
  transform.named_sequence @act(%a: !transform.any_op {transform.consumed}) {
    %0 = transform.structured.generalize %a : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    %0 = transform.collect_matching @m in %a : (!transform.any_op) -> !transform.any_op
    %1 = transform.foreach_match in %a @m -> @act : (!transform.any_op) -> !transform.any_op
    transform.include @act failures(suppress) (%1) : (!transform.any_op) -> ()
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @m(%a: !transform.any_op) -> !transform.any_op {
    transform.yield %a : !transform.any_op
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{expected the matcher argument to be marked readonly}}
    %0 = transform.collect_matching @m in %a : (!transform.any_op) -> !transform.any_op
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @m(%a: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.yield %a : !transform.any_op
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{expected the matcher to yield as many values as op has results (2), got 1}}
    %0:2 = transform.collect_matching @m in %a : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  }
}

// -----
module attributes {transform.with_named_sequence} {
  // expected-note @+1 {{symbol declaration}}
  transform.named_sequence @m(%a: !transform.any_op {transform.consumed}) {
    %0 = transform.structured.generalize %a : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @act() {
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{does not expect matcher symbol to consume its operand #0}}
    %0 = transform.foreach_match in %a @m -> @act : (!transform.any_op) -> !transform.any_op
  }
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @m(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @act(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // expected-error @+1 {{mismatching number of matcher results and action arguments between @m (0) and @act (1)}}
    %0 = transform.foreach_match in %a @m -> @act : (!transform.any_op) -> !transform.any_op
  }
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expected children ops to implement PatternDescriptorOpInterface}}
  transform.apply_patterns to %a {
    // expected-note @+1 {{op without interface}}
    transform.print
  } : !transform.any_op
}

// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  // expected-error @+1 {{expected pattern children ops to implement ConversionPatternDescriptorOpInterface}}
  transform.apply_conversion_patterns to %a {
    // expected-note @+1 {{op without interface}}
    transform.print
  } : !transform.any_op
}

// -----
// expected-error @+1 {{unknown attribute: "transform.unknown"}}
module attributes {transform.unknown} {}

// -----
// expected-error @+1 {{"transform.target_tag" attribute must be a string}}
module attributes {transform.target_tag = 1} {}

// -----
// expected-error @+1 {{"transform.with_named_sequence" attribute can only be attached to operations with symbol tables}}
"test.op"() {transform.with_named_sequence} : () -> ()
