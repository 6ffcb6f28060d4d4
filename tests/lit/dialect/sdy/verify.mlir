// RUN: sdy_opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{duplicate axis name: "a"}}
sdy.mesh @mesh = <["a"=2, "a"=4]>

// -----

// expected-error @+1 {{sorted device ids must be iota(product(axes)), got: 1, 2}}
sdy.mesh @mesh = <["a"=2], device_ids=[2, 1]>

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

// expected-error @+1 {{'func.func' op arg 0 - sharding doesn't match tensor rank: 1 != 2}}
func.func @rank(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op arg 0 - unknown mesh: @other}}
func.func @no_mesh(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @axes(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'stablehlo.abs' op result - duplicate axis ref: "a"}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"a"}]>]>} : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=8]>

func.func @sub_axes(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{overlapping sub-axes: "a":(1)4, "a":(2)4}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"a":(1)4}, {"a":(2)4}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @bound(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-note @+1 {{parent bounding this axis as manual}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%b: tensor<8x32xf32>) {
    // expected-error @+1 {{operates on axis "a" which is already bound by a parent sdy.manual_computation op}}
    %1 = sdy.reshard %b <@mesh, [{"a"}, {}]> : tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @local(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{operand shape, corresponding sharding, and region operand shape at index 0 must match. Expected local shape 'tensor<8x32xf32>', actual local shape 'tensor<4x32xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%b: tensor<4x32xf32>) {
    sdy.return %b : tensor<4x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

func.func @rule(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{has factor k=2 that isn't used in operand and result mappings}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8, k=2}>} : tensor<4x8xf32>
  return
}

// -----

func.func @barrier(%a: tensor<4xf32>) {
  // expected-error @+1 {{cannot specify `BOTH` as the direction}}
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<4xf32>
  return
}

// -----
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{for op sdy.reduce_scatter: Invalid attribute `reduction_op` in property conversion: false}}
  %0 = "sdy.reduce_scatter"(%a) <{out_sharding = #sdy.sharding<@m, [{}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}]>, reduction_op = false}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
