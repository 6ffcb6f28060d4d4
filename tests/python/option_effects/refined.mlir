func.func @main(%a: tensor<?x3xf32>, %b: tensor<4xi8>) -> tensor<?x3xf32> {
  return %a : tensor<?x3xf32>
}
