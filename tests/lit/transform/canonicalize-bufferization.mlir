// Memory is freed once and only where it may be; writes to memory stay.
// RUN: ttmlir-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --cse --split-input-file | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: func.func @twice
// CHECK:         %[[C:.*]] = arith.ori %arg1, %arg2 : i1
// CHECK-NEXT:    bufferization.dealloc (%arg0 : memref<4xf32>) if (%[[C]])
func.func @twice(%m: memref<4xf32>, %a: i1, %b: i1) {
  bufferization.dealloc (%m, %m : memref<4xf32>, memref<4xf32>) if (%a, %b)
  return
}

// -----

// CHECK-LABEL: func.func @never
// CHECK-NEXT:    bufferization.dealloc (%arg1 : memref<2xf32>) if (%arg2)
// CHECK-NEXT:    return
func.func @never(%m: memref<4xf32>, %n: memref<2xf32>, %a: i1) {
  %false = arith.constant false
  bufferization.dealloc (%m, %n : memref<4xf32>, memref<2xf32>) if (%false, %a)
  return
}

// -----

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    return %false : i1
func.func @nothing(%m: memref<4xf32>) -> i1 {
  %0 = bufferization.dealloc retain (%m : memref<4xf32>)
  bufferization.dealloc
  return %0 : i1
}

// -----

// CHECK-LABEL: func.func @written
// CHECK-NEXT:    linalg.add
// CHECK-NEXT:    return
// CSE-LABEL:   func.func @written
// CSE:           linalg.add
func.func @written(%a: memref<4xf32>, %b: memref<4xf32>) {
  linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  %0 = memref.realloc %a : memref<4xf32> to memref<8xf32>
  return
}

// -----

// Materializing an unused tensor has no effect; writing memory has.
// CHECK-LABEL: func.func @nobody_looks
// CHECK-NEXT: return
func.func @nobody_looks(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = bufferization.materialize_in_destination %a in %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @into_memory
// CHECK-NEXT: bufferization.materialize_in_destination
func.func @into_memory(%a: tensor<4xf32>, %m: memref<4xf32>) {
  bufferization.materialize_in_destination %a in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
