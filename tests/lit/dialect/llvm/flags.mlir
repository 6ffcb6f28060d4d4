// Flags of integer operations, before or after their operands.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

llvm.func @promises(%i: i64, %j: i32) {
  // CHECK: llvm.udiv exact %arg0, %arg0 : i64
  // GENERIC: "llvm.udiv"(%{{.*}}) <{isExact}>
  %0 = llvm.udiv exact %i, %i : i64
  // CHECK-NEXT: llvm.udiv %arg0, %arg0 : i64
  // GENERIC-NEXT: "llvm.udiv"(%{{.*}}) : (i64, i64) -> i64
  %1 = llvm.udiv %i, %i : i64
  // CHECK-NEXT: llvm.sdiv exact
  %2 = llvm.sdiv exact %i, %i : i64
  // CHECK-NEXT: llvm.lshr exact
  %3 = llvm.lshr exact %i, %i : i64
  // CHECK-NEXT: llvm.ashr exact
  %4 = llvm.ashr exact %i, %i : i64
  // CHECK-NEXT: llvm.or disjoint %arg0, %arg0 : i64
  // GENERIC: "llvm.or"(%{{.*}}) <{isDisjoint}>
  %5 = llvm.or disjoint %i, %i : i64
  // CHECK-NEXT: llvm.zext nneg %arg1 : i32 to i64
  // GENERIC-NEXT: "llvm.zext"(%{{.*}}) <{nonNeg}>
  %6 = llvm.zext nneg %j : i32 to i64
  // CHECK-NEXT: llvm.uitofp nneg %arg0 : i64 to f32
  %7 = llvm.uitofp nneg %i : i64 to f32
  // CHECK-NEXT: llvm.trunc %arg0 overflow<nsw, nuw> : i64 to i32
  // GENERIC: "llvm.trunc"(%{{.*}}) <{overflowFlags = 3 : i32}>
  %8 = llvm.trunc %i overflow<nsw, nuw> : i64 to i32
  // CHECK-NEXT: llvm.trunc %arg0 : i64 to i32
  // GENERIC-NEXT: "llvm.trunc"(%{{.*}}) <{overflowFlags = 0 : i32}>
  %9 = llvm.trunc %i : i64 to i32
  // The attribute of the flags is an integer, of any width.
  // CHECK-NEXT: llvm.add %arg0, %arg0 overflow<nsw> : i64
  // GENERIC-NEXT: "llvm.add"(%{{.*}}) <{overflowFlags = 1 : i32}>
  %10 = "llvm.add"(%i, %i) <{overflowFlags = #llvm.overflow<nsw>}> : (i64, i64) -> i64
  // CHECK-NEXT: llvm.add %arg0, %arg0 overflow<nuw> : i64
  %11 = "llvm.add"(%i, %i) <{overflowFlags = 2 : i64}> : (i64, i64) -> i64
  llvm.return
}
