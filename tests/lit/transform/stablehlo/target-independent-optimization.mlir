// RUN: stablehlo-opt --stablehlo-target-independent-optimization %s | FileCheck %s

// Folding makes the constant that simplification needs, and vice versa.
// CHECK-LABEL: func.func @both
// CHECK-NEXT: return %arg0
func.func @both(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.constant dense<2.0> : tensor<f32>
  %1 = stablehlo.subtract %0, %0 : tensor<f32>
  %2 = stablehlo.cosine %1 : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %4 = stablehlo.multiply %3, %a : tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}

// A loop that never runs is erased; one that may have effects stays, unused.
// CHECK-LABEL: func.func @never
// CHECK: stablehlo.while
// CHECK: stablehlo.outfeed
// CHECK-NOT: stablehlo.while
// CHECK: return %arg0, %arg0
func.func @never(%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %2 = stablehlo.compare NE, %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.create_token : !stablehlo.token
      %3 = "stablehlo.outfeed"(%i, %2) <{outfeed_config = ""}> : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %i : tensor<i32>
    }
  %1 = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %2 = stablehlo.compare NE, %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.negate %i : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
  return %0, %1 : tensor<i32>, tensor<i32>
}
