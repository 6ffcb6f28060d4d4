// RUN: ttmlir-opt %s --canonicalize | FileCheck %s

// Folds and canonical forms of arithmetic, on scalars and on elements.

// CHECK-LABEL: func.func @dense(%arg0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi1>)
// CHECK-NEXT: %cst = arith.constant dense<[2, 4, -6, 8]> : tensor<4xi32>
// CHECK-NEXT: %cst_0 = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
// CHECK-NEXT: return %cst, %arg0, %cst_0 : tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
func.func @dense(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
  %a = arith.constant dense<[1, 2, -3, 4]> : tensor<4xi32>
  %b = arith.constant dense<2> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %0 = arith.muli %a, %b : tensor<4xi32>
  %1 = arith.addi %x, %zero : tensor<4xi32>
  %2 = arith.cmpi ult, %a, %b : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @nested(%arg0: i32) -> (i32, i32, i32)
// CHECK-NEXT: %c420_i32 = arith.constant 420 : i32
// CHECK-NEXT: %c32_i32 = arith.constant 32 : i32
// CHECK-NEXT: %0 = arith.subi %c32_i32, %arg0 : i32
// CHECK-NEXT: %1 = arith.addi %arg0, %c32_i32 : i32
// CHECK-NEXT: %2 = arith.muli %arg0, %c420_i32 : i32
// CHECK-NEXT: return %0, %1, %2 : i32, i32, i32
func.func @nested(%x: i32) -> (i32, i32, i32) {
  %c10 = arith.constant 10 : i32
  %c42 = arith.constant 42 : i32
  %0 = arith.addi %c10, %x : i32
  %1 = arith.subi %c42, %0 : i32
  %2 = arith.subi %c10, %x : i32
  %3 = arith.subi %c42, %2 : i32
  %4 = arith.muli %x, %c10 : i32
  %5 = arith.muli %4, %c42 : i32
  return %1, %3, %5 : i32, i32, i32
}

// CHECK-LABEL: func.func @undone(%arg0: i32, %arg1: i32) -> (i32, i32, i32, i32)
// CHECK-NEXT: %c-1_i32 = arith.constant -1 : i32
// CHECK-NEXT: %0 = arith.subi %arg0, %arg1 : i32
// CHECK-NEXT: return %arg0, %arg1, %c-1_i32, %0 : i32, i32, i32, i32
func.func @undone(%x: i32, %y: i32) -> (i32, i32, i32, i32) {
  %m = arith.constant -1 : i32
  %0 = arith.subi %x, %y : i32
  %1 = arith.addi %0, %y : i32
  %2 = arith.xori %x, %y : i32
  %3 = arith.xori %2, %x : i32
  %4 = arith.xori %x, %m : i32
  %5 = arith.ori %4, %x : i32
  %6 = arith.muli %y, %m : i32
  %7 = arith.addi %6, %x : i32
  return %1, %3, %5, %7 : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @edges() -> (i8, i8, i8)
// CHECK-NEXT: %c0_i8 = arith.constant 0 : i8
// CHECK-NEXT: %c-128_i8 = arith.constant -128 : i8
// CHECK-NEXT: %c-1_i8 = arith.constant -1 : i8
// CHECK-NEXT: %c8_i8 = arith.constant 8 : i8
// CHECK-NEXT: %0 = arith.divsi %c-128_i8, %c-1_i8 : i8
// CHECK-NEXT: %1 = arith.shli %c-1_i8, %c8_i8 : i8
// CHECK-NEXT: return %0, %c0_i8, %1 : i8, i8, i8
func.func @edges() -> (i8, i8, i8) {
  %least = arith.constant -128 : i8
  %m = arith.constant -1 : i8
  %c8 = arith.constant 8 : i8
  // no number, zero, and a shift too far
  %0 = arith.divsi %least, %m : i8
  %1 = arith.remsi %least, %m : i8
  %2 = arith.shli %m, %c8 : i8
  return %0, %1, %2 : i8, i8, i8
}

// CHECK-LABEL: func.func @floats(%arg0: f32) -> (f32, f32, f32, f32, bf16, f32)
// CHECK-NEXT: %cst = arith.constant 2.250000e+00 : f32
// CHECK-NEXT: %cst_0 = arith.constant 3.339840e-01 : bf16
// CHECK-NEXT: %cst_1 = arith.constant 0x7FC00000 : f32
// CHECK-NEXT: %cst_2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %cst_3 = arith.constant 3.375000e+00 : f32
// CHECK-NEXT: %0 = arith.addf %arg0, %cst_2 : f32
// CHECK-NEXT: return %cst_3, %arg0, %0, %cst_1, %cst_0, %cst : f32, f32, f32, f32, bf16, f32
func.func @floats(%x: f32) -> (f32, f32, f32, f32, bf16, f32) {
  %a = arith.constant 1.5 : f32
  %b = arith.constant 2.25 : f32
  %minus = arith.constant -0.0 : f32
  %plus = arith.constant 0.0 : f32
  %third = arith.constant 3.0 : bf16
  %one = arith.constant 1.0 : bf16
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %x, %minus : f32
  %2 = arith.addf %x, %plus : f32
  %3 = arith.divf %plus, %plus : f32
  %4 = arith.divf %one, %third : bf16
  %5 = arith.maximumf %a, %b : f32
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, bf16, f32
}

// CHECK-LABEL: func.func @casts() -> (f32, i32, i8, f16, f16)
// CHECK-NEXT: %cst = arith.constant 5.000000e-01 : f16
// CHECK-NEXT: %cst_0 = arith.constant 3.002500e+02 : f32
// CHECK-NEXT: %cst_1 = arith.constant 1.000000e-01 : f32
// CHECK-NEXT: %cst_2 = arith.constant 0xFFFFFFFF : f32
// CHECK-NEXT: %c300_i32 = arith.constant 300 : i32
// CHECK-NEXT: %0 = arith.fptosi %cst_0 : f32 to i8
// CHECK-NEXT: %1 = arith.truncf %cst_1 : f32 to f16
// CHECK-NEXT: return %cst_2, %c300_i32, %0, %cst, %1 : f32, i32, i8, f16, f16
func.func @casts() -> (f32, i32, i8, f16, f16) {
  %m = arith.constant -1 : i32
  %big = arith.constant 300.25 : f32
  %tenth = arith.constant 0.1 : f32
  %half = arith.constant 0.5 : f32
  %0 = arith.bitcast %m : i32 to f32
  %1 = arith.fptosi %big : f32 to i32
  // what does not fit or would be rounded stays
  %2 = arith.fptosi %big : f32 to i8
  %3 = arith.truncf %half : f32 to f16
  %4 = arith.truncf %tenth : f32 to f16
  return %0, %1, %2, %3, %4 : f32, i32, i8, f16, f16
}

// CHECK-LABEL: func.func @extensions(%arg0: i8, %arg1: i8) -> (i32, i16, i32, i1, index)
// CHECK-NEXT: %0 = arith.andi %arg0, %arg1 : i8
// CHECK-NEXT: %1 = arith.extui %0 : i8 to i32
// CHECK-NEXT: %2 = arith.extui %arg0 : i8 to i16
// CHECK-NEXT: %3 = arith.extui %arg0 : i8 to i32
// CHECK-NEXT: %4 = arith.cmpi ne, %arg0, %arg1 : i8
// CHECK-NEXT: %5 = arith.index_cast %arg0 : i8 to index
// CHECK-NEXT: return %1, %2, %3, %4, %5 : i32, i16, i32, i1, index
func.func @extensions(%x: i8, %y: i8) -> (i32, i16, i32, i1, index) {
  %0 = arith.extui %x : i8 to i32
  %1 = arith.extui %y : i8 to i32
  %2 = arith.andi %0, %1 : i32
  %3 = arith.trunci %0 : i32 to i16
  %4 = arith.extui %x : i8 to i16
  %5 = arith.extsi %4 : i16 to i32
  %6 = arith.cmpi ne, %0, %1 : i32
  %7 = arith.extsi %x : i8 to i32
  %8 = arith.index_cast %7 : i32 to index
  return %2, %3, %5, %6, %8 : i32, i16, i32, i1, index
}

// CHECK-LABEL: func.func @compare(%arg0: i32, %arg1: i32) -> (i1, i1, i1, i1)
// CHECK-NEXT: %false = arith.constant false
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %c5_i32 = arith.constant 5 : i32
// CHECK-NEXT: %0 = arith.cmpi sgt, %arg0, %c5_i32 : i32
// CHECK-NEXT: %1 = arith.cmpi sge, %arg0, %arg1 : i32
// CHECK-NEXT: %2 = arith.cmpi sgt, %arg0, %c1_i32 : i32
// CHECK-NEXT: return %0, %1, %2, %false : i1, i1, i1, i1
func.func @compare(%x: i32, %y: i32) -> (i1, i1, i1, i1) {
  %c5 = arith.constant 5 : i32
  %true = arith.constant true
  %half = arith.constant 1.5 : f32
  %0 = arith.cmpi slt, %c5, %x : i32
  %1 = arith.cmpi slt, %x, %y : i32
  %2 = arith.xori %1, %true : i1
  %3 = arith.sitofp %x : i32 to f32
  %4 = arith.cmpf ogt, %3, %half : f32
  %5 = arith.cmpf ueq, %3, %half : f32
  return %0, %2, %4, %5 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @select(%arg0: i1, %arg1: i32, %arg2: i32) -> (i32, i32, i32, i1)
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %0 = arith.select %arg0, %arg2, %arg1 : i32
// CHECK-NEXT: %1 = arith.extui %arg0 : i1 to i32
// CHECK-NEXT: %2 = arith.xori %arg0, %true : i1
// CHECK-NEXT: return %0, %1, %arg2, %2 : i32, i32, i32, i1
func.func @select(%c: i1, %x: i32, %y: i32) -> (i32, i32, i32, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %0 = arith.xori %c, %true : i1
  %1 = arith.select %0, %x, %y : i32
  %2 = arith.select %c, %c1, %c0 : i32
  %3 = arith.cmpi eq, %x, %y : i32
  %4 = arith.select %3, %x, %y : i32
  %5 = arith.select %c, %false, %true : i1
  return %1, %2, %4, %5 : i32, i32, i32, i1
}

// CHECK-LABEL: func.func @select_twice(%arg0: i1, %arg1: i1, %arg2: i32, %arg3: i32) -> i32
// CHECK-NEXT: %0 = arith.andi %arg1, %arg0 : i1
// CHECK-NEXT: %1 = arith.select %0, %arg2, %arg3 : i32
// CHECK-NEXT: return %1 : i32
func.func @select_twice(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  %0 = arith.select %c, %x, %y : i32
  %1 = arith.select %d, %0, %y : i32
  return %1 : i32
}

// CHECK-LABEL: func.func @extended(%arg0: i32) -> (i32, i1, i32, i32, i32)
// CHECK-NEXT: %c5_i32 = arith.constant 5 : i32
// CHECK-NEXT: %c4_i32 = arith.constant 4 : i32
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: %0 = arith.cmpi slt, %arg0, %c0_i32 : i32
// CHECK-NEXT: %1 = arith.extsi %0 : i1 to i32
// CHECK-NEXT: %2 = arith.muli %arg0, %c5_i32 : i32
// CHECK-NEXT: return %c4_i32, %true, %arg0, %1, %2 : i32, i1, i32, i32, i32
func.func @extended(%x: i32) -> (i32, i1, i32, i32, i32) {
  %m = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %0:2 = arith.addui_extended %m, %c5 : i32, i1
  %1:2 = arith.mulsi_extended %x, %c1 : i32
  %2:2 = arith.mului_extended %x, %c5 : i32
  return %0#0, %0#1, %1#0, %1#1, %2#0 : i32, i1, i32, i32, i32
}
