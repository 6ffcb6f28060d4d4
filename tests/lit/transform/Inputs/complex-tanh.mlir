func.func @f(%a: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.tanh %a : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
