// Modules of device code, and what they are for; conversions of sparse tensors.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s

// CHECK: gpu.module @plain {
// CHECK-NEXT: llvm.func @f() {
gpu.module @plain {
  llvm.func @f() {
    llvm.return
  }
}

// CHECK: gpu.module @aimed [#nvvm.target<chip = "sm_80", features = "+ptx50">, #nvvm.target] {
gpu.module @aimed [#nvvm.target<features = "+ptx50", chip = "sm_80">, #nvvm.target] {
}

#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// CHECK: sparse_tensor.convert %{{.*}} : tensor<2x3xf32> to tensor<2x3xf32, #sparse{{[0-9]*}}>
func.func @convert(%a: tensor<2x3xf32>) -> tensor<2x3xf32, #csr> {
  %0 = sparse_tensor.convert %a : tensor<2x3xf32> to tensor<2x3xf32, #csr>
  return %0 : tensor<2x3xf32, #csr>
}
