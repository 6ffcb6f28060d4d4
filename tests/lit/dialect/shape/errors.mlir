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

// -----

func.func @r(%s: !shape.shape, %i: !shape.size) {
  // expected-error @+1 {{ReduceOp body is expected to have 3 arguments}}
  %0 = shape.reduce(%s, %i) : !shape.shape -> !shape.size {
    ^bb0(%index: index, %dim: !shape.size):
      shape.yield %dim : !shape.size
  }
  return
}

// -----

func.func @r(%s: !shape.shape, %i: !shape.size) {
  // expected-error @+1 {{argument 0 of ReduceOp body is expected to be of IndexType}}
  %0 = shape.reduce(%s, %i) : !shape.shape -> !shape.size {
    ^bb0(%index: f32, %dim: !shape.size, %acc: !shape.size):
      shape.yield %dim : !shape.size
  }
  return
}

// -----

func.func @r(%s: !shape.shape, %i: !shape.size) {
  // expected-error @+1 {{argument 1 of ReduceOp body is expected to be of SizeType if the ReduceOp operates on a ShapeType}}
  %0 = shape.reduce(%s, %i) : !shape.shape -> !shape.size {
    ^bb0(%index: index, %dim: index, %acc: !shape.size):
      shape.yield %acc : !shape.size
  }
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size) {
  // expected-error @+1 {{argument 1 of ReduceOp body is expected to be of IndexType if the ReduceOp operates on an extent tensor}}
  %0 = shape.reduce(%s, %i) : tensor<?xindex> -> !shape.size {
    ^bb0(%index: index, %dim: !shape.size, %acc: !shape.size):
      shape.yield %acc : !shape.size
  }
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size) {
  // expected-error @+1 {{type mismatch between argument 2 of ReduceOp body and initial value 0}}
  %0 = shape.reduce(%s, %i) : tensor<?xindex> -> !shape.size {
    ^bb0(%index: index, %dim: index, %acc: index):
      shape.yield %acc : index
  }
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size) {
  %0 = shape.reduce(%s, %i) : tensor<?xindex> -> !shape.size {
    ^bb0(%index: index, %dim: index, %acc: !shape.size):
  // expected-error @+1 {{types mismatch between yield op and its parent}}
      shape.yield %dim : index
  }
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size) {
  %0 = shape.reduce(%s, %i) : tensor<?xindex> -> !shape.size {
    ^bb0(%index: index, %dim: index, %acc: !shape.size):
  // expected-error @+1 {{number of operands does not match number of results of its parent}}
      shape.yield
  }
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size, %t: tensor<2x3xf32>) {
  // expected-error @+1 {{requires all sizes or shapes}}
  %0 = shape.meet %s, %i : tensor<?xindex>, !shape.size -> !shape.size
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size, %t: tensor<2x3xf32>) {
  // expected-error @+1 {{operand #0 must be shaped of any type values or , but got '!shape.size'}}
  %0 = shape.shape_of %i : !shape.size -> tensor<3xindex>
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size, %t: tensor<2x3xf32>) {
  // expected-error @+1 {{inferred type(s) 'tensor<2xindex>' are incompatible with return type(s) of operation 'tensor<3xindex>'}}
  %0 = shape.shape_of %t : tensor<2x3xf32> -> tensor<3xindex>
  return
}

// -----

func.func @r(%s: tensor<?xindex>, %i: !shape.size, %t: tensor<2x3xf32>) {
  // expected-error @+1 {{result #0 must be shape or extent tensor, but got 'i32'}}
  %0 = shape.shape_of %t : tensor<2x3xf32> -> i32
  return
}

// -----

func.func @r(%s: !shape.value_shape) {
  // expected-error @+1 {{if at least one of the operands can hold error values then the result must be of type `shape` to propagate them}}
  %0 = shape.shape_of %s : !shape.value_shape -> tensor<3xindex>
  return
}

// -----

func.func @r(%s: !shape.value_shape) {
  // expected-error @+1 {{operand #1 must be shape or extent tensor, but got '!shape.value_shape'}}
  "shape.with_shape"(%s, %s) : (!shape.value_shape, !shape.value_shape) -> !shape.value_shape
  return
}

// -----

func.func @r(%s: !shape.value_shape) {
  // expected-error @+1 {{expects parent op to be one of 'shape.reduce, shape.function_library'}}
  shape.yield
}

// -----

func.func @r(%s: !shape.value_shape) {
  // expected-error @+1 {{expects parent op 'shape.func'}}
  shape.return
}

// -----

func.func @r(%s: index) {
  // expected-error @+1 {{operand #0 must be , but got 'index'}}
  "shape.value_of"(%s) : (index) -> tensor<*xf32>
  return
}

// -----

func.func @r(%s: i32) {
  // expected-error @+1 {{operand #0 must be any shape or size, but got 'i32'}}
  "shape.meet"(%s, %s) : (i32, i32) -> i32
  return
}

// -----

func.func @r(%s: i32) {
  // expected-error @+1 {{operand #0 must be shape or size, but got 'i32'}}
  "shape.debug_print"(%s) : (i32) -> i32
  return
}

// -----

func.func @r(%s: i32) {
  // expected-error @+1 {{operand #0 must be 1D tensor of integer or index values or , but got 'i32'}}
  "shape.value_as_shape"(%s) : (i32) -> i32
  return
}

// -----

func.func @r(%s: tensor<2x3xindex>) {
  // expected-error @+1 {{operand #0 must be 1D tensor of integer or index values or , but got 'tensor<2x3xindex>'}}
  "shape.value_as_shape"(%s) : (tensor<2x3xindex>) -> !shape.shape
  return
}

// -----

func.func @r(%s: i32) {
  // expected-error @+1 {{operand #0 must be shape or extent tensor, but got 'i32'}}
  "shape.reduce"(%s) ({}) : (i32) -> !shape.shape
  return
}

// -----

func.func @r(%s: tensor<3xindex>, %t: tensor<4xindex>) {
  // expected-error @+1 {{unequal shape cardinality}}
  shape.meet %s, %t : tensor<3xindex>, tensor<4xindex> -> tensor<3xindex>
  return
}

// -----

func.func @r(%s: tensor<3xindex>, %t: tensor<4xindex>) {
  // expected-error @+1 {{inferred type(s) 'tensor<3xindex>' are incompatible with return type(s) of operation 'tensor<4xindex>'}}
  shape.meet %s, %s : tensor<3xindex>, tensor<3xindex> -> tensor<4xindex>
  return
}

// -----

func.func @r(%s: tensor<3xindex>, %t: tensor<4xindex>) {
  // expected-error @+1 {{inferred type(s) 'tensor<3xindex>' are incompatible with return type(s) of operation 'index'}}
  shape.meet %s, %s : tensor<3xindex>, tensor<3xindex> -> index
  return
}

// -----

func.func @any_rank(%a: !shape.shape, %b: i32) {
  "shape.to_extent_tensor"(%a) : (!shape.shape) -> tensor<2x3xindex>
  // expected-error @+1 {{result #0 must be tensor of index values, but got 'i32'}}
  "shape.to_extent_tensor"(%a) : (!shape.shape) -> i32
  return
}

// -----

// expected-error @+1 {{region should have no arguments}}
"shape.function_library"() <{sym_name = "lib", mapping = {}}> ({
^bb0(%x: index):
}) : () -> ()
