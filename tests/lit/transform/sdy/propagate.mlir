// RUN: sdy_opt %s --split-input-file --sdy-user-priority-propagate | FileCheck %s
// RUN: sdy_opt %s --split-input-file --sdy-basic-propagate | FileCheck %s --check-prefix=BASIC
// RUN: sdy_opt %s --split-input-file --sdy-drop-sharding-and-mesh | FileCheck %s --check-prefix=NONE

// NONE-NOT: sdy.sharding =

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Rows from the left side, columns from the right, through what follows to the result.
// CHECK-LABEL: @layer
// CHECK-SAME: %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}
// CHECK-SAME: -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
// CHECK: stablehlo.dot_general {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
// CHECK: stablehlo.tanh {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
func.func @layer(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<16x32xf32>, %b: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.add %0, %b : tensor<8x32xf32>
  %2 = stablehlo.tanh %1 : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// An axis is split where a dimension is: 8 = 2 x 4.
// CHECK-LABEL: @split
// CHECK: stablehlo.reshape {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}, {"y":(2)2, ?}]>]>}
func.func @split(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<2x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Both want x: by the basic strategy neither gets it, otherwise the larger tensor does.
// CHECK-LABEL: @conflict
// CHECK: stablehlo.dot_general {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
// BASIC-LABEL: @conflict
// BASIC: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (
func.func @conflict(%x: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<64x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x16xf32>, tensor<16x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// The priority of a dimension beats size and order.
// CHECK-LABEL: @priority
// CHECK: stablehlo.add {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>}
func.func @priority(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Members of a group have the same sharding.
// CHECK-LABEL: @group
// CHECK: stablehlo.sine {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
func.func @group(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8xf32>
  %0 = stablehlo.sine %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Functions that call themselves twice end, too.
sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: func.func @calls_itself
func.func @calls_itself(%x: tensor<8xf32> {sdy.sharding=#sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
  %0 = stablehlo.abs %x : tensor<8xf32>
  %1 = func.call @calls_itself(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @calls_itself(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
