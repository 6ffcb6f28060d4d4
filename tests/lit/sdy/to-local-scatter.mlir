// RUN: sdy_opt %s --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh | FileCheck %s
// RUN: (sdy_opt %s --sdy-convert-global-to-local --sdy-drop-sharding-and-mesh | sed '1d; /^}/,$d'; cat %S/Inputs/scatter.mlir) > %t
// RUN: stablehlo-translate --interpret %t
// A device's rows are counted from its first; updates of other rows, and of none, are left out.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[IN:.*]]: tensor<2x2xf32>, %[[AT:.*]]: tensor<5x1xi32>
// CHECK: stablehlo.partition_id
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[AT]] : (tensor<5x1xi32>) -> tensor<5x1xi64>
// CHECK: %[[OWN:.*]] = stablehlo.subtract %[[WIDE]], %{{.*}} : tensor<5x1xi64>
// CHECK: "stablehlo.scatter"(%[[IN]], %[[OWN]], %{{.*}})
func.func @rows(%input: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %indices: tensor<5x1xi32>, %updates: tensor<5x2xf32>)
    -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%input, %indices, %updates) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x2xf32>, tensor<5x1xi32>, tensor<5x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
