// RUN: sh -c 'tilewright run %s --no-host; echo "status $?"' 2>&1 | FileCheck %s

// CHECK: while-data.mlir:[[#@LINE+6]]:8: error: failed to legalize operation 'stablehlo.while'
// CHECK: how often the loop runs depends on data
// CHECK: status 77
func.func @main(%limit: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  func.return %r : tensor<i32>
}
