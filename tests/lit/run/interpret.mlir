// The reference evaluator: operations that the device does not support.
// RUN: stablehlo-translate --interpret %s | FileCheck %s
// RUN: not stablehlo-translate --interpret %S/Inputs/interpret_wrong.mlir | FileCheck %s --check-prefix=WRONG

// WRONG: check.expect_eq_const: element 1 is 3, expected 4
// WRONG: @wrong: FAILED
// WRONG: check.expect_close: element 0 is 1.0000002384185791, expected 1
// WRONG: @far: FAILED
// WRONG: @near: passed
// WRONG: 1 passed, 2 failed

// CHECK: @complex_product: passed
func.func @complex_product() {
  %a = stablehlo.constant dense<[(1.0, 2.0), (0.0, -1.0)]> : tensor<2xcomplex<f64>>
  %b = stablehlo.constant dense<[(3.0, -1.0), (0.0, 1.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.multiply %a, %b : tensor<2xcomplex<f64>>
  check.expect_eq_const %0, dense<[(5.0, 5.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
  %1 = stablehlo.abs %a : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  check.expect_almost_eq_const %1, dense<[2.23606797749979, 1.0]> : tensor<2xf64>
  return
}

// CHECK: @transform: passed
func.func @transform() {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  check.expect_almost_eq_const %1, dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return
}

// CHECK: @small_integers: passed
func.func @small_integers() {
  %a = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
  %b = stablehlo.constant dense<[1, -1, 0]> : tensor<3xi4>
  %0 = stablehlo.add %a, %b : tensor<3xi4>
  check.expect_eq_const %0, dense<[-8, 7, 3]> : tensor<3xi4>
  %1 = stablehlo.divide %a, %b : tensor<3xi4>
  check.expect_eq_const %1, dense<[7, -8, -1]> : tensor<3xi4>
  %2 = stablehlo.popcnt %a : tensor<3xi4>
  check.expect_eq_const %2, dense<[3, 1, 2]> : tensor<3xi4>
  return
}

// CHECK: @sizes_of_values: passed
func.func @sizes_of_values() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %shape, dims = [1] : (tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x?xi64>) -> tensor<i32>
  check.expect_eq_const %1, dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xi64>, tensor<i64>) -> tensor<?xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %3 = stablehlo.dynamic_reshape %2, %three : (tensor<?xi64>, tensor<1xi64>) -> tensor<3xi64>
  check.expect_eq_const %3, dense<[2, 4, 6]> : tensor<3xi64>
  return
}

// How often the loop runs is known only from its values.
// CHECK: @collatz: passed
func.func @collatz() {
  %start = stablehlo.constant dense<27> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %0:2 = stablehlo.while(%n = %start, %steps = %zero) : tensor<i64>, tensor<i64>
  cond {
    %c = stablehlo.compare NE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %r = stablehlo.remainder %n, %two : tensor<i64>
    %even = stablehlo.compare EQ, %r, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %half = stablehlo.divide %n, %two : tensor<i64>
    %triple = stablehlo.multiply %n, %three : tensor<i64>
    %odd = stablehlo.add %triple, %one : tensor<i64>
    %next = stablehlo.select %even, %half, %odd : tensor<i1>, tensor<i64>
    %more = stablehlo.add %steps, %one : tensor<i64>
    stablehlo.return %next, %more : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %0#1, dense<111> : tensor<i64>
  return
}

// CHECK: @sorted_pairs: passed
func.func @sorted_pairs() {
  %keys = stablehlo.constant dense<[[2, 1, 2], [5, 4, 3]]> : tensor<2x3xi16>
  %values = stablehlo.constant dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi16>
  %0:2 = "stablehlo.sort"(%keys, %values) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i16>, %b: tensor<i16>, %c: tensor<i16>, %d: tensor<i16>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xi16>, tensor<2x3xi16>) -> (tensor<2x3xi16>, tensor<2x3xi16>)
  check.expect_eq_const %0#1, dense<[[1, 0, 2], [2, 1, 0]]> : tensor<2x3xi16>
  return
}

// CHECK: @factors: passed
func.func @factors() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf64>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  check.expect_eq_const %0, dense<[[2.0, 0.0], [1.0, 3.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[2.0], [7.0]]> : tensor<2x1xf64>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  check.expect_eq_const %1, dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  return
}

// CHECK: @quantized: passed
func.func @quantized() {
  %a = stablehlo.constant dense<[1.0, -2.5, 100.0]> : tensor<3xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.add %0, %0 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[2.0, -5.0, 62.0]> : tensor<3xf32>
  %3 = stablehlo.bitcast_convert %1 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xi8>
  check.expect_eq_const %3, dense<[7, -7, 127]> : tensor<3xi8>
  return
}

// CHECK: 8 passed, 0 failed, 0 not supported
