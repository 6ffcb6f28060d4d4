// RUN: ttmlir-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize=cse-constants=false --split-input-file | FileCheck %s --check-prefix=KEEP

// One of equal constants stays, at the start.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: arith.constant dense<2.000000e+00>
// CHECK-NOT: arith.constant
// KEEP-LABEL: func.func @constants
// KEEP-COUNT-2: arith.constant
func.func @constants(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %1 = arith.mulf %0, %c : tensor<4xf32>
  %d = arith.constant dense<2.0> : tensor<4xf32>
  %2 = arith.subf %1, %d : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Traits fold: neg(neg(x)) is x, abs(abs(x)) is abs(x), logical_and(x, x) is x.
// CHECK-LABEL: func.func @traits
// CHECK-NEXT: %[[A:.*]] = "ttir.abs"(%arg0)
// CHECK-NEXT: return %arg0, %[[A]], %arg0
func.func @traits(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "ttir.abs"(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "ttir.logical_and"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Unreachable blocks and arguments that only feed themselves go.
// CHECK-LABEL: func.func @flow
// CHECK: cf.br ^bb1(%arg1 : i32)
// CHECK: ^bb1(%[[X:.*]]: i32):
// CHECK: cf.cond_br %arg0, ^bb1(%[[X]] : i32), ^bb2
// CHECK: ^bb2:
// CHECK-NEXT: return %[[X]]
// CHECK-NOT: ^bb3
func.func @flow(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.br ^bb1(%x, %y : i32, i32)
^bb1(%p: i32, %q: i32):
  %z = arith.addi %q, %q : i32
  cf.cond_br %c, ^bb1(%p, %z : i32, i32), ^bb2
^bb2:
  return %p : i32
^bb3:
  cf.br ^bb1(%x, %x : i32, i32)
}

// -----

// Dead operations go with all they need.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%a: tensor<4xf32>) {
  %0 = "ttir.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.add"(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
