// RUN: tilewright run %s --entry rows
// RUN: tilewright run %s --entry columns
// RUN: tilewright run %s --entry whole

// Biases that are no row: a column, and one number for each element.
func.func @rows() {
  %0 = "ttir.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %b = "ttir.constant"() <{value = dense<[10.0, 20.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %1 = "ttir.linear"(%0, %0, %b) <{transpose_a = false, transpose_b = false}> : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[17.0, 30.0], [25.0, 42.0]]> : tensor<2x2xf32>
  return
}

func.func @columns() {
  %0 = "ttir.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %b = "ttir.constant"() <{value = dense<[[10.0], [20.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
  %1 = "ttir.linear"(%0, %0, %b) <{transpose_a = false, transpose_b = false}> : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[17.0, 20.0], [35.0, 42.0]]> : tensor<2x2xf32>
  return
}

func.func @whole() {
  %0 = "ttir.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %1 = "ttir.linear"(%0, %0, %0) <{transpose_a = false, transpose_b = false}> : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[8.0, 12.0], [18.0, 26.0]]> : tensor<2x2xf32>
  return
}
