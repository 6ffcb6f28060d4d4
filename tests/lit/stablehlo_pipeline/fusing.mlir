// RUN: ttmlir-opt --stablehlo-fusing %s | FileCheck %s

// CHECK-LABEL: func.func @copies
func.func @copies(%a: tensor<2x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<8x1xf32>) {
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %0 = stablehlo.concatenate %a, %a, %a, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x12xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x12xf32>) -> tensor<2x4x3xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %2 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %3 = stablehlo.concatenate %2, %2, %2, %2, dim = 1 : (tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>) -> tensor<2x4x3xf32>
  // not where rows of several elements are concatenated
  // CHECK: stablehlo.concatenate
  %4 = stablehlo.slice %a [0:2, 0:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %6 = stablehlo.reshape %5 : (tensor<4x2xf32>) -> tensor<8x1xf32>
  return %1, %3, %6 : tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<8x1xf32>
}

// CHECK-LABEL: func.func @places
func.func @places(%a: tensor<8x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  // CHECK-NOT: stablehlo.reshape
  // CHECK: "stablehlo.gather"(%arg0, %arg1)
  %0 = stablehlo.reshape %i : (tensor<2x3xi64>) -> tensor<2x3x1xi64>
  %1 = "stablehlo.gather"(%a, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Rows and counted columns: each row at once. Rows that an argument gives for each element
// may differ from column to column.
// CHECK-LABEL: func.func @rows
func.func @rows(%a: tensor<4x8xf32>, %row: tensor<2x1xi64>, %any: tensor<2x8x1xi64>, %u: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %rows = stablehlo.broadcast_in_dim %row, dims = [0, 2] : (tensor<2x1xi64>) -> tensor<2x8x1xi64>
  %iota = stablehlo.iota dim = 0 : tensor<8xi64>
  %cols = stablehlo.broadcast_in_dim %iota, dims = [1] : (tensor<8xi64>) -> tensor<2x8x1xi64>
  %at = stablehlo.concatenate %rows, %cols, dim = 2 : (tensor<2x8x1xi64>, tensor<2x8x1xi64>) -> tensor<2x8x2xi64>
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1
  // CHECK: (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>)
  %0 = "stablehlo.scatter"(%a, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x8x2xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %other = stablehlo.concatenate %any, %cols, dim = 2 : (tensor<2x8x1xi64>, tensor<2x8x1xi64>) -> tensor<2x8x2xi64>
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: scatter_dims_to_operand_dims = [0, 1]
  %1 = "stablehlo.scatter"(%0, %other, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x8x2xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// How many rows there are is not known: they stay.
// CHECK-LABEL: func.func @unknown_rows
func.func @unknown_rows(%a: tensor<4x8xf32>, %row: tensor<?x1x1xi64>, %u: tensor<2x1xf32>) -> tensor<4x8xf32> {
  %cols = stablehlo.iota dim = 1 : tensor<2x1x1xi64>
  %at = stablehlo.concatenate %row, %cols, dim = 2 : (tensor<?x1x1xi64>, tensor<2x1x1xi64>) -> tensor<2x1x2xi64>
  // CHECK-NOT: stablehlo.slice
  // CHECK: scatter_dims_to_operand_dims = [0, 1]
  %0 = "stablehlo.scatter"(%a, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1x2xi64>, tensor<2x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
