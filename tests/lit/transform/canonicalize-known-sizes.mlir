// Sizes that are known go into the type of what is made, which is a new operation: discardable attributes are not its.
// RUN: ttmlir-opt --canonicalize --allow-unregistered-dialect %s | FileCheck %s

// CHECK-LABEL: func.func @made
func.func @made(%v: f32) -> (memref<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c = arith.constant 4 : index
  // CHECK: memref.alloc() : memref<4xf32>
  %0 = memref.alloc(%c) {some.note} : memref<?xf32>
  // CHECK: tensor.empty() : tensor<4xf32>
  %1 = tensor.empty(%c) {some.note} : tensor<?xf32>
  // CHECK: bufferization.alloc_tensor() : tensor<4xf32>
  %2 = bufferization.alloc_tensor(%c) {some.note} : tensor<?xf32>
  // CHECK: tensor.generate
  // CHECK: } : tensor<4xf32>
  %3 = tensor.generate %c {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } {some.note} : tensor<?xf32>
  return %0, %1, %2, %3 : memref<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
