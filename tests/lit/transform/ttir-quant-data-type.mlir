// RUN: ttmlir-opt %s --ttir-quant-data-type-conversion | FileCheck %s
// RUN: not ttmlir-opt %s --ttir-quant-data-type-conversion=target-bit-width=12 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: ttmlir-opt %s --ttir-quant-data-type-conversion=target-bit-width=32 -o %t
// RUN: not ttmlir-opt %t --ttir-quant-data-type-conversion=target-bit-width=8 2>&1 | FileCheck %s --check-prefix=RANGE

// WIDTH: error: Invalid quantization bit width (must be 8, 16, 32, or 64).
// RANGE: error: Target integer type of width 8 is smaller than quantized type of width 32. Out of range.
// CHECK: func.func @stored(%arg0: tensor<3x!quant.uniform<i32:f32, 5.000000e-01>>) -> tensor<3x!quant.uniform<i32:f32:0, {1.000000e+00,2.000000e+00:3,4.000000e+00}>>
func.func @stored(%a: tensor<3x!quant.uniform<i8:f32, 5.0e-01>>) -> tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0:3, 4.0}>> {
  // CHECK: "ttir.requantize"(%arg0) : (tensor<3x!quant.uniform<i32:f32, 5.000000e-01>>) ->
  %0 = "ttir.requantize"(%a) : (tensor<3x!quant.uniform<i8:f32, 5.0e-01>>) -> tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0:3, 4.0}>>
  return %0 : tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0:3, 4.0}>>
}
