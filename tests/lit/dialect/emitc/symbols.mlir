// Element types of emitc, and symbols of functions, globals and fields, with MLIR's messages.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{!emitc.lvalue must wrap supported emitc type, but got 'i5'}}
func.func private @t(!emitc.lvalue<i5>)
// -----
// expected-error @+1 {{!emitc.lvalue cannot wrap !emitc.array type}}
func.func private @t(!emitc.lvalue<!emitc.array<2xi32>>)
// -----
// expected-error @+1 {{pointers to lvalues are not allowed}}
func.func private @t(!emitc.ptr<!emitc.lvalue<i32>>)
// -----
// expected-error @+1 {{invalid array element type ''tensor<2xi32>''}}
func.func private @t(!emitc.array<2xtensor<2xi32>>)
// -----
// expected-error @+1 {{shape must not be empty}}
func.func private @t(!emitc.array<i32>)
// -----
func.func private @t(!emitc.array<2x3xi8>, !emitc.ptr<vector<4xf32>>, !emitc.lvalue<tuple<i32>>, !emitc.array<2x!emitc.ptr<i8>>)
// -----
emitc.func private @f(i32) -> i32
func.func @call(%x: i64) {
  // expected-error @+1 {{operand type mismatch: expected operand type 'i32', but provided 'i64' for operand number 0}}
  %0 = emitc.call @f(%x) : (i64) -> i32
  return
}
// -----
func.func private @f(i32) -> i32
func.func @call(%x: i32) {
  // expected-error @+1 {{'emitc.call' op 'f' does not reference a valid function}}
  %0 = emitc.call @f(%x) : (i32) -> i32
  return
}
// -----
func.func private @f()
// expected-error @+1 {{'emitc.declare_func' op 'f' does not reference a valid function}}
emitc.declare_func @f
// -----
func.func @get() {
  // expected-error @+1 {{'g' does not reference a valid emitc.global}}
  %0 = emitc.get_global @g : !emitc.lvalue<i32>
  return
}
// -----
emitc.global extern @g : !emitc.array<2xi32>
func.func @get() {
  // expected-error @+1 {{on array type expects result type '!emitc.array<3xi32>' to match type '!emitc.array<2xi32>' of the global @g}}
  %0 = emitc.get_global @g : !emitc.array<3xi32>
  return
}
// -----
emitc.global extern @g : i32
func.func @get() {
  // expected-error @+1 {{on non-array type expects result inner type 'i64' to match type 'i32' of the global @g}}
  %0 = emitc.get_global @g : !emitc.lvalue<i64>
  return
}
// -----
emitc.global extern @g : i32
func.func @get() {
  // expected-error @+1 {{on non-array type expects result type to be an lvalue type for the global @g}}
  %0 = emitc.get_global @g : !emitc.array<2xi32>
  return
}
// -----
emitc.class @C {
  emitc.field @x : i64
  emitc.func @f() {
    // expected-error @+1 {{result type 'i32' does not match field '@x' type 'i64'}}
    %0 = emitc.get_field @x : i32
    emitc.return
  }
}
// -----
emitc.class @C {
  emitc.func @f() {
    // expected-error @+1 {{field '@x' not found in the class}}
    %0 = emitc.get_field @x : i32
    emitc.return
  }
}
// -----
func.func @f() {
  // expected-error @+1 {{must be nested within an emitc.class operation}}
  %0 = emitc.get_field @x : i32
  return
}
// -----
// expected-error @+1 {{type of entry block argument #0('i32') must match the type of the corresponding argument in function signature('i64')}}
"emitc.func"() <{function_type = (i64) -> (), sym_name = "f"}> ({
^bb0(%x: i32):
  emitc.return
}) : () -> ()
// -----
func.func @texts(%x: i32) {
  emitc.verbatim "{ plain }"
  emitc.verbatim "{{ {} {}" args %x, %x : i32, i32
  // expected-error @+1 {{expected '}' after unescaped '{' at end of string}}
  emitc.verbatim "{" args %x : i32
  return
}
// -----
func.func @texts(%x: i32) {
  // expected-error @+1 {{expected '}' after unescaped '{'}}
  emitc.verbatim "a {b}" args %x : i32
  return
}
// -----
func.func @texts(%x: i32) {
  // expected-error @+1 {{requires operands for each placeholder in the format string}}
  emitc.verbatim "{} {}" args %x : i32
  return
}
// -----
func.func @arrays() {
  // expected-error @+1 {{'emitc.call_opaque' op cannot return array type}}
  %0 = emitc.call_opaque "f"() : () -> !emitc.array<2xi32>
  return
}
// -----
func.func @twice(%v: !emitc.lvalue<i32>) {
  // expected-error @+1 {{requires exactly one use for operations with side effects}}
  %e = emitc.expression %v : (!emitc.lvalue<i32>) -> i32 {
    %0 = load %v : <i32>
    %1 = add %0, %0 : (i32, i32) -> i32
    yield %1 : i32
  }
  return
}
// -----
func.func @again(%x: i32) {
  emitc.do {
    emitc.verbatim "body"
  } while {
    %e = emitc.expression %x : (i32) -> i1 {
      %0 = cast %x : i32 to i32
      %1 = cmp lt, %0, %0 : (i32, i32) -> i1
      yield %1 : i1
    }
    emitc.yield %e : i1
  }
  return
}
