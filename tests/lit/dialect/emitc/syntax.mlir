// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

emitc.include <"a.h">
emitc.include "b.h"
emitc.func @e(%a: i32, %b: i32) -> i32 attributes {specifiers = ["static"]} {
  %e = expression %a, %b : (i32, i32) -> i32 {
    %s = add %a, %b : (i32, i32) -> i32
    yield %s : i32
  }
  %c = "emitc.constant"() <{value = 1 : i32}> : () -> i32
  %e2 = expression noinline : () -> i32 { %s = call_opaque "x"() : () -> i32
    yield %s : i32 }
  return %e : i32
}
emitc.func private @decl(i32)

// CHECK: emitc.include <"a.h">
// CHECK-NEXT: emitc.include "b.h"
// CHECK-NEXT: emitc.func @e(%arg0: i32, %arg1: i32) -> i32 attributes {specifiers = ["static"]} {
// CHECK-NEXT: %0 = expression %arg0, %arg1 : (i32, i32) -> i32 {
// CHECK-NEXT: %3 = add %arg0, %arg1 : (i32, i32) -> i32
// CHECK-NEXT: yield %3 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = "emitc.constant"() <{value = 1 : i32}> : () -> i32
// CHECK-NEXT: %2 = expression  noinline : () -> i32 {
// CHECK-NEXT: %3 = call_opaque "x"() : () -> i32
// CHECK-NEXT: yield %3 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: emitc.func private @decl(i32)
// CHECK-NEXT: }
