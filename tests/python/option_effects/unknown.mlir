// An operation without a model between two that have one.
func.func @main(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert %x into %a[%c0] : tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  %2 = tensor.extract %1[%c0] : tensor<4xf32>
  return %2 : f32
}
