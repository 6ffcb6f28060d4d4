!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
// The first fragment that reads the user's is another of the user; an inferred one comes later.
func.func @main(%a: !t) -> (!t, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    %3 = stablehlo.abs %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%x: tensor<4xf32>) {
    %3 = stablehlo.negate %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.fragment<mesh="m", origin=[]> (%0) {mpmd.inferred_by = ["me"]} (%x: tensor<4xf32>) {
    %3 = stablehlo.sine %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  return %1, %2 : !t, !t
}
