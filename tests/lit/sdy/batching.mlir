// RUN: sdy_opt %s --sdy-explicit-gather-scatter-batching | FileCheck %s

// Row i of the indices is for row i of both outer dimensions: one number of three is left.
// CHECK-LABEL: func.func @two_batches
// CHECK: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [1, 0], start_index_map = [1], index_vector_dim = 2
// CHECK-SAME: (tensor<5x7x3xf32>, tensor<3x5x1xi32>) -> tensor<3x5xf32>
func.func @two_batches(%x: tensor<5x7x3xf32>, %i: tensor<3x5x1xi32>) -> tensor<3x5xf32> {
  %three = stablehlo.iota dim = 0 : tensor<3xi32>
  %a = stablehlo.broadcast_in_dim %three, dims = [0] : (tensor<3xi32>) -> tensor<3x5x1xi32>
  %five = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %flat = stablehlo.reshape %five : (tensor<5x1xi32>) -> tensor<1x5xi32>
  %b = stablehlo.broadcast_in_dim %flat, dims = [2, 1] : (tensor<1x5xi32>) -> tensor<3x5x1xi32>
  %at = stablehlo.concatenate %a, %i, %b, dim = 2 : (tensor<3x5x1xi32>, tensor<3x5x1xi32>, tensor<3x5x1xi32>) -> tensor<3x5x3xi32>
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [2, 1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<5x7x3xf32>, tensor<3x5x3xi32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Fewer indices than rows: not all of the dimension is a batch.
// CHECK-LABEL: func.func @some_rows
// CHECK: start_index_map = [0, 1]
func.func @some_rows(%x: tensor<5x7xf32>, %i: tensor<3x1xi32>) -> tensor<3xf32> {
  %a = stablehlo.iota dim = 0 : tensor<3x1xi32>
  %at = stablehlo.concatenate %a, %i, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x7xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @scattered
// CHECK: "stablehlo.scatter"
// CHECK-SAME: inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1]
func.func @scattered(%x: tensor<5x7xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) -> tensor<5x7xf32> {
  %a = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %at = stablehlo.concatenate %a, %i, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
