// RUN: ttmlir-opt %s --canonicalize --view-op-graph -o %t && FileCheck %s < %t
// CHECK: digraph G {
// CHECK: n0 [label = "builtin.module"];
// CHECK: n2 [shape = ellipse, label = "arg0\ntensor<2xf32>"];
// CHECK: n1 [label = "func.func @main"];
// CHECK: n3 [label = "ttir.abs"];
// CHECK: n2 -> n3 [label = "tensor<2xf32>"];
// CHECK: n4 [label = "func.return"];
// CHECK: n3 -> n4 [label = "tensor<2xf32>"];
// CHECK: }
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "ttir.abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
