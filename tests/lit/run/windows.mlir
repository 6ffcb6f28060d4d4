// RUN: tilewright run %s | FileCheck %s

// CHECK: @smallest: passed
func.func @smallest() {
  %x = stablehlo.constant dense<[5, 3, 8, 1, 9]> : tensor<5xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %seven) <{window_dimensions = array<i64: 2>,
    window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[5, 3, 1]> : tensor<3xi32>
  func.return
}

// -----

// Dilated input and window; the initial value counts once for each window and padding.
// CHECK: @dilated: passed
func.func @dilated() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 1>,
    base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<i32>) -> tensor<1x2xi32>
  check.expect_eq_const %r, dense<[[4, 6]]> : tensor<1x2xi32>
  func.return
}

// -----

// CHECK: @deep: passed
func.func @deep() {
  %x = stablehlo.iota dim = 1 : tensor<1x3x1x2x1xf32>
  %w = stablehlo.constant dense<[[[[[1.0]], [[2.0]]]], [[[[10.0]], [[20.0]]]]]> : tensor<2x1x2x1x1xf32>
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, f, 0, 1, 2],
      window = {pad = [[1, 0], [0, 0], [0, 0]], stride = [2, 1, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x3x1x2x1xf32>, tensor<2x1x2x1x1xf32>) -> tensor<1x1x2x1x1xf32>
  check.expect_eq_const %r, dense<[[[[[0.0]], [[63.0]]]]]> : tensor<1x1x2x1x1xf32>
  func.return
}
