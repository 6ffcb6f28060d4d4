// Errors in an expectation itself.
// RUN: not ttmlir-opt %s --verify-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error:
func.func private @a()

// expected-error-x @+1 {{no expectation: no such form}}
// expected-error @1 {{no expectation: no sign}}
// expected-error {{no expectation: text behind it}}.

// expected-error-re @+1 {{ab{{(}}c}}
// CHECK: [[#@LINE-1]]:4: error: invalid regex: parentheses not balanced
// expected-error-re @+1 {{ab{{c}}
// CHECK: [[#@LINE-1]]:4: error: found start of regex with no end '}}'

func.func @f(%a: i32) {
  "ttir.neg"(%a) : (i32) -> () // expected-warning {{requires one result}}
  // CHECK: [[#@LINE-1]]:35: error: 'error' diagnostic emitted when expecting a 'warning'
  // CHECK: [[#@LINE-2]]:35: error: expected warning "requires one result" was not produced
  return
}
