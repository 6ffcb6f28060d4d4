// RUN: mpmd_opt %s -split-input-file -mpmd-fragment-dedup -mpmd-fragment-dce | FileCheck %s --check-prefix=DCE
// RUN: mpmd_opt %s -split-input-file -mpmd-uniquify-function-inputs-outputs | FileCheck %s --check-prefix=UNIQUE
// RUN: mpmd_opt %s -split-input-file -mpmd-uniquify-function-inputs-outputs=use-transfer-instead-of-fragment=true | FileCheck %s --check-prefix=TRANSFER
// RUN: mpmd_opt %s -split-input-file -mpmd-copy-constants | FileCheck %s --check-prefix=COPY

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// DCE-LABEL: func.func @trim
// DCE-NEXT: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{a}]} (%arg1: tensor<4xf32>)
// DCE-NEXT: %1 = stablehlo.add %arg1, %arg1
// DCE-NEXT: mpmd.return %1 : tensor<4xf32>
// DCE-NEXT: }
// DCE-NEXT: return %0, %0
func.func @trim(%a: !t) -> (!t, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0:3 = mpmd.fragment<mesh="m", origin=["f"]> (%a, %a) {arg_attrs = [{a}, {b}]} (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %3 = stablehlo.add %x, %y : tensor<4xf32>
    %4 = stablehlo.abs %y : tensor<4xf32>
    mpmd.return %3, %4, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : (!t, !t) -> (!t, !t, !t)
  %1 = mpmd.transfer %0#1 : (!t) -> !u
  %2 = mpmd.fragment<mesh="n", origin=["g"]> (%1) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!u) -> !u
  return %0#0, %0#2 : !t, !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// UNIQUE-LABEL: func.func @results
// UNIQUE-NEXT: %0:2 = mpmd.fragment<mesh="m", origin=[]> (%arg0) {mpmd.inferred_by = ["uniquify"]} (%arg2: tensor<4xf32>) {
// UNIQUE-NEXT: mpmd.return %arg2, %arg2
// UNIQUE: %1 = mpmd.fragment<mesh="n", origin=[]> (%arg1)
// UNIQUE-NEXT: mpmd.return %arg2
// UNIQUE: return %0#0, %1, %0#1
// TRANSFER-LABEL: func.func @results
// TRANSFER-COUNT-3: mpmd.transfer
// TRANSFER: return %0, %1, %2
func.func @results(%a: !t, %b: !u) -> (!t, !u, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  return %a, %b, %a : !t, !u, !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// Through a transfer; what is computed stays.
// COPY-LABEL: func.func @constants
// COPY: mpmd.fragment<mesh="n"
// COPY-NEXT: %[[C:.*]] = stablehlo.constant dense<1.0{{.*}}>
// COPY-NEXT: add %[[C]], %arg2
func.func @constants(%a: !t) -> !u attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    %5 = stablehlo.constant dense<1.0> : tensor<4xf32>
    %6 = stablehlo.abs %x : tensor<4xf32>
    mpmd.return %5, %6 : tensor<4xf32>, tensor<4xf32>
  } : (!t) -> (!t, !t)
  %1 = mpmd.transfer %0#0 : (!t) -> !u
  %2 = mpmd.transfer %0#1 : (!t) -> !u
  %3 = mpmd.fragment<mesh="n", origin=["g"]> (%1, %2) (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %5 = stablehlo.add %x, %y : tensor<4xf32>
    mpmd.return %5 : tensor<4xf32>
  } : (!u, !u) -> !u
  return %3 : !u
}
