func.func @wrong() {
  %a = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  check.expect_eq_const %a, dense<[2, 4]> : tensor<2xi64>
  return
}
func.func @far() {
  %a = stablehlo.constant dense<0x3F800002> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_close %a, %b, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}
func.func @near() {
  %a = stablehlo.constant dense<0x3F800002> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_close %a, %b, max_ulp_difference = 2 : tensor<f32>, tensor<f32>
  return
}
