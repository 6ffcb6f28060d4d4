// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --control-flow-sink | FileCheck %s

// Values used in one branch only are computed there.

// CHECK-LABEL: func.func @sink(%arg0: i32, %arg1: i1, %arg2: memref<4xi32>, %arg3: index) -> i32
// CHECK-NEXT: %0 = arith.subi %arg0, %arg0 : i32
// CHECK-NEXT: %1 = memref.load %arg2[%arg3] : memref<4xi32>
// CHECK-NEXT: %2 = scf.if %arg1 -> (i32) {
// CHECK-NEXT: %3 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: %4 = arith.muli %3, %arg0 : i32
// CHECK-NEXT: %5 = arith.addi %4, %0 : i32
// CHECK-NEXT: scf.yield %5 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %3 = arith.addi %0, %1 : i32
// CHECK-NEXT: scf.yield %3 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %2 : i32
func.func @sink(%a: i32, %c: i1, %m: memref<4xi32>, %i: index) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %2 = arith.subi %a, %a : i32
  %l = memref.load %m[%i] : memref<4xi32>
  %r = scf.if %c -> i32 {
    %x = arith.addi %1, %2 : i32
    scf.yield %x : i32
  } else {
    %y = arith.addi %2, %l : i32
    scf.yield %y : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: func.func @sink2(%arg0: i32, %arg1: i1, %arg2: index) -> i32
// CHECK-NEXT: %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: %1 = scf.if %arg1 -> (i32) {
// CHECK-NEXT: %8 = scf.if %arg1 -> (i32) {
// CHECK-NEXT: %9 = arith.subi %arg0, %arg0 : i32
// CHECK-NEXT: %10 = arith.muli %0, %arg0 : i32
// CHECK-NEXT: %11 = arith.addi %10, %9 : i32
// CHECK-NEXT: scf.yield %11 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %8 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = scf.index_switch %arg2 -> i32
// CHECK-NEXT: case 2 {
// CHECK-NEXT: %8 = arith.xori %arg0, %arg0 : i32
// CHECK-NEXT: scf.yield %8 : i32
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT: scf.yield %arg0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %3 = arith.andi %arg0, %arg0 : i32
// CHECK-NEXT: affine.if #set(%arg2) {
// CHECK-NEXT: "test.use"(%3) : (i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %4 = arith.ori %arg0, %arg0 : i32
// CHECK-NEXT: %5 = scf.execute_region -> i32 {
// CHECK-NEXT: scf.yield %4 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %6 = arith.ori %5, %2 : i32
// CHECK-NEXT: %7 = arith.ori %6, %1 : i32
// CHECK-NEXT: return %7 : i32
func.func @sink2(%a: i32, %c: i1, %i: index) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %2 = arith.subi %a, %a : i32
  %3 = arith.xori %a, %a : i32
  %r = scf.if %c -> i32 {
    %s = scf.if %c -> i32 {
      %x = arith.addi %1, %2 : i32
      scf.yield %x : i32
    } else {
      scf.yield %0 : i32
    }
    scf.yield %s : i32
  } else {
    scf.yield %a : i32
  }
  %k = scf.index_switch %i -> i32
  case 2 {
    scf.yield %3 : i32
  }
  default {
    scf.yield %a : i32
  }
  %z = arith.andi %a, %a : i32
  affine.if affine_set<(d0) : (d0 >= 0)>(%i) {
    "test.use"(%z) : (i32) -> ()
  }
  %e = arith.ori %a, %a : i32
  %q = scf.execute_region -> i32 {
    scf.yield %e : i32
  }
  %w = arith.ori %q, %k : i32
  %u = arith.ori %w, %r : i32
  return %u : i32
}
