// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo --vhlo-to-version=target=1.4.0 --verify-diagnostics --split-input-file %s

// expected-error @+1 {{failed to convert VHLO to v1.4.0}}
module {
  func.func @accuracy(%a: tensor<f32>) -> tensor<f32> {
    // expected-error @+1 {{failed to legalize operation 'vhlo.cosine_v2' that was explicitly marked illegal}}
    %0 = "stablehlo.cosine"(%a) {
      result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>
    } : (tensor<f32>) -> tensor<f32>
    func.return %0 : tensor<f32>
  }
}

// -----

// expected-error @+1 {{failed to convert VHLO to v1.4.0}}
module {
  // expected-error @+1 {{failed to legalize operation 'vhlo.func_v1' that was explicitly marked illegal}}
  func.func @element(%a: tensor<2xf8E3M4>) -> tensor<2xf8E3M4> {
    func.return %a : tensor<2xf8E3M4>
  }
}

// -----

func.func @typed_string(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{failed to legalize operation 'stablehlo.custom_call' that was explicitly marked illegal}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "foo" : i32} : (tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}
