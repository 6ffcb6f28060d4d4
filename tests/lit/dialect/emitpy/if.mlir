// An if without an else has an empty second region.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

func.func @f(%a: !emitpy.opaque<"dict">) {
  // CHECK: emitpy.if "not {}" args %{{.*}} : (!emitpy.opaque<"dict">) {
  // CHECK-NEXT: emitpy.call_opaque "g"() : () -> ()
  // CHECK-NEXT: }
  // CHECK-NEXT: emitpy.if "x" {
  // CHECK-NEXT: emitpy.call_opaque "k"() : () -> ()
  // CHECK-NEXT: } else {
  // CHECK-NEXT: emitpy.call_opaque "h"() : () -> ()
  // CHECK-NEXT: }
  // GENERIC: "emitpy.if"(%{{.*}}) <{condition = "not {}"}> ({
  // GENERIC: }, {
  // GENERIC-NEXT: }) : (!emitpy.opaque<"dict">) -> ()
  emitpy.if "not {}" args %a : (!emitpy.opaque<"dict">) {
    emitpy.call_opaque "g"() : () -> ()
  }
  emitpy.if "x" {
    emitpy.call_opaque "k"() : () -> ()
  } else {
    emitpy.call_opaque "h"() : () -> ()
  }
  return
}
