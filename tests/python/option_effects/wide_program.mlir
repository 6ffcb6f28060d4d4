// A program on elements of 32 bits.
func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.exp"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.multiply"(%0, %a) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
