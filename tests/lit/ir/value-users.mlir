// Comments that list a value's users, and names taken from locations.
// RUN: ttmlir-opt %s --allow-unregistered-dialect --mlir-print-value-users | FileCheck %s
// RUN: ttmlir-opt %s --allow-unregistered-dialect --mlir-print-value-users --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: ttmlir-opt %s --allow-unregistered-dialect --mlir-use-nameloc-as-prefix --mlir-print-assume-verified | FileCheck %s --check-prefix=NAMES

func.func @f(%a: i32 loc("first")) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("sum"("x.py":1:2))
  %1:2 = "x.y"(%0, %0) : (i32, i32) -> (i32, i32)
  %2 = "x.z"(%0) ({
  ^bb0(%b: i32):
    "x.yield"(%b, %1#1) : (i32, i32) -> ()
  ^bb1(%c: i32):
    "x.end"() : () -> ()
  }) : (i32) -> i32 loc(fused["sum", "x"])
  return %0 : i32
}
// CHECK:      func.func @f(%arg0: i32) -> i32 {
// CHECK-NEXT:   // %arg0 is used by %1
// CHECK-NEXT:   %1 = arith.addi %arg0, %arg0 : i32 // users: %4, %3, %2#0, %2#1
// CHECK-NEXT:   %2:2 = "x.y"(%1, %1) : (i32, i32) -> (i32, i32) // users: (unused), (%5)
// CHECK-NEXT:   %3 = "x.z"(%1) ({
// CHECK-NEXT:   ^bb0(%arg1: i32):
// CHECK-NEXT:     // %arg1 is used by %5
// CHECK-NEXT:     "x.yield"(%arg1, %2#1) : (i32, i32) -> () // id: %5
// CHECK-NEXT:   ^bb1(%6: i32):  // no predecessors
// CHECK-NEXT:     // %6 is unused
// CHECK-NEXT:     "x.end"() : () -> ()
// CHECK-NEXT:   }) : (i32) -> i32 // unused
// CHECK-NEXT:   return %1 : i32 // id: %4
// GENERIC: %2 = "arith.addi"(%arg0, %arg0) {{.*}} // users: %5, %4, %3#0, %3#1
// NAMES:      func.func @f(%first: i32) -> i32 {
// NAMES-NEXT:   %sum = arith.addi %first, %first : i32
// NAMES-NEXT:   %0:2 = "x.y"(%sum, %sum)
// NAMES-NEXT:   %sum_0 = "x.z"(%sum) ({
