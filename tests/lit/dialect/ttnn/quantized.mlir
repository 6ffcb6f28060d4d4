// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Element types, shapes, scales and zero points of quantization.

!whole = !quant.uniform<i8:f32, 5.000000e-01:3>
!rows = !quant.uniform<i8:f32:0, {1.000000e-01, 2.000000e-01}>
!three = !quant.uniform<i8:f32:0, {1.000000e-01, 2.000000e-01, 3.000000e-01}>
!narrow = !quant.uniform<i8<-8:7>:f32, 5.000000e-01:9>
func.func @quantize(%x: tensor<2x4xf32>, %i: tensor<2x4xi32>, %s: tensor<1xf32>, %z: tensor<1xi32>) {
  %0 = "ttnn.quantize"(%x, %s, %z) : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!whole>
  %1 = "ttnn.quantize"(%x, %s, %z) <{axis = 0 : i32}> : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!rows>
  // expected-error @+1 {{'ttnn.quantize' op Input element type must be float, but got 'i32'}}
  %2 = "ttnn.quantize"(%i, %s, %z) : (tensor<2x4xi32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!whole>
  // expected-error @+1 {{'ttnn.quantize' op Output element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got 'i8'}}
  %3 = "ttnn.quantize"(%x, %s, %z) : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4xi8>
  // expected-error @+1 {{'ttnn.quantize' op Output tensor shape (4,2) must match the input tensor shape: (2,4)}}
  %4 = "ttnn.quantize"(%x, %s, %z) : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<4x2x!whole>
  // expected-error @+1 {{'ttnn.quantize' op Axis value 2 is out of the range [0, 2) for the input tensor of rank 2}}
  %5 = "ttnn.quantize"(%x, %s, %z) <{axis = 2 : i32}> : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!rows>
  // expected-error @+1 {{'ttnn.quantize' op Number of scales (3) does not match the size of the quantized axis (2)}}
  %6 = "ttnn.quantize"(%x, %s, %z) <{axis = 0 : i32}> : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!three>
  // expected-error @+1 {{'ttnn.quantize' op Zero point 9 is out of the range for storage type 'i8'}}
  %7 = "ttnn.quantize"(%x, %s, %z) : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!narrow>
  return
}

// -----

!whole = !quant.uniform<i8:f32, 5.000000e-01:3>
!off = !quant.uniform<i8<-8:7>:f32:1, {1.000000e-01:3, 2.000000e-01:8}>
func.func @dequantize(%q: tensor<2x4x!whole>, %o: tensor<4x2x!off>, %x: tensor<2x4xf32>, %s: tensor<1xf32>, %z: tensor<1xi32>) {
  %0 = "ttnn.dequantize"(%q, %s, %z) : (tensor<2x4x!whole>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'ttnn.dequantize' op Input element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got 'f32'}}
  %1 = "ttnn.dequantize"(%x, %s, %z) : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'ttnn.dequantize' op Output element type must be float, but got 'i32'}}
  %2 = "ttnn.dequantize"(%q, %s, %z) : (tensor<2x4x!whole>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4xi32>
  // expected-error @+1 {{'ttnn.dequantize' op Input tensor rank of 2 does not match the output tensor rank of 1}}
  %3 = "ttnn.dequantize"(%q, %s, %z) : (tensor<2x4x!whole>, tensor<1xf32>, tensor<1xi32>) -> tensor<8xf32>
  // expected-error @+1 {{'ttnn.dequantize' op Zero point 8 is out of the range for storage type 'i8'}}
  %4 = "ttnn.dequantize"(%o, %s, %z) <{axis = 1 : i32}> : (tensor<4x2x!off>, tensor<1xf32>, tensor<1xi32>) -> tensor<4x2xf32>
  return
}

// -----

!whole = !quant.uniform<i8:f32, 5.000000e-01:3>
!rows = !quant.uniform<i8:f32:0, {1.000000e-01, 2.000000e-01}>
func.func @requantize(%q: tensor<2x4x!whole>, %s: tensor<1xf32>, %z: tensor<1xi32>) {
  %0 = "ttnn.requantize"(%q, %s, %z, %s, %z) : (tensor<2x4x!whole>, tensor<1xf32>, tensor<1xi32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!whole>
  // expected-error @+1 {{'ttnn.requantize' op Input and output element types must both be per-axis or both be per-tensor quantized types, but got '!quant.uniform<i8:f32, 5.000000e-01:3>' and '!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>'}}
  %1 = "ttnn.requantize"(%q, %s, %z, %s, %z) : (tensor<2x4x!whole>, tensor<1xf32>, tensor<1xi32>, tensor<1xf32>, tensor<1xi32>) -> tensor<2x4x!rows>
  return
}
