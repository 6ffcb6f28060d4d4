// RUN: stablehlo-translate --interpret --split-input-file %s

// Single precision is rounded at every step: one beside a hundred million is lost.
func.func @single() {
  %a = stablehlo.constant dense<[1.0e8, 1.0, -1.0e8]> : tensor<3xf32>
  %b = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<0.0> : tensor<f32>
  return
}

// -----

// Narrower floats once, at the end.
func.func @half() {
  %a = stablehlo.constant dense<[2048.0, 1.0, -2048.0]> : tensor<3xf16>
  %b = stablehlo.constant dense<1.0> : tensor<3xf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<3xf16>, tensor<3xf16>) -> tensor<f16>
  check.expect_eq_const %0, dense<1.0> : tensor<f16>
  return
}

// -----

// Complex parts likewise.
func.func @complex() {
  %a = stablehlo.constant dense<[(0.0, 1.0e8), (1.0, 1.0), (0.0, -1.0e8)]> : tensor<3xcomplex<f32>>
  %b = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<3xcomplex<f32>>, tensor<3xf32>) -> tensor<complex<f32>>
  check.expect_eq_const %0, dense<(1.0, 0.0)> : tensor<complex<f32>>
  return
}
