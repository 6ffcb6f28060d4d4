// RUN: ttmlir-opt %s --symbol-dce --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: module
// CHECK-NOT: @unused
// CHECK: func.func private @used
// CHECK-NOT: @circle
// CHECK: func.func @main
module {
  func.func private @unused() { return }
  func.func private @used() { return }
  func.func private @circle() {
    call @circle() : () -> ()
    return
  }
  func.func @main() {
    call @used() : () -> ()
    return
  }
}

// -----

// In a private module even nested symbols are out of reach; a nested reference keeps both.
// CHECK-LABEL: module
// CHECK: module @kept
// CHECK-NEXT: func.func @reached
// CHECK-NOT: @gone
// CHECK: func.func @main
module {
  module @kept attributes {sym_visibility = "private"} {
    func.func nested @gone() { return }
    func.func @reached() { return }
  }
  module @gone attributes {sym_visibility = "private"} {
    func.func @inner() { return }
  }
  func.func @main() attributes {refers = @kept::@reached} { return }
}
