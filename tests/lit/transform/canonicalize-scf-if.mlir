// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Canonical forms of scf: if.

// CHECK-LABEL: func.func @f0(%arg0: i32, %arg1: i32) -> i32
// CHECK-NEXT: return %arg0 : i32
func.func @f0(%x: i32, %y: i32) -> i32 {
  %t = arith.constant true
  %r = scf.if %t -> i32 {
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @f1(%arg0: i1, %arg1: i32, %arg2: i32) -> i32
// CHECK-NEXT: %0 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: return %0 : i32
func.func @f1(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @f2(%arg0: i1, %arg1: i32, %arg2: i32) -> (i32, i32)
// CHECK-NEXT: %0 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: %1 = scf.if %arg0 -> (i32) {
// CHECK-NEXT: %2 = "test.f"() : () -> i32
// CHECK-NEXT: scf.yield %2 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = "test.g"() : () -> i32
// CHECK-NEXT: scf.yield %2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %0, %1 : i32, i32
func.func @f2(%c: i1, %x: i32, %y: i32) -> (i32, i32) {
  %r:2 = scf.if %c -> (i32, i32) {
    %z = "test.f"() : () -> i32
    scf.yield %x, %z : i32, i32
  } else {
    %z = "test.g"() : () -> i32
    scf.yield %y, %z : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @f3(%arg0: i1)
// CHECK-NEXT: scf.if %arg0 {
// CHECK-NEXT: "test.g"() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f3(%c: i1) {
  %t = arith.constant true
  %n = arith.xori %c, %t : i1
  scf.if %n {
    "test.f"() : () -> ()
  } else {
    "test.g"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @f4(%arg0: i1)
// CHECK-NEXT: scf.if %arg0 {
// CHECK-NEXT: "test.g"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f4(%c: i1) {
  scf.if %c {
    "test.g"() : () -> ()
  } else {
  }
  return
}

// CHECK-LABEL: func.func @f5(%arg0: i1)
// CHECK-NEXT: %false = arith.constant false
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: scf.if %arg0 {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: "test.g"(%true) : (i1) -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: "test.h"(%false) : (i1) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f5(%c: i1) {
  scf.if %c {
    scf.if %c {
      "test.f"() : () -> ()
    }
    "test.g"(%c) : (i1) -> ()
  } else {
    "test.h"(%c) : (i1) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f6(%arg0: i1, %arg1: i1)
// CHECK-NEXT: %0 = arith.andi %arg0, %arg1 : i1
// CHECK-NEXT: scf.if %0 {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f6(%c: i1, %d: i1) {
  scf.if %c {
    scf.if %d {
      "test.f"() : () -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func @f7(%arg0: i1, %arg1: i1, %arg2: i32, %arg3: i32) -> i32
// CHECK-NEXT: %0 = arith.andi %arg0, %arg1 : i1
// CHECK-NEXT: %1 = arith.select %0, %arg2, %arg3 : i32
// CHECK-NEXT: scf.if %0 {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : i32
func.func @f7(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  %0 = scf.if %c -> i32 {
    %1 = scf.if %d -> i32 {
      "test.f"() : () -> ()
      scf.yield %x : i32
    } else {
      scf.yield %y : i32
    }
    scf.yield %1 : i32
  } else {
    scf.yield %y : i32
  }
  return %0 : i32
}

// CHECK-LABEL: func.func @f8(%arg0: i1) -> (i32, i32)
// CHECK-NEXT: %0:2 = scf.if %arg0 -> (i32, i32) {
// CHECK-NEXT: %1 = "test.f"() : () -> i32
// CHECK-NEXT: %2 = "test.h"() : () -> i32
// CHECK-NEXT: scf.yield %1, %2 : i32, i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = "test.g"() : () -> i32
// CHECK-NEXT: %2 = "test.k"(%1) : (i32) -> i32
// CHECK-NEXT: scf.yield %1, %2 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: return %0#0, %0#1 : i32, i32
func.func @f8(%c: i1) -> (i32, i32) {
  %0 = scf.if %c -> i32 {
    %1 = "test.f"() : () -> i32
    scf.yield %1 : i32
  } else {
    %1 = "test.g"() : () -> i32
    scf.yield %1 : i32
  }
  %2 = scf.if %c -> i32 {
    %1 = "test.h"() : () -> i32
    scf.yield %1 : i32
  } else {
    %1 = "test.k"(%0) : (i32) -> i32
    scf.yield %1 : i32
  }
  return %0, %2 : i32, i32
}

// CHECK-LABEL: func.func @f9(%arg0: i1) -> i1
// CHECK-NEXT: return %arg0 : i1
func.func @f9(%c: i1) -> i1 {
  %t = arith.constant true
  %f = arith.constant false
  %0 = scf.if %c -> i1 {
    scf.yield %t : i1
  } else {
    scf.yield %f : i1
  }
  return %0 : i1
}
