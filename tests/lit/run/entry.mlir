// Only what the entry reaches is compiled: the others may hold what nothing converts.
// RUN: tilewright run %s --entry good --dump %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=DUMP --input-file=%t/stablehlo.mlir
// RUN: not tilewright run %s --entry bad --no-host

// CHECK: out0: f32[2] = 4 4
// DUMP-NOT: @bad
// DUMP: func.func @good
// DUMP: func.func @twice
func.func @good() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<2.0> : tensor<2xf32>
  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @bad(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
  %1 = stablehlo.tanh %0 : tensor<2xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
