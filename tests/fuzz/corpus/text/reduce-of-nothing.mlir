%0 = "stablehlo.reduce"() <{dimensions = array<i64: 1>}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %1 = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %1 : tensor<i32>
}) : () -> tensor<2xi32>
