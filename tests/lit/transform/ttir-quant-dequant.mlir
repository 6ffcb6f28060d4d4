// RUN: ttmlir-opt %s --ttir-quant-dequant-conversion | FileCheck %s
!q = !quant.uniform<i8:f32, 5.0e-01>
!other = !quant.uniform<i8:f32, 2.5e-01>
!shifted = !quant.uniform<i8:f32, 5.0e-01:3>
!axis = !quant.uniform<i8:f32:0, {5.0e-01, 2.5e-01}>

// Codes of one scale are added; the other operand is quantized first.
// CHECK-LABEL: func.func @sum
// CHECK: %[[Y:.*]] = "ttir.quantize"(%arg1)
// CHECK: %[[S:.*]] = "ttir.add"(%arg0, %[[Y]])
// CHECK: %[[D:.*]] = "ttir.dequantize"(%[[S]]){{.*}} -> tensor<4x4xf32>
// CHECK: return %[[D]]
func.func @sum(%x: tensor<4x4x!q>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!q>) -> tensor<4x4xf32>
  %1 = "ttir.add"(%0, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Two scales: the sum stays.
// CHECK-LABEL: func.func @two_scales
// CHECK: %[[X:.*]] = "ttir.dequantize"(%arg0)
// CHECK: %[[Y:.*]] = "ttir.dequantize"(%arg1)
// CHECK: %[[S:.*]] = "ttir.add"(%[[X]], %[[Y]]) : (tensor<4x4xf32>
// CHECK: return %[[S]]
func.func @two_scales(%x: tensor<4x4x!q>, %y: tensor<4x4x!other>) -> tensor<4x4xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!q>) -> tensor<4x4xf32>
  %1 = "ttir.dequantize"(%y) : (tensor<4x4x!other>) -> tensor<4x4xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Where zero is code 3 the sum of codes would be off by 3: the values are added.
// CHECK-LABEL: func.func @zero_point
// CHECK: "ttir.add"{{.*}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: "ttir.quantize"
// CHECK-NEXT: "ttir.dequantize"
func.func @zero_point(%x: tensor<4x4x!shifted>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!shifted>) -> tensor<4x4xf32>
  %1 = "ttir.add"(%0, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// No form on codes: the result is rounded to the operand's codes, without a mark left.
// CHECK-LABEL: func.func @exp
// CHECK: %[[X:.*]] = "ttir.dequantize"(%arg0)
// CHECK-NEXT: %[[E:.*]] = "ttir.exp"(%[[X]]) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %[[Q:.*]] = "ttir.quantize"(%[[E]])
// CHECK-NEXT: %[[D:.*]] = "ttir.dequantize"(%[[Q]])
// CHECK-NEXT: return %[[D]]
func.func @exp(%x: tensor<4x4x!q>) -> tensor<4x4xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!q>) -> tensor<4x4xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A value that others read, too, is dequantized where it was.
// CHECK-LABEL: func.func @shared
// CHECK: %[[X:.*]] = "ttir.dequantize"(%arg0)
// CHECK-NEXT: %[[E:.*]] = "ttir.exp"(%[[X]])
// CHECK-NEXT: return %[[X]], %[[E]]
func.func @shared(%x: tensor<4x4x!q>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!q>) -> tensor<4x4xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Scales are multiplied, one for each channel of the output; sums and bias have 32 bits.
// CHECK-LABEL: func.func @conv
// CHECK: %[[B:.*]] = "ttir.quantize"(%arg2){{.*}}!quant.uniform<i32:f32:3, {2.500000e-01,1.250000e-01}>
// CHECK: %[[C:.*]] = "ttir.conv2d"(%arg0, %arg1, %[[B]]){{.*}} -> tensor<1x4x4x2x!quant.uniform<i32:f32:3, {2.500000e-01,1.250000e-01}>>
// CHECK: "ttir.dequantize"(%[[C]])
func.func @conv(%x: tensor<1x4x4x3x!q>, %w: tensor<2x3x1x1x!axis>, %b: tensor<1x1x1x2xf32>) -> tensor<1x4x4x2xf32> {
  %0 = "ttir.dequantize"(%x) : (tensor<1x4x4x3x!q>) -> tensor<1x4x4x3xf32>
  %1 = "ttir.dequantize"(%w) : (tensor<2x3x1x1x!axis>) -> tensor<2x3x1x1xf32>
  %2 = "ttir.conv2d"(%0, %1, %b) <{stride = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x4x4x3xf32>, tensor<2x3x1x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x4x4x2xf32>
  return %2 : tensor<1x4x4x2xf32>
}

// CHECK-LABEL: func.func @again
// CHECK-NEXT: "ttir.requantize"(%arg0)
// CHECK-NEXT: return
func.func @again(%x: tensor<4x4x!q>) -> tensor<4x4x!other> {
  %0 = "ttir.dequantize"(%x) : (tensor<4x4x!q>) -> tensor<4x4xf32>
  %1 = "ttir.quantize"(%0) : (tensor<4x4xf32>) -> tensor<4x4x!other>
  return %1 : tensor<4x4x!other>
}
