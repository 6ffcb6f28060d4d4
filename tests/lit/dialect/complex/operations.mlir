// Operations and the attribute of complex numbers, in both forms.
// RUN: ttmlir-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: ttmlir-opt --allow-unregistered-dialect %s | ttmlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: ttmlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s | ttmlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: ttmlir-opt --allow-unregistered-dialect --emit-bytecode %s -o %t
// RUN: ttmlir-opt --allow-unregistered-dialect %t | FileCheck %s

  // CHECK: func.func @a(%arg0: complex<f32>, %arg1: complex<f32>, %arg2: f32, %arg3: vector<2xf32>) {
func.func @a(%arg0: complex<f32>, %arg1: complex<f32>, %arg2: f32, %arg3: vector<2xf32>) {
  // CHECK: %cst = complex.constant [1.000000e-01, -1.000000e+00] : complex<f64>
  %cst = complex.constant [1.000000e-01, -1.000000e+00] : complex<f64>
  // CHECK: %0 = complex.abs %arg0 : complex<f32>
  %0 = complex.abs %arg0 : complex<f32>
  // CHECK: %1 = complex.add %arg0, %arg1 : complex<f32>
  %1 = complex.add %arg0, %arg1 : complex<f32>
  // CHECK: %2 = complex.angle %arg0 : complex<f32>
  %2 = complex.angle %arg0 : complex<f32>
  // CHECK: %3 = complex.atan2 %arg0, %arg1 : complex<f32>
  %3 = complex.atan2 %arg0, %arg1 : complex<f32>
  // CHECK: %4 = complex.bitcast %arg0 : complex<f32> to i64
  %4 = complex.bitcast %arg0 : complex<f32> to i64
  // CHECK: %5 = complex.conj %arg0 : complex<f32>
  %5 = complex.conj %arg0 : complex<f32>
  // CHECK: %6 = complex.cos %arg0 : complex<f32>
  %6 = complex.cos %arg0 : complex<f32>
  // CHECK: %7 = complex.create %arg2, %arg2 : complex<f32>
  %7 = complex.create %arg2, %arg2 : complex<f32>
  // CHECK: %8 = complex.div %arg0, %arg1 fastmath<nnan,contract> : complex<f32>
  %8 = complex.div %arg0, %arg1 fastmath<nnan,contract> : complex<f32>
  // CHECK: %9 = complex.eq %arg0, %arg1 : complex<f32>
  %9 = complex.eq %arg0, %arg1 : complex<f32>
  // CHECK: %10 = complex.exp %arg0 : complex<f32>
  %10 = complex.exp %arg0 : complex<f32>
  // CHECK: %11 = complex.expm1 %arg0 : complex<f32>
  %11 = complex.expm1 %arg0 : complex<f32>
  // CHECK: %12 = complex.im %arg0 : complex<f32>
  %12 = complex.im %arg0 : complex<f32>
  // CHECK: %13 = complex.log %arg0 : complex<f32>
  %13 = complex.log %arg0 : complex<f32>
  // CHECK: %14 = complex.log1p %arg0 : complex<f32>
  %14 = complex.log1p %arg0 : complex<f32>
  // CHECK: %15 = complex.mul %arg0, %arg1 : complex<f32>
  %15 = complex.mul %arg0, %arg1 : complex<f32>
  // CHECK: %16 = complex.neg %arg0 : complex<f32>
  %16 = complex.neg %arg0 : complex<f32>
  // CHECK: %17 = complex.neq %arg0, %arg1 : complex<f32>
  %17 = complex.neq %arg0, %arg1 : complex<f32>
  // CHECK: %18 = complex.pow %arg0, %arg1 : complex<f32>
  %18 = complex.pow %arg0, %arg1 : complex<f32>
  // CHECK: %19 = complex.re %arg0 : complex<f32>
  %19 = complex.re %arg0 : complex<f32>
  // CHECK: %20 = complex.rsqrt %arg0 : complex<f32>
  %20 = complex.rsqrt %arg0 : complex<f32>
  // CHECK: %21 = complex.sign %arg0 : complex<f32>
  %21 = complex.sign %arg0 : complex<f32>
  // CHECK: %22 = complex.sin %arg0 : complex<f32>
  %22 = complex.sin %arg0 : complex<f32>
  // CHECK: %23 = complex.sqrt %arg0 : complex<f32>
  %23 = complex.sqrt %arg0 : complex<f32>
  // CHECK: %24 = complex.sub %arg0, %arg1 : complex<f32>
  %24 = complex.sub %arg0, %arg1 : complex<f32>
  // CHECK: %25 = complex.tan %arg0 : complex<f32>
  %25 = complex.tan %arg0 : complex<f32>
  // CHECK: %26 = complex.tanh %arg0 : complex<f32>
  %26 = complex.tanh %arg0 : complex<f32>
  // CHECK: "test.a"() {x = #complex.number<:f32 1.000000e+00, 2.000000e+00> : complex<f32>, y = #complex.number<:f64 1.000000e-01, -3.000000e+00> : complex<f64>} : () -> ()
  "test.a"() {x = #complex.number<:f32 1.000000e+00, 2.000000e+00> : complex<f32>, y = #complex.number<:f64 1.000000e-01, -3.000000e+00> : complex<f64>} : () -> ()
  return
}
