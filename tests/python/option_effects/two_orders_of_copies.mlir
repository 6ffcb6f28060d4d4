// Either the slice is a copy or what writes it makes one.
func.func @main(%a: tensor<8xf32>, %x: f32) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %a[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = tensor.insert %x into %0[%c0] : tensor<4xf32>
  %2 = tensor.extract %a[%c0] : tensor<8xf32>
  return %1, %2 : tensor<4xf32>, f32
}
