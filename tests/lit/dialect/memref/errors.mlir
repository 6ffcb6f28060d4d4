// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @alloc(%n: index) {
  // expected-error @+1 {{dimension operand count does not equal memref dynamic dimension count}}
  %0 = memref.alloc(%n) : memref<?x?xf32>
  return
}

// -----

func.func @load(%m: memref<2x3xf32>, %i: index) {
  // expected-error @+1 {{incorrect number of indices for load, expected 2 but got 1}}
  %0 = memref.load %m[%i] : memref<2x3xf32>
  return
}

// -----

func.func @global() {
  // expected-error @+1 {{'g' does not reference a valid global memref}}
  %0 = memref.get_global @g : memref<4xf32>
  return
}

// -----

func.func @cast(%m: memref<4xf32>) {
  // expected-error @+1 {{operand type 'memref<4xf32>' and result type 'memref<4xf16>' are cast incompatible}}
  %0 = memref.cast %m : memref<4xf32> to memref<4xf16>
  return
}

// -----

func.func @expand(%m: memref<6xf32>) {
  // expected-error @+1 {{collapsed dim size (6) must equal reassociation group size (8)}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [2, 4] : memref<6xf32> into memref<2x4xf32>
  return
}

// -----

func.func @view(%m: memref<64xi8>, %i: index) {
  // expected-error @+1 {{incorrect number of size operands for type 'memref<?xf32>'}}
  %0 = memref.view %m[%i][] : memref<64xi8> to memref<?xf32>
  return
}

// -----

func.func @destination(%a: tensor<4xf32>, %b: memref<4xf32>) {
  // expected-error @+1 {{'writable' must be specified if and only if the destination is of memref type}}
  bufferization.materialize_in_destination %a in %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{reference to function with mismatched type}}
  %0 = func.constant @constant : (f32) -> ()
  return
}

// -----

func.func @carry(%a: tensor<4xi32>, %b: i32) {
  // expected-error @+1 {{if an operand is non-scalar, then all results must be non-scalar}}
  %0, %1 = "arith.addui_extended"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, i1)
  return
}

// -----

func.func @transposed(%a: memref<2x3xf32>) {
  // expected-error @+1 {{result type 'memref<3x2xf32>' is not equivalent to the canonical transposed input type 'memref<3x2xf32, strided<[1, 3]>>'}}
  %0 = "memref.transpose"(%a) <{permutation = affine_map<(i, j) -> (j, i)>}> : (memref<2x3xf32>) -> memref<3x2xf32>
  return
}

// -----

func.func @scope(%a: f32) {
  // expected-error @+1 {{along control flow edge from Operation memref.alloca_scope.return to parent results: source type #0 'f32' should match input type #0 'i32'}}
  %0 = "memref.alloca_scope"() ({
    "memref.alloca_scope.return"(%a) : (f32) -> ()
  }) : () -> i32
  return
}

// -----

func.func @space(%a: memref<2xf32>) {
  // expected-error @+1 {{operand type 'memref<2xf32>' and result type 'memref<*xf32>' are cast incompatible}}
  %0 = memref.memory_space_cast %a : memref<2xf32> to memref<*xf32>
  return
}

// -----

func.func @buffer(%a: memref<2xf32>) {
  // expected-error @+2 {{shapes do not match}}
  // expected-error @+1 {{specified tensor and buffer types match}}
  %0 = bufferization.to_tensor %a : memref<2xf32> to tensor<?xf32>
  return
}

// -----

func.func @distinct(%a: memref<2xf32>, %b: memref<2xf32>) {
  // expected-error @+1 {{operand types and result types must match}}
  "memref.distinct_objects"(%a, %b) : (memref<2xf32>, memref<2xf32>) -> (memref<2xf32>, memref<3xf32>)
  return
}

// -----

func.func @f(%m: memref<4x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'memref<f32>', 'index', 'index', 'index', 'index', 'index' are incompatible with return type(s) of operation 'memref<f32>', 'index'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "memref.extract_strided_metadata"(%m) : (memref<4x3xf32>) -> (memref<f32>, index)
  return
}
