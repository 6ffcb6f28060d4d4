// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

// CHECK: memref.global @a : memref<4xf32>
memref.global @a : memref<4xf32>
// CHECK: memref.global "private" constant @b : memref<2x2xi32> = dense<{{\[}}[1, 2], [3, 4]]> {alignment = 64 : i64}
memref.global "private" constant @b : memref<2x2xi32> = dense<[[1, 2], [3, 4]]> {alignment = 64 : i64}
// CHECK: memref.global @c : memref<3xf32, 1> = uninitialized
memref.global @c : memref<3xf32, 1> = uninitialized
