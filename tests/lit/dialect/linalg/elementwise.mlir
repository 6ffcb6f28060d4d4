// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=BODY
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s

// CHECK: linalg.elementwise kind=#linalg.elementwise_kind<max_unsigned> ins(%arg0, %arg1 : tensor<4xi8>, tensor<4xi8>) outs(%arg0 : tensor<4xi8>) -> tensor<4xi8>
// BODY: arith.maxui
// CHECK: linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%arg2 : memref<4xf32>) outs(%arg2 : memref<4xf32>)
// BODY: math.exp
func.func @f(%a: tensor<4xi8>, %b: tensor<4xi8>, %m: memref<4xf32>) -> tensor<4xi8> {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<max_unsigned> ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%a : tensor<4xi8>) -> tensor<4xi8>
  linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return %0 : tensor<4xi8>
}
