// RUN: ttmlir-opt %s --cse | FileCheck %s
// New memory that only one operation names is no tensor that another one reads; an argument is.
// CHECK-LABEL: @destinations
// CHECK: "ttir.neg"(%arg0)
// CHECK: ttir.to_layout %arg1, %{{.*}}
// CHECK-NOT: "ttir.neg"
// CHECK: ttir.to_layout %arg1, %arg0
// CHECK-NEXT: "ttir.neg"(%arg0)
func.func @destinations(%a: tensor<32x32xf32>, %x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = "ttir.neg"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = ttir.empty() : tensor<32x32xf32>
  %2 = ttir.to_layout %x, %1 : tensor<32x32xf32> into tensor<32x32xf32> -> tensor<32x32xf32>
  %3 = "ttir.neg"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = ttir.to_layout %x, %a : tensor<32x32xf32> into tensor<32x32xf32> -> tensor<32x32xf32>
  %5 = "ttir.neg"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %2, %3, %4, %5 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
