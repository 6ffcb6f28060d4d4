// RUN: not tilewright check-pass --passes=legalize-stablehlo-composite-to-ttir %s | FileCheck %s
// RUN: tilewright check-pass --passes=canonicalize,cse %s | FileCheck %s --check-prefix=SAME
// RUN: not tilewright check-pass --passes=canonical %s 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not tilewright check-pass %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: error: pass 'legalize-stablehlo-composite-to-ttir' changes the results of @main for random values: out0 worst at [{{.*}}]: got {{.*}}, wanted {{.*}}, bound
// CHECK: note: inputs: in0: f32[2, 4] = {{.*}}; in1: f32[4] =
// CHECK: :15:8: note: first operation that differs: 'ttnn.rms_norm' (before: 'stablehlo.composite'): worst at [
// CHECK: 1 files, 1 modules: 1 changes by passes, 1 compared, 1 differ
// SAME: 1 files, 1 modules: {{[0-9]+}} changes by passes, {{[0-9]+}} compared, 0 differ
// PASS: error: {{.*}}'canonical'
// MISSING: tilewright: error: cannot open '{{.*}}.missing': No such file or directory
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %a = stablehlo.add %x, %x : tensor<2x4xf32>
  %0 = stablehlo.composite "tenstorrent.rms_norm" %a, %w {composite_attributes = {epsilon = 1.0 : f32, normalized_shape = dense<4> : tensor<1xi64>}, decomposition = @wrong} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func private @wrong(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  return %x : tensor<2x4xf32>
}
