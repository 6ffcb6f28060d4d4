// Reductions and broadcasts: bodies with the operands' element types, equal shapes.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x7xf32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'linalg.reduce' op expects all inputs to have the same shapes. Shape at input-index 1 is not equal to the shape at input-index 0.}}
  %0:2 = "linalg.reduce"(%a, %b, %v, %v) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
    "linalg.yield"(%p, %q) : (f32, f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x7xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%a: tensor<4x8xf32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'linalg.reduce' op mismatching number of operands and block arguments}}
  %0 = "linalg.reduce"(%a, %v) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: f32):
    "linalg.yield"(%p) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @f(%a: tensor<4x8xi32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'linalg.reduce' op input element type 'i32' does not match corresponding block argument type 'f32'}}
  %0 = "linalg.reduce"(%a, %v) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: f32, %q: f32):
    "linalg.yield"(%p) : (f32) -> ()
  }) : (tensor<4x8xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @f(%a: memref<f32>, %v: memref<f32>) {
  // expected-error @+1 {{'linalg.reduce' op dimensions for reduction should be in the range [0, -1].}}
  "linalg.reduce"(%a, %v) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: f32, %q: f32):
    "linalg.yield"(%p) : (f32) -> ()
  }) : (memref<f32>, memref<f32>) -> ()
  return
}

// -----
func.func @f(%a: tensor<4xi32>, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{'linalg.broadcast' op expected type of bb argument #0 ('f32') to match element or self type of the corresponding operand ('i32')}}
  %0 = "linalg.broadcast"(%a, %v) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: f32, %q: f32):
    "linalg.yield"(%p) : (f32) -> ()
  }) : (tensor<4xi32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
