// RUN: ttmlir-opt --split-input-file --stablehlo-pipeline %s | FileCheck %s

// A product whose inner dimension is split is summed over the devices of that axis only.
// CHECK: sdy.mesh @grid = <["rows"=2, "cols"=3]>
sdy.mesh @grid = <["rows"=2, "cols"=3]>
// CHECK-LABEL: func.func @inner
// CHECK-SAME: local_shape = tensor<4x4xf32>
// CHECK-SAME: shard_status<presharded>
func.func @inner(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {"cols"}]>},
                 %b: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"cols"}, {}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {}]>}) {
  // CHECK: sdy.manual_computation(%{{.*}}, %{{.*}}) in_shardings=[<@grid, [{"rows"}, {"cols"}]>, <@grid, [{"cols"}, {}]>]
  // CHECK-SAME: out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows", "cols"}
  // CHECK: %[[P:.*]] = stablehlo.dot_general
  // CHECK-SAME: (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: "stablehlo.all_reduce"(%[[P]])
  // CHECK-SAME{LITERAL}: dense<[[0, 1, 2], [3, 4, 5]]>
  // CHECK: stablehlo.add
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

// Largest elements over devices are found as the largest, not summed.
sdy.mesh @line = <["x"=4]>
// CHECK: sdy.mesh @line = <["x_aux"=1, "x"=4]>
// CHECK-LABEL: func.func @largest
func.func @largest(%a: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {"x"}]>}) -> tensor<3xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: stablehlo.all_reduce
  // CHECK-SAME{LITERAL}: dense<[[0, 1, 2, 3]]>
  // CHECK: stablehlo.maximum %{{.*}} : tensor<f32>
  %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Parts that depend on their neighbours: the tensor is gathered first.
sdy.mesh @line = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @turned
func.func @turned(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x", "y"}, {}]>}) -> tensor<8x4xf32> {
  // the minor axis first, so that parts come to lie in order
  // CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0
  // CHECK-SAME{LITERAL}: dense<[[0, 1], [2, 3]]>
  // CHECK-SAME: (tensor<2x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0
  // CHECK-SAME{LITERAL}: dense<[[0, 2], [1, 3]]>
  // CHECK-SAME: (tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<8x4xf32>
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A sum that begins with something, and rows by their number: all devices have all of it.
sdy.mesh @line = <["x"=1, "y"=2]>
// CHECK-LABEL: func.func @from_five
// CHECK: stablehlo.all_gather
// CHECK: stablehlo.reduce
// CHECK-NOT: stablehlo.all_reduce
// CHECK: return
func.func @from_five(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"y"}]>}) -> tensor<f32> {
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %five) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func @rows
// CHECK: stablehlo.all_gather
// CHECK: stablehlo.gather
// CHECK-NOT: stablehlo.all_reduce
// CHECK: return
func.func @rows(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"y"}, {}]>}, %i: tensor<3xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The other order of the same axes: parts are exchanged.
sdy.mesh @square = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @other_order
// CHECK: "stablehlo.collective_permute"
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 0], [1, 2], [2, 1], [3, 3]]>
// CHECK-SAME: (tensor<2xf32>) -> tensor<2xf32>
func.func @other_order(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@square, [{"x", "y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@square, [{"y", "x"}]>}) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
