// RUN: ttmlir-opt %s --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @same
// CHECK: %[[A:.*]] = arith.addf %arg0, %arg1
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
func.func @same(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %a, %b : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}

// -----

// Operations with different attributes are different.
// CHECK-LABEL: func.func @attributes
// CHECK: dimension = 0
// CHECK: dimension = 1
// CHECK-NOT: dimension
func.func @attributes(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = "ttir.softmax"(%a) <{dimension = 0 : si32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "ttir.softmax"(%a) <{dimension = 1 : si32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = "ttir.softmax"(%a) <{dimension = 1 : si32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A block's operations are not known in its sibling, but in the blocks it dominates.
// CHECK-LABEL: func.func @blocks
// CHECK: arith.muli
// CHECK: ^bb1
// CHECK-NOT: arith.muli
// CHECK: arith.addi
// CHECK: ^bb2
// CHECK: arith.addi
func.func @blocks(%c: i1, %x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = arith.muli %x, %x : i32
  %2 = arith.addi %1, %0 : i32
  return %2 : i32
^bb2:
  %3 = arith.addi %0, %0 : i32
  return %3 : i32
}

// -----

// Reads merge unless something between them writes.
// CHECK-LABEL: func.func @reads
// CHECK: %[[A:.*]] = memref.load
// CHECK-NOT: memref.load
// CHECK: memref.store
// CHECK: %[[B:.*]] = memref.load
// CHECK: return %[[A]], %[[A]], %[[B]]
func.func @reads(%m: memref<4xi32>, %i: index, %v: i32) -> (i32, i32, i32) {
  %0 = memref.load %m[%i] : memref<4xi32>
  %1 = memref.load %m[%i] : memref<4xi32>
  memref.store %v, %m[%i] : memref<4xi32>
  %2 = memref.load %m[%i] : memref<4xi32>
  return %0, %1, %2 : i32, i32, i32
}

// -----

// Operations with equal regions are equal.
// CHECK-LABEL: func.func @regions
// CHECK-COUNT-1: stablehlo.reduce
// CHECK-NOT: stablehlo.reduce
// CHECK: return %[[R:.*]], %[[R]]
func.func @regions(%a: tensor<8x8xf32>, %z: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Unused operations are erased (one link of a chain, as in MLIR), calls stay.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: call @dead
// CHECK-NEXT: return
func.func @dead(%a: i32) {
  %0 = arith.addi %a, %a : i32
  call @dead(%a) : (i32) -> ()
  return
}
