// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline -o %t.mlir
// RUN: ttmlir-translate --ttnn-to-flatbuffer -o %t.ttnn %t.mlir
// RUN: ttmlir-translate --ttnn-to-flatbuffer --mlir-print-local-scope -o %t2.ttnn %t.mlir
// RUN: grep -a -c "#ttnn_layout = " %t.ttnn
// RUN: not grep -a -c "#ttnn_layout = " %t2.ttnn
// RUN: ttmlir-translate --flatbuffer-to-ttnn %t.ttnn | FileCheck %s
// RUN: ttmlir-translate --flatbuffer-to-ttnn --mlir-print-local-scope %t2.ttnn | FileCheck %s --check-prefix=LOCAL

// CHECK: #ttnn_layout = #ttnn.ttnn_layout<
// CHECK: "ttnn.abs"(%arg0) : (tensor<32x32xf32, #ttnn_layout>)
// LOCAL-NOT: #ttnn_layout =
// LOCAL: "ttnn.abs"(%arg0) : (tensor<32x32xf32, #ttnn.ttnn_layout<
func.func @forward(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.abs"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
