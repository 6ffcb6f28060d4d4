sdy.mesh @grid = <["rows"=2, "cols"=2]>
func.func @askew(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"cols", "rows"}, {}]>] out_shardings=[<@grid, [{"cols", "rows"}, {}]>] manual_axes={"rows", "cols"} (%b: tensor<1x8xf32>) {
    %1 = stablehlo.negate %b : tensor<1x8xf32>
    sdy.return %1 : tensor<1x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @diagonal(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
