// Neither rows nor columns of tiles are a multiple of the cores.
func.func @main(%a: tensor<2720x1120xf32>) -> tensor<2720x1120xf32> {
  %0 = "ttir.exp"(%a) : (tensor<2720x1120xf32>) -> tensor<2720x1120xf32>
  return %0 : tensor<2720x1120xf32>
}
