// RUN: mpmd_opt %s -split-input-file -mpmd-remove-transfer-cycles | FileCheck %s --check-prefix=CYCLE
// RUN: mpmd_opt %s -split-input-file -mpmd-move-transfers-to-producer | FileCheck %s --check-prefix=MOVE
// RUN: mpmd_opt %s -split-input-file -mpmd-delay-transfers-from-cpu -mpmd-delay-inferred-fragments | FileCheck %s --check-prefix=DELAY
// RUN: mpmd_opt %s -split-input-file -mpmd-merge-transfers -mpmd-fragment-dce | FileCheck %s --check-prefix=MERGE

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>
!h = !mpmd.mesh_tensor<"n", tensor<4xf32>, memory_kind="pinned_host">

// Back over the host is meant.
// CYCLE-LABEL: func.func @circles
// CYCLE-NEXT: %0 = mpmd.transfer %arg0
// CYCLE-NEXT: %1 = mpmd.transfer %arg0
// CYCLE-NEXT: %2 = mpmd.transfer %1
// CYCLE-NEXT: return %arg0, %0, %2
func.func @circles(%a: !t) -> (!t, !u, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.transfer %a : (!t) -> !u
  %1 = mpmd.transfer %0 : (!u) -> !t
  %2 = mpmd.transfer %1 : (!t) -> !u
  %3 = mpmd.transfer %a : (!t) -> !h
  %4 = mpmd.transfer %3 : (!h) -> !t
  return %1, %2, %4 : !t, !u, !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"m/cpu", tensor<4xf32>>

// MOVE-LABEL: func.func @places
// MOVE-NEXT: mpmd.transfer %arg1
// MOVE-NEXT: mpmd.fragment<mesh="m", origin=[]>
// DELAY-LABEL: func.func @places
// DELAY-NEXT: %0 = mpmd.fragment<mesh="m", origin=["f"]>
// DELAY: %1 = mpmd.transfer %arg1
// DELAY-NEXT: %2 = mpmd.fragment<mesh="m", origin=[]>
// DELAY: mpmd.fragment<mesh="m", origin=["g"]> (%1, %0, %2)
func.func @places(%a: !t, %b: !u) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"m/cpu" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=[]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.transfer %b : (!u) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %3 = mpmd.fragment<mesh="m", origin=["g"]> (%1, %2, %0) (%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t, !t, !t) -> !t
  return %3 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<f32>>
!u = !mpmd.mesh_tensor<"n", tensor<f32>>

// MERGE-LABEL: func.func @together
// MERGE-NEXT: %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1)
// MERGE: %[[ALL:.*]] = stablehlo.concatenate {{.*}}, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
// MERGE-NEXT: mpmd.return %[[ALL]]
// MERGE: %1 = mpmd.transfer {concat_transfer} %0
// MERGE-NEXT: mpmd.fragment<mesh="n", origin=["g"]> (%1) (%arg2: tensor<2xf32>) {
// MERGE-DAG: %[[X:.*]] = stablehlo.slice %arg2 [0:1]
// MERGE-DAG: %[[Y:.*]] = stablehlo.slice %arg2 [1:2]
// MERGE: stablehlo.subtract
func.func @together(%a: !t, %b: !t) -> !u attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%a, %b) (%x: tensor<f32>, %y: tensor<f32>) {
    mpmd.return %x, %y : tensor<f32>, tensor<f32>
  } : (!t, !t) -> (!t, !t)
  %1 = mpmd.transfer %0#0 : (!t) -> !u
  %2 = mpmd.transfer %0#1 : (!t) -> !u
  %3 = mpmd.fragment<mesh="n", origin=["g"]> (%1, %2) (%x: tensor<f32>, %y: tensor<f32>) {
    %4 = stablehlo.subtract %x, %y : tensor<f32>
    mpmd.return %4 : tensor<f32>
  } : (!u, !u) -> !u
  return %3 : !u
}
