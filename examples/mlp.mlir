// A multilayer perceptron with two layers, as a front end emits it.
module @simple_mlp {
  func.func @main(
    %input: tensor<32x128xf32>,
    %fc1_weight: tensor<256x128xf32>,
    %fc1_bias: tensor<256xf32>,
    %fc2_weight: tensor<10x256xf32>,
    %fc2_bias: tensor<10xf32>
  ) -> tensor<32x10xf32> {
    %0 = stablehlo.transpose %fc1_weight, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
    %1 = stablehlo.dot_general %input, %0, contracting_dims = [1] x [0]
        : (tensor<32x128xf32>, tensor<128x256xf32>) -> tensor<32x256xf32>
    %2 = stablehlo.broadcast_in_dim %fc1_bias, dims = [1] : (tensor<256xf32>) -> tensor<32x256xf32>
    %3 = stablehlo.add %1, %2 : tensor<32x256xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<32x256xf32>
    %4 = stablehlo.maximum %3, %zero : tensor<32x256xf32>
    %5 = stablehlo.transpose %fc2_weight, dims = [1, 0] : (tensor<10x256xf32>) -> tensor<256x10xf32>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0]
        : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %7 = stablehlo.broadcast_in_dim %fc2_bias, dims = [1] : (tensor<10xf32>) -> tensor<32x10xf32>
    %8 = stablehlo.add %6, %7 : tensor<32x10xf32>
    return %8 : tensor<32x10xf32>
  }
}
