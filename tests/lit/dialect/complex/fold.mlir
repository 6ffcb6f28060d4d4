// Inverse operations cancel; parts of known values are known.
// RUN: ttmlir-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: @undone(
// CHECK-SAME: %[[A:.*]]: complex<f32>, %[[B:.*]]: complex<f32>)
// CHECK-NEXT: return %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]]
func.func @undone(%a: complex<f32>, %b: complex<f32>) -> (complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>) {
  %0 = complex.neg %a : complex<f32>
  %1 = complex.neg %0 : complex<f32>
  %2 = complex.conj %a : complex<f32>
  %3 = complex.conj %2 : complex<f32>
  %4 = complex.exp %a : complex<f32>
  %5 = complex.log %4 : complex<f32>
  %6 = complex.sub %a, %b : complex<f32>
  %7 = complex.add %6, %b : complex<f32>
  %8 = complex.add %a, %b : complex<f32>
  %9 = complex.sub %8, %b : complex<f32>
  %10 = complex.re %a : complex<f32>
  %11 = complex.im %a : complex<f32>
  %12 = complex.create %10, %11 : complex<f32>
  %13 = complex.add %b, %6 : complex<f32>
  return %1, %3, %5, %7, %9, %12, %13 : complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>
}

// CHECK-LABEL: @bits(
// CHECK-SAME: %[[I:.*]]: i64)
// CHECK-NEXT: return %[[I]]
func.func @bits(%i: i64) -> i64 {
  %0 = complex.bitcast %i : i64 to complex<f32>
  %1 = complex.bitcast %0 : complex<f32> to i64
  return %1 : i64
}

// CHECK-LABEL: @parts(
// CHECK-SAME: %[[X:.*]]: f32, %[[A:.*]]: complex<f32>)
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: return %[[X]], %[[C]], %[[A]], %[[A]] :
func.func @parts(%x: f32, %a: complex<f32>) -> (f32, f32, complex<f32>, complex<f32>) {
  %0 = complex.create %x, %x : complex<f32>
  %1 = complex.im %0 : complex<f32>
  %2 = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %3 = complex.im %2 : complex<f32>
  %4 = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %5 = complex.add %a, %4 : complex<f32>
  %6 = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
  %7 = complex.mul %a, %6 : complex<f32>
  return %1, %3, %5, %7 : f32, f32, complex<f32>, complex<f32>
}
