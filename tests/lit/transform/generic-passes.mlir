// RUN: ttmlir-opt %s --symbol-privatize=exclude=kept,other | FileCheck %s --check-prefix=PRIVATE
// RUN: ttmlir-opt %s "--print-ir=label=here" -o %t.out 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: ttmlir-opt %s "--snapshot-op-locations=filename=%t.mlir tag=now" --mlir-print-debuginfo -o %t.out
// RUN: FileCheck %s --check-prefix=PLACE < %t.out
// RUN: ttmlir-opt %t.mlir | FileCheck %s --check-prefix=AGAIN
// RUN: ttmlir-opt %s "--composite-fixed-point-pass=pipeline=cse,canonicalize" | FileCheck %s --check-prefix=FIXED
// RUN: ttmlir-opt %s "--composite-fixed-point-pass=pipeline=cse,canonicalize max-iterations=1 name=one" 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not ttmlir-opt %s --snapshot-op-locations 2>&1 | FileCheck %s --check-prefix=NOFILE

// MLIR's passes of a few lines.

// PRIVATE: func.func private @f(
// PRIVATE: func.func @kept(
// PRIVATE: module @other {
// PRIVATE: module @inner attributes {sym_visibility = "private"}

// PRINT: // -----// IR Dump here //----- //
// PRINT-NEXT: module {
// PRINT-NEXT: func.func @f(

// PLACE: [[TEXT:#loc[0-9]*]] = loc("{{.*}}.mlir":5:4)
// PLACE: loc("now"([[TEXT]]))

// AGAIN: %0 = arith.addi %arg0, %arg0 : i32

// FIXED: func.func @f(%arg0: i32) {
// FIXED-NEXT: return

// LIMIT: warning: Composite pass "one"+ didn't converge in 1 iterations

// NOFILE: error: {{.*}}snapshot-op-locations: no file; set filename=FILE
func.func @f(%a: i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  return
}
func.func @kept() {
  return
}
module @other {
}
module @inner {
}
