// A composite whose decomposition forgets epsilon: the operation of its name has it, so the pass that goes by the name changes the results.
// Run it: tilewright check-pass --passes=legalize-stablehlo-composite-to-ttir examples/validate/wrong-decomposition.mlir
func.func @main(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {
  %scale = stablehlo.constant dense<0.5> : tensor<4x32xf32>
  %half = stablehlo.multiply %x, %scale : tensor<4x32xf32>
  %norm = stablehlo.composite "tenstorrent.rms_norm" %half, %w {composite_attributes = {epsilon = 1.0e-2 : f32, normalized_shape = dense<32> : tensor<1xi64>}, decomposition = @rms_norm} : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  %y = stablehlo.tanh %norm : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

func.func private @rms_norm(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<32.0> : tensor<4xf32>
  %squares = stablehlo.multiply %x, %x : tensor<4x32xf32>
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32>
  %mean = stablehlo.divide %sum, %n : tensor<4xf32>
  %r = stablehlo.rsqrt %mean : tensor<4xf32>
  %rs = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32>
  %scaled = stablehlo.multiply %x, %rs : tensor<4x32xf32>
  %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32>
  %y = stablehlo.multiply %scaled, %ws : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
