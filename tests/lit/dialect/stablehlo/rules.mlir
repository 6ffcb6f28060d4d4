// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Errors of the verifiers and the inference of stablehlo's operations.

func.func @turned(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // expected-error @+2 {{'stablehlo.transpose' op inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{'stablehlo.transpose' op failed to infer returned types}}
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @part(%x: tensor<7x5xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.slice %x [0:5:2, 3:5] : (tensor<7x5xf32>) -> tensor<3x2xf32>
  // expected-error @+2 {{limit index 6 is larger than dimension size 5 in dimension 1}}
  // expected-error @+1 {{'stablehlo.slice' op failed to infer returned types}}
  %1 = stablehlo.slice %x [0:5:2, 3:6] : (tensor<7x5xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @joined(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>, %w: tensor<3x3xf32>) -> tensor<2x?xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // expected-error @+2 {{shapes of operand (0) and (1) are not compatible at non-concat index 0: (2, 3) != (3, 3)}}
  // expected-error @+1 {{'stablehlo.concatenate' op failed to infer returned types}}
  %1 = "stablehlo.concatenate"(%x, %w) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>

  return %0 : tensor<2x?xf32>
}

// -----

func.func @product(%a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>) -> tensor<4x2x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
  // expected-error @+1 {{contracting dimension sizes must match for lhs/rhs}}
  %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %0 : tensor<4x2x5xf32>
}

// -----

func.func @spread(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{size of operand dimension 0 (3) is not equal to 1 or size of result dimension 0 (2)}}
  %1 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @count(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{number of output elements (10) doesn't match expected number of elements (12)}}
  %1 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x6xf32>
}

// -----

func.func @size(%x: tensor<3x4xf32>) -> tensor<i32> {
  // expected-error @+1 {{'stablehlo.get_dimension_size' op attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = stablehlo.get_dimension_size %x, dim = -1 : (tensor<3x4xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// The lists that a rule's loops read are given back: 32 pairs are not too many.
func.func @pairs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[
    [0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8], [8, 9], [9, 10],
    [10, 11], [11, 12], [12, 13], [13, 14], [14, 15], [15, 16], [16, 17], [17, 18],
    [18, 19], [19, 20], [20, 21], [21, 22], [22, 23], [23, 24], [24, 25], [25, 26],
    [26, 27], [27, 28], [28, 29], [29, 30], [30, 31], [31, 0]]> : tensor<32x2xi64>}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @nested(%a: tensor<1xi32>, %t: tuple<>) -> tuple<tensor<1xi32>, tuple<>> {
  %0 = "stablehlo.tuple"(%a, %t) : (tensor<1xi32>, tuple<>) -> tuple<tensor<1xi32>, tuple<>>
  return %0 : tuple<tensor<1xi32>, tuple<>>
}

// -----

func.func @bits(%a: tensor<2xf64>) {
  // expected-error @+1 {{requires compatible bit widths. Got: 'tensor<2xf64>' and 'tensor<2x4xf32>', but 32 * 4 != 64.}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @solved(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+2 {{two minor dimensions of operand 'a' must be compatible, but got 'tensor<4x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @hints(%a: tensor<2x1xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{duplicate expansion hint for at least one operand dimension}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}
