// RUN: sdy_opt %s --split-input-file --verify-diagnostics --sdy-convert-global-to-local

sdy.mesh @mesh = <["a"=2]>
func.func @turned(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  // expected-error @+2 {{dimension 0 of operand 0 is sharded, but needs device communication}}
  // expected-error @+1 {{failed to legalize operation 'stablehlo.reverse'}}
  %0 = stablehlo.reverse %x, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @first(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  // expected-error @+2 {{dimension 0 is sharded but the slice is not a full slice}}
  // expected-error @+1 {{failed to legalize operation 'stablehlo.slice'}}
  %0 = stablehlo.slice %x [0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["a"=3]>
// expected-error @+2 {{dimension 0 of 'tensor<8xf32>' cannot be divided into 3 parts of one size}}
// expected-error @+1 {{failed to legalize operation 'func.func'}}
func.func @uneven(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @from_five(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<f32> {
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  // expected-error @+2 {{operand 0 is sharded, but the devices' partial results do not add up to the result}}
  // expected-error @+1 {{failed to legalize operation 'stablehlo.reduce'}}
  %0 = stablehlo.reduce(%x init: %five) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @wide_updates(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %at: tensor<1xi64>, %updates: tensor<3xf32>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  // expected-error @+2 {{dimension 0 of the operand is sharded, but updates may reach over several parts: this requires device communication.}}
  // expected-error @+1 {{failed to legalize operation 'stablehlo.scatter'}}
  %0 = "stablehlo.scatter"(%x, %at, %updates) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>,
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>, tensor<1xi64>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
