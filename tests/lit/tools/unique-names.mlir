// RUN: ttmlir-opt %s --mlir-print-unique-ssa-ids | FileCheck %s
// No two values share a name; the last region is numbered first.
// CHECK: func.func @f(%[[A:arg1]]: i32)
// CHECK: %1 = arith.addi %arg1, %arg1 : i32
// CHECK: func.func @g(%arg0: i32)
// CHECK: %0 = arith.addi %arg0, %arg0 : i32
func.func @f(%a: i32) -> i32 {
  %x = arith.addi %a, %a : i32
  return %x : i32
}
func.func @g(%a: i32) -> i32 {
  %x = arith.addi %a, %a : i32
  return %x : i32
}
