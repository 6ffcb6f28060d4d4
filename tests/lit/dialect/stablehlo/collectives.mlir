// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

func.func @twice(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #1 seen more than once}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 1, 2]]> : tensor<1x4xi64>}> : (tensor<4xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @missing(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica id #1 not seen in replica groups}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @gathered(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{result gather dimension has size 6, expected to be a multiple of operand gather dimension size 4}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x3xf32>) -> tensor<6x3xf32>
  return
}

// -----

func.func @exchanged(%a: tensor<4x6xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x12xf32>' are incompatible with return type(s) of operation 'tensor<2x6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @no_mesh(%a: tensor<4xf32>) {
  // expected-error @+1 {{replica_groups: mesh symbol 'm' not found}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<16xf32>
  return
}
