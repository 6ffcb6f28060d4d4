// RUN: ttmlir-opt %s --ttir-implicit-broadcast-fold | FileCheck %s

// TTNN repeats in the last six dimensions only.
// CHECK-LABEL: func.func @far_in_front
// CHECK: "ttir.broadcast"
func.func @far_in_front(%a: tensor<1x1x1x1x1x1x1x4xf32>, %b: tensor<1x2x1x1x1x1x1x4xf32>) -> tensor<1x2x1x1x1x1x1x4xf32> {
  %0 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 1, 2, 1, 1, 1, 1, 1, 1>}> : (tensor<1x1x1x1x1x1x1x4xf32>) -> tensor<1x2x1x1x1x1x1x4xf32>
  %1 = "ttir.add"(%0, %b) : (tensor<1x2x1x1x1x1x1x4xf32>, tensor<1x2x1x1x1x1x1x4xf32>) -> tensor<1x2x1x1x1x1x1x4xf32>
  return %1 : tensor<1x2x1x1x1x1x1x4xf32>
}

// CHECK-LABEL: func.func @near
// CHECK-NOT: "ttir.broadcast"
// CHECK: "ttir.add"(%arg0, %arg1) : (tensor<1x1x1x1x1x1x1x4xf32>, tensor<1x1x2x1x1x1x1x4xf32>)
func.func @near(%a: tensor<1x1x1x1x1x1x1x4xf32>, %b: tensor<1x1x2x1x1x1x1x4xf32>) -> tensor<1x1x2x1x1x1x1x4xf32> {
  %0 = "ttir.broadcast"(%a) <{broadcast_dimensions = array<i64: 1, 1, 2, 1, 1, 1, 1, 1>}> : (tensor<1x1x1x1x1x1x1x4xf32>) -> tensor<1x1x2x1x1x1x1x4xf32>
  %1 = "ttir.add"(%0, %b) : (tensor<1x1x2x1x1x1x1x4xf32>, tensor<1x1x2x1x1x1x1x4xf32>) -> tensor<1x1x2x1x1x1x1x4xf32>
  return %1 : tensor<1x1x2x1x1x1x1x4xf32>
}
