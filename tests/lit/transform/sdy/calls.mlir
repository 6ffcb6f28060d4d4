// RUN: sdy_opt %s --sdy-flatten-call-graph | FileCheck %s --check-prefix=FLAT
// RUN: sdy_opt %s --sdy-flatten-call-graph --sdy-import-func-calls | FileCheck %s --check-prefix=NAMED
// RUN: sdy_opt %s --sdy-flatten-call-graph --sdy-unflatten-call-graph=dedup-functions-fully=true --symbol-dce --sdy-insert-func-call-reshards | FileCheck %s --check-prefix=BACK

// FLAT: call @f(%arg0)
// FLAT: call @f_0(%0)
// FLAT: func private @f_0
// FLAT-SAME: sdy.original_func_name = "f"

// NAMED: sdy.named_computation<"f">(%arg0) out_shardings=[<@mesh, [{"x"}, {}]>]
// NAMED: sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}, {}]>

// Both calls of the one function that is left have its results' sharding.
// BACK: %[[A:.*]] = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// BACK-NEXT: %[[B:.*]] = sdy.reshard %[[A]] <@mesh, [{"x"}, {}]>
// BACK-NEXT: %[[C:.*]] = call @f(%[[B]])
// BACK-NEXT: sdy.reshard %[[C]] <@mesh, [{}, {"y"}]>
// BACK-NOT: @f_0
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
func.func private @f(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %a : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
