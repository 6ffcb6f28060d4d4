// Atomic accesses, and what they refuse, as MLIR has them.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: llvm.func @f
// GENERIC-LABEL: sym_name = "f"
llvm.func @f(%p: !llvm.ptr, %v: i32, %f: f32, %vec: vector<2xf16>) {
  // CHECK-NEXT: llvm.fence seq_cst
  // GENERIC: "llvm.fence"() <{ordering = 7 : i64}> : () -> ()
  llvm.fence seq_cst
  // CHECK-NEXT: llvm.fence syncscope("agent") acquire
  llvm.fence syncscope("agent") acquire
  // CHECK-NEXT: llvm.atomicrmw add %arg0, %arg1 monotonic : !llvm.ptr, i32
  %0 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
  // CHECK-NEXT: llvm.atomicrmw volatile _and %arg0, %arg1 syncscope("x") acq_rel {alignment = 8 : i64} : !llvm.ptr, i32
  // GENERIC: "llvm.atomicrmw"(%arg0, %arg1) <{alignment = 8 : i64, bin_op = 3 : i64, ordering = 6 : i64, syncscope = "x", volatile_}> : (!llvm.ptr, i32) -> i32
  %1 = llvm.atomicrmw volatile _and %p, %v syncscope("x") acq_rel {alignment = 8 : i64} : !llvm.ptr, i32
  // CHECK-NEXT: llvm.atomicrmw fadd %arg0, %arg3 seq_cst : !llvm.ptr, vector<2xf16>
  %2 = llvm.atomicrmw fadd %p, %vec seq_cst : !llvm.ptr, vector<2xf16>
  // CHECK-NEXT: %[[PAIR:.*]] = llvm.cmpxchg %arg0, %arg1, %arg1 acq_rel monotonic : !llvm.ptr, i32
  // GENERIC: "llvm.cmpxchg"(%arg0, %arg1, %arg1) <{failure_ordering = 2 : i64, success_ordering = 6 : i64}> : (!llvm.ptr, i32, i32) -> !llvm.struct<(i32, i1)>
  %3 = llvm.cmpxchg %p, %v, %v acq_rel monotonic : !llvm.ptr, i32
  // CHECK-NEXT: llvm.extractvalue %[[PAIR]][1] : !llvm.struct<(i32, i1)>
  %4 = llvm.extractvalue %3[1] : !llvm.struct<(i32, i1)>
  // CHECK-NEXT: llvm.cmpxchg weak volatile %arg0, %arg0, %arg0 syncscope("y") seq_cst seq_cst {alignment = 4 : i64} : !llvm.ptr, !llvm.ptr
  %5 = llvm.cmpxchg weak volatile %p, %p, %p syncscope("y") seq_cst seq_cst {alignment = 4 : i64} : !llvm.ptr, !llvm.ptr
  // CHECK-NEXT: llvm.load %arg0 atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  %6 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK-NEXT: llvm.store %arg2, %arg0 atomic syncscope("x") release {alignment = 4 : i64} : f32, !llvm.ptr
  llvm.store %f, %p atomic syncscope("x") release {alignment = 4 : i64} : f32, !llvm.ptr
  // CHECK-NEXT: llvm.load %arg0 invariant {nontemporal} : !llvm.ptr -> f32
  %7 = llvm.load %p invariant {nontemporal} : !llvm.ptr -> f32
  llvm.return
}
// -----
llvm.func @f() {
  // expected-error @+1 {{can be given only acquire, release, acq_rel, and seq_cst orderings}}
  llvm.fence monotonic
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{expected at least 'monotonic' ordering}}
  %0 = llvm.atomicrmw add %p, %v unordered : !llvm.ptr, i32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i3) {
  // expected-error @+1 {{expected LLVM IR integer type}}
  %0 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i3
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{expected LLVM IR floating point type}}
  %0 = llvm.atomicrmw fadd %p, %v monotonic : !llvm.ptr, i32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: vector<2xf16>) {
  // expected-error @+1 {{unexpected LLVM IR type for 'xchg' bin_op}}
  %0 = llvm.atomicrmw xchg %p, %v monotonic : !llvm.ptr, vector<2xf16>
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{result #0 and operand #1 have the same type}}
  %0 = "llvm.atomicrmw"(%p, %v) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr, i32) -> i64
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i3) {
  // expected-error @+1 {{'llvm.cmpxchg' op unexpected LLVM IR type}}
  %0 = llvm.cmpxchg %p, %v, %v acq_rel monotonic : !llvm.ptr, i3
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{ordering must be at least 'monotonic'}}
  %0 = llvm.cmpxchg %p, %v, %v unordered monotonic : !llvm.ptr, i32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{failure ordering cannot be 'release' or 'acq_rel'}}
  %0 = llvm.cmpxchg %p, %v, %v acq_rel release : !llvm.ptr, i32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{result #0 has an LLVM struct type consisting of the type of operand #2 and a bool}}
  %0 = "llvm.cmpxchg"(%p, %v, %v) <{success_ordering = 2 : i64, failure_ordering = 2 : i64}> : (!llvm.ptr, i32, i32) -> !llvm.struct<(i32, i32)>
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{expected alignment for atomic access}}
  %0 = llvm.load %p atomic monotonic : !llvm.ptr -> f32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{unsupported ordering 'release'}}
  %0 = llvm.load %p atomic release {alignment = 4 : i64} : !llvm.ptr -> f32
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{unsupported type 'i3' for atomic access}}
  %0 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i3
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{unsupported ordering 'acquire'}}
  llvm.store %v, %p atomic acquire {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.return
}
// -----
llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{expected syncscope to be null for non-atomic access}}
  %0 = llvm.load %p {syncscope = "x"} : !llvm.ptr -> f32
  llvm.return
}
