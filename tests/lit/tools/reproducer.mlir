// RUN: not ttmlir-opt %s --pass-pipeline='builtin.module(cse,func.func(symbol-dce))' --mlir-pass-pipeline-crash-reproducer=%t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t
// RUN: not ttmlir-opt %t --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// CHECK: error: 'func.func' op was scheduled to run under SymbolDCE, but does not define a symbol table
// CHECK: error: Failures have been detected while processing an MLIR pass pipeline
// CHECK-NEXT: note: Pipeline failed while executing [`SymbolDCE` on 'func.func' operation: @f]: reproducer generated at
// FILE: func.func @f
// FILE: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(cse,func.func(symbol-dce))",
// FILE-NEXT: disable_threading: true,
// FILE-NEXT: verify_each: true
// AGAIN: 'func.func' op was scheduled to run under SymbolDCE
func.func @f() { return }
