// RUN: mpmd_opt %s -split-input-file -verify-diagnostics -mpmd-infer-mesh-pipeline
// RUN: not mpmd_opt %s -split-input-file -mpmd-infer-mesh-validate-src-set-not-empty=error-limit=0 2>&1 | FileCheck %s
// CHECK: error: mesh inference validation must not be disabled

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

func.func @operands(%a: !t, %b: !u) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %p = mpmd.fragment<mesh="m", origin=["p"]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %q = mpmd.fragment<mesh="n", origin=["q"]> (%b) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!u) -> !u
  %0 = mpmd.unassign {origin = "p"} %p : (!t) -> tensor<4xf32> loc("a")
  %1 = mpmd.unassign %q : (!u) -> tensor<4xf32> loc("b")
  // expected-error-re@+1 {{Mesh assignment is not possible for op as its operands are on conflicting meshes and thus we need to transfer some of the operands. Add an explicit transfer to fix this.{{.*}}Operand 0 can be assigned to meshes {m} which originates from:{{.*}}Input "a": m[p]}}
  %2 = stablehlo.subtract %0, %1 : tensor<4xf32>
  %3 = mpmd.assign %2 : (tensor<4xf32>) -> !t
  return %3 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

func.func @reader(%a: !t) -> !u attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.unassign {origin = "f"} %0 : (!t) -> tensor<4xf32> loc("named_computation")
  // expected-error@+1 {{Mesh assignment is not possible for op as it is used in {n}}}
  %2 = stablehlo.abs %1 : tensor<4xf32>
  // expected-error-re@+1 {{Mesh assignment is not possible for op as it is used in {n} but it can only be placed on {m} without introducing a transfer.{{.*}}named_computation "f": m[f]}}
  %3 = mpmd.assign %2 : (tensor<4xf32>) -> !u
  return %3 : !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

func.func @loop(%a: tensor<4xf32>) -> (!t, !u) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  // expected-error@+1 {{value 0 that the loop carries is wanted on 2 meshes; it can be on one}}
  %0 = mpmd.for (%a) {iterations = 2 : ui32} (%x: tensor<4xf32>, %i: tensor<ui32>) {
    %3 = stablehlo.abs %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : tensor<4xf32>
  %1 = mpmd.assign %0 : (tensor<4xf32>) -> !t
  %2 = mpmd.assign %0 : (tensor<4xf32>) -> !u
  return %1, %2 : !t, !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>

func.func @callee(%a: tensor<4xf32>) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  // expected-error@+1 {{calls no private function with a topology and a body; mpmd-copy-topology-from-main makes it one}}
  %0 = mpmd.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = mpmd.assign %0 : (tensor<4xf32>) -> !t
  return %1 : !t
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
