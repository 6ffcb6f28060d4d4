// Subscripts of loads, stores and prefetches.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

func.func @f(%m: memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{'affine.load' op affine map num results must equal memref rank}}
  %0 = "affine.load"(%m, %i) <{map = affine_map<(d0) -> (d0)>}> : (memref<4x4xf32>, index) -> f32
  return
}

// -----
func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error @+1 {{'affine.load' op expects as many subscripts as affine map inputs}}
  %0 = "affine.load"(%m, %i, %i) <{map = affine_map<(d0) -> (d0)>}> : (memref<4xf32>, index, index) -> f32
  return
}

// -----
func.func @f(%m: memref<4xf32>) {
  %i = "test.index"() : () -> index
  scf.for %k = %i to %i step %i {
    // expected-error @+1 {{'affine.load' op index must be a valid dimension or symbol identifier}}
    %0 = affine.load %m[%k] : memref<4xf32>
  }
  return
}

// -----
func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error @+1 {{'affine.prefetch' op too few operands}}
  "affine.prefetch"(%m, %i, %i) <{map = affine_map<(d0) -> (d0)>, isDataCache = true, isWrite = false, localityHint = 3 : i32}> : (memref<4xf32>, index, index) -> ()
  return
}

// -----
func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error @+1 {{'affine.vector_load' op requires memref and vector types of the same elemental type}}
  %0 = affine.vector_load %m[%i] : memref<4xf32>, vector<4xi32>
  return
}
