// RUN: sdy_opt %s --sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func @slice
// CHECK: sdy.all_slice [{"x"}, {"y"}] %arg0
func.func @slice(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @gather
// CHECK: sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]>
func.func @gather(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @to_another_dimension
// CHECK: sdy.all_to_all [{"x"}: 0->1] %arg0
func.func @to_another_dimension(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @by_another_axis
// CHECK: sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y"}, {}]>
func.func @by_another_axis(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Loop-carried values are sharded as the loop's results.
// CHECK-LABEL: func @in_a_loop
// CHECK: sdy.all_to_all [{"x"}: 0->1] %iterArg
func.func @in_a_loop(%a: tensor<8x4xf32>, %go: tensor<i1>) -> tensor<8x4xf32> {
  %0 = stablehlo.while(%i = %a) : tensor<8x4xf32>
    attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
    cond {
    stablehlo.return %go : tensor<i1>
  } do {
    %1 = sdy.reshard %i <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}

// Half of an axis moves.
// CHECK-LABEL: func @part_of_an_axis
// CHECK-NEXT: sdy.all_to_all [{"w":(2)2}: 0->1] %arg0 out_sharding=<@wide, [{"w":(1)2}, {"w":(2)2}]>
// CHECK-NEXT: return
sdy.mesh @wide = <["w"=4]>
func.func @part_of_an_axis(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@wide, [{"w"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %a <@wide, [{"w":(1)2}, {"w":(2)2}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
