// RUN: rm -rf %t.dir
// RUN: ttmlir-opt %s "--pass-pipeline=builtin.module(cse,func.func(canonicalize,cse))" --mlir-print-ir-after-all --mlir-print-ir-before=cse --mlir-print-ir-tree-dir=%t.dir -o %t.out
// RUN: FileCheck %s --check-prefix=BEFORE < %t.dir/builtin_module_no-symbol-name/0_cse.mlir
// RUN: FileCheck %s --check-prefix=AFTER < %t.dir/builtin_module_no-symbol-name/1_cse.mlir
// RUN: FileCheck %s --check-prefix=FUNC < %t.dir/builtin_module_no-symbol-name/func_func_f/1_0_canonicalize.mlir
// RUN: FileCheck %s --check-prefix=LAST < %t.dir/builtin_module_no-symbol-name/func_func_f/1_2_cse.mlir
// RUN: ttmlir-opt %s --canonicalize --mlir-generate-reproducer=%t.again -o %t.out
// RUN: ttmlir-opt %t.again --run-reproducer --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not ttmlir-opt %s --log-actions-to=%t.log 2>&1 | FileCheck %s --check-prefix=MISSING

// A file for each dump; a reproducer without a failure; options of mlir-opt that are not here.

// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE: arith.addi
// AFTER: // -----// IR Dump After CSE (cse) //----- //
// AFTER-NOT: arith.addi
// FUNC: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// FUNC-NEXT: func.func @f(
// LAST: // -----// IR Dump After CSE (cse) //----- //
// AGAIN: builtin.module(canonicalize
// AGAIN: func.func @f(
// MISSING: ttmlir-opt: --log-actions-to is not supported: actions are not traced
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %a : i32
}
