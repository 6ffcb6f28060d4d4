// RUN: not ttmlir-opt %s --verify-diagnostics 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: not ttmlir-opt %s 2>&1 | FileCheck %s --check-prefix=PLAIN

// Unexpected diagnostics first, then expected ones that did not occur.
//      CHECK:{{.*}}mismatch.mlir:[[#@LINE+2]]:3: error: unexpected error: 'ttir.neg' op requires one result
func.func @f(%a: i32) {
  "ttir.neg"(%a) : (i32) -> ()
  return // expected-warning {{never said}}
}
// CHECK-NEXT:  "ttir.neg"(%a) : (i32) -> ()
// CHECK-NEXT:  ^
//      CHECK:{{.*}}mismatch.mlir:[[#@LINE-4]]:13: error: expected warning "never said" was not produced
// CHECK-NEXT:  return // expected-warning {{[{][{]}}never said}}
// CHECK-NEXT:            ^~~~~~~~~~

// Without the flag: location, line, caret, and the operation in generic form.
// PLAIN: mismatch.mlir:7:3: error: 'ttir.neg' op requires one result
// PLAIN-NEXT: "ttir.neg"(%a) : (i32) -> ()
// PLAIN-NEXT: {{^}}  ^
// PLAIN-NEXT: mismatch.mlir:7:3: note: see current operation: "ttir.neg"(%{{.*}}) : (i32) -> ()
