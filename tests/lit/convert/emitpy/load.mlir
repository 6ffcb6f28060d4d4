// RUN: ttmlir-opt --ttir-to-emitpy-pipeline="load-input-tensors-from-disk=true tensor-load-directory=d" %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-python %t.mlir -o %t.py
// RUN: FileCheck %s --input-file=%t.py

// CHECK: utils.load_tensor("d/arg0.tensorbin", ttnn.Layout.TILE, ttnn.DataType.FLOAT32, {{.*}}, ttnn.MemoryConfig(
func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.relu"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
