// RUN: rm -rf %t.dir %t.again
// RUN: tilewright run %s --dump %t.dir --outputs %t.npz
// RUN: ls %t.dir | FileCheck %s --check-prefix=STAGES
// RUN: tilewright run %t.dir/ttnn.mlir --dump %t.again --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: ls %t.again | FileCheck %s
// RUN: diff %t.dir/ttnn.mlir %t.again/ttnn.mlir
// RUN: tilewright run %t.again/program.ttnn.fb --expect %t.npz | FileCheck %s --check-prefix=SAME

// Text of TTNN that a pipeline has made is run as it is: no stage has anything left to do.
// STAGES: ttir_optimized.mlir
// STAGES: ttnn.mlir
// CHECK-NOT: ttir
// CHECK: program.ttnn.fb
// CHECK-NOT: ttir
// CHECK: ttnn.mlir
// CHECK-NOT: ttir
// SAME: out0: {{.*}}, largest difference 0: ok
func.func @main(%x: tensor<4x32xf32>, %w: tensor<32x16xf32>) -> tensor<4x16xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
