// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'emitpy.global' op variable name must not be a keyword}}
emitpy.global @lambda = #emitpy.opaque<"None">
// -----
// expected-error@+1 {{variable name may only contain alphanumeric characters and '_'}}
emitpy.global @a$b = #emitpy.opaque<"None">
// -----
emitpy.global @g = 0
func.func @f(%x: !emitpy.opaque<"T">) {
  // expected-error@+1 {{value type ('!emitpy.opaque<"T">') does not match global's type ('i64')}}
  emitpy.assign_global @g = %x : !emitpy.opaque<"T">
  return
}
// -----
func.func @f() -> index {
  // expected-error@+1 {{'h' does not reference a valid emitpy.global}}
  %0 = emitpy.global_statement @h : index
  return %0 : index
}
// -----
func.func @f(%x: !emitpy.opaque<"T">) {
  // expected-error@+1 {{args and keyword_args must have the same size (empty strings are allowed), but got args size = 1 and keyword_args size = 2}}
  emitpy.call_opaque "f"(%x) {args = [0 : index], keyword_args = ["", "k"]} : (!emitpy.opaque<"T">) -> ()
  return
}
// -----
func.func @f() {
  // expected-error@+1 {{for an empty dict, use literal_expr = "{}" instead}}
  %0 = emitpy.create_dict "d" : () -> !emitpy.dict
  return
}
// -----
func.func @f(%x: !emitpy.opaque<"T">) {
  // expected-error@+1 {{dictionary keys must be index or string type, but got '!emitpy.opaque<"T">' at position 0}}
  %0 = emitpy.create_dict "d" (%x, %x) : (!emitpy.opaque<"T">, !emitpy.opaque<"T">) -> !emitpy.dict
  return
}
// -----
func.func @f(%x: !emitpy.opaque<"T">) {
  // expected-error@+1 {{requires operands for each placeholder in the format string}}
  emitpy.verbatim "print({}, {{}})" args %x, %x : !emitpy.opaque<"T">, !emitpy.opaque<"T">
  return
}
// -----
func.func @f(%x: !emitpy.opaque<"T">) {
  // expected-error@+1 {{expected '}' after unescaped '{'}}
  emitpy.verbatim "print({x})" args %x : !emitpy.opaque<"T">
  return
}
// -----
// expected-error@+1 {{class body must have at most one __init__}}
emitpy.class @C {
  func.func @__init__(%self: !emitpy.class<"C">) {
    return
  }
  func.func @__init__(%self: !emitpy.class<"C">) {
    return
  }
}
// -----
emitpy.class @C {
  // expected-error@+1 {{self type must match class name 'C'}}
  func.func @f(%self: !emitpy.class<"D">) {
    return
  }
}
// -----
func.func @f(%x: !emitpy.opaque<"T">) -> !emitpy.opaque<"T"> {
  // expected-error@+1 {{contains an unused operation}}
  %0 = emitpy.expression(%x) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T"> {
  ^bb0(%a: !emitpy.opaque<"T">):
    %1 = emitpy.call_opaque "f"(%a) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
    %2 = emitpy.call_opaque "g"(%a) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
    emitpy.yield %2 : !emitpy.opaque<"T">
  }
  return %0 : !emitpy.opaque<"T">
}
// -----
// expected-error@+1 {{expected non-empty string in !emitpy.opaque type}}
func.func private @f(!emitpy.opaque<"">)
// -----
// expected-error@+1 {{region should have no arguments}}
"emitpy.class"() <{sym_name = "C"}> ({
^bb0(%x: index):
}) : () -> ()
