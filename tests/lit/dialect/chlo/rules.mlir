// Rules of chlo's operations; chlo.scan.
// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @scan
// CHECK: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=1  attributes {is_reverse = true} {
// CHECK: ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
// CHECK: } : (tensor<4x3xf32>, tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>)
func.func @scan(%a: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<4x3xf32> {
  %0:2 = chlo.scan (%a) inits (%b) dimension = 1 attributes {is_reverse = true} {
  ^bb0(%x: tensor<4xf32>, %c: tensor<4xf32>):
    %1 = stablehlo.multiply %x, %c : tensor<4xf32>
    stablehlo.return %1, %1 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x3xf32>, tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>)
  return %0#0 : tensor<4x3xf32>
}

// -----
func.func @scan_beyond(%a: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'chlo.scan' op scan dimension of operand 0 is out of bounds}}
  %0:2 = chlo.scan (%a) inits (%b) dimension = 1 {
  ^bb0(%x: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %x, %c : tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----
func.func @broadcast_to_another_shape(%a: tensor<4x1xf32>, %b: tensor<5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x5xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4x1xf32>, tensor<5xf32>) -> tensor<4x4xf32>
  return
}

// -----
func.func @broadcast_of_other_elements(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+2 {{mismatched operand types}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----
func.func @more_than_there_are(%a: tensor<4xf32>) {
  // expected-error @+2 {{operand's last dimension must be at least 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%a, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----
func.func @ragged(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<4xi64>) {
  // expected-error @+1 {{rhs group dimension is expected to have size=4, got 3}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>
  return
}
