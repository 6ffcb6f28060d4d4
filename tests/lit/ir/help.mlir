// Slips are shown with the name that was probably meant; expected diagnostics do not change.
// RUN: not ttmlir-opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

// CHECK: error: custom op 'stablehlo.ad' is unknown
// CHECK: {{^}}help: did you mean 'stablehlo.add'?
func.func @operation(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.ad' is unknown}}
  %0 = stablehlo.ad %a, %a : tensor<4xf32>
  return
}
// -----
// CHECK: help: no dialect is called 'stablhlo'; did you mean 'stablehlo'?
func.func @dialect(%a: tensor<4xf32>) {
  // expected-error@+2 {{Dialect `stablhlo' not found for custom op 'stablhlo.add'}}
  // expected-note@+1 {{Registered dialects: affine, arith, }}
  %0 = stablhlo.add %a, %a : tensor<4xf32>
  return
}
// -----
// CHECK: help: did you mean 'ttir.softmax'?
func.func @generic(%a: tensor<4xf32>) {
  // expected-error@+1 {{unregistered operation 'ttir.softmx' found in dialect}}
  %0 = "ttir.softmx"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
// CHECK: unknown  type `til` in dialect `ttcore`
// CHECK: help: did you mean 'tile'?
// expected-error@+1 {{unknown  type `til` in dialect `ttcore`}}
func.func private @type(tensor<1x!ttcore.til<32x32, f32>>)
// -----
// CHECK: unknown attribute `metal_layuot` in dialect `ttcore`
// CHECK: help: did you mean 'metal_layout'?
// expected-error@+1 {{unknown attribute `metal_layuot` in dialect `ttcore`}}
module attributes {a.b = #ttcore.metal_layuot<x>} {}
// -----
// A name that is like no other gets no help.
// CHECK: custom op 'stablehlo.frobnicate_everything' is unknown
// CHECK-NOT: help
func.func @nothing(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.frobnicate_everything' is unknown}}
  %0 = stablehlo.frobnicate_everything %a, %a : tensor<4xf32>
  return
}
