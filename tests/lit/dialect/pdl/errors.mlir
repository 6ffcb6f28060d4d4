// RUN: ttmlir-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  // expected-error @+1 {{'pdl.apply_native_constraint' op expected at least one argument}}
  "pdl.apply_native_constraint"() {name = "foo"} : () -> ()
  rewrite %op with "r"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  rewrite %op {
    // expected-error @+1 {{'pdl.apply_native_rewrite' op expected at least one argument or result}}
    apply_native_rewrite "foo"
  }
}

// -----

pdl.pattern : benefit(1) {
  %t = type
  // expected-error @+1 {{expected only one of [`type`, `value`] to be set}}
  %a = attribute : %t = 10
  %op = operation "foo.op" {"a" = %a} -> (%t : !pdl.type)
  rewrite %op with "r"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  rewrite %op {
    // expected-error @+1 {{expected constant value when specified within a `pdl.rewrite`}}
    %a = attribute
  }
}

// -----

pdl.pattern : benefit(1) {
  // expected-error @+1 {{expected a bindable user when defined in the matcher body of a `pdl.pattern`}}
  %unused = type
  %op = operation "foo.op"
  rewrite %op with "r"
}

// -----

pdl.pattern : benefit(1) {
  // expected-error @+1 {{expected a bindable user when defined in the matcher body of a `pdl.pattern`}}
  %unused = operation "foo.op"
  %value = result 0 of %unused
  %op = operation "foo.op"
  rewrite %op with "r"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  rewrite %op {
    // expected-error @+1 {{must have an operation name when nested within a `pdl.rewrite`}}
    %new = operation
  }
}

// -----

pdl.pattern : benefit(1) {
  // expected-error @+1 {{expected the same number of attribute values and attribute names, got 1 names and 0 values}}
  %op = "pdl.operation"() <{attributeValueNames = ["a"], operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pdl.operation
  rewrite %op with "r"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  rewrite %op {
    %t = type
    // expected-error @+2 {{must have inferable or constrained result types when nested within `pdl.rewrite`}}
    // expected-note @+1 {{result type #0 was not constrained}}
    %new = operation "builtin.unrealized_conversion_cast" -> (%t : !pdl.type)
  }
}

// -----

func.func private @loads_the_dialect()
pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  rewrite %op {
    // expected-error @+2 {{must have inferable or constrained result types when nested within `pdl.rewrite`}}
    // expected-note @+1 {{operation is created in a non-inferrable context, but 'func.constant' does not implement InferTypeOpInterface}}
    %new = operation "func.constant"
  }
}

// -----

// expected-error @+1 {{expected body to terminate with `pdl.rewrite`}}
pdl.pattern : benefit(1) {
  // expected-note @+1 {{see terminator defined here}}
  "test.finish"() : () -> ()
}

// -----

// expected-error @+1 {{the pattern must contain at least one `pdl.operation`}}
pdl.pattern : benefit(1) {
  rewrite with "f"
}

// -----

// expected-error @+1 {{expected only `pdl` operations within the pattern body}}
pdl.pattern : benefit(1) {
  // expected-note @+1 {{see non-`pdl` operation defined here}}
  "test.other"() : () -> ()
  %op = operation "foo.op"
  rewrite %op with "f"
}

// -----

// expected-error @+1 {{the operations must form a connected component}}
pdl.pattern : benefit(1) {
  %one = operation "foo.op"
  %two = operation "bar.op"
  // expected-note @+1 {{see a disconnected value / operation here}}
  %v = result 0 of %two
  rewrite %one with "f"(%v : !pdl.value)
}

// -----

pdl.pattern : benefit(1) {
  %t = type : i32
  %op = operation "foo.op" -> (%t : !pdl.type)
  rewrite %op {
    %new = operation "foo.op" -> (%t : !pdl.type)
    %v = result 0 of %new
    // expected-error @+1 {{expected no replacement values to be provided when the replacement operation is present}}
    "pdl.replace"(%op, %new, %v) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!pdl.operation, !pdl.operation, !pdl.value) -> ()
  }
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  // expected-error @+1 {{expected `pdl.range<value>` result type when no index is specified, but got: '!pdl.value'}}
  %v = "pdl.results"(%op) : (!pdl.operation) -> !pdl.value
  rewrite %op with "f"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  // expected-error @+1 {{expected rewrite region to be non-empty if external name is not specified}}
  "pdl.rewrite"(%op) <{operandSegmentSizes = array<i32: 1, 0>}> ({}) : (!pdl.operation) -> ()
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  // expected-error @+1 {{expected no external arguments when the rewrite is specified inline}}
  "pdl.rewrite"(%op, %op) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0:
  }) : (!pdl.operation, !pdl.operation) -> ()
}

// -----

pdl.pattern : benefit(1) {
  %op = operation "foo.op"
  // expected-error @+1 {{expected rewrite region to be empty when rewrite is external}}
  "pdl.rewrite"(%op) <{name = "f", operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0:
  }) : (!pdl.operation) -> ()
}

// -----

pdl.pattern : benefit(1) {
  %op = operation
  // expected-error @+1 {{'pdl.rewrite' op region should have no arguments}}
  rewrite %op {
  ^bb0(%a : i32):
  }
}

// -----

// expected-error @+1 {{attribute 'benefit' failed to satisfy constraint: 16-bit signless integer attribute whose value is non-negative}}
"pdl.pattern"() <{benefit = -1 : i16}> ({
  %op = "pdl.operation"() <{attributeValueNames = [], operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pdl.operation
  "pdl.rewrite"(%op) <{name = "f", operandSegmentSizes = array<i32: 1, 0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()

// -----

// expected-error @+1 {{region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks}}
"pdl.pattern"() <{benefit = 1 : i16}> ({}) : () -> ()

// -----

pdl.pattern : benefit(1) {
  // expected-error @+1 {{result #0 must be range of PDL handle for an `mlir::Value` values, but got '!pdl.value'}}
  %a = "pdl.operands"() : () -> !pdl.value
  %op = operation "foo.op"
  rewrite %op with "f"
}

// -----

pdl.pattern : benefit(1) {
  %t = operand
  // expected-error @+1 {{operand #0 must be variadic of single element or range of PDL handle to an `mlir::Type`, but got '!pdl.value'}}
  %op = "pdl.operation"(%t) <{attributeValueNames = [], operandSegmentSizes = array<i32: 0, 0, 1>}> : (!pdl.value) -> !pdl.operation
  rewrite %op with "f"
}

// -----

pdl.pattern : benefit(1) {
  %op = operation
  rewrite %op {
    // expected-error @+1 {{result #0 must be range of PDL handle to an `mlir::Type` or PDL handle for an `mlir::Value` values, but got '!pdl.range<operation>'}}
    %r = "pdl.range"(%op) : (!pdl.operation) -> !pdl.range<operation>
  }
}

// -----

pdl.pattern : benefit(1) {
  %op = operation
  rewrite %op {
    // expected-error @+1 {{expected operand to have element type '!pdl.value', but got '!pdl.operation'}}
    %r = "pdl.range"(%op) : (!pdl.operation) -> !pdl.range<value>
  }
}

// -----

pdl.pattern : benefit(1) {
  %op = operation
  // expected-error @+1 {{'pdl.erase' op expects parent op 'pdl.rewrite'}}
  erase %op
  rewrite %op with "f"
}

// -----

func.func @f(%op: !pdl.operation) {
  // expected-error @+1 {{'pdl.operand' op expects parent op 'pdl.pattern'}}
  %0 = pdl.operand
  return
}

// -----

// expected-error @+1 {{element of pdl.range cannot be another range, but got'!pdl.range<value>'}}
func.func private @f(!pdl.range<range<value>>)

// -----

// expected-error @+1 {{invalid 'pdl' type: `foo'}}
func.func private @f(!pdl.range<foo>)

// -----

// expected-error @+1 {{unknown  type `foo` in dialect `pdl`}}
func.func private @f(!pdl.foo)
