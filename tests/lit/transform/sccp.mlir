// RUN: ttmlir-opt %s --sccp | FileCheck %s

// Constants through branches, loops and calls; the checks are mlir-opt's output.

// CHECK-LABEL: func.func private @callee(%arg0: i32, %arg1: i32) -> (i32, i32) {
// CHECK-NEXT: %c3_i32 = arith.constant 3 : i32
// CHECK-NEXT: %c6_i32 = arith.constant 6 : i32
// CHECK-NEXT: return %c6_i32, %arg1 : i32, i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @f(%arg0: i32, %arg1: i1) -> (i32, i32, i32, i32) {
// CHECK-NEXT: %c4_i32 = arith.constant 4 : i32
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %c6_i32 = arith.constant 6 : i32
// CHECK-NEXT: %c3_i32 = arith.constant 3 : i32
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %0:2 = call @callee(%c3_i32, %arg0) : (i32, i32) -> (i32, i32)
// CHECK-NEXT: cf.cond_br %true, ^bb1(%c3_i32 : i32), ^bb2(%arg0 : i32)
// CHECK-NEXT: ^bb1(%1: i32):
// CHECK-NEXT: cf.br ^bb2(%c3_i32 : i32)
// CHECK-NEXT: ^bb2(%2: i32):
// CHECK-NEXT: return %c4_i32, %c6_i32, %0#1, %c3_i32 : i32, i32, i32, i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @g(%arg0: i32, %arg1: i1, %arg2: index) -> (i32, i32, i32, i32) {
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %0:2 = scf.for %arg3 = %c0 to %arg2 step %c1 iter_args(%arg4 = %c1_i32, %arg5 = %c2_i32) -> (i32, i32) {
// CHECK-NEXT: %1 = arith.addi %arg5, %c1_i32 : i32
// CHECK-NEXT: scf.yield %c1_i32, %1 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: return %c1_i32, %c2_i32, %c1_i32, %c1_i32 : i32, i32, i32, i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @loop(%arg0: i32) -> i32 {
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: cf.br ^bb1(%c0_i32, %c1_i32 : i32, i32)
// CHECK-NEXT: ^bb1(%0: i32, %1: i32):
// CHECK-NEXT: %2 = arith.cmpi slt, %0, %arg0 : i32
// CHECK-NEXT: cf.cond_br %2, ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %3 = arith.addi %0, %c1_i32 : i32
// CHECK-NEXT: cf.br ^bb1(%3, %c1_i32 : i32, i32)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: return %c1_i32 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @never(%arg0: i32) -> i32 {
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %0 = arith.addi %c1_i32, %c2_i32 : i32
// CHECK-NEXT: return %0 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @twice(%arg0: i32) -> i32 {
// CHECK-NEXT: return %arg0 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @once(%arg0: i32) -> i32 {
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: return %c2_i32 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @callers() -> (i32, i32, i32) {
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %0 = call @twice(%c1_i32) : (i32) -> i32
// CHECK-NEXT: %1 = call @twice(%c2_i32) : (i32) -> i32
// CHECK-NEXT: %2 = call @once(%c2_i32) : (i32) -> i32
// CHECK-NEXT: return %0, %1, %c2_i32 : i32, i32, i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @taken(%arg0: i32) -> i32 {
// CHECK-NEXT: return %arg0 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @takes() -> i32 {
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %f = constant @taken : (i32) -> i32
// CHECK-NEXT: %0 = call @taken(%c1_i32) : (i32) -> i32
// CHECK-NEXT: return %0 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @rec(%arg0: i32, %arg1: i32) -> i32 {
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %c7_i32 = arith.constant 7 : i32
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: %0 = arith.cmpi eq, %arg0, %c0_i32 : i32
// CHECK-NEXT: cf.cond_br %0, ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: return %c7_i32 : i32
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %1 = arith.subi %arg0, %c1_i32 : i32
// CHECK-NEXT: %2 = call @rec(%1, %c7_i32) : (i32, i32) -> i32
// CHECK-NEXT: return %c7_i32 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @recurses(%arg0: i32) -> i32 {
// CHECK-NEXT: %c7_i32 = arith.constant 7 : i32
// CHECK-NEXT: %0 = call @rec(%arg0, %c7_i32) : (i32, i32) -> i32
// CHECK-NEXT: return %c7_i32 : i32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @exec(%arg0: i1, %arg1: index, %arg2: memref<4xi32>) -> (i32, i32, i32, index) {
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %c5 = arith.constant 5 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %c3_i32 = arith.constant 3 : i32
// CHECK-NEXT: %0 = affine.for %arg3 = 0 to %arg1 iter_args(%arg4 = %c1_i32) -> (i32) {
// CHECK-NEXT: memref.store %c1_i32, %arg2[%arg3] : memref<4xi32>
// CHECK-NEXT: affine.yield %c1_i32 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return %c3_i32, %c3_i32, %c1_i32, %c7 : i32, i32, i32, index
// CHECK-NEXT: }
// CHECK-LABEL: func.func @switch(%arg0: i32, %arg1: index) -> (i32, i32) {
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c4_i32 = arith.constant 4 : i32
// CHECK-NEXT: %c3_i32 = arith.constant 3 : i32
// CHECK-NEXT: cf.switch %c3_i32 : i32, [
// CHECK-NEXT: default: ^bb1(%arg0 : i32),
// CHECK-NEXT: 3: ^bb2(%c4_i32 : i32)
// CHECK-NEXT: ]
// CHECK-NEXT: ^bb1(%0: i32):
// CHECK-NEXT: return %0, %c3_i32 : i32, i32
// CHECK-NEXT: ^bb2(%1: i32):
// CHECK-NEXT: return %c4_i32, %c3_i32 : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: }

func.func private @callee(%x: i32, %y: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  return %0, %y : i32, i32
}
func.func @f(%a: i32, %c: i1) -> (i32, i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0 = arith.addi %c1, %c2 : i32
  %1:2 = func.call @callee(%0, %a) : (i32, i32) -> (i32, i32)
  %t = arith.constant true
  cf.cond_br %t, ^a(%0 : i32), ^b(%a : i32)
^a(%x: i32):
  %2 = arith.muli %x, %c2 : i32
  cf.br ^b(%x : i32)
^b(%y: i32):
  %3 = arith.addi %y, %c1 : i32
  return %3, %1#0, %1#1, %y : i32, i32, i32, i32
}
func.func @g(%a: i32, %c: i1, %n: index) -> (i32, i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %t = arith.constant true
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %0 = scf.if %t -> i32 { scf.yield %c1 : i32 } else { scf.yield %c2 : i32 }
  %1 = scf.if %c -> i32 { scf.yield %c2 : i32 } else { scf.yield %c2 : i32 }
  %2:2 = scf.for %i = %z to %n step %o iter_args(%x = %c1, %y = %c2) -> (i32, i32) {
    %s = arith.muli %x, %c1 : i32
    %u = arith.addi %y, %c1 : i32
    scf.yield %s, %u : i32, i32
  }
  %3 = scf.while (%w = %c1) : (i32) -> i32 {
    %k = arith.cmpi eq, %w, %c2 : i32
    scf.condition(%k) %w : i32
  } do {
  ^bb0(%w: i32):
    %q = arith.addi %w, %a : i32
    scf.yield %q : i32
  }
  return %0, %1, %2#0, %3 : i32, i32, i32, i32
}
func.func @loop(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %c1 : i32, i32)
^head(%i: i32, %k: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^end
^body:
  %same = arith.muli %k, %c1 : i32
  %next = arith.addi %i, %same : i32
  cf.br ^head(%next, %same : i32, i32)
^end:
  return %k : i32
}
func.func private @never(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0 = arith.addi %c1, %c2 : i32
  return %0 : i32
}
func.func private @twice(%a: i32) -> i32 { return %a : i32 }
func.func private @once(%a: i32) -> i32 { return %a : i32 }
func.func @callers() -> (i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0 = call @twice(%c1) : (i32) -> i32
  %1 = call @twice(%c2) : (i32) -> i32
  %2 = call @once(%c2) : (i32) -> i32
  return %0, %1, %2 : i32, i32, i32
}
func.func private @taken(%a: i32) -> i32 { return %a : i32 }
func.func @takes() -> i32 {
  %f = func.constant @taken : (i32) -> i32
  %c1 = arith.constant 1 : i32
  %0 = call @taken(%c1) : (i32) -> i32
  return %0 : i32
}
func.func private @rec(%a: i32, %b: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %z = arith.cmpi eq, %a, %c0 : i32
  cf.cond_br %z, ^done, ^more
^done:
  return %b : i32
^more:
  %c1 = arith.constant 1 : i32
  %d = arith.subi %a, %c1 : i32
  %r = call @rec(%d, %b) : (i32, i32) -> i32
  return %r : i32
}
func.func @recurses(%n: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %0 = call @rec(%n, %c7) : (i32, i32) -> i32
  return %0 : i32
}
func.func @exec(%b: i1, %a: index, %m: memref<4xi32>) -> (i32, i32, i32, index) {
  %c3 = arith.constant 3 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.if %b -> i32 { scf.yield %c3 : i32 } else { scf.yield %c3 : i32 }
  %1 = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%a) -> i32 { affine.yield %c3 : i32 } else { affine.yield %c3 : i32 }
  %i0 = arith.constant 0 : index
  %2 = affine.for %i = 0 to %a iter_args(%x = %c1) -> (i32) {
    memref.store %x, %m[%i] : memref<4xi32>
    affine.yield %c1 : i32
  }
  %i2 = arith.constant 2 : index
  %3 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i2)
  %4 = affine.min affine_map<(d0) -> (d0, 5)>(%i2)
  %s = arith.addi %3, %4 : index
  return %0, %1, %2, %s : i32, i32, i32, index
}
func.func @switch(%v: i32, %idx: index) -> (i32, i32) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %k = arith.constant 2 : index
  %0 = scf.index_switch %k -> i32
  case 2 { scf.yield %c3 : i32 }
  default { scf.yield %c4 : i32 }
  cf.switch %c3 : i32, [ default: ^a(%v : i32), 3: ^b(%c4 : i32) ]
^a(%x: i32):
  return %x, %0 : i32, i32
^b(%y: i32):
  return %y, %0 : i32, i32
}
