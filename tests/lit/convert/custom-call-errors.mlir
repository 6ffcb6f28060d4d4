// RUN: not ttmlir-opt %s --stablehlo-to-ttir-pipeline 2>&1 | FileCheck %s

// A call with an operand too many is none that the name stands for.
// CHECK: error: failed to legalize operation 'stablehlo.custom_call'
func.func @two_operands(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>) -> tensor<5x2xf32> {
  %0 = stablehlo.custom_call @tenstorrent.topk_values(%x, %y) {tt.composite_attributes = {k = 2 : i64, dim = -1 : i64}, tt.has_custom_sharding} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
