// RUN: mpmd_opt %s -split-input-file -mpmd-merge-inferred-fragments | FileCheck %s --check-prefix=MERGE
// RUN: mpmd_opt %s -split-input-file -mpmd-absorb-inferred-fragments=absorb-on-entry-point-function=true | FileCheck %s --check-prefix=ABSORB
// RUN: mpmd_opt %s -split-input-file -mpmd-merge-user-fragments-into-scheduling-units | FileCheck %s --check-prefix=UNITS
// RUN: mpmd_opt %s -split-input-file -mpmd-rule-based-merge='rules=FragmentMergeRule(sources=[FragmentInfo(origins=["f"],mesh_name="m"),FragmentInfo(origins=["g"(1)],call_counter=3,mesh_name="m")],target=FragmentInfo(origins=["fg"],stage=7,mesh_name="m"))' | FileCheck %s --check-prefix=RULE
// RUN: not mpmd_opt %s -split-input-file -mpmd-verify-stage-merging 2>&1 | FileCheck %s --check-prefix=STAGES

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// The consumer of the user's fragment is merged; the producer's other user gets a result.
// MERGE-LABEL: func.func @into_user
// MERGE: %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {call_counter = 2 : ui32}
// MERGE-NEXT: add
// MERGE-NEXT: multiply
// MERGE-NEXT: return
// MERGE: mpmd.transfer %0#0
// MERGE-NEXT: return %0#1, %1
func.func @into_user(%a: !t, %b: !t) -> (!t, !u) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) {call_counter = 2 : ui32} (%x: tensor<4xf32>) {
    %3 = stablehlo.add %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=[]> (%0, %b, %a) (%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) {
    %3 = stablehlo.multiply %x, %y : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t, !t, !t) -> !t
  %2 = mpmd.transfer %0 : (!t) -> !u
  return %1, %2 : !t, !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// The transfer in between is of an earlier value, so it can go first.
// MERGE-LABEL: func.func @transfer_between
// MERGE-COUNT-2: mpmd.fragment
// ABSORB-LABEL: func.func @transfer_between
// ABSORB-NEXT: %0 = mpmd.transfer %arg1
// ABSORB-NEXT: %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %0)
// ABSORB-NEXT: add
// ABSORB-NEXT: multiply
// ABSORB-NOT: mpmd.fragment
// ABSORB: return %1
func.func @transfer_between(%a: !t, %b: !u) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    %3 = stablehlo.add %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.transfer %b : (!u) -> !t
  %2 = mpmd.fragment<mesh="m", origin=[]> (%0, %1) {mpmd.inferred_by = ["me"]} (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %3 = stablehlo.multiply %x, %y : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t, !t) -> !t
  return %2 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// Of one direction and microbatch; the backward fragment is another unit.
// UNITS-LABEL: func.func @units
// UNITS: mpmd.fragment<mesh="m", origin=["e", "h"]> (%arg0) {call_counter = 1 : ui32}
// UNITS: %1 = mpmd.fragment<mesh="m", origin=["g"(1)]>
// UNITS: return %1
func.func @units(%a: !t) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["e"]> (%a) (%x: tensor<4xf32>) {
    %3 = stablehlo.add %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["h"]> (%0) {call_counter = 1 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["g"(1)]> (%1) {call_counter = 3 : ui32} (%x: tensor<4xf32>) {
    %3 = stablehlo.multiply %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  return %2 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// RULE-LABEL: func.func @by_rule
// RULE-NEXT: %0:2 = mpmd.fragment<mesh="m", origin=["fg"], stage=7> (%arg0)
// RULE-NEXT: add
// RULE-NEXT: multiply
// RULE-NEXT: mpmd.return
// RULE-NEXT: }
// RULE-NEXT: %1 = mpmd.fragment<mesh="m", origin=["h"]> (%0#0)
func.func @by_rule(%a: !t) -> (!t, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    %3 = stablehlo.add %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["h"]> (%0) (%x: tensor<4xf32>) {
    %3 = stablehlo.abs %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["g"(1)]> (%0) {call_counter = 3 : ui32} (%x: tensor<4xf32>) {
    %3 = stablehlo.multiply %x, %x : tensor<4xf32>
    mpmd.return %3 : tensor<4xf32>
  } : (!t) -> !t
  return %1, %2 : !t, !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// Two of a stage, one of which is of no call in particular.
// STAGES: error: A valid program cannot have more than one fragment with the same mesh, stage, transpose, call counts, split type, and remat flag but found multiple fragments with the same attributes: [mesh=m, stage_id=1, transpose_count=0, call_count=-1, split_type=nullopt, is_remat=0] for current fragment with origin: [#mpmd.user_origin<"g">]
func.func private @stages(%a: !t) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["i"], stage=1> (%a) {call_counter = 3 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["g"], stage=1> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  return %1 : !t
}
