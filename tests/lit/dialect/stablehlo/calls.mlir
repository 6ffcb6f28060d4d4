// Custom calls, composites, exchange with hosts, and what runs while others do.
// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

func.func @layouts_of_one_side(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{Layout attributes should be specified for either both operands and results or none.}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @layout_of_another_rank(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{incorrect layout dense<0> : tensor<1xindex> for type 'tensor<2x3xf32>', layout must be a permutation of [0, 2)}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<[0]> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @alias_of_nothing(%a: tensor<2xf32>) {
  // expected-error @+1 {{expects operandIndex in the output_operand_alias attribute to be in range [0, 1); got: 1.}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @alias_of_other_types(%a: tensor<2xf32>) {
  // expected-error @+1 {{operand part has type 'tensor<2xf32>' and output part has type 'tensor<4xf32>'}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @typed_config(%a: tensor<2xf32>) {
  // expected-error @+1 {{backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary attribute.}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 4 : i32, backend_config = "x"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @buffers(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @Pin(%a) : (tensor<2xf32>) -> memref<2xf32>
  %1 = stablehlo.custom_call @Unpin(%0) : (memref<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{Unpin custom_call should have a memref input}}
  %2 = stablehlo.custom_call @Unpin(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----
func.func @unaliased_buffer(%a: tensor<2xf32>) {
  // expected-error @+1 {{buffer output [1] is not used in output_operand_alias}}
  %0:2 = stablehlo.custom_call @f(%a) : (tensor<2xf32>) -> (tensor<2xf32>, memref<2xf32>)
  return
}

// -----
func.func private @body(%a: tensor<2xf32>) -> tensor<2xf32>
func.func @composites(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.composite "my.op" %a {decomposition = @body} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{name must be a valid namespaced op name}}
  %1 = stablehlo.composite "my" %a {decomposition = @body} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{operand at index 0 has type 'tensor<3xf32>', but decomposition has type 'tensor<2xf32>'}}
  %2 = stablehlo.composite "my.op" %b {decomposition = @body} : (tensor<3xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'missing' does not reference a valid function}}
  %3 = stablehlo.composite "my.op" %b {decomposition = @missing} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @infeed_without_token(%t: !stablehlo.token) {
  // expected-error @+1 {{last element of result types is expected to be of token type, but got 'tensor<i32>'}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<f32>, tensor<i32>)
  return
}

// -----
func.func @send_to_nobody(%a: tensor<f32>, %t: !stablehlo.token) {
  // expected-error @+2 {{channel_type should be DEVICE_TO_HOST when is_host_transfer is true}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
func.func @async_of_arithmetic(%a: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.async_start' op region must contain a collective or slice operation}}
  // expected-error @+1 {{'stablehlo.async_start' op failed to infer returned types}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<f32>) -> !stablehlo.future<tensor<f32>>
  return
}

// -----
// expected-error @+1 {{unknown stablehlo type: nothing}}
func.func private @f() -> !stablehlo.nothing
