// RUN: ttmlir-opt %s --mlir-print-skip-regions | FileCheck %s --check-prefix=SKIP
// RUN: ttmlir-opt %s --mlir-print-skip-regions --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// SKIP: module {...}
// GENERIC: "builtin.module"() ({...}) : () -> ()
func.func @f(%c: i1, %a: index) -> index {
  %r = scf.if %c -> index { scf.yield %a : index } else { scf.yield %a : index }
  return %r : index
}

// RUN: ttmlir-opt %s --mlir-print-debuginfo --mlir-pretty-debuginfo | FileCheck %s --check-prefix=PRETTY
// PRETTY: func.func @places(%arg0: i32 {{.*}}print_flags.mlir:15:19) -> i32 {
// PRETTY-NEXT: arith.addi %arg0, %arg0 : i32 "name"(#[[FILE:loc[0-9]+]])
// PRETTY: #[[FILE]] = f.mlir:1:2
func.func @places(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("name"("f.mlir":1:2))
  return %0 : i32
}
