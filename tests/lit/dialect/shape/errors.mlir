// RUN: stablehlo-opt --split-input-file --verify-diagnostics %s

func.func @extents(%a: !shape.shape, %b: tensor<2xindex>) {
  // expected-error @+1 {{if at least one of the operands can hold error values then the result must be of type `shape`}}
  %0 = shape.broadcast %a, %b : !shape.shape, tensor<2xindex> -> tensor<2xindex>
  return
}

// -----

func.func @yields(%w: !shape.witness, %a: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{along control flow edge from Operation shape.assuming_yield to parent results: source type #0 'tensor<2xf32>' should match input type #0 'tensor<3xf32>'}}
  %0 = shape.assuming %w -> (tensor<3xf32>) {
    shape.assuming_yield %a : tensor<2xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @witness(%a: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be shape or extent tensor, but got 'tensor<2xf32>'}}
  %0 = shape.num_elements %a : tensor<2xf32> -> index
  return
}

// -----

// expected-error @+1 {{inferred type(s) 'tensor<2xindex>' are incompatible with return type(s) of operation 'tensor<3xindex>'}}
%0 = shape.const_shape [1, 2] : tensor<3xindex>

// -----

func.func @extents(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{inferred type(s) 'tensor<2xindex>' are incompatible}}
  %0 = shape.shape_of %a : tensor<4x4xf32> -> tensor<1xindex>
  return
}

// -----

func.func @most(%a: f32) {
  // expected-error @+1 {{operand #0 must be shape or size, but got 'f32'}}
  %0 = shape.max %a, %a : f32, f32 -> f32
  return
}
