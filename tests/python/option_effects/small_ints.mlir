func.func @main(%a: tensor<32x32xsi8>) -> tensor<32x32xsi8> {
  %0 = "ttir.abs"(%a) : (tensor<32x32xsi8>) -> tensor<32x32xsi8>
  return %0 : tensor<32x32xsi8>
}
