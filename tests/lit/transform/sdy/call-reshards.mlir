// RUN: sdy_opt %s --sdy-insert-func-call-reshards | FileCheck %s
// The result of a call without a sharding is replicated, and may not be sharded further, beside what the function returns.

// CHECK: %[[C:.*]] = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: %[[R:.*]] = sdy.reshard %[[C]] <@mesh, [{}, {}]>
// CHECK-NEXT: return %[[R]]
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = call @f(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @f(%a: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
