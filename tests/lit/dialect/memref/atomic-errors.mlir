// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{types mismatch between yield op: 'index' and its parent: 'f32'}}
func.func @f(%m: memref<4xf32>, %i: index) { %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> { ^bb0(%x: f32): memref.atomic_yield %i : index } return }

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{alignment must be power of 2}}
  memref.assume_alignment %m, 3 : memref<4xf32>
  return
}

// -----
func.func @effects(%m: memref<4xf32>, %i: index) {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%x: f32):
    // expected-error @+1 {{body of 'memref.generic_atomic_rmw' should contain only operations with no side effects}}
    memref.copy %m, %m : memref<4xf32> to memref<4xf32>
    memref.atomic_yield %x : f32
  }
  return
}
