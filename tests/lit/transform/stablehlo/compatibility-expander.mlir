// RUN: stablehlo-opt --stablehlo-compatibility-expander=target=1.0.0 --split-input-file %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-compatibility-expander=target=1.0.0 --split-input-file %s | stablehlo-translate --interpret --split-input-file
// RUN: stablehlo-translate --interpret --split-input-file %s
// RUN: not stablehlo-opt --stablehlo-compatibility-expander=target=new %s 2>&1 | FileCheck %s --check-prefix=WORD

// WORD: expects a target version of the form #.#.#, got 'new'

// CHECK-LABEL: func.func @gather
// CHECK: stablehlo.iota dim = 0 : tensor<2x3x1xi32>
// CHECK: stablehlo.concatenate {{.*}}, dim = 2
// CHECK: collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2
func.func @gather() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %i = stablehlo.constant dense<[[[3], [0], [1]], [[2], [2], [0]]]> : tensor<2x3x1xi32>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
    operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>, indices_are_sorted = false} : (tensor<2x4xi32>, tensor<2x3x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[4, 1, 2], [7, 7, 5]]> : tensor<2x3xi32>
  return
}

// -----

// Narrow indices that a batch's number does not fit into are widened; here none are.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: input_batching_dims
func.func @scatter() {
  %x = stablehlo.constant dense<0> : tensor<2x4xi32>
  %i = stablehlo.constant dense<[3, 1]> : tensor<2xi8>
  %u = stablehlo.constant dense<[7, 9]> : tensor<2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0],
    scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<2x4xi32>, tensor<2xi8>, tensor<2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[0, 0, 0, 7], [0, 9, 0, 0]]> : tensor<2x4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @tangent
// CHECK-NOT: stablehlo.tan
// CHECK: stablehlo.tanh
// CHECK-NOT: stablehlo.tan %
func.func @tangent() {
  %x = stablehlo.constant dense<[(0.5, -0.25), (2.0, 1.0)]> : tensor<2xcomplex<f64>>
  %t = stablehlo.tan %x : tensor<2xcomplex<f64>>
  %e = stablehlo.constant dense<[(0.504500702698564, -0.31242069250258875), (-0.24345820118572534, 1.16673625724092)]> : tensor<2xcomplex<f64>>
  check.expect_almost_eq %t, %e, tolerance = 1.0e-10 : tensor<2xcomplex<f64>>
  return
}
