// RUN: ttmlir-opt %s --ttir-dequantize-computation | FileCheck %s
!q = !quant.uniform<i8:f32, 5.0e-01>
!axis = !quant.uniform<i8:f32:0, {5.0e-01, 2.5e-01}>

// CHECK-LABEL: func.func @sum
func.func @sum(%a: tensor<2x3x!q>, %b: tensor<2x3x!axis>) -> tensor<2x3x!q> {
  // CHECK: %[[A:.*]] = "ttir.dequantize"(%arg0) : {{.*}} -> tensor<2x3xf32>
  // CHECK: %[[B:.*]] = "ttir.dequantize"(%arg1) : {{.*}} -> tensor<2x3xf32>
  // CHECK: %[[S:.*]] = "ttir.add"(%[[A]], %[[B]]) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[Q:.*]] = "ttir.quantize"(%[[S]]) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>
  // CHECK: return %[[Q]]
  %0 = "ttir.add"(%a, %b) : (tensor<2x3x!q>, tensor<2x3x!axis>) -> tensor<2x3x!q>
  return %0 : tensor<2x3x!q>
}

// Codes with one scale are moved as they are; on another axis the scales would be others.
// CHECK-LABEL: func.func @moved
func.func @moved(%a: tensor<2x3x!q>, %b: tensor<2x3x!axis>) -> (tensor<3x2x!q>, tensor<6x!q>) {
  // CHECK-NEXT: %[[P:.*]] = "ttir.permute"(%arg0)
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3x!q>) -> tensor<3x2x!q>
  // CHECK-NEXT: %[[D:.*]] = "ttir.dequantize"(%arg1)
  // CHECK-NEXT: %[[R:.*]] = "ttir.reshape"(%[[D]])
  // CHECK-NEXT: %[[Q:.*]] = "ttir.quantize"(%[[R]])
  %1 = "ttir.reshape"(%b) <{shape = [6 : i32]}> : (tensor<2x3x!axis>) -> tensor<6x!q>
  // CHECK-NEXT: return %[[P]], %[[Q]]
  return %0, %1 : tensor<3x2x!q>, tensor<6x!q>
}
