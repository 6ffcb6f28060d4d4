// RUN: ttmlir-opt %s --canonicalize | FileCheck %s
// RUN: ttmlir-opt %s --lower-affine | FileCheck %s --check-prefix=AFFINE

func.func private @use(index, f32)

// Loops that run once, never, or as often as they must; values that only pass through.
// CHECK-LABEL: func.func @loops(%arg0: f32, %arg1: index)
// CHECK-NOT: scf.for
// CHECK: call @use(%c5, %arg0)
// CHECK-NOT: call
// CHECK: %[[L:.*]] = scf.for %[[I:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %arg0) -> (f32) {
// CHECK-NEXT: call @use(%[[I]], %arg0)
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[A]], %arg0
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: return %[[L]], %arg0, %arg0
func.func @loops(%x: f32, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c5 to %c6 step %c1 {
    func.call @use(%i, %x) : (index, f32) -> ()
  }
  %never = scf.for %i = %c6 to %c5 step %c1 iter_args(%a = %x) -> (f32) {
    func.call @use(%i, %a) : (index, f32) -> ()
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  %two:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %same = %x) -> (f32, f32) {
    func.call @use(%i, %same) : (index, f32) -> ()
    %b = arith.addf %a, %same : f32
    scf.yield %b, %same : f32, f32
  }
  return %two#0, %two#1, %never : f32, f32, f32
}

// CHECK-LABEL: func.func @sides(%arg0: f32)
// CHECK-NEXT: %[[S:.*]] = arith.addf
// CHECK-NEXT: return %[[S]]
func.func @sides(%x: f32) -> f32 {
  %t = arith.constant true
  %0 = scf.if %t -> (f32) {
    %s = arith.addf %x, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  return %0 : f32
}

// AFFINE-LABEL: func.func @affine(%arg0: index, %arg1: index)
// AFFINE: %[[M:.*]] = arith.muli %arg0, %c3
// AFFINE: %[[R:.*]] = arith.remsi %arg1, %c4
// AFFINE: %[[NEG:.*]] = arith.cmpi slt, %[[R]], %c0
// AFFINE: %[[UP:.*]] = arith.addi %[[R]], %c4
// AFFINE: %[[MOD:.*]] = arith.select %[[NEG]], %[[UP]], %[[R]]
// AFFINE: arith.addi %[[M]], %[[MOD]]
func.func @affine(%i: index, %j: index) -> index {
  %0 = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1 mod 4)>(%i, %j)
  return %0 : index
}
