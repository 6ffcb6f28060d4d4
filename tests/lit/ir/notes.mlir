// Errors of an operation have a note with the operation, whatever the message.
// RUN: not ttmlir-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: error: redefinition of symbol named 'f'
// CHECK: note: see current operation:
// CHECK: note: see existing symbol definition here
func.func private @f()
func.func private @f()

// -----

// CHECK: error: type of return operand 0 ('i32') doesn't match function result type ('f32') in function @f
// CHECK: note: see current operation: "func.return"(%0) : (i32) -> ()
func.func @f() -> f32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
