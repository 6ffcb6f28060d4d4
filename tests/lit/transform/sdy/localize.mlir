// RUN: ttmlir-opt %s --replicate-non-splittable-values | FileCheck %s

// A constant whose parts differ cannot be the same program on every device; one whose
// parts repeat can.
sdy.mesh @mesh = <["x"=2]>
// CHECK: stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} dense<[0.0
// CHECK: stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[0.0
func.func @main() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %1 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
