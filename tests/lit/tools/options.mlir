// RUN: ttmlir-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: not ttmlir-opt --split-input-files %s 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not ttmlir-opt --convert-ttir-to-tnn %s 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not ttmlir-opt /no/such/file.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: ttmlir-opt %s --mlir-print-ir-after-all --inline 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: tilewright doctor | FileCheck %s --check-prefix=DOCTOR
// VERSION: Tilewright (ttmlir-opt) version
// TYPO: Unknown command line argument '--split-input-files'.  Try: 'ttmlir-opt --help'
// TYPO-NEXT: Did you mean '--split-input-file'?
// PASS: Did you mean '--convert-ttir-to-ttnn'?
// FILE: cannot open '/no/such/file.mlir'
// DUMP: // -----// IR Dump After Inliner (inline)
// DOCTOR: self-test: compile and run a matrix product: ok
module {}
