// A loop that is never entered, with a call that declares nothing of its effects.
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    stablehlo.return %no : tensor<i1>
  } do {
    %1 = stablehlo.custom_call @quiet(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
