// RUN: stablehlo-opt --stablehlo-compatibility-expander=target=1.15.0 %s | FileCheck %s

// Devices that differ in y only make a group; y is the outer axis.
// CHECK: replica_groups = dense<{{\[\[}}0, 2, 4], [1, 3, 5]]> : tensor<2x3xi64>
func.func @groups(%a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "y", size = 3>, <name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
