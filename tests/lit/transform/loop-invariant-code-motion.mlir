// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --loop-invariant-code-motion | FileCheck %s

// Loop-invariant operations are hoisted.

// CHECK-LABEL: func.func @licm(%arg0: i32, %arg1: index, %arg2: memref<10xf32>, %arg3: i32)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: %1 = arith.muli %0, %arg0 : i32
// CHECK-NEXT: %c7_i32 = arith.constant 7 : i32
// CHECK-NEXT: %2 = arith.divsi %1, %c7_i32 : i32
// CHECK-NEXT: scf.for %arg4 = %c0 to %arg1 step %c1 {
// CHECK-NEXT: %3 = arith.divsi %1, %arg3 : i32
// CHECK-NEXT: %4 = memref.load %arg2[%c0] : memref<10xf32>
// CHECK-NEXT: %5 = arith.addi %arg4, %arg4 : index
// CHECK-NEXT: "test.use"(%1, %3, %2, %4, %5) : (i32, i32, i32, f32, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @licm(%a: i32, %n: index, %m: memref<10xf32>, %d: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.addi %a, %a : i32
    %y = arith.muli %x, %a : i32
    %q = arith.divsi %y, %d : i32
    %c7 = arith.constant 7 : i32
    %q2 = arith.divsi %y, %c7 : i32
    %w = memref.load %m[%c0] : memref<10xf32>
    %z = arith.addi %i, %i : index
    "test.use"(%y, %q, %q2, %w, %z) : (i32, i32, i32, f32, index) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @nested(%arg0: i32, %arg1: index, %arg2: memref<10xf32>, %arg3: i1)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: scf.for %arg4 = %c0 to %arg1 step %c1 {
// CHECK-NEXT: %7 = arith.addi %arg4, %arg4 : index
// CHECK-NEXT: scf.for %arg5 = %c0 to %arg1 step %c1 {
// CHECK-NEXT: %8 = scf.if %arg3 -> (i32) {
// CHECK-NEXT: %10 = "test.other"() : () -> i32
// CHECK-NEXT: scf.yield %10 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %9 = scf.if %arg3 -> (i32) {
// CHECK-NEXT: %10 = "test.impure"() : () -> i32
// CHECK-NEXT: scf.yield %10 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg0 : i32
// CHECK-NEXT: }
// CHECK-NEXT: "test.use"(%0, %7, %8, %9) : (i32, index, i32, i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %1 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: affine.for %arg4 = 0 to 10 {
// CHECK-NEXT: %7 = affine.apply #map(%arg4)
// CHECK-NEXT: "test.use"(%1, %7) : (i32, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %2 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: %3 = arith.cmpi eq, %2, %arg0 : i32
// CHECK-NEXT: %4 = arith.subi %arg0, %arg0 : i32
// CHECK-NEXT: scf.while : () -> () {
// CHECK-NEXT: scf.condition(%3)
// CHECK-NEXT: } do {
// CHECK-NEXT: "test.use"(%4) : (i32) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %5 = arith.muli %arg0, %arg0 : i32
// CHECK-NEXT: scf.parallel (%arg4) = (%c0) to (%arg1) step (%c1) {
// CHECK-NEXT: "test.use"(%5, %arg4) : (i32, index) -> ()
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: %6 = arith.xori %arg0, %arg0 : i32
// CHECK-NEXT: scf.forall (%arg4) in (%arg1) {
// CHECK-NEXT: "test.use"(%6, %arg4) : (i32, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @nested(%a: i32, %n: index, %m: memref<10xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %x = arith.addi %a, %a : i32
      %y = arith.addi %i, %i : index
      %k = scf.if %c -> i32 {
        %t = "test.other"() : () -> i32
        scf.yield %t : i32
      } else {
        scf.yield %a : i32
      }
      %l = scf.if %c -> i32 {
        %t = "test.impure"() : () -> i32
        scf.yield %t : i32
      } else {
        scf.yield %a : i32
      }
      "test.use"(%x, %y, %k, %l) : (i32, index, i32, i32) -> ()
    }
  }
  affine.for %i = 0 to 10 {
    %x = arith.addi %a, %a : i32
    %y = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    "test.use"(%x, %y) : (i32, index) -> ()
  }
  scf.while : () -> () {
    %x = arith.addi %a, %a : i32
    %e = arith.cmpi eq, %x, %a : i32
    scf.condition(%e)
  } do {
    %x = arith.subi %a, %a : i32
    "test.use"(%x) : (i32) -> ()
    scf.yield
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = arith.muli %a, %a : i32
    "test.use"(%x, %i) : (i32, index) -> ()
  }
  scf.forall (%i) in (%n) {
    %x = arith.xori %a, %a : i32
    "test.use"(%x, %i) : (i32, index) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @lin(%arg0: tensor<4x4xf32>, %arg1: index, %arg2: tensor<?xf32>)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %extracted = tensor.extract %arg2[%c0] : tensor<?xf32>
// CHECK-NEXT: %inserted = tensor.insert %extracted into %arg0[%c0, %c0] : tensor<4x4xf32>
// CHECK-NEXT: %dim = tensor.dim %arg2, %c0 : tensor<?xf32>
// CHECK-NEXT: %0 = tensor.empty(%dim) : tensor<?xf32>
// CHECK-NEXT: %1 = scf.for %arg3 = %c0 to %arg1 step %c1 iter_args(%arg4 = %extracted) -> (f32) {
// CHECK-NEXT: %2 = arith.addf %arg4, %arg4 : f32
// CHECK-NEXT: scf.yield %2 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %arg3 = %c0 to %arg1 step %c1 {
// CHECK-NEXT: %2 = scf.for %arg4 = %c0 to %arg1 step %arg1 iter_args(%arg5 = %extracted) -> (f32) {
// CHECK-NEXT: %3 = arith.addf %arg5, %arg5 : f32
// CHECK-NEXT: scf.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %generated = tensor.generate %arg1 {
// CHECK-NEXT: ^bb0(%arg4: index):
// CHECK-NEXT: tensor.yield %extracted : f32
// CHECK-NEXT: } : tensor<?xf32>
// CHECK-NEXT: "test.use"(%inserted, %0, %extracted, %1, %2, %generated) : (tensor<4x4xf32>, tensor<?xf32>, f32, f32, f32, tensor<?xf32>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @lin(%a: tensor<4x4xf32>, %n: index, %t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tensor.extract %t[%c0] : tensor<?xf32>
    %0 = tensor.insert %x into %a[%c0, %c0] : tensor<4x4xf32>
    %d = tensor.dim %t, %c0 : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%k = %x) -> f32 {
      %y = arith.addf %k, %k : f32
      scf.yield %y : f32
    }
    %s2 = scf.for %j = %c0 to %n step %n iter_args(%k = %x) -> f32 {
      %y = arith.addf %k, %k : f32
      scf.yield %y : f32
    }
    %g = tensor.generate %n {
    ^bb0(%p: index):
      tensor.yield %x : f32
    } : tensor<?xf32>
    "test.use"(%0, %e, %x, %s, %s2, %g) : (tensor<4x4xf32>, tensor<?xf32>, f32, f32, f32, tensor<?xf32>) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @remu(%arg0: i32, %arg1: i32, %arg2: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: %c-1_i32 = arith.constant -1 : i32
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: %0 = arith.remsi %arg0, %arg1 : i32
// CHECK-NEXT: %1 = arith.divui %arg0, %c-1_i32 : i32
// CHECK-NEXT: %2 = arith.ceildivui %arg0, %c2_i32 : i32
// CHECK-NEXT: %3 = arith.ceildivsi %arg0, %c2_i32 : i32
// CHECK-NEXT: %4 = arith.floordivsi %arg0, %c2_i32 : i32
// CHECK-NEXT: %5 = arith.floordivsi %arg0, %c-1_i32 : i32
// CHECK-NEXT: %6 = arith.remui %arg0, %c2_i32 : i32
// CHECK-NEXT: scf.for %arg3 = %c0 to %arg2 step %c1 {
// CHECK-NEXT: %7 = arith.divsi %arg0, %c-1_i32 : i32
// CHECK-NEXT: %8 = arith.divsi %arg0, %c0_i32 : i32
// CHECK-NEXT: "test.use"(%0, %1, %7, %8, %2, %3, %4, %5, %6) : (i32, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @remu(%a: i32, %b: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.remsi %a, %b : i32
    %1 = arith.divui %a, %m1 : i32
    %2 = arith.divsi %a, %m1 : i32
    %3 = arith.divsi %a, %z : i32
    %4 = arith.ceildivui %a, %c2 : i32
    %5 = arith.ceildivsi %a, %c2 : i32
    %6 = arith.floordivsi %a, %c2 : i32
    %7 = arith.floordivsi %a, %m1 : i32
    %8 = arith.remui %a, %c2 : i32
    "test.use"(%0, %1, %2, %3, %4, %5, %6, %7, %8) : (i32, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  }
  return
}
