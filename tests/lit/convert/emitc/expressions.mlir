// Unused operations are dropped; operations that feed one another become one expression.
// RUN: ttmlir-opt %s --remove-dead-emitc-expressions | FileCheck %s --check-prefix=DEAD
// RUN: ttmlir-opt %s --form-expressions | FileCheck %s --check-prefix=FORM
// RUN: ttmlir-opt %s --form-expressions | ttmlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=CPP

// DEAD-LABEL: @sums
// DEAD-NOT: emitc.mul
// DEAD: emitc.sub
// FORM-LABEL: @sums
// FORM: mul
// FORM: emitc.expression %arg0, %arg1 : (i32, i32) -> i32 {
// FORM-NEXT: add
// FORM-NEXT: sub
// FORM-NEXT: yield
// CPP: int32_t sums(int32_t [[A:v[0-9]+]], int32_t [[B:v[0-9]+]]) {
// CPP: int32_t [[R:v[0-9]+]] = ([[A]] + [[B]]) - [[A]];
// CPP: return [[R]];
func.func @sums(%a: i32, %b: i32) -> i32 {
  %dead = emitc.mul %a, %b : (i32, i32) -> i32
  %sum = emitc.add %a, %b : (i32, i32) -> i32
  %r = emitc.sub %sum, %a : (i32, i32) -> i32
  return %r : i32
}

// Calls stay where they are, and what is read twice is computed once.
// DEAD-LABEL: @calls
// DEAD: emitc.call_opaque "f"
// FORM-LABEL: @calls
// FORM-COUNT-3: emitc.expression
// CPP: int32_t [[F:v[0-9]+]] = f();
// CPP-NEXT: int32_t [[S:v[0-9]+]] = [[F]] + [[F]];
// CPP-NEXT: int32_t {{v[0-9]+}} = [[S]] * [[S]];
func.func @calls() -> i32 {
  %f = emitc.call_opaque "f"() : () -> i32
  %s = emitc.add %f, %f : (i32, i32) -> i32
  %r = emitc.mul %s, %s : (i32, i32) -> i32
  return %r : i32
}
