// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s

// CHECK-DAG: #map = affine_map<(d0, d1) -> (d1, d0 + 1)>
#m = affine_map<(a, b) -> (b, a + 1)>

// CHECK: module attributes {t.map = #map}
module attributes {t.map = #m} {
  // CHECK: func.func private @decl(i32, tensor<?x4xf32>) -> (index, f64)
  func.func private @decl(i32, tensor<?x4xf32>) -> (index, f64)

  // CHECK-LABEL: func.func @constants() -> tensor<2x2xf32> {
  func.func @constants() -> tensor<2x2xf32> {
    // CHECK: %cst = stablehlo.constant dense<{{\[\[}}1.000000e+00, 2.500000e+00], [-3.000000e+00, 0x7FC00000]]> : tensor<2x2xf32>
    %0 = stablehlo.constant dense<[[1.0, 2.5], [-3.0, 0x7FC00000]]> : tensor<2x2xf32>
    // CHECK: %c = stablehlo.constant dense<7> : tensor<3xi32>
    %1 = stablehlo.constant dense<7> : tensor<3xi32>
    // CHECK: %c_0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    // CHECK: return %cst : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }

  // CHECK-LABEL: func.func @reduce
  func.func @reduce(%x: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2xf32> {
    // CHECK: stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }

  // CHECK-LABEL: func.func @loop
  func.func @loop(%n: tensor<i32>) -> tensor<i32> {
    // CHECK: %0 = stablehlo.while(%iterArg = %arg0) : tensor<i32>
    // CHECK-NEXT: cond {
    %0 = stablehlo.while(%i = %n) : tensor<i32> cond {
      %c = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    return %0 : tensor<i32>
  }

  // CHECK-LABEL: func.func @window
  func.func @window(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
    // CHECK: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {stride = [2, 2], pad = [[1, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
    return %0 : tensor<1x4x4x4xf32>
  }
}
