// RUN: ttmlir-opt %s --canonicalize | FileCheck %s
// Values of a graph region that depend on themselves: rewrites that go on forever end.

// CHECK: "ttir.matmul"
%0 = "ttir.permute"(%1) <{permutation = array<i64: 1, 2, 0>}> : (tensor<32x32x32xf32>) -> tensor<32x32x32xf32>
%1 = "ttir.permute"(%0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<32x32x32xf32>) -> tensor<32x32x32xf32>
%2 = "ttir.matmul"(%0, %1) : (tensor<32x32x32xf32>, tensor<32x32x32xf32>) -> tensor<32x32x32xf32>
