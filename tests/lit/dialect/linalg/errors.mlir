// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x5xf32>) {
  // expected-error @+1 {{inferred input/output operand #2 has shape's dimension #1 to be 4, but found 5}}
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error @+1 {{inferred input/output operand #1 has shape's dimension #0 to be 3, but found 4}}
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<4x4xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x4xf32>)
  return
}

// -----

// expected-error @+1 {{expected the number of indexing_map (1) to be equal to the number of input/output operands (2)}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{expected operand rank (2) to match the result rank of indexing_map #0 (1)}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{expected indexing_map #0 to have 1 dim(s) to match the number of loops}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{expected as many non-induction variable region arguments as the number of input/output operands}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32): linalg.yield %x : f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{expected type of bb argument #0 ('f64') to match element or self type of the corresponding operand ('f32')}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f64, %y: f32): linalg.yield %y : f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{type of yield operand 1 ('i32') doesn't match the element type of the enclosing linalg.generic op ('f32')}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): %z = arith.constant 1 : i32 linalg.yield %z : i32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{expected number of yield values (2) to match the number of inits / outs operands of the enclosing LinalgOp (1)}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x, %y : f32, f32 } -> tensor<2x3xf32> return }

// -----

// expected-error @+1 {{inferred input/output operand #1 has shape's dimension #1 to be 3, but found 4}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x4xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x4xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<2x4xf32> return }

// -----

// expected-error @+1 {{expected type of operand #1 ('tensor<2x3xf32>') to match type of corresponding result ('tensor<2x3xf64>')}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<2x3xf64> return }

// -----

func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{dim(result, 0) = 2 doesn't match dim(input, permutation[0]) = 3}}
  %0 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) permutation = [1, 0]
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{permutation is not valid}}
  %0 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) permutation = [1, 1]
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{size of permutation 1 does not match the argument rank 2}}
  %0 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) permutation = [1]
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{input dim 0 should match init dim 1. input: 2, init: 3}}
  %0 = linalg.broadcast ins(%a : tensor<2xf32>) outs(%c : tensor<2x3xf32>) dimensions = [0]
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{input rank plus added dimensions does not match init rank. input rank: 1, dimensions size: 2, init rank: 2}}
  %0 = linalg.broadcast ins(%a : tensor<2xf32>) outs(%c : tensor<2x3xf32>) dimensions = [1, 0]
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{dimension 0 is out of range. expected range: [0, 1], got: 5}}
  %0 = linalg.broadcast ins(%a : tensor<2xf32>) outs(%c : tensor<2x3xf32>) dimensions = [5]
  return
}

// -----

// expected-error @+1 {{init dimensions [2] doesn't match input dimensions after reduction [3]}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2xf32>) { %0 = linalg.reduce ins(%a : tensor<2x3xf32>) outs(%c : tensor<2xf32>) dimensions = [0] (%x: f32, %y: f32) { linalg.yield %x : f32 } return }

// -----

// expected-error @+1 {{dimensions for reduction should be in the range [0, 1].}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2xf32>) { %0 = linalg.reduce ins(%a : tensor<2x3xf32>) outs(%c : tensor<2xf32>) dimensions = [3] (%x: f32, %y: f32) { linalg.yield %x : f32 } return }

// -----

// expected-error @+1 {{expected element type of input 'f32' to match bbArg type 'f64'}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.map ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) (%x: f64) { linalg.yield %x : f64 } return }

// -----

// expected-error @+1 {{expected shape of input (2, 3) to match shape of output (2, 4)}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x4xf32>) { %0 = linalg.map ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x4xf32>) (%x: f32) { linalg.yield %x : f32 } return }

// -----

func.func @f() {
  // expected-error @+1 {{expected parent op with LinalgOp interface}}
  %0 = linalg.index 0 : index
  return
}

// -----

// expected-error @+1 {{expected dim (2) to be lower than the number of loops (2) of the enclosing LinalgOp}}
func.func @f(%a: tensor<2x3xf32>, %c: tensor<2x3xf32>) { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) { ^bb0(%x: f32, %y: f32): %i = linalg.index 2 : index linalg.yield %x : f32 } -> tensor<2x3xf32> return }

// -----

func.func @image(%i: tensor<1x9x9x3xf32>, %k: tensor<3x3x3x8xf32>, %o: tensor<1x5x4x8xf32>) {
  // expected-error @+1 {{inferred input/output operand #0 has shape's dimension #1 to be greater than or equal to 11, but found 9}}
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%i, %k : tensor<1x9x9x3xf32>, tensor<3x3x3x8xf32>) outs(%o : tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32>
  return
}

// -----

func.func @rank(%i: tensor<9xf32>, %k: tensor<3xf32>, %o: tensor<7xf32>) {
  // expected-error @+1 {{expected operand rank (1) to match the result rank of indexing_map #0 (3)}}
  %0 = linalg.pooling_nwc_sum ins(%i, %k : tensor<9xf32>, tensor<3xf32>) outs(%o : tensor<7xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @dilation(%i: tensor<1x9x9x3xf32>, %k: tensor<3x3x3x8xf32>, %o: tensor<1x9x9x8xf32>) {
  // expected-error @+1 {{unexpected loop dimension for convolution op}}
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<0> : tensor<2xi64>} ins(%i, %k : tensor<1x9x9x3xf32>, tensor<3x3x3x8xf32>) outs(%o : tensor<1x9x9x8xf32>) -> tensor<1x9x9x8xf32>
  return
}

// -----

func.func @fill(%a: tensor<2xf32>, %o: tensor<2xf32>) {
  // expected-error @+1 {{expected op with scalar input}}
  %0 = linalg.fill ins(%a : tensor<2xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @elements(%a: tensor<2x3xf32>, %o: tensor<2xf32>) {
  // expected-error @+1 {{expected operand rank (2) to match the result rank of indexing_map #0 (1)}}
  %0 = linalg.exp ins(%a : tensor<2x3xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @mixed(%a: memref<2x3xf32>, %o: tensor<3x2xf32>) {
  // expected-error @+1 {{expected to have pure tensor or buffer semantics}}
  %0 = linalg.transpose ins(%a : memref<2x3xf32>) outs(%o : tensor<3x2xf32>) permutation = [1, 0]
  return
}

// -----

func.func @softmax(%a: tensor<2x3xf32>, %o: tensor<2x3xf32>) {
  // expected-error @+1 {{incorrect dimension specified}}
  %0 = linalg.softmax dimension(2) ins(%a : tensor<2x3xf32>) outs(%o : tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @fill_of_one(%a: tensor<f32>, %o: tensor<f32>) {
  // expected-error @+1 {{expected op with scalar input}}
  %0 = linalg.fill ins(%a : tensor<f32>) outs(%o : tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @map_init(%a: tensor<4xf32>, %o: tensor<4xf32>) {
  // expected-error @+1 {{expected type of bb argument #1 ('i32') to match element or self type of the corresponding operand ('f32')}}
  %0 = "linalg.map"(%a, %o) ({
  ^bb0(%x: f32, %y: i32):
    "linalg.yield"(%x) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fill_of_another_type(%a: f32, %o: tensor<2xi32>) {
  // expected-error @+1 {{'linalg.fill' op expected fill value type ('f32') to match output element type ('i32')}}
  %0 = linalg.fill ins(%a : f32) outs(%o : tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @fill_of_two(%a: f32, %o: tensor<2xf32>) {
  // expected-error @+1 {{expected op with 1 input and 1 output}}
  %0 = "linalg.fill"(%a, %a, %o) <{operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %x : f32
  }) : (f32, f32, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

#rows = affine_map<(m, n, k, unused) -> (m, k)>
#columns = affine_map<(m, n, k, unused) -> (k, n)>
#product = affine_map<(m, n, k, unused) -> (m, n)>
func.func @contract(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %o: tensor<2x4xf32>) {
  // expected-error @+1 {{iteration space dim at index 3 not used to access any operand}}
  %0 = linalg.contract indexing_maps = [#rows, #columns, #product] ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%o : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%m: tensor<4xf32>) {
  // expected-error @+1 {{expected the number of indexing_map (0) to be equal to the number of input/output operands (2)}}
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [] ins(%m : tensor<4xf32>) outs(%m : tensor<4xf32>) -> tensor<4xf32>
  return
}
