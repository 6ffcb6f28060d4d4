// Recursive functions are reported where an order of functions is needed.
// RUN: not sdy_opt %s --sdy-propagation-pipeline 2>&1 | FileCheck %s
// RUN: not sdy_opt %s --sdy-import-func-calls 2>&1 | FileCheck %s
// RUN: not sdy_opt %s --sdy-flatten-call-graph 2>&1 | FileCheck %s
// RUN: not sdy_opt %s --sdy-constant-or-scalar-splitter 2>&1 | FileCheck %s

// CHECK: error: 'func.call' op calls a function recursively, which shardings do not support
// CHECK-NOT: error

sdy.mesh @mesh = <["a"=2]>

func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = func.call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = func.call @g(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

func.func private @g(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = func.call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
