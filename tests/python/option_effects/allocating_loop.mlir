// A loop whose iterations yield a tensor that they allocate.
func.func @main(%n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.empty() : tensor<4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<4xf32>) {
    %t = tensor.empty() : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
