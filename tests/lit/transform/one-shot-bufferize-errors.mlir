// RUN: not ttmlir-opt %s --one-shot-bufferize=bufferize-function-boundaries=true --split-input-file 2>&1 | FileCheck %s
// RUN: not ttmlir-opt %s --one-shot-bufferize=analysis-heuristic=sideways 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: {{.*}}analysis-heuristic: expected bottom-up, top-down or fuzzer

// CHECK: error: op was not bufferized
func.func @unknown(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: Yield operand #0 is not equivalent to the corresponding iter bbArg
func.func @swapped(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %a, %t = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %t, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK: error: 'builtin.module' op expected callgraph to be free of circular dependencies.
func.func @again(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @again(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: cannot bufferize bodiless function that returns a tensor
func.func private @outside(tensor<4xf32>) -> tensor<4xf32>
