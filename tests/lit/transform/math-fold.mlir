// RUN: ttmlir-opt %s --canonicalize | FileCheck %s

// Functions of constants.

// CHECK-LABEL: func.func @reals() -> (f32, f64, f32, f32, f16, tensor<2xf32>)
// CHECK-NEXT: %cst = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %cst_0 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %cst_1 = arith.constant -1.500000e+00 : f32
// CHECK-NEXT: %cst_2 = arith.constant 2.500000e+00 : f16
// CHECK-NEXT: %cst_3 = arith.constant 1.500000e+00 : f32
// CHECK-NEXT: %cst_4 = arith.constant 1.4142135623730951 : f64
// CHECK-NEXT: %0 = math.log %cst_1 : f32
// CHECK-NEXT: %1 = math.exp %cst_2 : f16
// CHECK-NEXT: return %cst_3, %cst_4, %0, %cst_0, %1, %cst : f32, f64, f32, f32, f16, tensor<2xf32>
func.func @reals() -> (f32, f64, f32, f32, f16, tensor<2xf32>) {
  %a = arith.constant -1.5 : f32
  %b = arith.constant 2.0 : f64
  %c = arith.constant 2.5 : f32
  %h = arith.constant 2.5 : f16
  %d = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %0 = math.absf %a : f32
  %1 = math.sqrt %b : f64
  // not defined, and rounded to even
  %2 = math.log %a : f32
  %3 = math.roundeven %c : f32
  %4 = math.exp %h : f16
  %5 = math.sqrt %d : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5 : f32, f64, f32, f32, f16, tensor<2xf32>
}

// CHECK-LABEL: func.func @wholes() -> (i8, i8, i32, i32)
// CHECK-NEXT: %c5_i8 = arith.constant 5 : i8
// CHECK-NEXT: %c8_i8 = arith.constant 8 : i8
// CHECK-NEXT: %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT: return %c5_i8, %c8_i8, %c2_i32, %c2_i32 : i8, i8, i32, i32
func.func @wholes() -> (i8, i8, i32, i32) {
  %a = arith.constant -5 : i8
  %z = arith.constant 0 : i8
  %b = arith.constant 12 : i32
  %0 = math.absi %a : i8
  %1 = math.ctlz %z : i8
  %2 = math.cttz %b : i32
  %3 = math.ctpop %b : i32
  return %0, %1, %2, %3 : i8, i8, i32, i32
}
