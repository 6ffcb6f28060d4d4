// Calls that cannot be inlined are rejected with the reason, not run for ever.
// RUN: tilewright run %s --entry itself >%t.1 2>&1; test $? = 77 && FileCheck %s --check-prefix=ITSELF --input-file=%t.1
// RUN: tilewright run %s --entry each_other >%t.2 2>&1; test $? = 77 && FileCheck %s --check-prefix=OTHER --input-file=%t.2
// RUN: tilewright run %s --entry outside >%t.3 2>&1; test $? = 77 && FileCheck %s --check-prefix=OUTSIDE --input-file=%t.3
// RUN: tilewright run %s --entry chain | FileCheck %s --check-prefix=CHAIN
// ITSELF: unsupported: {{.*}}calls.mlir:[[#]]:8: 'func.call' of function 'itself', which calls itself
// OTHER: 'func.call' of function '{{a|b}}', which calls itself
// OUTSIDE: 'func.call' of function 'outer', which has no body
// CHAIN: out0: f32[4] =
func.func @itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @itself(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @each_other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @b(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @b(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @outer(tensor<4xf32>) -> tensor<4xf32>
func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
