// RUN: stablehlo-opt --stablehlo-complex-math-expander --split-input-file %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-complex-math-expander --split-input-file %s | stablehlo-translate --interpret --split-input-file

// CHECK-LABEL: func.func @functions
// CHECK-NOT: {{(log|sqrt|exponential|log_plus_one) .* : tensor<2xcomplex<f64>>}}
func.func @functions() {
  %z = stablehlo.constant dense<[(3.0, -4.0), (-1.0e-3, 1.0e-4)]> : tensor<2xcomplex<f64>>
  %l = stablehlo.log %z : tensor<2xcomplex<f64>>
  %le = stablehlo.constant dense<[(1.6094379124341003, -0.9272952180016122), (-6.902780113555553, 3.0419240010986313)]> : tensor<2xcomplex<f64>>
  check.expect_close %l, %le, max_ulp_difference = 3 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
  %s = stablehlo.sqrt %z : tensor<2xcomplex<f64>>
  %se = stablehlo.constant dense<[(2.0, -1.0), (0.0015791710027873846, 0.03166218219036781)]> : tensor<2xcomplex<f64>>
  check.expect_close %s, %se, max_ulp_difference = 3 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
  %e = stablehlo.exponential %z : tensor<2xcomplex<f64>>
  %ee = stablehlo.constant dense<[(-13.128783081462158, 15.200784463067954), (0.9990004948383725, 9.990004981683743e-05)]> : tensor<2xcomplex<f64>>
  check.expect_close %e, %ee, max_ulp_difference = 3 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
  return
}

// -----

// Squares of large and small values neither overflow nor cancel.
func.func @far() {
  %z = stablehlo.constant dense<[(3.0e38, 3.0e38), (-1.0, 1.0e-10), (1.0e-30, 0.0)]> : tensor<3xcomplex<f32>>
  %l = stablehlo.log_plus_one %z : tensor<3xcomplex<f32>>
  %e = stablehlo.constant dense<[(88.94342, 0.7853982), (-23.025851, 1.5707964), (1.0e-30, 0.0)]> : tensor<3xcomplex<f32>>
  check.expect_close %l, %e, max_ulp_difference = 3 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
  return
}

// -----

// Who asks for an accuracy gets no expansion.
// CHECK-LABEL: func.func @asked
// CHECK: stablehlo.log %{{.*}} {result_accuracy
func.func @asked() -> tensor<complex<f64>> {
  %z = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %l = stablehlo.log %z {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<complex<f64>>
  return %l : tensor<complex<f64>>
}
