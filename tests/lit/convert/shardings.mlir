// Shardings of programs that no one partitioned say where values are, not what they are.
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline | FileCheck %s
// CHECK: module @two attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2>]>}
// CHECK-NOT: sdy
module @two {
  sdy.mesh @mesh = <["x"=2]>
  // CHECK: func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    sdy.sharding_group %0 group_id=3 : tensor<4x8xf32>
    // CHECK-NEXT: %0 = "ttir.tanh"(%arg0)
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<4x8xf32>
    // CHECK-NEXT: %1 = "ttir.abs"(%0)
    %4 = sdy.named_computation<"inner">(%3) (%arg1: tensor<4x8xf32>) {
      %5 = stablehlo.abs %arg1 : tensor<4x8xf32>
      sdy.return %5 : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK-NEXT: return %1
    return %4 : tensor<4x8xf32>
  }
}
