// RUN: ttmlir-opt %s --one-shot-bufferize="bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --one-shot-bufferize="bufferize-function-boundaries=true test-analysis-only=true print-conflicts=true" --split-input-file | FileCheck %s --check-prefix=DECIDE
// RUN: ttmlir-opt %s --one-shot-bufferize=allow-unknown-ops=true --split-input-file | FileCheck %s --check-prefix=INSIDE

// The argument is read again after the insertion: a copy is written. The second insertion writes that copy.
// CHECK-LABEL: func.func @read_later
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[X:.*]]: f32) -> (memref<4xf32>, f32)
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: memref.copy %[[A]], %[[COPY]]
// CHECK: memref.store %[[X]], %[[COPY]]
// CHECK-NOT: memref.alloc
// CHECK: memref.store %[[X]], %[[COPY]]
// CHECK: %[[R:.*]] = memref.load %[[A]]
// CHECK: return %[[COPY]], %[[R]]
// DECIDE-LABEL: func.func @read_later
// DECIDE-SAME: "C_0[DEF: bbArg 0]"
// DECIDE: tensor.insert {{.*}} into %arg0{{.*}}"C_0[CONFL-WRITE: 1]"{{.*}}__inplace_operands_attr__ = ["none", "false", "none"]
// DECIDE: tensor.insert {{.*}}__inplace_operands_attr__ = ["none", "true", "none"]
// DECIDE: tensor.extract {{.*}}"C_0[READ: 0]"
// Functions keep their tensors; what is between is bufferized.
// INSIDE-LABEL: func.func @read_later
// INSIDE-SAME: (%[[A:.*]]: tensor<4xf32>, %{{.*}}: f32) -> (tensor<4xf32>, f32)
// INSIDE: bufferization.to_buffer %[[A]]
// INSIDE: memref.copy
// INSIDE: bufferization.to_tensor
func.func @read_later(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.insert %x into %a[%c0] : tensor<4xf32>
  %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
  %2 = tensor.extract %a[%c0] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}

// -----

// Nothing reads the argument afterwards: no copy.
// CHECK-LABEL: func.func @not_read
// CHECK-NOT: memref.copy
// CHECK: memref.store
// CHECK: return %arg0
func.func @not_read(%a: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %x into %a[%c0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A constant is never written.
// CHECK: memref.global "private" constant @__constant_4xf32 : memref<4xf32> = dense<2.000000e+00>
// CHECK-LABEL: func.func @constant
// CHECK: %[[K:.*]] = memref.get_global @__constant_4xf32
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK: memref.copy %[[K]], %[[COPY]]
// CHECK: memref.store %{{.*}}, %[[COPY]]
// CHECK: return %[[COPY]]
func.func @constant(%x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<2.0> : tensor<4xf32>
  %0 = tensor.insert %x into %k[%c0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A part of a tensor is changed and goes back to where it came from. Elsewhere it would be copied there.
// CHECK-LABEL: func.func @parts
// CHECK: %[[PART:.*]] = memref.subview %arg0[2, 0] [2, 4] [1, 1]
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[PART]]
// CHECK-NOT: memref.alloc
// CHECK: return %arg0
// CHECK-LABEL: func.func @moved
// CHECK: memref.alloc() {{.*}}: memref<2x4xf32>
// CHECK: linalg.fill
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1]
// CHECK: return %arg0
func.func @parts(%a: tensor<4x4xf32>, %x: f32) -> tensor<4x4xf32> {
  %0 = tensor.extract_slice %a[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.insert_slice %1 into %a[2, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func @moved(%a: tensor<4x4xf32>, %x: f32) -> tensor<4x4xf32> {
  %0 = tensor.extract_slice %a[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.insert_slice %1 into %a[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// A loop writes the buffer that it was given; callers know that the callee writes its argument.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %arg0) -> (memref<4xf32>)
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: scf.yield %[[T]]
func.func @loop(%a: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (tensor<4xf32>) {
    %1 = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK: memref.copy %arg0, %[[COPY]]
// CHECK: %[[R:.*]] = call @loop(%[[COPY]]
// CHECK: return %arg0, %[[R]]
func.func @caller(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @loop(%a, %x) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %a, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Both branches give the same buffer.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: memref.copy
// CHECK: %[[R:.*]] = scf.if %arg1 -> (memref<4xf32>)
// CHECK: memref.store
// CHECK: scf.yield %arg0
// CHECK: scf.yield %arg0
// CHECK: return %[[R]]
func.func @branches(%a: tensor<4xf32>, %b: i1, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = tensor.insert %x into %a[%c0] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
