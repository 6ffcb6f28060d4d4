// RUN: mpmd_opt %s -split-input-file -verify-diagnostics -mpmd-validate-no-param-transfers -mpmd-validate-no-inferred-fragments -mpmd-validate-no-reshards -mpmd-validate-no-backward-deps -mpmd-validate-named-ops-in-mpmd-func
// RUN: not mpmd_opt %s -split-input-file -mpmd-validate-no-param-transfers=fail-on-param-transfers=true 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: not mpmd_opt %s -split-input-file -mpmd-validate-no-backward-deps=fail-on-backward-deps=true 2>&1 | FileCheck %s --check-prefix=BACK

!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"m2", tensor<4xf32>>

// PARAM: error: Detected cross-mesh transfer of a parameter matching "params['transformer" from mesh "m1" to "m2". JAX locations: ["params['transformer/w']"]
func.func @transfers(%a: !t loc("params['transformer/w']"), %b: !t loc("x")) -> (!u, !u) attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>} {
  // expected-warning@+1 {{Detected cross-mesh transfer of a parameter matching "params['transformer" from mesh "m1" to "m2"}}
  %0 = mpmd.transfer %a : (!t) -> !u
  %1 = mpmd.transfer %b : (!t) -> !u
  return %0, %1 : !u, !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
func.func @inferred(%a: !t) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  // expected-warning@+1 {{Inferred fragment has not been merged (inferred by me, uniquify)}}
  %0 = mpmd.fragment<mesh="m", origin=[]> (%a) {mpmd.inferred_by = ["me", "uniquify"]} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  // expected-error@+1 {{Inferred fragment has not been merged (inferred by me)}}
  %1 = mpmd.fragment<mesh="m", origin=[]> (%0) {mpmd.inferred_by = ["me"]} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  // expected-error@+1 {{Internal error: inferred fragment missing 'mpmd.inferred_by' attribute}}
  %2 = mpmd.fragment<mesh="m", origin=[]> (%1) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  return %2 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"m10", tensor<4xf32>>
// m10 is behind m9.
// BACK: error: Detected backward dependency but expected forward-only pipeline since there are no transpose fragments: fragment "g" mesh="m10" produces a value consumed by fragment "f" mesh="m1". In a forward-only pipeline, dependencies must go from earlier meshes to later meshes.
func.func @back(%a: !u) -> !t attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m10" : <["x"=2]>>>} {
  // expected-warning@+1 {{Detected reshard-only fragment 'g'. This usually indicates an unexpected reshard. Operands: Replicated <4xf32>}}
  %0 = mpmd.fragment_call<mesh="m10", origin=[]> @g(%a) : (!u) -> !u
  %1 = mpmd.transfer %0 : (!u) -> !t
  // expected-warning@+1 {{Detected backward dependency}}
  %2 = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%1) : (!t) -> !t
  return %2 : !t
}
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %a : tensor<4xf32>
}

// -----

func.func @names(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{Named tensors can only be nested in mpmd functions or mpmd ops.}}
  %0 = mpmd.named_tensor %a name="x" : tensor<4xf32>
  return %0 : tensor<4xf32>
}
