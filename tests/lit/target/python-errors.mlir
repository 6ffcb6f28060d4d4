// RUN: not ttmlir-translate --mlir-to-python %s -o %t.py 2>&1 | FileCheck %s

// CHECK: 'ttir.abs' op cannot be written as Python: no expression is known for it
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "ttir.abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
