// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Canonical forms of scf: while.

// CHECK-LABEL: func.func @f0(%arg0: i32) -> i32
// CHECK-NEXT: %0 = scf.while (%arg1 = %arg0) : (i32) -> i32 {
// CHECK-NEXT: %1 = "test.c"(%arg1) : (i32) -> i1
// CHECK-NEXT: scf.condition(%1) %arg1 : i32
// CHECK-NEXT: } do {
// CHECK: ^bb0(%arg1: i32):
// CHECK-NEXT: %1 = "test.n"(%arg1) : (i32) -> i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : i32
func.func @f0(%x: i32) -> i32 {
  %r:2 = scf.while (%a = %x) : (i32) -> (i32, i32) {
    %c = "test.c"(%a) : (i32) -> i1
    scf.condition(%c) %a, %x : i32, i32
  } do {
  ^bb0(%b: i32, %d: i32):
    %n = "test.n"(%b) : (i32) -> i32
    scf.yield %n : i32
  }
  return %r#0 : i32
}

// CHECK-LABEL: func.func @f1(%arg0: i32, %arg1: i32) -> i32
// CHECK-NEXT: %0 = scf.while (%arg2 = %arg0) : (i32) -> i32 {
// CHECK-NEXT: %1 = "test.c"(%arg2) : (i32) -> i1
// CHECK-NEXT: scf.condition(%1) %arg2 : i32
// CHECK-NEXT: } do {
// CHECK: ^bb0(%arg2: i32):
// CHECK-NEXT: %1 = "test.n"(%arg2, %arg1) : (i32, i32) -> i32
// CHECK-NEXT: scf.yield %1 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %arg1 : i32
func.func @f1(%x: i32, %y: i32) -> i32 {
  %r:2 = scf.while (%a = %x, %e = %y) : (i32, i32) -> (i32, i32) {
    %c = "test.c"(%a) : (i32) -> i1
    scf.condition(%c) %a, %e : i32, i32
  } do {
  ^bb0(%b: i32, %d: i32):
    %n = "test.n"(%b, %d) : (i32, i32) -> i32
    scf.yield %n, %d : i32, i32
  }
  return %r#1 : i32
}

// CHECK-LABEL: func.func @f2(%arg0: i32) -> i1
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %0 = scf.while : () -> i1 {
// CHECK-NEXT: %1 = "test.c"() : () -> i1
// CHECK-NEXT: scf.condition(%1) %1 : i1
// CHECK-NEXT: } do {
// CHECK: ^bb0(%arg1: i1):
// CHECK-NEXT: "test.d"(%true) : (i1) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : i1
func.func @f2(%x: i32) -> i1 {
  %r = scf.while () : () -> i1 {
    %c = "test.c"() : () -> i1
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%b: i1):
    "test.d"(%b) : (i1) -> ()
    scf.yield
  }
  return %r : i1
}
