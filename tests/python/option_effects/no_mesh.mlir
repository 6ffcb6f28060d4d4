!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>
// Operands on two meshes: neither the result nor the difference that nothing reads can be on one; the sum is a reduction.
func.func @main(%a: !t, %b: !u) -> (tensor<4xf32>, tensor<4xf32>) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.unassign {origin = "p"} %a : (!t) -> tensor<4xf32>
  %1 = mpmd.unassign {origin = "q"} %b : (!u) -> tensor<4xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<4xf32>
  %3 = stablehlo.add %0, %1 : tensor<4xf32>
  %4 = stablehlo.subtract %1, %0 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
