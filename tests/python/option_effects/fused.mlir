// Two element-wise operations and the sum of their results are fused.
func.func @sum(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %0 = "ttir.exp"(%a) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = "ttir.add"(%0, %b) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = "ttir.sum"(%1) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<256x256xf32>) -> tensor<256x1xf32>
  return %2 : tensor<256x1xf32>
}
