// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Canonical forms of branches.

// CHECK-LABEL: func.func @f1(%arg0: i1, %arg1: i32, %arg2: i32) -> i32
// CHECK-NEXT: %0 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: return %0 : i32
func.func @f1(%c: i1, %x: i32, %y: i32) -> (i32) {
  cf.cond_br %c, ^bb1(%x : i32), ^bb1(%y : i32)
  ^bb1(%z: i32):
    return %z : i32
}

// CHECK-LABEL: func.func @f2(%arg0: i1, %arg1: i32) -> i32
// CHECK-NEXT: return %arg1 : i32
func.func @f2(%c: i1, %x: i32) -> (i32) {
  cf.cond_br %c, ^bb1(%x : i32), ^bb1(%x : i32)
  ^bb1(%z: i32):
    return %z : i32
}

// CHECK-LABEL: func.func @f3(%arg0: i1, %arg1: i32) -> i32
// CHECK-NEXT: return %arg1 : i32
func.func @f3(%c: i1, %x: i32) -> (i32) {
  cf.br ^bb1(%x : i32)
  ^bb1(%z: i32):
    cf.br ^bb2
  ^bb2:
    return %z : i32
}

// CHECK-LABEL: func.func @f4(%arg0: i1, %arg1: i32) -> i32
// CHECK-NEXT: cf.cond_br %arg0, ^bb2(%arg1 : i32), ^bb1
// CHECK: ^bb1:  // pred: ^bb0
// CHECK-NEXT: %0 = "test.f"() : () -> i32
// CHECK-NEXT: cf.br ^bb2(%0 : i32)
// CHECK: ^bb2(%1: i32):  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT: return %1 : i32
func.func @f4(%c: i1, %x: i32) -> (i32) {
  cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    cf.br ^bb3(%x : i32)
  ^bb2:
    %y = "test.f"() : () -> i32
    cf.br ^bb3(%y : i32)
  ^bb3(%z: i32):
    return %z : i32
}

// CHECK-LABEL: func.func @f5(%arg0: i1, %arg1: i32) -> i32
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %false = arith.constant false
// CHECK-NEXT: cf.cond_br %arg0, ^bb1, ^bb2
// CHECK: ^bb1:  // pred: ^bb0
// CHECK-NEXT: "test.f"(%true) : (i1) -> ()
// CHECK-NEXT: return %arg1 : i32
// CHECK: ^bb2:  // pred: ^bb0
// CHECK-NEXT: "test.g"(%false) : (i1) -> ()
// CHECK-NEXT: return %arg1 : i32
func.func @f5(%c: i1, %x: i32) -> (i32) {
  cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    "test.f"(%c) : (i1) -> ()
    return %x : i32
  ^bb2:
    "test.g"(%c) : (i1) -> ()
    return %x : i32
}

// CHECK-LABEL: func.func @f7() -> i32
// CHECK-NEXT: %c6_i32 = arith.constant 6 : i32
// CHECK-NEXT: return %c6_i32 : i32
func.func @f7() -> (i32) {
  %f = arith.constant 1 : i32
  cf.switch %f : i32, [
    default: ^bb1,
    1: ^bb2
  ]
  ^bb1:
    %a = arith.constant 5 : i32
    return %a : i32
  ^bb2:
    %b = arith.constant 6 : i32
    return %b : i32
}

// CHECK-LABEL: func.func @f8(%arg0: i32) -> i32
// CHECK-NEXT: %c5_i32 = arith.constant 5 : i32
// CHECK-NEXT: return %c5_i32 : i32
func.func @f8(%f: i32) -> (i32) {
  cf.switch %f : i32, [
    default: ^bb1
  ]
  ^bb1:
    %a = arith.constant 5 : i32
    return %a : i32
}

// CHECK-LABEL: func.func @f9(%arg0: i32, %arg1: i32) -> i32
// CHECK-NEXT: cf.switch %arg0 : i32, [
// CHECK-NEXT: default: ^bb1(%arg1 : i32),
// CHECK-NEXT: 2: ^bb2
// CHECK-NEXT: ]
// CHECK: ^bb1(%0: i32):  // pred: ^bb0
// CHECK-NEXT: return %0 : i32
// CHECK: ^bb2:  // pred: ^bb0
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: return %arg1 : i32
func.func @f9(%f: i32, %x: i32) -> (i32) {
  cf.switch %f : i32, [
    default: ^bb1(%x : i32),
    1: ^bb1(%x : i32),
    2: ^bb2
  ]
  ^bb1(%a: i32):
    return %a : i32
  ^bb2:
    "test.f"() : () -> ()
    return %x : i32
}

// CHECK-LABEL: func.func @f10(%arg0: i1)
// CHECK-NEXT: cf.assert %arg0, "y"
// CHECK-NEXT: return
func.func @f10(%c: i1) -> () {
  %t = arith.constant true
  cf.assert %t, "x"
  cf.assert %c, "y"
  return
}

// CHECK-LABEL: func.func @f11(%arg0: i1, %arg1: i32, %arg2: i32) -> i32
// CHECK-NEXT: %0 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: return %0 : i32
func.func @f11(%c: i1, %x: i32, %y: i32) -> (i32) {
  cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    cf.br ^bb3(%x : i32)
  ^bb2:
    cf.br ^bb3(%y : i32)
  ^bb3(%z: i32):
    return %z : i32
}

// CHECK-LABEL: func.func @f13(%arg0: i1, %arg1: i32) -> i32
// CHECK-NEXT: cf.cond_br %arg0, ^bb2(%arg1 : i32), ^bb1
// CHECK: ^bb1:  // pred: ^bb0
// CHECK-NEXT: "test.g"() : () -> ()
// CHECK-NEXT: cf.br ^bb2(%arg1 : i32)
// CHECK: ^bb2(%0: i32):  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT: return %0 : i32
func.func @f13(%c: i1, %x: i32) -> (i32) {
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
  ^bb1(%z: i32):
    cf.cond_br %c, ^bb3(%z : i32), ^bb2
  ^bb2:
    "test.g"() : () -> ()
    cf.br ^bb3(%x : i32)
  ^bb3(%k: i32):
    return %k : i32
}

// CHECK-LABEL: func.func @f14(%arg0: i32)
// CHECK-NEXT: cf.switch %arg0 : i32, [
// CHECK-NEXT: default: ^bb1,
// CHECK-NEXT: 1: ^bb2
// CHECK-NEXT: ]
// CHECK: ^bb1:  // pred: ^bb0
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: return
// CHECK: ^bb2:  // pred: ^bb0
// CHECK-NEXT: "test.g"() : () -> ()
// CHECK-NEXT: return
func.func @f14(%f: i32) -> () {
  cf.switch %f : i32, [
    default: ^bb1,
    1: ^bb2,
    2: ^bb1
  ]
  ^bb1:
    "test.f"() : () -> ()
    return
  ^bb2:
    "test.g"() : () -> ()
    return
}
