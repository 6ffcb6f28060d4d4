func.func @main() {
  %input = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %indices = stablehlo.constant dense<[[1], [3], [-1], [4], [2]]> : tensor<5x1xi32>
  %updates = stablehlo.constant dense<[[10.0, 20.0], [30.0, 40.0], [1.0, 1.0], [2.0, 2.0], [50.0, 60.0]]> : tensor<5x2xf32>
  %low = stablehlo.slice %input [0:2, 0:2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %high = stablehlo.slice %input [2:4, 0:2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %parts:2 = "interpreter.run_parallel"(%low, %indices, %updates, %high, %indices, %updates) {
    programs = [[@rows, @rows]]
  } : (tensor<2x2xf32>, tensor<5x1xi32>, tensor<5x2xf32>, tensor<2x2xf32>, tensor<5x1xi32>, tensor<5x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>)
  check.expect_eq_const %parts#0, dense<[[1.0, 2.0], [13.0, 24.0]]> : tensor<2x2xf32>
  check.expect_eq_const %parts#1, dense<[[55.0, 66.0], [37.0, 48.0]]> : tensor<2x2xf32>
  return
}
