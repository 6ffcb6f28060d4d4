func.func @main(%q: tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32> {
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, scale = 1.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  return %0 : tensor<1x2x32x32xf32>
}
