// RUN: tilewright run %s | FileCheck %s

// CHECK: @remainders: passed
func.func @remainders() {
  %x = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi32>
  %y = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
  %r = stablehlo.remainder %x, %y : tensor<4xi32>
  check.expect_eq_const %r, dense<[2, -2, 2, -2]> : tensor<4xi32>
  %f = stablehlo.constant dense<[5.5, -5.5, -1.0, -0.00000001]> : tensor<4xf32>
  %g = stablehlo.constant dense<[2.0, 2.0, 0x7F800000, 3.0]> : tensor<4xf32>
  %s = stablehlo.remainder %f, %g : tensor<4xf32>
  check.expect_eq_const %s, dense<[1.5, -1.5, -1.0, -0.00000001]> : tensor<4xf32>
  func.return
}

// -----

// CHECK: @rounding: passed
func.func @rounding() {
  %x = stablehlo.constant dense<[2.5, -2.5, 0.5, 1.5, -0.7, 1.0e10, 0x7F800000]> : tensor<7xf32>
  %r = stablehlo.round_nearest_even %x : tensor<7xf32>
  check.expect_eq_const %r, dense<[2.0, -2.0, 0.0, 2.0, -1.0, 1.0e10, 0x7F800000]> : tensor<7xf32>
  %i = stablehlo.constant dense<[-8, 8, -1, -8]> : tensor<4xi32>
  %n = stablehlo.constant dense<[1, 1, 31, 40]> : tensor<4xi32>
  %s = stablehlo.shift_right_arithmetic %i, %n : tensor<4xi32>
  check.expect_eq_const %s, dense<[-4, 4, -1, -1]> : tensor<4xi32>
  func.return
}

// -----

// The initial value counts.
// CHECK: @initial: passed
func.func @initial() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [1]
      : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[13, 17]> : tensor<2xi32>
  %m = stablehlo.reduce(%x init: %ten) applies stablehlo.maximum across dimensions = [0, 1]
      : (tensor<2x2xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %m, dense<10> : tensor<i32>
  func.return
}

// -----

// CHECK: @transposed_convolution: passed
func.func @transposed_convolution() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]], lhs_dilate = [2], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x6x1xf32>
  check.expect_eq_const %r, dense<[[[1.0], [10.0], [2.0], [20.0], [3.0], [30.0]]]> : tensor<1x6x1xf32>
  func.return
}
