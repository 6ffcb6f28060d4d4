// RUN: ttmlir-opt %s --remove-dead-values --split-input-file | FileCheck %s

// Unused arguments and results of private functions are removed, here and at the calls.
// CHECK: func.func private @both(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: "ttir.exp"(%arg0)
// CHECK-NEXT: return %0 : tensor<4xf32>
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>)
// CHECK-NEXT: call @both(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
func.func private @both(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = call @both(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}

// -----

// A function whose address is taken keeps its signature.
// CHECK-LABEL: func.func private @taken(%arg0: i32) -> i32
func.func private @taken(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func @user() -> ((i32) -> i32) {
  %f = constant @taken : (i32) -> i32
  return %f : (i32) -> i32
}

// Reading memory and making it are effects; what they read is kept with them.
// CHECK-LABEL: func.func @effects(
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: memref.store
// CHECK-NEXT: affine.load
// CHECK-NEXT: return
func.func @effects(%a: memref<4xf32>, %i: index) {
  %0 = memref.load %a[%i] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = memref.alloc() : memref<4xf32>
  %3 = memref.alloc() : memref<4xf32>
  memref.store %1, %3[%i] : memref<4xf32>
  %4 = tensor.empty() : tensor<4xf32>
  %5 = affine.load %a[0] : memref<4xf32>
  return
}
