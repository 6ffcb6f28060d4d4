// RUN: ttmlir-opt %s --stablehlo-legalize-composite-to-call | FileCheck %s
// RUN: ttmlir-opt %s --stablehlo-legalize-composite-to-call=except=a.b,x.y | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @parts(%arg0)
// KEEP: stablehlo.composite "x.y"
func.func private @parts(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "x.y" %a {decomposition = @parts} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
