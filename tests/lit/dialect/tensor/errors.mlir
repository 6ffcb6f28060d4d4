// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @empty(%n: index) {
  // expected-error @+1 {{incorrect number of dynamic sizes, has 1, expected 2}}
  %0 = "tensor.empty"(%n) : (index) -> tensor<?x?xf32>
  return
}

// -----

func.func @extract(%t: tensor<2x3xf32>, %i: index) {
  // expected-error @+1 {{incorrect number of indices for extract_element}}
  %0 = tensor.extract %t[%i] : tensor<2x3xf32>
  return
}

// -----

func.func @elements(%a: f32) {
  // expected-error @+1 {{failed to verify that operand types match result element type}}
  %0 = "tensor.from_elements"(%a) : (f32) -> tensor<2xf32>
  return
}

// -----

func.func @slice(%t: tensor<8x8xf32>) {
  // expected-error @+1 {{expected type to be 'tensor<4x1xf32>' or a rank-reduced version. (size mismatch)}}
  %0 = tensor.extract_slice %t[0, 0] [4, 1] [1, 1] : tensor<8x8xf32> to tensor<1xf32>
  return
}

// -----

func.func @slice_rank(%t: tensor<8x8xf32>) {
  // expected-error @+1 {{expected 2 offset values, got 1}}
  %0 = tensor.extract_slice %t[0] [4] [1] : tensor<8x8xf32> to tensor<4xf32>
  return
}

// -----

func.func @cast(%t: tensor<4xf32>) {
  // expected-error @+1 {{operand type 'tensor<4xf32>' and result type 'tensor<5xf32>' are cast incompatible}}
  %0 = tensor.cast %t : tensor<4xf32> to tensor<5xf32>
  return
}

// -----

func.func @collapse(%t: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected dimension 0 of collapsed type to be static value of 6}}
  %0 = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<5x4xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{static concatenation size mismatch along non-concatenated dimension 1}}
  %0 = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather(%a: tensor<4x5xf32>, %i: tensor<7x2xindex>) {
  // expected-error @+1 {{gather_dims values must be strictly increasing}}
  %0 = "tensor.gather"(%a, %i) <{gather_dims = array<i64: 1, 0>}> : (tensor<4x5xf32>, tensor<7x2xindex>) -> tensor<7xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %v: f32) {
  // expected-error @+1 {{specified type 'tensor<8xf32>' does not match the inferred type 'tensor<7xf32>'}}
  %0 = tensor.pad %a low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<8xf32>
  return
}

// -----

func.func @right(%t: tensor<8x8xf32>, %u: tensor<?x8xf32>, %n: index, %s: tensor<4xf32>) -> tensor<8x8xf32> {
  %0 = tensor.extract_slice %t[0, %n] [4, 1] [1, 1] : tensor<8x8xf32> to tensor<4xf32>
  %1 = tensor.insert_slice %s into %t[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<8x8xf32>
  %2 = tensor.expand_shape %u [[0, 1], [2]] output_shape [2, %n, 8] : tensor<?x8xf32> into tensor<2x?x8xf32>
  %3 = tensor.collapse_shape %2 [[0, 1], [2]] : tensor<2x?x8xf32> into tensor<?x8xf32>
  %4 = tensor.cast %3 : tensor<?x8xf32> to tensor<*xf32>
  return %1 : tensor<8x8xf32>
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error @+1 {{expected InParallelOpInterface parent, got:}}
  "tensor.parallel_insert_slice"(%a, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64>, static_sizes = array<i64>, static_strides = array<i64>}> : (tensor<f32>, tensor<f32>) -> ()
  return
}

// -----

func.func @f(%a: tensor<3x1xf32>) {
  // expected-error @+1 {{expected collapsed type to be 'tensor<f32>', but got 'tensor<i16>'}}
  %0 = "tensor.collapse_shape"(%a) <{reassociation = []}> : (tensor<3x1xf32>) -> tensor<i16>
  return
}
