// A body with several calls is copied, with a warning at the second call.
// RUN: sdy_opt %s --sdy-import-func-calls --verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// CHECK-COUNT-3: sdy.named_computation<"twice">
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @twice(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning @below {{function @twice has multiple call ops, we need to clone the function body for each call}}
  %1 = call @twice(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @twice(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-NOT: @twice
func.func private @twice(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
