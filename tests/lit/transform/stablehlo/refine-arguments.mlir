// RUN: stablehlo-opt --stablehlo-refine-arguments='types=tensor<2x3xf32>,tensor<4x!quant.uniform<i8:f32:0, {0.1:0,0.2:1,0.3:2,0.4:3}>>' --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: not stablehlo-opt --stablehlo-refine-arguments='types=tensor<2x3xf32>,what' %s 2>&1 | FileCheck %s --check-prefix=WORD

// WORD: Invalid type string: what

// Users of a refined argument see what they saw before.
// CHECK-LABEL: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x!quant
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT: %[[W:.*]] = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%arg0, %[[C]]) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
// CHECK-NEXT: %[[A:.*]] = stablehlo.add %[[W]], %[[W]] : tensor<?x3xf32>
// CHECK-NEXT: return %[[A]] : tensor<?x3xf32>
func.func @main(%a: tensor<?x3xf32>, %q: tensor<4x!quant.uniform<i8:f32:0, {0.1:0,0.2:1,0.3:2,0.4:3}>>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
func.func private @other(%a: tensor<f32>) {
  return
}

// -----

// expected-error @+1 {{invalid refinement for argument 0, refinement dimension sizes must match for static dimensions in tensor<4x3xf32> -> tensor<2x3xf32>}}
func.func @sizes(%a: tensor<4x3xf32>, %b: tensor<2xf32>) {
  return
}

// -----

// expected-error @+1 {{must have no more than one function or a `main` function}}
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}
