// RUN: not ttmlir-opt --ttcore-wrap-device-module --cpu-hoist-manually-tagged %s 2>&1 | FileCheck %s

func.func @region(%a: tensor<4x8xf32>, %b: tensor<f32>) -> tensor<4xf32> {
  // CHECK: cpu_hoist_errors.mlir:[[#@LINE+1]]:8: error: 'stablehlo.reduce' op cannot be computed on the host: it has a region; remove ttir.should_hoist
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {ttir.should_hoist} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
