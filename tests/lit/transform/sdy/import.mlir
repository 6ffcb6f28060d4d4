// RUN: sdy_opt %s --split-input-file --sdy-lift-inlined-meshes --sdy-remove-size-one-axes --sdy-manual-axes-cleanup --sdy-add-data-flow-edges --sdy-apply-sharding-constraints --sdy-sharding-group-import | FileCheck %s
// RUN: sdy_opt %s --split-input-file --sdy-lift-inlined-meshes --sdy-add-data-flow-edges --sdy-basic-propagate --sdy-sink-data-flow-edges --sdy-sharding-constraint-to-reshard --sdy-remove-sharding-groups --sdy-close-shardings | FileCheck %s --check-prefix=OUT

// Equal meshes become one; axes of size 1 say nothing.
// CHECK: sdy.mesh @a = <["x"=2, "y"=1]>
// CHECK-NOT: sdy.mesh @b
// CHECK: sdy.mesh @mesh = <["z"=4]>
sdy.mesh @a = <["x"=2, "y"=1]>
sdy.mesh @b = <["x"=2, "y"=1]>
// CHECK-LABEL: @meshes
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}
func.func @meshes(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {"y"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=4]>, [{"z"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Loop-carried values are one edge; constraints apply to values without a sharding.
// CHECK-LABEL: @loop
// CHECK: %[[A:.*]] = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK: %[[C:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{"x"}]>
// CHECK: %[[W:.*]] = stablehlo.while(%{{.*}} = %[[C]])
// CHECK: %[[E:.*]] = sdy.data_flow_edge %[[W]] : tensor<8xf32>
// CHECK: return %[[E]]
// OUT-LABEL: @loop
// OUT: %[[C:.*]] = sdy.reshard %{{.*}} <@mesh, [{"x"}]>
// OUT: stablehlo.while(%{{.*}} = %[[C]]) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// OUT-NOT: data_flow_edge
func.func @loop(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = stablehlo.while(%a = %1) : tensor<8xf32>
    cond {
      %t = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %a : tensor<8xf32>
    }
  return %2 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Groups with a value in common are one.
// CHECK-LABEL: @groups
// CHECK-NEXT: sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT: sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT: sdy.sharding_group %arg2 group_id=1
// OUT-LABEL: @groups
// OUT-NEXT: return
func.func @groups(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<4xf32>) {
  sdy.sharding_group %x group_id=7 : tensor<8xf32>
  sdy.sharding_group %y group_id=9 : tensor<8xf32>
  sdy.sharding_group %x group_id=9 : tensor<8xf32>
  sdy.sharding_group %z group_id=3 : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Manual axes are in the mesh's order, and are used or replicated.
// CHECK-LABEL: @manual
// CHECK: in_shardings=[<@mesh, [{"x"}], replicated={"y"}>] out_shardings=[<@mesh, [{"x"}], replicated={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<4xf32>)
func.func @manual(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"y", "x"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
