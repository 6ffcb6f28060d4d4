// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo --vhlo-to-version=target=1.3.0 --verify-diagnostics %s

// expected-error @-3 {{failed to convert VHLO to v1.3.0}}
func.func @tan(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{failed to legalize operation 'vhlo.tan_v2' that was explicitly marked illegal}}
  %0 = stablehlo.tan %a : tensor<f32>
  return %0 : tensor<f32>
}
