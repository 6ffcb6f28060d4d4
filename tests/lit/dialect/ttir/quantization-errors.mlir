// RUN: ttmlir-opt %s --split-input-file --ttir-to-ttir-decomposition --verify-diagnostics
!q = !quant.uniform<i32:f32:2, {0.1, 0.2, 0.3}>
func.func @axis(%a: tensor<2x3xf32>) -> tensor<2x3x!q> {
  // expected-error @+1 {{'ttir.quantize_unrolled' op Axis value 2 is out of the range [0, 2) for the input tensor of rank 2}}
  %0 = "ttir.quantize"(%a) : (tensor<2x3xf32>) -> tensor<2x3x!q>
  return %0 : tensor<2x3x!q>
}

// -----
!q = !quant.uniform<i32:f32:1, {0.1, 0.2}>
func.func @scales(%a: tensor<2x3x!q>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'ttir.dequantize_unrolled' op Number of scales (2) does not match the size of the quantized axis (3)}}
  %0 = "ttir.dequantize"(%a) : (tensor<2x3x!q>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
!q = !quant.uniform<i8:f32:1, {0.1, 0.2, 0.3:300}>
func.func @zero(%a: tensor<2x3x!q>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'ttir.dequantize_unrolled' op Zero point 300 is out of the range for storage type 'i8'}}
  %0 = "ttir.dequantize"(%a) : (tensor<2x3x!q>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
!q = !quant.uniform<i8:f32, 0.1:-129>
func.func @one_zero(%a: tensor<2x3xf32>) -> tensor<2x3x!q> {
  // expected-error @+1 {{'ttir.quantize_unrolled' op Zero point -129 is out of the range for storage type 'i8'}}
  %0 = "ttir.quantize"(%a) : (tensor<2x3xf32>) -> tensor<2x3x!q>
  return %0 : tensor<2x3x!q>
}

// -----
!q = !quant.uniform<i8:f32, 0.1>
!axis = !quant.uniform<i8:f32:1, {0.1, 0.2, 0.3}>
func.func @kinds(%a: tensor<2x3x!q>) -> tensor<2x3x!axis> {
  // expected-error @+1 {{'ttir.requantize_unrolled' op Input and output element types must both be per-axis or both be per-tensor quantized types, but got}}
  %0 = "ttir.requantize"(%a) : (tensor<2x3x!q>) -> tensor<2x3x!axis>
  return %0 : tensor<2x3x!axis>
}
