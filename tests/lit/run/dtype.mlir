// The caller selects the float type of the computation: 1 + 2^-9 is 1 in bf16.
// RUN: tilewright run %s | FileCheck %s --check-prefix=F32
// RUN: tilewright run %s --dtype bf16 --dump %t | FileCheck %s --check-prefix=BF16
// RUN: FileCheck %s --input-file=%t/ttir_initial.mlir --check-prefix=IR
// RUN: tilewright run %s --dtype bfp_bf8 | FileCheck %s --check-prefix=BF16
// RUN: not tilewright run %s --dtype f8 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tilewright run %s --entry man 2>&1 | FileCheck %s --check-prefix=ENTRY
// F32: out0: f32[2] = 1.00195 1.00195
// BF16: out0: f32[2] = 1 1
// IR: ttir.add{{.*}}tensor<2xbf16>
// IR: ttir.typecast{{.*}}(tensor<2xbf16>) -> tensor<2xf32>
// BAD: Invalid target format 'f8'. Supported formats: f32, bf16, bfp_bf8
// ENTRY: no function 'man' to run; it has 'main', 'other'
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.constant dense<0.001953125> : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func @other(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
