// The composite of gelu's approximation is one marked operation, which is written out before TTNN and not taken for the exact one.
// RUN: ttmlir-opt --stablehlo-to-ttir-pipeline %s | FileCheck %s
// RUN: ttmlir-opt --stablehlo-to-ttir-pipeline --ttir-to-ttir-decomposition %s | FileCheck %s --check-prefix=OUT
// RUN: not ttmlir-opt "--stablehlo-to-ttir-pipeline=enable-cpu-fallback=false" --convert-ttir-to-ttnn %s 2>&1 | FileCheck %s --check-prefix=EARLY

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = "ttir.gelu"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[B:.*]] = "ttir.gelu"(%arg0) {approximate = "tanh"} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[C:.*]] = "ttir.neg"
// CHECK: return %[[A]], %[[B]], %[[B]], %[[C]]
// OUT-LABEL: func.func @main
// OUT: ttir.gelu
// OUT-NOT: ttir.gelu
// OUT: ttir.tanh
// EARLY: error: failed to legalize operation 'ttir.gelu'{{.*}}: ttir-to-ttir-decomposition, which writes out the approximation by tanh, has to run first
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.composite "tenstorrent.gelu" %x {decomposition = @other} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.composite "tenstorrent.gelu_tanh" %x {decomposition = @other} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.composite "tenstorrent.gelu" %x {composite_attributes = {approximate = "tanh"}, decomposition = @other} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.composite "tenstorrent.gelu" %x {composite_attributes = {approximate = "sigmoid"}, decomposition = @other} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
