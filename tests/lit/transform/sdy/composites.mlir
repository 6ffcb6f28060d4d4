// RUN: ttmlir-opt %s --flatten-or-convert-composites | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = stablehlo.subtract %arg1, %arg0 {reoutline.arg_operand_indices = array<i64: 1, 0>, reoutline.comp_attrs = {kind = "swap"}, reoutline.group = "composite_swapped", reoutline.orig_name = "my.swapped", reoutline.result_pos = array<i64: 0>, reoutline.seed}
// CHECK-NEXT: %[[B:.*]] = stablehlo.custom_call @tenstorrent.argmax(%[[A]]) {tt.composite_attributes = {dim = 1 : i64}, tt.has_custom_sharding}
// CHECK-NEXT: return %[[B]]
// CHECK-NOT: func.func private
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x4xf32>) -> tensor<8xi32> {
  %0 = stablehlo.composite "my.swapped" %a, %b {composite_attributes = {kind = "swap"}, decomposition = @swapped} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.composite "tenstorrent.argmax" %0 {composite_attributes = {dim = 1 : i64}, decomposition = @argmax} : (tensor<8x4xf32>) -> tensor<8xi32>
  return %1 : tensor<8xi32>
}
func.func private @swapped(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.subtract %b, %a : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @argmax(%a: tensor<8x4xf32>) -> tensor<8xi32> {
  %0 = stablehlo.constant dense<0> : tensor<8xi32>
  return %0 : tensor<8xi32>
}
