// RUN: tilewright run %s | FileCheck %s

// CHECK: @hyperbolic: passed
func.func @hyperbolic() {
  %x = chlo.constant dense<[-2.0, 0.0, 1.0]> : tensor<3xf32>
  %c = chlo.cosh %x : tensor<3xf32> -> tensor<3xf32>
  check.expect_almost_eq_const %c, dense<[3.76219569, 1.0, 1.54308063]> : tensor<3xf32>
  func.return
}
