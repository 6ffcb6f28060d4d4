// RUN: not ttmlir-opt %s --convert-stablehlo-to-ttir 2>&1 | FileCheck %s

// The static form cannot be converted, since the padding is no constant: the error names the operation that is written here.
func.func @known(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<7xf32> {
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %high = stablehlo.constant dense<2> : tensor<1xi64>
  %inner = stablehlo.constant dense<0> : tensor<1xi64>
  // CHECK: :[[#@LINE+1]]:8: error: failed to legalize operation 'stablehlo.dynamic_pad'
  %0 = stablehlo.dynamic_pad %a, %z, %low, %high, %inner : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
