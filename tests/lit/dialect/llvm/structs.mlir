// Structs that hold themselves by name, as MLIR 22 has them.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

// CHECK: @a(!llvm.struct<"e", (array<2 x struct<"e">>, struct<"f", packed (struct<"e">, struct<"f">)>)>)
func.func private @a(!llvm.struct<"e", (array<2 x struct<"e">>, struct<"f", packed (struct<"e">, struct<"f">)>)>)
// The inner one alone: what it holds is written where it is met first.
// CHECK: @b(!llvm.struct<"f", packed (struct<"e", (array<2 x struct<"e">>, struct<"f">)>, struct<"f">)>)
func.func private @b(!llvm.struct<"f", packed (struct<"e", (array<2 x struct<"e">>, struct<"f">)>, struct<"f">)>)

// Extracting without indices gives the struct itself.
// CHECK-LABEL: llvm.func @g
llvm.func @g(%a: !llvm.struct<"h", (ptr, struct<"h">)>) -> !llvm.struct<"h", (ptr, struct<"h">)> {
  // CHECK: llvm.extractvalue %arg0[1, 1, 1] : !llvm.struct<"h", (ptr, struct<"h">)>
  %1 = llvm.extractvalue %a[1, 1, 1] : !llvm.struct<"h", (ptr, struct<"h">)>
  llvm.return %1 : !llvm.struct<"h", (ptr, struct<"h">)>
}
