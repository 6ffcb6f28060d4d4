// RUN: ttmlir-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: not ttmlir-opt --split-input-files %s 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not ttmlir-opt --convert-ttir-to-tnn %s 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not ttmlir-opt --versoin 2>&1 | FileCheck %s --check-prefix=VERSOIN
// RUN: not tilewright run %s --seed=99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright docter 2>&1 | FileCheck %s --check-prefix=DOCTER
// RUN: not ttrt qurey 2>&1 | FileCheck %s --check-prefix=QUREY
// RUN: not ttmlir-opt /no/such/file.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: ttmlir-opt %s --mlir-print-ir-after-all --inline 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: tilewright doctor | FileCheck %s --check-prefix=DOCTOR
// VERSION: Tilewright (ttmlir-opt) version
// TYPO: Unknown command line argument '--split-input-files'.  Try: 'ttmlir-opt --help'
// TYPO-NEXT: Did you mean '--split-input-file'?
// VERSOIN: Did you mean '--version'?
// LARGE: for the --seed option: '99999999999999999999' value invalid for integer argument!
// DOCTER: tilewright: Unknown command 'docter'.  Try: 'tilewright --help'
// DOCTER-NEXT: tilewright: Did you mean 'doctor'?
// QUREY: ttrt: Unknown command 'qurey'.  Try: 'ttrt --help'
// QUREY-NEXT: ttrt: Did you mean 'query'?
// PASS: Did you mean '--convert-ttir-to-ttnn'?
// FILE: cannot open '/no/such/file.mlir'
// DUMP: // -----// IR Dump After Inliner (inline)
// DOCTOR: self-test: compile and run a matmul: ok
module {}
