

// CHECK: @dilated: passed
// CHECK: @: passed
func.func @dilated() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 1>,
    stablehlo.return = array<i64: 2, 1>, window_dilations = array<i64: 9223372036854775807, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<i32>) -> tensor<1x2xi32>
  check.expect_eq_const %r, dense<[[4, 6]]> : tensor<1x2xi32>
  func.return
}

