// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | FileCheck %s

// Calls of known functions, tensors that loops carry.

// CHECK: func.func private @f(i32) -> i32
// CHECK-LABEL: func.func @indirect(%arg0: i32) -> i32
// CHECK-NEXT: %0 = call @f(%arg0) : (i32) -> i32
// CHECK-NEXT: return %0 : i32
func.func private @f(%a: i32) -> i32
func.func @indirect(%x: i32) -> i32 {
  %f = func.constant @f : (i32) -> i32
  %0 = func.call_indirect %f(%x) : (i32) -> i32
  return %0 : i32
}

// -----

// CHECK-LABEL: func.func @forcast(%arg0: tensor<4xf32>, %arg1: index) -> tensor<?xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<4xf32>) {
// CHECK-NEXT: %cast_0 = tensor.cast %arg3 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: %1 = "test.op"(%cast_0) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %cast_1 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: scf.yield %cast_1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @forcast(%t: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0) -> tensor<?xf32> {
    %2 = "test.op"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @forcast2(%arg0: tensor<4xf32>, %arg1: index) -> tensor<?xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<4xf32>) {
// CHECK-NEXT: %1 = "test.op"(%arg3) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: scf.yield %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast : tensor<?xf32>
func.func @forcast2(%t: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0) -> tensor<?xf32> {
    %y = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
    %2 = "test.op"(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %z = tensor.cast %2 : tensor<4xf32> to tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @forcast3(%arg0: tensor<4xf32>, %arg1: index) -> tensor<4xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0:2 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0, %arg4 = %arg1) -> (tensor<4xf32>, index) {
// CHECK-NEXT: %cast = tensor.cast %arg3 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: %1 = "test.op"(%cast) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %2 = "test.op"(%arg4) : (index) -> index
// CHECK-NEXT: %cast_0 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: scf.yield %cast_0, %2 : tensor<4xf32>, index
// CHECK-NEXT: }
// CHECK-NEXT: return %0#0 : tensor<4xf32>
func.func @forcast3(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0, %s = %n) -> (tensor<?xf32>, index) {
    %2 = "test.op"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %k = "test.op"(%s) : (index) -> index
    scf.yield %2, %k : tensor<?xf32>, index
  }
  %3 = tensor.cast %1#0 : tensor<?xf32> to tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @forlots(%arg0: tensor<4xf32>, %arg1: tensor<2x3xf32>, %arg2: index) -> (tensor<?xf32>, tensor<?x?xf32>)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0:2 = scf.for %arg3 = %c0 to %arg2 step %c1 iter_args(%arg4 = %arg0, %arg5 = %arg1) -> (tensor<4xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: %cast_1 = tensor.cast %arg5 : tensor<2x3xf32> to tensor<?x?xf32>
// CHECK-NEXT: %cast_2 = tensor.cast %arg4 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: %1:2 = "test.op"(%cast_2, %cast_1) : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>)
// CHECK-NEXT: %cast_3 = tensor.cast %1#0 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %cast_4 = tensor.cast %1#1 : tensor<?x?xf32> to tensor<2x3xf32>
// CHECK-NEXT: scf.yield %cast_3, %cast_4 : tensor<4xf32>, tensor<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %cast = tensor.cast %0#1 : tensor<2x3xf32> to tensor<?x?xf32>
// CHECK-NEXT: %cast_0 = tensor.cast %0#0 : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: return %cast_0, %cast : tensor<?xf32>, tensor<?x?xf32>
func.func @forlots(%t: tensor<4xf32>, %u: tensor<2x3xf32>, %n: index) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %u : tensor<2x3xf32> to tensor<?x?xf32>
  %2:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0, %y = %1) -> (tensor<?xf32>, tensor<?x?xf32>) {
    %3:2 = "test.op"(%x, %y) : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>)
    scf.yield %3#0, %3#1 : tensor<?xf32>, tensor<?x?xf32>
  }
  return %2#0, %2#1 : tensor<?xf32>, tensor<?x?xf32>
}
