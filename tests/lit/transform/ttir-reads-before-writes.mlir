// RUN: ttmlir-opt %s --canonicalize --ttir-fusing | FileCheck %s
// RUN: tilewright run %s --entry moved --outputs %t.npz
// RUN: ttmlir-opt %s --canonicalize --ttir-fusing -o %t.mlir
// RUN: tilewright run %t.mlir --entry moved --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %s --entry same --outputs %t.npz
// RUN: tilewright run %t.mlir --entry same --expect %t.npz | FileCheck %s --check-prefix=SAME

// What was read of a cache before it is written is not read again after it: operations on
// both sides of the write stay two.
// SAME: out0: pcc {{.*}}, largest difference 0: ok
// SAME: out1: pcc {{.*}}, largest difference 0: ok

// CHECK-LABEL: @moved
// CHECK: "ttir.permute"(%arg0)
// CHECK: "ttir.reverse"(%arg0)
// CHECK: "ttir.clamp_scalar"(%arg0)
// CHECK: "ttir.paged_update_cache"(%arg0
// CHECK: "ttir.permute"
// CHECK: "ttir.reverse"
// CHECK: "ttir.clamp_scalar"
func.func @moved(%cache: tensor<1x1x4x32xf32>, %v: tensor<1x1x1x32xf32>, %i: tensor<1xi32>) -> (tensor<1x1x4x32xf32>, tensor<1x1x4x32xf32>, tensor<1x1x4x32xf32>) {
  %0 = "ttir.permute"(%cache) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x1x4x32xf32>) -> tensor<1x1x32x4xf32>
  %1 = "ttir.reverse"(%cache) <{dimensions = array<i64: 3>}> : (tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
  %2 = "ttir.clamp_scalar"(%cache) <{min = 0.0 : f32, max = 2.0 : f32}> : (tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
  "ttir.update_cache"(%cache, %v, %i) <{batch_offset = 0 : i32}> : (tensor<1x1x4x32xf32>, tensor<1x1x1x32xf32>, tensor<1xi32>) -> ()
  %3 = "ttir.permute"(%0) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x1x32x4xf32>) -> tensor<1x1x4x32xf32>
  %4 = "ttir.reverse"(%1) <{dimensions = array<i64: 3>}> : (tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
  %5 = "ttir.clamp_scalar"(%2) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
  return %3, %4, %5 : tensor<1x1x4x32xf32>, tensor<1x1x4x32xf32>, tensor<1x1x4x32xf32>
}

// A product stays where it reads the tensor; behind the write there is nothing in the way.
// CHECK-LABEL: @same
// CHECK: "ttir.matmul"(%arg0, %arg3)
// CHECK: "ttir.paged_update_cache"
// CHECK: "ttir.add"
// CHECK: "ttir.linear"(%arg0, %arg3, %arg2)
func.func @same(%cache: tensor<1x1x32x32xf32>, %v: tensor<1x1x1x32xf32>, %b: tensor<1x1x1x32xf32>, %w: tensor<1x1x32x32xf32>, %i: tensor<1xi32>) -> (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) {
  %0 = "ttir.matmul"(%cache, %w) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  "ttir.update_cache"(%cache, %v, %i) <{batch_offset = 0 : i32}> : (tensor<1x1x32x32xf32>, tensor<1x1x1x32xf32>, tensor<1xi32>) -> ()
  %1 = "ttir.add"(%0, %b) : (tensor<1x1x32x32xf32>, tensor<1x1x1x32xf32>) -> tensor<1x1x32x32xf32>
  %2 = "ttir.matmul"(%cache, %w) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %3 = "ttir.add"(%2, %b) : (tensor<1x1x32x32xf32>, tensor<1x1x1x32xf32>) -> tensor<1x1x32x32xf32>
  return %1, %3 : tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>
}
