// Times as a tree or a list, as text or JSON.
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),cse)' --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),cse)' --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),cse)' --mlir-timing --mlir-output-format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not ttmlir-opt %s --mlir-timing --mlir-timing-display=bogus 2>&1 | FileCheck %s --check-prefix=BOGUS
// TREE: 'func.func' Pipeline
// TREE-NEXT: {{^  .*%\)    CSE$}}
// TREE-NEXT: {{^  .*%\)    Canonicalizer$}}
// TREE-NEXT: {{^  .*%\)  CSE$}}
// LIST: ----Wall Time----
// LIST-COUNT-1: CSE
// LIST-NOT: CSE
// LIST: Total
// JSON: [
// JSON-NEXT: {"wall": {"duration": {{ *[0-9.]+}}, "percentage": {{ *[0-9.]+}}}, "name": "Parser", "passes": [{}]},
// JSON-NEXT: "name": "'func.func' Pipeline", "passes": [
// JSON-NEXT: "name": "CSE", "passes": [{}]},
// JSON-NEXT: "name": "Canonicalizer", "passes": [{}]}, {}]},
// JSON: "name": "Total", "passes": [{}]}
// JSON-NEXT: ]
// BOGUS: for the --mlir-timing-display option: Cannot find option named 'bogus'!
func.func @f(%a: i32) -> i32 {
  return %a : i32
}
