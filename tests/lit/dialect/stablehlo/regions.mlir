// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

func.func @takes_three(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{Reduction-region must take 2 parameters, but takes 3 parameter(s)}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @other_argument(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{The type of reduction-region's parameter at index 1 is different than the corresponding result type: 'tensor<i32>' vs 'tensor<f32>'}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @narrower(%a: tensor<4xi32>, %z: tensor<i32>) {
  // expected-error @+1 {{The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tensor<i8>' vs 'tensor<i32>'}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    stablehlo.return %x : tensor<i8>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<i8>
  return
}

// -----

func.func @reduced_twice(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{Duplicate reduction dimension: 1}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @other_result(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.reduce' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// Sums may be kept in a wider type than what is summed.
func.func @wider(%a: tensor<4xi8>, %z: tensor<i8>) -> tensor<i32> {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi8>, tensor<i8>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @not_a_truth(%i: tensor<i32>) {
  // expected-error @+1 {{expect condition block return a zero-ranked tensor of i1 but got 'tensor<i32>'}}
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @branches_differ(%p: tensor<i1>, %a: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{branch 0 and branch 1 have mismatched return types: 'tensor<f32>' vs 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @compares_pairs(%a: tensor<4xf32>) {
  // expected-error @+1 {{comparator block argument #1 should be of type 'tensor<f32>' but got 'tensor<i32>'}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @updates_too_large(%a: tensor<4x4xf32>, %i: tensor<1xi32>, %u: tensor<5xf32>) {
  // expected-error @+1 {{expects bounds of the window dimensions of updates to not exceed the bounds of the corresponding dimensions of operand. For dimension 0, updates bound is 5, operand bound is 4.}}
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>} : (tensor<4x4xf32>, tensor<1xi32>, tensor<5xf32>) -> tensor<4x4xf32>
  return
}

// -----
func.func @map_of_nothing(%c: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.map' op expected 1 or more operands, but found 0}}
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({ "stablehlo.return"(%c) : (tensor<f32>) -> () }) : () -> tensor<f32>
  return
}

// -----
func.func @barrier_drops(%a: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.optimization_barrier' op requires the same number of operands and results}}
  "stablehlo.optimization_barrier"(%a) : (tensor<f32>) -> ()
  return
}

// -----
func.func @tuple_of_others(%a: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.tuple' op failed to infer returned types}}
  // expected-error @+1 {{'stablehlo.tuple' op inferred type(s) 'tuple<tensor<f32>>' are incompatible with return type(s) of operation 'tuple<>'}}
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<>
  return
}
