// RUN: ttmlir-opt --allow-unregistered-dialect --canonicalize %s | FileCheck %s

// Operations that no dialect has may have any number of operands under one name.
// CHECK: %0 = "a.b"() : () -> i32
// CHECK-NEXT: %1 = "a.b"(%0) : (i32) -> i32
func.func @f() -> i32 {
  %0 = "a.b"() : () -> i32
  %1 = "a.b"(%0) : (i32) -> i32
  return %1 : i32
}
