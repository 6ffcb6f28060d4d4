// RUN: tilewright run %s | FileCheck %s

// A start that would let the window stick out is moved in; the window keeps both dimensions.
// CHECK: @gather_windows: passed
func.func @gather_windows() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %i = stablehlo.constant dense<[[0, 1], [9, -4]]> : tensor<2x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1],
      index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>}>
      : (tensor<3x3xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[2, 3], [5, 6]], [[4, 5], [7, 8]]]> : tensor<2x2x2xi32>
  func.return
}

// -----

// A window that sticks out is left out as a whole.
// CHECK: @scatter_windows: passed
func.func @scatter_windows() {
  %x = stablehlo.constant dense<0> : tensor<4x2xi32>
  %i = stablehlo.constant dense<[[0], [3], [1]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 5], [5, 5]], [[1, 1], [1, 1]]]> : tensor<3x2x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<3x1xi32>, tensor<3x2x2xi32>) -> tensor<4x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [4, 5], [1, 1], [0, 0]]> : tensor<4x2xi32>
  func.return
}

// -----

// CHECK: @update: passed
func.func @update() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %u = stablehlo.constant dense<[[-1.0, -2.0]]> : tensor<1x2xf32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %k
      : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[1.0, 2.0, 3.0], [4.0, -1.0, -2.0]]> : tensor<2x3xf32>
  func.return
}

// -----

// CHECK: @sort_two: passed
func.func @sort_two() {
  %x = stablehlo.constant dense<[[3.0, 1.0, 3.0], [0.0, 5.0, 4.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32>
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %g = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %r#0, dense<[[3.0, 3.0, 1.0], [5.0, 4.0, 0.0]]> : tensor<2x3xf32>
  check.expect_eq_const %r#1, dense<[[10, 30, 20], [50, 60, 40]]> : tensor<2x3xi32>
  func.return
}

// -----

// CHECK: @pads: passed
func.func @pads() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.pad %x, %z, low = [1, 0], high = [0, -1], interior = [0, 2]
      : (tensor<2x2xi32>, tensor<i32>) -> tensor<3x3xi32>
  %t = stablehlo.reverse %r, dims = [0, 1] : tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[9, 9, 9], [1, 9, 9], [3, 9, 9]]> : tensor<3x3xi32>
  check.expect_eq_const %t, dense<[[9, 9, 3], [9, 9, 1], [9, 9, 9]]> : tensor<3x3xi32>
  func.return
}

// -----

// One window of a gather, a start that is moved in; edges repeated.
// CHECK: @gather_window: passed
func.func @gather_window() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[9]> : tensor<1xi32>
  %z = stablehlo.constant dense<[0]> : tensor<1xi32>
  %far = stablehlo.add %i, %z : tensor<1xi32>
  %a = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1],
      start_index_map = [1]>, slice_sizes = array<i64: 2, 2>}> : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %a, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  %b = "stablehlo.gather"(%x, %far) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1],
      start_index_map = [1]>, slice_sizes = array<i64: 2, 2>}> : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %b, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  %e = stablehlo.constant dense<[[0], [0], [1], [2], [2]]> : tensor<5x1xi32>
  %c = "stablehlo.gather"(%x, %e) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1],
      start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<5x1xi32>) -> tensor<2x5xi32>
  check.expect_eq_const %c, dense<[[1, 1, 2, 3, 3], [4, 4, 5, 6, 6]]> : tensor<2x5xi32>
  %t = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %f = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %tw = stablehlo.convert %t : (tensor<3xi1>) -> tensor<3xi8>
  %fw = stablehlo.convert %f : (tensor<3xi1>) -> tensor<3xi8>
  %d = stablehlo.xor %tw, %fw : tensor<3xi8>
  check.expect_eq_const %d, dense<[0, 1, 1]> : tensor<3xi8>
  func.return
}
