// From quantized StableHLO to a binary: parameters decomposed, integers stored in 32 bits.
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline=enable-const-eval=false -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t -o %t.ttnn
// RUN: ttrt read %t.ttnn --section mlir | FileCheck %s --check-prefix=SHOWN

// CHECK-LABEL: func.func @per_tensor
func.func @per_tensor(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-DAG: "ttnn.full"{{.*}}fill_value = 1.000000e-01 : f32
  // CHECK-DAG: "ttnn.full"{{.*}}fill_value = 3 : i32
  // CHECK: "ttnn.quantize"({{.*}}) <{output_dtype = #ttcore.supportedDataTypes<si32>}> :{{.*}} -> tensor<2x3x!quant.uniform<i32:f32, 1.000000e-01:3>, #ttnn_layout
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1:3>>
  // CHECK: "ttnn.requantize"({{.*}}) <{output_dtype = #ttcore.supportedDataTypes<si32>}>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.1:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.2:-1>>
  // CHECK: "ttnn.dequantize"({{.*}}) <{output_dtype = #ttcore.supportedDataTypes<f32>}>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<i8:f32, 0.2:-1>>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// SHOWN: ttnn.requantize
// CHECK-LABEL: func.func @per_axis
func.func @per_axis(%a: tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 0.125:-5}>> {
  // CHECK: "ttnn.constant"{{.*}}dense<[5.000000e-01, 2.500000e-01, 1.250000e-01]> : tensor<3xf32
  // CHECK: "ttnn.constant"{{.*}}dense<[0, 4, -5]> : tensor<3xsi32
  // CHECK: "ttnn.quantize"({{.*}}) <{axis = 1 : i32, output_dtype = #ttcore.supportedDataTypes<si32>}>
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 0.125:-5}>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:4, 0.125:-5}>>
}
