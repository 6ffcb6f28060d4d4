// RUN: mpmd_opt %s -split-input-file -mpmd-infer-mesh-populate-use-set -mpmd-infer-mesh-populate-src-set | FileCheck %s --check-prefix=SETS
// RUN: mpmd_opt %s -split-input-file -mpmd-infer-mesh-pipeline='infer-transfers=True' | FileCheck %s
// RUN: mpmd_opt %s -split-input-file -mpmd-infer-mesh-populate-use-set -mpmd-infer-mesh-populate-src-set -mpmd-infer-mesh-assign-mesh-func-leaves=infer-transfers=true -mpmd-infer-mesh-populate-use-set -mpmd-infer-mesh-rewrite-using-analysis=max-clones=3 -mpmd-infer-mesh-finalize=infer-transfers=true | FileCheck %s --check-prefix=CLONES

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// SETS-LABEL: func.func @two_readers
// SETS-SAME: %arg0: tensor<4xf32> {mpmd.src_set = #mpmd.meshes_with_origins<"n"["inferred_in"], "m"["inferred_in"]>, mpmd.use_set = #mpmd.meshes_with_origins<"n"["g"], "m"["f"]>}
// SETS: stablehlo.add {{.*}}mpmd.use_set = #mpmd.meshes_with_origins<"n"["g"], "m"["f"]>

// One for each mesh; a copy in each fragment, up to the limit.
// CHECK-LABEL: func.func @two_readers
// CHECK-SAME: (%arg0: !mpmd.mesh_tensor<"m", tensor<4xf32>>)
// CHECK-NEXT: %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) {mpmd.inferred_by = ["infer_mesh_wrap_meshless_ops"]}
// CHECK: %1 = mpmd.transfer %arg0
// CHECK-NEXT: %2 = mpmd.fragment<mesh="n", origin=[]> (%1) {mpmd.inferred_by = ["infer_mesh_wrap_meshless_ops"]}
// CHECK: mpmd.fragment<mesh="m", origin=["f"]>
// CHECK: mpmd.fragment<mesh="n", origin=["g"]>
// CLONES-LABEL: func.func @two_readers
// CLONES-NOT: infer_mesh_wrap_meshless_ops
// CLONES: mpmd.fragment<mesh="m", origin=["f"]> (%arg0)
// CLONES-NEXT: add
// CLONES-NEXT: abs
// CLONES: mpmd.fragment<mesh="n", origin=["g"]> (%1)
// CLONES-NEXT: add
// CLONES-NEXT: negate
func.func @two_readers(%a: tensor<4xf32>) -> (!t, !u) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  %1 = mpmd.assign {origin = "f"} %0 : (tensor<4xf32>) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%1) (%x: tensor<4xf32>) {
    %5 = stablehlo.abs %x : tensor<4xf32>
    mpmd.return %5 : tensor<4xf32>
  } : (!t) -> !t
  %3 = mpmd.assign {origin = "g"} %0 : (tensor<4xf32>) -> !u
  %4 = mpmd.fragment<mesh="n", origin=["g"]> (%3) (%x: tensor<4xf32>) {
    %5 = stablehlo.negate %x : tensor<4xf32>
    mpmd.return %5 : tensor<4xf32>
  } : (!u) -> !u
  return %2, %4 : !t, !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// A sum over meshes: first on each, then where it is wanted.
// SETS-LABEL: func.func @reduction
// SETS: stablehlo.add {{.*}}mpmd.reduce = #mpmd.reduction<add>, mpmd.src_set = #mpmd.meshes_with_origins<"m", "n">
// CHECK-LABEL: func.func @reduction
// CHECK: %0 = mpmd.fragment<mesh="m", origin=["p"]>
// CHECK: %1 = mpmd.fragment<mesh="n", origin=["q"]>
// CHECK: %2 = mpmd.fragment<mesh="m", origin=[]> (%0, %0) {mpmd.inferred_by = ["infer_mesh_convert_reduce_ops"]}
// CHECK-NEXT: add
// CHECK-NEXT: mpmd.return
// CHECK: %3 = mpmd.transfer %1
// CHECK-NEXT: %4 = mpmd.fragment<mesh="m", origin=[]> (%2, %3) {mpmd.inferred_by = ["infer_mesh_convert_reduce_ops"]}
// CHECK: return %4
func.func @reduction(%a: !t, %b: !u) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %p = mpmd.fragment<mesh="m", origin=["p"]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %q = mpmd.fragment<mesh="n", origin=["q"]> (%b) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!u) -> !u
  %0 = mpmd.unassign %p : (!t) -> tensor<4xf32>
  %1 = mpmd.unassign %q : (!u) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  %3 = stablehlo.add %2, %0 : tensor<4xf32>
  %4 = mpmd.assign %3 : (tensor<4xf32>) -> !t
  return %4 : !t
}

// -----

#topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>
!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// The function's result is wanted on two meshes, so it returns it on both.
// CHECK-LABEL: func.func @calls
// CHECK-NEXT: %0:2 = mpmd.call @f(%arg0) : (!mpmd.mesh_tensor<"m", tensor<4xf32>>) -> (!mpmd.mesh_tensor<"n", tensor<4xf32>>, !mpmd.mesh_tensor<"m", tensor<4xf32>>)
// CHECK-NEXT: return %0#1, %0#0
// CHECK: func.func private @f(%arg0: !mpmd.mesh_tensor<"m", tensor<4xf32>>) -> (!mpmd.mesh_tensor<"n", tensor<4xf32>> {mpmd.copies = array<i64: 1>}, !mpmd.mesh_tensor<"m", tensor<4xf32>>)
// CHECK: mpmd.transfer %
func.func @calls(%a: !t) -> (!t, !u) attributes {topology = #topology} {
  %0 = mpmd.unassign %a : (!t) -> tensor<4xf32>
  %1 = mpmd.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = mpmd.assign %1 : (tensor<4xf32>) -> !t
  %3 = mpmd.assign %1 : (tensor<4xf32>) -> !u
  return %2, %3 : !t, !u
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {topology = #topology} {
  %0 = mpmd.assign %a : (tensor<4xf32>) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%0) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.unassign %1 : (!t) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<ui32>>

// Loop-carried values are on one mesh.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT: %0 = mpmd.for (%arg0) {iterations = 2 : ui32} (%arg1: !mpmd.mesh_tensor<"m", tensor<ui32>>, %index: tensor<ui32>) {
// CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg1)
// CHECK: mpmd.return %2 : !mpmd.mesh_tensor<"m", tensor<ui32>>
// CHECK-NEXT: }
// CHECK-NEXT: return %0
func.func @loop(%a: tensor<ui32>) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.for (%a) {iterations = 2 : ui32} (%x: tensor<ui32>, %i: tensor<ui32>) {
    %2 = mpmd.assign %x : (tensor<ui32>) -> !t
    %3 = mpmd.fragment<mesh="m", origin=["f"]> (%2) (%y: tensor<ui32>) {
      %5 = stablehlo.add %y, %y : tensor<ui32>
      mpmd.return %5 : tensor<ui32>
    } : (!t) -> !t
    %4 = mpmd.unassign %3 : (!t) -> tensor<ui32>
    %6 = stablehlo.multiply %4, %4 : tensor<ui32>
    mpmd.return %6 : tensor<ui32>
  } : tensor<ui32>
  %1 = mpmd.assign %0 : (tensor<ui32>) -> !t
  return %1 : !t
}
