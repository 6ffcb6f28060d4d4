// RUN: sdy_opt %s --sdy-insert-explicit-reshards=enable-full-version=true --split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Contracting dimensions with the same sharding: partial sums are reduced.
// CHECK-LABEL: @summed
// CHECK: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: %[[R:.*]] = sdy.all_reduce {"y"} %[[D]] out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x32xf32>
// CHECK: return %[[R]]
func.func @summed(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Two of three agree: the third is brought to them, the result to what it was.
// CHECK-LABEL: @outvoted
// CHECK: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK: %[[S:.*]] = stablehlo.add %arg0, %[[Y]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK: %[[R:.*]] = sdy.reshard %[[S]] <@mesh, [{}, {}]> : tensor<8x8xf32>
// CHECK: return %[[R]]
func.func @outvoted(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Sorting needs whole rows; the axis moves to the batches, which have room for it.
// CHECK-LABEL: @sorted
// CHECK: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x6xf32>
// CHECK: "stablehlo.sort"(%[[X]])
// CHECK: sdy.reshard %{{.*}} <@mesh, [{}, {"x"}]> : tensor<8x6xf32>
func.func @sorted(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>

// The largest of parts is the largest of all; products of parts no collective puts together.
// CHECK-LABEL: @kinds
// CHECK: sdy.all_reduce max {"x"}
// CHECK: %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK: stablehlo.reduce(%[[W]] init: %arg1) applies stablehlo.multiply
// CHECK-NOT: all_reduce
func.func @kinds(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %i) applies stablehlo.multiply across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
