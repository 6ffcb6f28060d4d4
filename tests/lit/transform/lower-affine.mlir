// Affine loops, branches, accesses and indices become scf, memref and arith as MLIR 22 does it.
// RUN: ttmlir-opt %s --lower-affine --allow-unregistered-dialect | FileCheck %s

func.func @a(%i: index, %j: index, %m: memref<4x8xf32>, %f: f32) -> index {
  %c = arith.constant 4 : index
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 floordiv 3 - 1)>(%i)[%c]
  %1 = affine.apply affine_map<() -> (5)>()
  %2 = affine.min affine_map<(d0) -> (d0 + 1, 7, d0 mod 3)>(%i)
  %3 = affine.max affine_map<(d0) -> (d0, 7)>(%i)
  affine.for %k = 0 to 10 {
    %v = affine.load %m[%k + 1, 3] : memref<4x8xf32>
    affine.store %v, %m[%k, %k * 2] : memref<4x8xf32>
  }
  %s = affine.for %k = max affine_map<(d0) -> (d0, 2)>(%i) to min affine_map<(d0) -> (d0, 20)>(%j) step 2 iter_args(%x = %f) -> (f32) {
    %y = arith.addf %x, %f : f32
    affine.yield %y : f32
  }
  affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, d1 == 0)>(%i, %j) {
    affine.prefetch %m[%i, 0], read, locality<3>, data : memref<4x8xf32>
  } else {
    memref.store %f, %m[%i, %j] : memref<4x8xf32>
  }
  %r = affine.if affine_set<(d0) : (d0 >= 0)>(%i) -> index {
    affine.yield %i : index
  } else {
    affine.yield %j : index
  }
  affine.if affine_set<() : ()>() {
  }
  affine.parallel (%a, %b) = (0, max(1, %i)) to (10, min(%j, 20)) step (1, 2) {
    affine.store %f, %m[%a, %b] : memref<4x8xf32>
  }
  %p = affine.parallel (%a) = (0) to (10) reduce ("addf") -> (f32) {
    affine.yield %f : f32
  }
  return %r : index
}
func.func @i(%i: index, %j: index, %k: index) -> (index, index, index, index) {
  %0:3 = affine.delinearize_index %i into (%j, 4, 5) : index, index, index
  %1:2 = affine.delinearize_index %i into (3) : index, index
  %2 = affine.linearize_index [%i, %j, %k] by (2, %i, 5) : index
  %3 = affine.linearize_index disjoint [%i, %j] by (7) : index
  %c = affine.linearize_index [] by () : index
  %4:1 = affine.delinearize_index %i into (3) : index
  %d = affine.linearize_index [%i] by (4) : index
  return %0#0, %1#1, %2, %3 : index, index, index, index
}
func.func @rest(%i: index, %j: index, %n: index, %v: i32) -> index {
  %c = arith.constant 10 : index
  %0 = affine.min affine_map<(d0)[s0] -> (d0 + s0, 3)>(%c)[%c]
  %1 = affine.apply affine_map<(d0) -> (d0 ceildiv 7)>(%i)
  affine.for %k = 0 to 4 {
    affine.for %l = 0 to 5 {
      %2 = affine.linearize_index disjoint [%l, %i, %k] by (%n, 4, 8) : index
      %3:2 = affine.delinearize_index %2 into (%n, %j) : index, index
      %4:3 = affine.delinearize_index %2 into (%n, %j) : index, index, index
      "test.use"(%3#0, %4#0, %4#1, %4#2) : (index, index, index, index) -> ()
    }
  }
  %p:2 = affine.parallel (%a) = (0) to (10) reduce ("andi", "maximumf") -> (i32, f16) {
    %h = arith.constant 1.0 : f16
    affine.yield %v, %h : i32, f16
  }
  return %1 : index
}

// CHECK-LABEL: func.func @a(%arg0: index, %arg1: index, %arg2: memref<4x8xf32>, %arg3: f32) -> index {
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %0 = arith.muli %arg0, %c2 overflow<nsw> : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c-1 = arith.constant -1 : index
// CHECK-NEXT: %1 = arith.cmpi slt, %c4, %c0 : index
// CHECK-NEXT: %2 = arith.subi %c-1, %c4 : index
// CHECK-NEXT: %3 = arith.select %1, %2, %c4 : index
// CHECK-NEXT: %4 = arith.divsi %3, %c3 : index
// CHECK-NEXT: %5 = arith.subi %c-1, %4 : index
// CHECK-NEXT: %6 = arith.select %1, %5, %4 : index
// CHECK-NEXT: %7 = arith.addi %0, %6 : index
// CHECK-NEXT: %c-1_0 = arith.constant -1 : index
// CHECK-NEXT: %8 = arith.addi %7, %c-1_0 : index
// CHECK-NEXT: %c5 = arith.constant 5 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %9 = arith.addi %arg0, %c1 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %c3_1 = arith.constant 3 : index
// CHECK-NEXT: %10 = arith.remsi %arg0, %c3_1 : index
// CHECK-NEXT: %c0_2 = arith.constant 0 : index
// CHECK-NEXT: %11 = arith.cmpi slt, %10, %c0_2 : index
// CHECK-NEXT: %12 = arith.addi %10, %c3_1 : index
// CHECK-NEXT: %13 = arith.select %11, %12, %10 : index
// CHECK-NEXT: %14 = arith.minsi %9, %c7 : index
// CHECK-NEXT: %15 = arith.minsi %14, %13 : index
// CHECK-NEXT: %c7_3 = arith.constant 7 : index
// CHECK-NEXT: %16 = arith.maxsi %arg0, %c7_3 : index
// CHECK-NEXT: %c0_4 = arith.constant 0 : index
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %c1_5 = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg4 = %c0_4 to %c10 step %c1_5 {
// CHECK-NEXT: %c1_22 = arith.constant 1 : index
// CHECK-NEXT: %30 = arith.addi %arg4, %c1_22 : index
// CHECK-NEXT: %c3_23 = arith.constant 3 : index
// CHECK-NEXT: %31 = memref.load %arg2[%30, %c3_23] : memref<4x8xf32>
// CHECK-NEXT: %c2_24 = arith.constant 2 : index
// CHECK-NEXT: %32 = arith.muli %arg4, %c2_24 overflow<nsw> : index
// CHECK-NEXT: memref.store %31, %arg2[%arg4, %32] : memref<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %c2_6 = arith.constant 2 : index
// CHECK-NEXT: %17 = arith.maxsi %arg0, %c2_6 : index
// CHECK-NEXT: %c20 = arith.constant 20 : index
// CHECK-NEXT: %18 = arith.minsi %arg1, %c20 : index
// CHECK-NEXT: %c2_7 = arith.constant 2 : index
// CHECK-NEXT: %19 = scf.for %arg4 = %17 to %18 step %c2_7 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %30 = arith.addf %arg5, %arg3 : f32
// CHECK-NEXT: scf.yield %30 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %c0_8 = arith.constant 0 : index
// CHECK-NEXT: %c-1_9 = arith.constant -1 : index
// CHECK-NEXT: %20 = arith.addi %arg0, %c-1_9 : index
// CHECK-NEXT: %21 = arith.cmpi sge, %20, %c0_8 : index
// CHECK-NEXT: %22 = arith.cmpi eq, %arg1, %c0_8 : index
// CHECK-NEXT: %23 = arith.andi %21, %22 : i1
// CHECK-NEXT: scf.if %23 {
// CHECK-NEXT: %c0_22 = arith.constant 0 : index
// CHECK-NEXT: memref.prefetch %arg2[%arg0, %c0_22], read, locality<3>, data : memref<4x8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store %arg3, %arg2[%arg0, %arg1] : memref<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %c0_10 = arith.constant 0 : index
// CHECK-NEXT: %24 = arith.cmpi sge, %arg0, %c0_10 : index
// CHECK-NEXT: %25 = scf.if %24 -> (index) {
// CHECK-NEXT: scf.yield %arg0 : index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg1 : index
// CHECK-NEXT: }
// CHECK-NEXT: %c0_11 = arith.constant 0 : index
// CHECK-NEXT: %c0_12 = arith.constant 0 : index
// CHECK-NEXT: %26 = arith.cmpi eq, %c0_12, %c0_11 : index
// CHECK-NEXT: scf.if %26 {
// CHECK-NEXT: }
// CHECK-NEXT: %c0_13 = arith.constant 0 : index
// CHECK-NEXT: %c10_14 = arith.constant 10 : index
// CHECK-NEXT: %c1_15 = arith.constant 1 : index
// CHECK-NEXT: %27 = arith.maxsi %c1_15, %arg0 : index
// CHECK-NEXT: %c20_16 = arith.constant 20 : index
// CHECK-NEXT: %28 = arith.minsi %arg1, %c20_16 : index
// CHECK-NEXT: %c1_17 = arith.constant 1 : index
// CHECK-NEXT: %c2_18 = arith.constant 2 : index
// CHECK-NEXT: scf.parallel (%arg4, %arg5) = (%c0_13, %27) to (%c10_14, %28) step (%c1_17, %c2_18) {
// CHECK-NEXT: memref.store %arg3, %arg2[%arg4, %arg5] : memref<4x8xf32>
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: %c0_19 = arith.constant 0 : index
// CHECK-NEXT: %c10_20 = arith.constant 10 : index
// CHECK-NEXT: %c1_21 = arith.constant 1 : index
// CHECK-NEXT: %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %29 = scf.parallel (%arg4) = (%c0_19) to (%c10_20) step (%c1_21) init (%cst) -> f32 {
// CHECK-NEXT: scf.reduce(%arg3 : f32) {
// CHECK-NEXT: ^bb0(%arg5: f32, %arg6: f32):
// CHECK-NEXT: %30 = arith.addf %arg5, %arg6 : f32
// CHECK-NEXT: scf.reduce.return %30 : f32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %25 : index
// CHECK-NEXT: }
// CHECK-LABEL: func.func @i(%arg0: index, %arg1: index, %arg2: index) -> (index, index, index, index) {
// CHECK-NEXT: %c5 = arith.constant 5 : index
// CHECK-NEXT: %c20 = arith.constant 20 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = arith.floordivsi %arg0, %c20 : index
// CHECK-NEXT: %1 = arith.remsi %arg0, %c20 : index
// CHECK-NEXT: %2 = arith.cmpi slt, %1, %c0 : index
// CHECK-NEXT: %3 = arith.addi %1, %c20 overflow<nsw> : index
// CHECK-NEXT: %4 = arith.select %2, %3, %1 : index
// CHECK-NEXT: %5 = arith.divsi %4, %c5 : index
// CHECK-NEXT: %6 = arith.remsi %arg0, %c5 : index
// CHECK-NEXT: %7 = arith.cmpi slt, %6, %c0 : index
// CHECK-NEXT: %8 = arith.addi %6, %c5 overflow<nsw> : index
// CHECK-NEXT: %9 = arith.select %7, %8, %6 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %10 = arith.floordivsi %arg0, %c3 : index
// CHECK-NEXT: %11 = arith.remsi %arg0, %c3 : index
// CHECK-NEXT: %12 = arith.cmpi slt, %11, %c0_0 : index
// CHECK-NEXT: %13 = arith.addi %11, %c3 overflow<nsw> : index
// CHECK-NEXT: %14 = arith.select %12, %13, %11 : index
// CHECK-NEXT: %c5_1 = arith.constant 5 : index
// CHECK-NEXT: %c5_2 = arith.constant 5 : index
// CHECK-NEXT: %15 = arith.muli %arg0, %c5_2 overflow<nsw> : index
// CHECK-NEXT: %16 = arith.muli %arg0, %15 overflow<nsw> : index
// CHECK-NEXT: %17 = arith.muli %arg1, %c5_1 overflow<nsw> : index
// CHECK-NEXT: %18 = arith.addi %16, %17 overflow<nsw> : index
// CHECK-NEXT: %19 = arith.addi %18, %arg2 overflow<nsw> : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %20 = arith.muli %arg0, %c7 overflow<nsw> : index
// CHECK-NEXT: %21 = arith.addi %20, %arg1 overflow<nsw> : index
// CHECK-NEXT: %c0_3 = arith.constant 0 : index
// CHECK-NEXT: return %0, %14, %19, %21 : index, index, index, index
// CHECK-NEXT: }
// CHECK-LABEL: func.func @rest(%arg0: index, %arg1: index, %arg2: index, %arg3: i32) -> index {
// CHECK-NEXT: %c10 = arith.constant 10 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = arith.cmpi sle, %arg0, %c0 : index
// CHECK-NEXT: %1 = arith.subi %c0, %arg0 : index
// CHECK-NEXT: %2 = arith.subi %arg0, %c1 : index
// CHECK-NEXT: %3 = arith.select %0, %1, %2 : index
// CHECK-NEXT: %4 = arith.divsi %3, %c7 : index
// CHECK-NEXT: %5 = arith.subi %c0, %4 : index
// CHECK-NEXT: %6 = arith.addi %4, %c1 : index
// CHECK-NEXT: %7 = arith.select %0, %5, %6 : index
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c1_1 = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg4 = %c0_0 to %c4 step %c1_1 {
// CHECK-NEXT: %c0_5 = arith.constant 0 : index
// CHECK-NEXT: %c5 = arith.constant 5 : index
// CHECK-NEXT: %c1_6 = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg5 = %c0_5 to %c5 step %c1_6 {
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c32 = arith.constant 32 : index
// CHECK-NEXT: %9 = arith.muli %arg5, %c32 overflow<nsw> : index
// CHECK-NEXT: %10 = arith.muli %arg0, %c8 overflow<nsw> : index
// CHECK-NEXT: %11 = arith.addi %10, %arg4 overflow<nsw> : index
// CHECK-NEXT: %12 = arith.addi %11, %9 overflow<nsw> : index
// CHECK-NEXT: %c0_7 = arith.constant 0 : index
// CHECK-NEXT: %13 = arith.floordivsi %12, %arg1 : index
// CHECK-NEXT: %14 = arith.remsi %12, %arg1 : index
// CHECK-NEXT: %15 = arith.cmpi slt, %14, %c0_7 : index
// CHECK-NEXT: %16 = arith.addi %14, %arg1 overflow<nsw> : index
// CHECK-NEXT: %17 = arith.select %15, %16, %14 : index
// CHECK-NEXT: %18 = arith.muli %arg1, %arg2 overflow<nsw, nuw> : index
// CHECK-NEXT: %c0_8 = arith.constant 0 : index
// CHECK-NEXT: %19 = arith.floordivsi %12, %18 : index
// CHECK-NEXT: %20 = arith.remsi %12, %18 : index
// CHECK-NEXT: %21 = arith.cmpi slt, %20, %c0_8 : index
// CHECK-NEXT: %22 = arith.addi %20, %18 overflow<nsw> : index
// CHECK-NEXT: %23 = arith.select %21, %22, %20 : index
// CHECK-NEXT: %24 = arith.divsi %23, %arg1 : index
// CHECK-NEXT: %25 = arith.remsi %12, %arg1 : index
// CHECK-NEXT: %26 = arith.cmpi slt, %25, %c0_8 : index
// CHECK-NEXT: %27 = arith.addi %25, %arg1 overflow<nsw> : index
// CHECK-NEXT: %28 = arith.select %26, %27, %25 : index
// CHECK-NEXT: "test.use"(%13, %19, %24, %28) : (index, index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %c0_2 = arith.constant 0 : index
// CHECK-NEXT: %c10_3 = arith.constant 10 : index
// CHECK-NEXT: %c1_4 = arith.constant 1 : index
// CHECK-NEXT: %c-1_i32 = arith.constant -1 : i32
// CHECK-NEXT: %cst = arith.constant 0xFC00 : f16
// CHECK-NEXT: %8:2 = scf.parallel (%arg4) = (%c0_2) to (%c10_3) step (%c1_4) init (%c-1_i32, %cst) -> (i32, f16) {
// CHECK-NEXT: %cst_5 = arith.constant 1.000000e+00 : f16
// CHECK-NEXT: scf.reduce(%arg3, %cst_5 : i32, f16) {
// CHECK-NEXT: ^bb0(%arg5: i32, %arg6: i32):
// CHECK-NEXT: %9 = arith.andi %arg5, %arg6 : i32
// CHECK-NEXT: scf.reduce.return %9 : i32
// CHECK-NEXT: }, {
// CHECK-NEXT: ^bb0(%arg5: f16, %arg6: f16):
// CHECK-NEXT: %9 = arith.maximumf %arg5, %arg6 : f16
// CHECK-NEXT: scf.reduce.return %9 : f16
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %7 : index
// CHECK-NEXT: }
