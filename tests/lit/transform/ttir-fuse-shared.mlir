// Products with the same first operand become one product with concatenated weights, then sliced.
// RUN: ttmlir-opt --ttir-fusing %s -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// The values are unchanged.
// RUN: python3 -c "import numpy as n; c=lambda *s: (n.arange(n.prod(s)) % 7 - 3.0).reshape(s).astype('f4'); n.savez('%t.in.npz', in0=c(2,4), in1=c(4,2), in2=c(5,4), in3=c(12), in4=c(2), in5=c(5), in6=c(3))"
// RUN: tilewright run %s --entry qkv --inputs %t.in.npz --outputs %t.out.npz
// RUN: tilewright run %t.mlir --entry qkv --inputs %t.in.npz --expect %t.out.npz

// CHECK-LABEL: @qkv
// Weights that come later are brought forward, transposed ones made straight.
// CHECK: %[[V:.*]] = "ttir.reshape"(%arg3)
// CHECK: %[[K:.*]] = "ttir.permute"(%arg2) <{permutation = array<i64: 1, 0>}>
// CHECK: %[[W:.*]] = "ttir.concat"(%[[V]], %[[K]], %arg1) <{dim = 1 : si32}> : (tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
// CHECK: %[[B:.*]] = "ttir.concat"(%arg6, %arg5, %arg4) <{dim = 0 : si32}>
// CHECK: %[[ALL:.*]] = "ttir.linear"(%arg0, %[[W]], %[[B]]) <{transpose_a = false, transpose_b = false}> : (tensor<2x4xf32>, tensor<4x10xf32>, tensor<10xf32>) -> tensor<2x10xf32>
// CHECK-DAG: "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 0 : i32], ends = [2 : i32, 3 : i32]
// CHECK-DAG: "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 3 : i32], ends = [2 : i32, 8 : i32]
// CHECK-DAG: "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 8 : i32], ends = [2 : i32, 10 : i32]
// CHECK-NOT: ttir.linear
func.func @qkv(%x: tensor<2x4xf32>, %q: tensor<4x2xf32>, %k: tensor<5x4xf32>, %v: tensor<12xf32>, %bq: tensor<2xf32>, %bk: tensor<5xf32>, %bv: tensor<3xf32>) -> (tensor<2x2xf32>, tensor<2x5xf32>, tensor<2x3xf32>) {
  %0 = "ttir.linear"(%x, %q, %bq) : (tensor<2x4xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = "ttir.linear"(%x, %k, %bk) <{transpose_b = true}> : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  %2 = "ttir.reshape"(%v) <{shape = [4 : i32, 3 : i32]}> : (tensor<12xf32>) -> tensor<4x3xf32>
  %3 = "ttir.linear"(%x, %2, %bv) : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1, %3 : tensor<2x2xf32>, tensor<2x5xf32>, tensor<2x3xf32>
}

// All transposed: rows are concatenated.
// CHECK-LABEL: @transposed
// CHECK: "ttir.concat"(%arg3, %arg2, %arg1) <{dim = 0 : si32}> : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
// CHECK: "ttir.matmul"{{.*}} <{transpose_a = false, transpose_b = true}> : (tensor<2x4xf32>, tensor<10x4xf32>) -> tensor<2x10xf32>
func.func @transposed(%x: tensor<2x4xf32>, %q: tensor<2x4xf32>, %k: tensor<5x4xf32>, %v: tensor<3x4xf32>) -> (tensor<2x2xf32>, tensor<2x5xf32>, tensor<2x3xf32>) {
  %0 = "ttir.matmul"(%x, %q) <{transpose_b = true}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %1 = "ttir.matmul"(%x, %k) <{transpose_b = true}> : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  %2 = "ttir.matmul"(%x, %v) <{transpose_b = true}> : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x5xf32>, tensor<2x3xf32>
}

// A weight that is made of the products' results cannot come before them; two are too few.
// CHECK-LABEL: @chained
// CHECK-NOT: ttir.concat
func.func @chained(%x: tensor<4x4xf32>, %q: tensor<4x4xf32>, %k: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = "ttir.matmul"(%x, %q) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "ttir.matmul"(%x, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "ttir.matmul"(%x, %k) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
