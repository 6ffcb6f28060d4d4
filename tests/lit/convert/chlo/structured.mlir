// RUN: stablehlo-opt --chlo-legalize-to-stablehlo --split-input-file %s | FileCheck %s
// RUN: stablehlo-opt --chlo-legalize-to-stablehlo --split-input-file %s | stablehlo-translate --interpret --split-input-file

// The same values in both orders, in one and two dimensions.
// CHECK-LABEL: func.func @products
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice
func.func @products() {
  %x = stablehlo.constant dense<[[2, 3], [4, 5], [6, 7]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<1> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%i) dimension=0 {
  ^bb0(%a: tensor<2xi32>, %c: tensor<2xi32>):
    %p = stablehlo.multiply %a, %c : tensor<2xi32>
    stablehlo.return %p, %p : tensor<2xi32>, tensor<2xi32>
  } : (tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[2, 3], [8, 15], [48, 105]]> : tensor<3x2xi32>
  check.expect_eq_const %0#1, dense<[48, 105]> : tensor<2xi32>
  return
}

// -----

func.func @backwards() {
  %x = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = "chlo.scan"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    %q = chlo.square %s : tensor<f32> -> tensor<f32>
    stablehlo.return %q, %s : tensor<f32>, tensor<f32>
  }) {dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %0#0, dense<[49.0, 36.0, 16.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<7.0> : tensor<f32>
  return
}

// -----

// Larger first, equal ones in their order, NaN before all.
func.func @first() {
  %x = stablehlo.constant dense<[[1.0, 0x7FC00000, 3.0, 3.0], [-1.0, -2.0, -3.0, -0.5]]> : tensor<2x4xf32>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %i, dense<[[1, 2, 3], [3, 0, 1]]> : tensor<2x3xi32>
  check.expect_eq_const %v, dense<[[0x7FC00000, 3.0, 3.0], [-0.5, -1.0, -2.0]]> : tensor<2x3xf32>
  return
}

// -----

// Rows 0 and 1 meet the first matrix, row 2 the second.
func.func @ragged() {
  %l = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %r = stablehlo.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %y = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
    : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %y, dense<[[21.0], [43.0], [6500.0]]> : tensor<3x1xf32>
  return
}

// -----

// Columns 0 and 1 make the first product, column 2 the second.
func.func @ragged_sum() {
  %l = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %r = stablehlo.constant dense<[[10.0], [100.0], [1000.0]]> : tensor<3x1xf32>
  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %y = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],
    lhs_ragged_dimensions = [1]>}
    : (tensor<1x3xf32>, tensor<3x1xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>
  check.expect_eq_const %y, dense<[[[210.0]], [[3000.0]]]> : tensor<2x1x1xf32>
  return
}

// -----

func.func @high_halves() {
  %x = stablehlo.constant dense<[-3, 9223372036854775807, -9223372036854775808, 4294967296]> : tensor<4xi64>
  %y = stablehlo.constant dense<[5, 9223372036854775807, -9223372036854775808, -4294967297]> : tensor<4xi64>
  %h = "chlo.mulhi"(%x, %y) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %h, dense<[-1, 4611686018427387903, 4611686018427387904, -2]> : tensor<4xi64>
  return
}

// -----

// CHECK-LABEL: func.func @spread
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1]
func.func @spread() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %s = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r = chlo.broadcast_select %p, %s, %x : (tensor<3xi1>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[11.0, 1.0, 31.0], [12.0, 2.0, 32.0]]> : tensor<2x3xf32>
  return
}
