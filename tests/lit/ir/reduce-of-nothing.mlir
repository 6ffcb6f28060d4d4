// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s
// jaxlib looks at the dimensions first.
func.func @of_nothing() {
  // expected-error @+1 {{requires at least 1 input value}}
  %0 = "stablehlo.reduce"() <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : () -> tensor<f32>
  return
}
