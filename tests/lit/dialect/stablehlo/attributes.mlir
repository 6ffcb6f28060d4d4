// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{future element type must be a ranked tensor, but got 'f32'}}
func.func private @future(!stablehlo.future<f32>)

// -----

func.func @known(%a: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {
  // three products of bf16 for one of f32
  algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
} {
  return %a : tensor<2x2xf32>
}

// -----

func.func private @unknown() attributes {
  // expected-error @+1 {{dot algorithm not known to be supported on any hardware: {lhs:'f32', rhs:'f32', accum:'f32', lhs_components:1, rhs_components:1, primitive_ops:2, imprecise:0}}}
  algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false>
}

// -----

func.func @convolved(%a: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+1 {{Unexpected dimension c, expecting b, f}}
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [c, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @bounded(%a: tensor<?x?xf32, #stablehlo.bounds<5, 5>>) {
  // expected-error @+1 {{must be statically shaped or single bounded dimension tensor}}
  %0 = stablehlo.reshape %a : (tensor<?x?xf32, #stablehlo.bounds<5, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 5>>
  return
}

// -----

#axis = #stablehlo.axis_ref<name = "x">
#other = #stablehlo.axis_ref<name = "y">
#mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 2>]>
#fine = #stablehlo.replica_group_mesh_axes<mesh = #mesh, axes = [#axis]>
#named = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#other]>
// expected-error @+1 {{axis 'y' not found in mesh definition}}
#wrong = #stablehlo.replica_group_mesh_axes<mesh = #mesh, axes = [#axis, #other]>

// -----

#mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 2>]>
// expected-error @+1 {{expected AxisRefAttr in axes list}}
#wrong = #stablehlo.replica_group_mesh_axes<mesh = #mesh, axes = ["x"]>

// -----

// expected-error @+1 {{mesh must be a FlatSymbolRefAttr or MeshAttr}}
#wrong = #stablehlo.replica_group_mesh_axes<mesh = @all::@mesh, axes = []>
