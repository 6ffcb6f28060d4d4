// RUN: ttmlir-opt %s --cse --canonicalize --mlir-print-ir-before=cse --mlir-print-ir-after=canonicalize 2>&1 >/dev/null | FileCheck %s --check-prefix=BOTH
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(func.func(cse),cse)' --mlir-print-ir-after-all --mlir-print-ir-module-scope 2>&1 >/dev/null | FileCheck %s --check-prefix=SCOPE
// RUN: ttmlir-opt %s --symbol-dce --cse --mlir-print-ir-after-change 2>&1 >/dev/null | FileCheck %s --check-prefix=CHANGE
// RUN: ttmlir-opt %s --cse --symbol-dce --mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(cse,func.func(canonicalize))' --mlir-timing 2>&1 >/dev/null | FileCheck %s --check-prefix=TIMING
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(cse,func.func(canonicalize{max-iterations=3}))' --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=PIPELINE

// BOTH: // -----// IR Dump Before CSE (cse) //----- //
// BOTH-NEXT: module {
// BOTH: arith.addi
// BOTH: arith.addi
// BOTH: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// BOTH-COUNT-1: arith.addi
// BOTH-NOT: arith.addi

// SCOPE: // -----// IR Dump After CSE (cse) ('func.func' operation: @f) //----- //
// SCOPE-NEXT: module {
// SCOPE: // -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //

// CHANGE-NOT: SymbolDCE
// CHANGE: IR Dump After CSE (cse)

// STATS: ... Pass statistics report ...
// STATS: 'builtin.module' Pipeline
// STATS-NEXT: CSE
// STATS-NEXT: (S) 1 num-cse'd - Number of operations CSE'd
// STATS-NEXT: (S) 0 num-dce'd - Number of operations DCE'd
// STATS-NEXT: SymbolDCE
// STATS-NEXT: (S) 0 num-dce'd - Number of symbols DCE'd

// TIMING: ... Execution time report ...
// TIMING: Total Execution Time: {{[0-9.]+}} seconds
// TIMING: ----Wall Time----  ----Name----
// TIMING-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%)  Parser
// TIMING-NEXT: CSE
// TIMING-NEXT: 'func.func' Pipeline
// TIMING-NEXT:   Canonicalizer
// TIMING-NEXT: Output
// TIMING-NEXT: Rest
// TIMING-NEXT: (100.0%)  Total

// PIPELINE: builtin.module(cse,func.func(canonicalize{max-iterations=3}))
func.func @f(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %0, %1 : i32, i32
}
