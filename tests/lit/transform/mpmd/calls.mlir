// RUN: mpmd_opt %s -mpmd-from-unroll-to-call-counter -mpmd-sink-negligible-ops-into-call-op -mpmd-erase-unused-callee-block-arguments | FileCheck %s
// RUN: mpmd_opt %s -mpmd-from-unroll-to-call-counter -mpmd-call-inline -symbol-dce | FileCheck %s --check-prefix=INLINE
// RUN: mpmd_opt %s -mpmd-unroll-for-loops | FileCheck %s --check-prefix=UNROLL
// RUN: mpmd_opt %s -mpmd-insert-nameless-clone-of-negligible-ops | FileCheck %s --check-prefix=CLONE

#topology = #mpmd.topology<<"m" : <["x"=2]>>>

// The constant moves in; the argument that only comes back moves out.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %0 = mpmd.call @f(%arg0) {call_counter = 0 : ui32} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = mpmd.call @f(%0) {call_counter = 1 : ui32} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %1, %arg1
// CHECK: func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.constant
// CHECK-NEXT: stablehlo.add
// INLINE-LABEL: func.func @main
// INLINE-NEXT: %cst = stablehlo.constant
// INLINE-NEXT: %0 = stablehlo.add %arg0, %cst
// INLINE-NEXT: %1 = stablehlo.add %0, %cst
// INLINE-NEXT: return %1, %arg1
// INLINE-NOT: @f
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {topology = #topology} {
  %c = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0:2 = mpmd.call @f(%a, %c, %b) {unroll_counter = 0 : ui32} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = mpmd.call @f(%0#0, %c, %0#1) {unroll_counter = 1 : ui32} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>, %c: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {topology = #topology} {
  %0 = stablehlo.add %a, %c : tensor<4xf32>
  return %0, %b : tensor<4xf32>, tensor<4xf32>
}

// UNROLL-LABEL: func.func @loop
// UNROLL-NEXT: %[[I0:.*]] = stablehlo.constant {unroll_counter = 0 : ui32} dense<0>
// UNROLL-NEXT: %[[A:.*]] = stablehlo.add %arg0, %[[I0]] {unroll_counter = 0 : ui32}
// UNROLL-NEXT: %[[I1:.*]] = stablehlo.constant {unroll_counter = 1 : ui32} dense<1>
// UNROLL-NEXT: %[[B:.*]] = stablehlo.add %arg1, %[[I1]] {unroll_counter = 1 : ui32}
// UNROLL-NEXT: return %[[A]], %[[B]]
func.func @loop(%a: tensor<ui32>, %b: tensor<ui32>) -> (tensor<ui32>, tensor<ui32>) attributes {topology = #topology} {
  %0:2 = mpmd.for (%a, %b) {iterations = 2 : ui32, unroll_factor = 2 : ui32} (%x: tensor<ui32>, %y: tensor<ui32>, %i: tensor<ui32>) {
    %1 = stablehlo.add %x, %i : tensor<ui32>
    mpmd.return %y, %1 : tensor<ui32>, tensor<ui32>
  } : tensor<ui32>, tensor<ui32>
  return %0#0, %0#1 : tensor<ui32>, tensor<ui32>
}

// Who returns it still reads the computation's.
// CLONE-LABEL: func.func @named
// CLONE: %0 = mpmd.named_computation<"f">
// CLONE: } : (tensor<4xf32>) -> tensor<4xf32>
// CLONE-NEXT: %[[C:.*]] = stablehlo.constant dense<1.0{{.*}}>
// CLONE-NEXT: %[[A:.*]] = stablehlo.abs %[[C]]
// CLONE-NEXT: return %0, %[[A]]
func.func @named(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {topology = #topology} {
  %0 = mpmd.named_computation<"f"> (%a) (%x: tensor<4xf32>) {
    %2 = stablehlo.constant dense<1.0> : tensor<4xf32>
    mpmd.return %2 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
