// RUN: ttmlir-opt %s --mlir-print-skip-regions | FileCheck %s --check-prefix=SKIP
// RUN: ttmlir-opt %s --mlir-print-skip-regions --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// SKIP: module {...}
// GENERIC: "builtin.module"() ({...}) : () -> ()
func.func @f(%c: i1, %a: index) -> index {
  %r = scf.if %c -> index { scf.yield %a : index } else { scf.yield %a : index }
  return %r : index
}
