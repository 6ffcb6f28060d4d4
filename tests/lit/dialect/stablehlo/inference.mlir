// Types that are inferred, bounds of unknown sizes, and quantized elements.
// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

func.func @bounds_merge(%a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<?xf32, #stablehlo.bounds<9>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #stablehlo.bounds<4>>' are incompatible with return type(s) of operation 'tensor<7xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<7xf32>
  return
}

// -----
func.func @bounds_join(%a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #stablehlo.bounds<7>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<3xf32>) -> tensor<8xf32>
  return
}

// -----
// expected-error @+1 {{Bounds length is 2, expected to be equal to rank(1) of the tensor 'tensor<?xf32>'}}
func.func private @f(tensor<?xf32, #stablehlo.bounds<4, 5>>)

// -----
func.func @fft_of_reals(%a: tensor<4xf32>) {
  // expected-error @+2 {{FFT/IFFT/IRFFT take a complex tensor as input, but is given 'tensor<4xf32>'.}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.fft"(%a) {fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type FFT>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @gather(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x5xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----
func.func @padding_that_cannot_be(%a: tensor<4xf32>, %v: tensor<f32>) {
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %inner = stablehlo.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{expected output dimension at index 0 to equal 12, but got 4}}
  %0 = "stablehlo.dynamic_pad"(%a, %v, %low, %low, %inner) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----
func.func @shape_that_cannot_be(%a: tensor<4xf32>) {
  %shape = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  // expected-error @+1 {{output shape [2, 2] is incompatible with return type of operation 'tensor<4x1xf32>'}}
  %0 = "stablehlo.dynamic_reshape"(%a, %shape) : (tensor<4xf32>, tensor<2xi64>) -> tensor<4x1xf32>
  return
}

// -----
func.func @half_quantized(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2xf32>) {
  // expected-error @+1 {{all operands and results to be either quantized or non-quantized}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
func.func @transposed_axis(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  // expected-error @+1 {{operand quantization_dimension 0 is not same as permutation[0] = 1}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25, 1.0}>>
  return
}

// -----
func.func @zero_point_of_weights(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) {
  // expected-error @+1 {{Zero point of rhs should be 0}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.25>>
  return
}

// -----
func.func @expressed(%a: tensor<2xf32>) {
  // expected-error @+1 {{Expressed type of result expected to be 'f32', but got 'f64'}}
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
  return
}

// -----
func.func @accuracy(%a: tensor<2xf32>) {
  // expected-error @+1 {{Invalid tolerances for ResultAccuracyAttr with mode DEFAULT, must be all zero.}}
  %0 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
