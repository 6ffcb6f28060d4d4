// RUN: sdy_opt %s > %t.0
// RUN: sdy_opt %t.0 | diff %t.0 -
// RUN: sdy_opt --mlir-print-op-generic %s | sdy_opt | diff %t.0 -
// RUN: FileCheck %s < %t.0

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%a: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    attributes {"topology" = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f", "g"(3)], stage=2, in_shardings=[<@mesh, [{"x"}, {}]>], out_shardings=[<@mesh, [{"x"}, {?}]>]> (%arg0) {note = 1 : i64} (%arg1: tensor<4x8xf32>) {
  // CHECK-NEXT:   mpmd.return %arg1 : tensor<4x8xf32>
  // CHECK-NEXT: } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
  %0 = mpmd.fragment<mesh="m1", origin=["f", "g"(3)], stage=2, in_shardings=[<@mesh, [{"x"}, {}]>], out_shardings=[<@mesh, [{"x"}, {?}]>]> (%a) {note = 1 : i64}
    (%b: tensor<4x8xf32>) {
    mpmd.return %b : tensor<4x8xf32>
  } : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
  // CHECK-NEXT: mpmd.fragment_call<mesh="m1", origin=[]> @callee(%0) : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
  %1 = mpmd.fragment_call<mesh="m1", origin=[]> @callee(%0) : (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
  return %1 : !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
}

func.func private @callee(tensor<4x8xf32>) -> tensor<4x8xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>}

// CHECK-LABEL: func.func @named
func.func @named(%a: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: mpmd.named_computation<"f"(1)> (%arg0) (%arg1: tensor<f32>) {
  %0 = mpmd.named_computation<"f"(1)> (%a) (%b: tensor<f32>) {
    mpmd.return %b : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  // CHECK: mpmd.for (%0) {iterations = 3 : ui32} (%arg1: tensor<f32>, %index: tensor<ui32>) {
  // CHECK: } : tensor<f32>
  %1 = mpmd.for (%0) {iterations = 3 : ui32} (%b: tensor<f32>, %i: tensor<ui32>) {
    mpmd.return %b : tensor<f32>
  } : tensor<f32>
  return %1 : tensor<f32>
}
