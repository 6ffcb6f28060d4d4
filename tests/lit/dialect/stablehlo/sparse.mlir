// Encodings of sparse tensors.
// RUN: stablehlo-opt %s | FileCheck %s
// RUN: stablehlo-opt %s | stablehlo-opt | FileCheck %s

// CHECK: #[[CSR:.*]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// CHECK: #[[COO:.*]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton), posWidth = 32 }>
// CHECK: #[[BSR:.*]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 floordiv 2 : dense, d1 : compressed, d0 mod 2 : dense) }>
#A = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#B = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton), posWidth = 32}>
#C = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 2 : dense, j : compressed, i mod 2 : dense)}>
// CHECK: func.func @f(%arg0: tensor<4x4xf32, #[[CSR]]>, %arg1: tensor<4x4xf32, #[[COO]]>, %arg2: tensor<4x4xf32, #[[BSR]]>)
func.func @f(%a: tensor<4x4xf32, #A>, %b: tensor<4x4xf32, #B>, %c: tensor<4x4xf32, #C>) {
  // CHECK: stablehlo.abs %arg0 : (tensor<4x4xf32, #[[CSR]]>) -> tensor<4x4xf32>
  %0 = "stablehlo.abs"(%a) : (tensor<4x4xf32, #A>) -> tensor<4x4xf32>
  return
}
