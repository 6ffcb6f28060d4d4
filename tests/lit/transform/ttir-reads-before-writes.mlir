// RUN: ttmlir-opt %s --canonicalize --ttir-fusing | FileCheck %s
// RUN: tilewright run %s --entry moved --outputs %t.npz
// RUN: ttmlir-opt %s --canonicalize --ttir-fusing -o %t.mlir
// RUN: tilewright run %t.mlir --entry moved --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %s --entry same --outputs %t.npz
// RUN: tilewright run %t.mlir --entry same --expect %t.npz | FileCheck %s --check-prefix=SAME

// RUN: ttmlir-opt %s --ttir-fusing --ttir-erase-inverse-ops | FileCheck %s --check-prefix=FUSED
// RUN: ttmlir-opt %s --ttir-fusing --ttir-erase-inverse-ops -o %t.mlir
// RUN: tilewright run %s --entry left --outputs %t.npz
// RUN: tilewright run %t.mlir --entry left --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %s --entry shared --outputs %t.npz
// RUN: tilewright run %t.mlir --entry shared --expect %t.npz | FileCheck %s --check-prefix=SAME

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

// Sums, products, norms and permutes are not joined with what is behind the write.
// FUSED-LABEL: @left
// FUSED: "ttir.sum"(%arg0)
// FUSED: "ttir.matmul"(%arg0, %arg2)
// FUSED: "ttir.rms_norm"(%arg0)
// FUSED: "ttir.permute"(%arg0)
// FUSED: "ttir.update_cache"
// FUSED: "ttir.reshape"
// FUSED: "ttir.slice_static"
// FUSED: "ttir.multiply"
// FUSED: "ttir.exp"
// FUSED-NEXT: "ttir.permute"
func.func @left(%cache: tensor<1x1x32x32xf32>, %v: tensor<1x1x1x32xf32>, %w: tensor<1x1x32x32xf32>, %g: tensor<32xf32>, %i: tensor<1xi32>) -> (tensor<1x1x32x1xf32>, tensor<1x1x8x32xf32>, tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) {
  %sum = "ttir.sum"(%cache) <{dim_arg = [3 : i32], keep_dim = false}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x32xf32>
  %product = "ttir.matmul"(%cache, %w) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %norm = "ttir.rms_norm"(%cache) <{normalized_shape = array<i64: 32>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %turned = "ttir.permute"(%cache) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  "ttir.update_cache"(%cache, %v, %i) <{batch_offset = 0 : i32}> : (tensor<1x1x32x32xf32>, tensor<1x1x1x32xf32>, tensor<1xi32>) -> ()
  %0 = "ttir.reshape"(%sum) <{shape = [1 : i32, 1 : i32, 32 : i32, 1 : i32]}> : (tensor<1x1x32xf32>) -> tensor<1x1x32x1xf32>
  %1 = "ttir.slice_static"(%product) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 8 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x8x32xf32>
  %row = "ttir.reshape"(%g) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}> : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
  %wide = "ttir.broadcast"(%row) <{broadcast_dimensions = array<i64: 1, 1, 32, 1>}> : (tensor<1x1x1x32xf32>) -> tensor<1x1x32x32xf32>
  %2 = "ttir.multiply"(%norm, %wide) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %e = "ttir.exp"(%turned) : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %3 = "ttir.permute"(%e) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  return %0, %1, %2, %3 : tensor<1x1x32x1xf32>, tensor<1x1x8x32xf32>, tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>
}

// Products of one operand stay apart if something between them writes.
// FUSED-LABEL: @shared
// FUSED-COUNT-2: "ttir.matmul"
// FUSED: "ttir.update_cache"
// FUSED: "ttir.matmul"
func.func @shared(%x: tensor<32x32xf32>, %a: tensor<32x64xf32>, %b: tensor<32x64xf32>, %c: tensor<32x64xf32>, %cache: tensor<1x1x32x64xf32>, %v: tensor<1x1x1x64xf32>, %i: tensor<1xi32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) {
  %w = "ttir.reshape"(%cache) <{shape = [32 : i32, 64 : i32]}> : (tensor<1x1x32x64xf32>) -> tensor<32x64xf32>
  %0 = "ttir.matmul"(%x, %a) : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.matmul"(%x, %b) : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  "ttir.update_cache"(%cache, %v, %i) <{batch_offset = 0 : i32}> : (tensor<1x1x32x64xf32>, tensor<1x1x1x64xf32>, tensor<1xi32>) -> ()
  %n = "ttir.reshape"(%cache) <{shape = [32 : i32, 64 : i32]}> : (tensor<1x1x32x64xf32>) -> tensor<32x64xf32>
  %2 = "ttir.matmul"(%x, %n) : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %0, %1, %2 : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>
}
