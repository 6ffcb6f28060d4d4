// The pipeline simplifies StableHLO first, unless disabled.
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline | FileCheck %s
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline=enable-aggressive-simplification=false | FileCheck %s --check-prefix=PLAIN
// CHECK-LABEL: func.func @twice
// CHECK: %[[SUM:.*]] = "ttir.add"(%arg0, %arg0)
// CHECK-NEXT: %[[ROW:.*]] = "ttir.reshape"(%[[SUM]]) <{shape = [1 : i32, 4 : i32]}>
// CHECK-NEXT: return %[[ROW]]
// PLAIN-LABEL: func.func @twice
// PLAIN: "ttir.permute"(%arg0)
func.func @twice(%a: tensor<4x1xf32>) -> tensor<1x4xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x1xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1x4xf32>) -> tensor<4x1xf32>
  %2 = stablehlo.add %1, %1 : tensor<4x1xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x1xf32>) -> tensor<4xf32>
  %4 = stablehlo.reshape %3 : (tensor<4xf32>) -> tensor<1x4xf32>
  return %4 : tensor<1x4xf32>
}
