// One addition, which docs/one-add.md follows through every level.
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.add %x, %y : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
