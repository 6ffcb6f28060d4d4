// RUN: stablehlo-opt --stablehlo-legalize-quantized-op-to-qdq %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-legalize-quantized-op-to-qdq --stablehlo-legalize-qdq-to-quantized-op --canonicalize %s | FileCheck %s --check-prefix=BACK

!q = !quant.uniform<i8:f32, 0.5:3>

// CHECK-LABEL: func.func @clamp
// CHECK: %[[L:.*]] = stablehlo.uniform_dequantize %arg0
// CHECK: %[[X:.*]] = stablehlo.uniform_dequantize %arg1
// CHECK: %[[H:.*]] = stablehlo.uniform_dequantize %arg2
// CHECK: %[[C:.*]] = stablehlo.clamp %[[L]], %[[X]], %[[H]] {note} : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: %[[Q:.*]] = stablehlo.uniform_quantize %[[C]] : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK: return %[[Q]]
// BACK-LABEL: func.func @clamp
// BACK: stablehlo.clamp %arg0, %arg1, %arg2 {note}
// BACK-NEXT: return
func.func @clamp(%l: tensor<!q>, %x: tensor<2x!q>, %h: tensor<!q>) -> tensor<2x!q> {
  %0 = stablehlo.clamp %l, %x, %h {note} : (tensor<!q>, tensor<2x!q>, tensor<!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// Booleans are unchanged; data movement is not converted.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: stablehlo.reshape %arg0
// CHECK: %[[P:.*]] = stablehlo.compare {{.*}} -> tensor<2x1xi1>
// CHECK-NEXT: return %[[P]]
func.func @others(%x: tensor<2x!q>) -> tensor<2x1xi1> {
  %0 = stablehlo.reshape %x : (tensor<2x!q>) -> tensor<2x1x!q>
  %1 = stablehlo.compare LT, %0, %0 : (tensor<2x1x!q>, tensor<2x1x!q>) -> tensor<2x1xi1>
  return %1 : tensor<2x1xi1>
}
