// A model that is off in bf16: adding 1000 loses the digits that the difference behind it would need.
// Run it: tilewright blame examples/validate/lost-digits.mlir --dtype=bf16 -o small.mlir
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %big = stablehlo.constant dense<1000.0> : tensor<8x16xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  %2 = stablehlo.add %1, %big : tensor<8x16xf32>
  %3 = stablehlo.subtract %2, %big : tensor<8x16xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<8x16xf32>
  %5 = stablehlo.exponential %4 : tensor<8x16xf32>
  return %5 : tensor<8x16xf32>
}
