// RUN: sdy_opt %s --sdy-propagation-pipeline=enable-insert-explicit-collectives=true | FileCheck %s
// RUN: sdy_opt %s --sdy-import-pipeline | FileCheck %s --check-prefix=IMPORT

// Each use has a constant of its own during propagation, and they are merged in the end.
// IMPORT: %[[A:.*]] = sdy.constant dense<1.0
// IMPORT-NEXT: %[[B:.*]] = sdy.constant dense<1.0
// IMPORT: stablehlo.add %{{.*}}, %[[A]]
// IMPORT: stablehlo.multiply %{{.*}}, %[[B]]

// CHECK: %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}
// CHECK: %[[D:.*]] = stablehlo.dot
// CHECK: %[[R:.*]] = sdy.all_reduce {"y"} %[[D]] out_sharding=<@mesh, [{"x"}, {}]>
// CHECK: %[[C:.*]] = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[R]], %[[C]]
// CHECK-NEXT: stablehlo.multiply %[[S]], %[[C]]
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %1 = stablehlo.add %0, %one : tensor<8x8xf32>
  %2 = stablehlo.multiply %1, %one : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
