sdy.mesh @mesh = <["x"=1, "y"=2]>
func.func @counted() -> tensor<8xi32> {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"y"}]>] manual_axes={} () {
    %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xi32>
    sdy.return %1 : tensor<8xi32>
  } : () -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
