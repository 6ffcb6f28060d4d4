// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Rules of rows across several operands, results and attributes.

func.func @slice(%x: tensor<3x4xi32>) -> tensor<1x2xi32> {
  // expected-error @+1 {{'stablehlo.slice' op failed to verify that all of {start_indices, limit_indices, strides} have same size}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 2>, strides = array<i64: 1, 2>}> : (tensor<3x4xi32>) -> tensor<1x2xi32>
  return %0 : tensor<1x2xi32>
}

// -----

func.func @pad(%x: tensor<1x2x3xf16>, %v: tensor<f16>) -> tensor<2x4x7xf16> {
  // expected-error @+1 {{'stablehlo.pad' op failed to verify that all of {edge_padding_low, edge_padding_high, interior_padding} have same size}}
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 1, 1, 0>, interior_padding = array<i64: 0, 0, 1>}> : (tensor<1x2x3xf16>, tensor<f16>) -> tensor<2x4x7xf16>
  return %0 : tensor<2x4x7xf16>
}

// -----

// Shapes are the same or they are not: a dynamic size is no promise.
func.func @reverse(%x: tensor<?x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'ttir.reverse' op failed to verify that all of {input, result} have same shape}}
  %0 = "ttir.reverse"(%x) <{dimensions = array<i64: 0>}> : (tensor<?x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @select(%a: i1, %b: tensor<4xi1>, %c: tensor<2xi1>, %x: tensor<4xf32>) {
  %0 = arith.select %a, %x, %x : tensor<4xf32>
  %1 = arith.select %b, %x, %x : tensor<4xi1>, tensor<4xf32>
  // expected-error @+1 {{'arith.select' op failed to verify that condition is signless i1 or has matching shape}}
  %2 = arith.select %c, %x, %x : tensor<2xi1>, tensor<4xf32>
  return
}

// -----

func.func @types(%a: i32, %b: f32, %t: tensor<2xf64>, %i: index) {
  // expected-error @+1 {{'arith.addui_extended' op failed to verify that all of {lhs, rhs, sum} have same type}}
  %0, %1 = "arith.addui_extended"(%a, %a) : (i32, i32) -> (i64, i1)
  // expected-error @+1 {{'tensor.insert' op failed to verify that scalar type matches element type of dest}}
  %2 = "tensor.insert"(%b, %t, %i) : (f32, tensor<2xf64>, index) -> tensor<2xf64>
  // expected-error @+1 {{'tensor.splat' op failed to verify that operand type matches element type of result}}
  %3 = "tensor.splat"(%b) : (f32) -> tensor<2xf64>
  return
}

// -----

func.func @casts(%x: i32) {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op expected at least one result for cast operation}}
  "builtin.unrealized_conversion_cast"(%x) : (i32) -> ()
  return
}

// -----

func.func @constants() {
  // expected-error @+1 {{'arith.constant' op integer return type must be signless}}
  %0 = "arith.constant"() <{value = 1 : si32}> : () -> si32
  return
}

// -----

func.func @scaled(%x: f32, %y: f8E8M0FNU) {
  // expected-error @+1 {{'arith.scaling_extf' op operand types 'f32', 'f8E8M0FNU' and result type 'f16' are cast incompatible}}
  %0 = arith.scaling_extf %x, %y : f32, f8E8M0FNU to f16
  return
}

// -----

func.func @reduced(%x: tensor<2x3xf32>, %e: tensor<2x3xf32>) {
  // expected-error @+1 {{'linalg.reduce' op attribute 'dimensions' failed to satisfy constraint: i64 dense array attribute should be in increasing order}}
  %0 = linalg.reduce { arith.addf } ins(%x: tensor<2x3xf32>) outs(%e: tensor<2x3xf32>) dimensions = [1, 0]
  return
}

// -----

func.func @collapsed(%x: tensor<2x3xf32>, %y: tensor<*xf32>) {
  // expected-error @+1 {{'tensor.collapse_shape' op expected collapsed type to be 'tensor<6xf32>', but got 'tensor<6xi32>'}}
  %0 = "tensor.collapse_shape"(%x) <{reassociation = [[0, 1]]}> : (tensor<2x3xf32>) -> tensor<6xi32>
  // expected-error @+1 {{'tensor.collapse_shape' op converts between ranked tensors, not from 'tensor<*xf32>' to 'tensor<6xf32>'}}
  %1 = "tensor.collapse_shape"(%y) <{reassociation = [[0, 1]]}> : (tensor<*xf32>) -> tensor<6xf32>
  return
}
