// RUN: mpmd_opt %s -mpmd-pipeline-scheduler | FileCheck %s --check-prefix=F1B
// RUN: mpmd_opt %s -mpmd-pipeline-scheduler='must-happen-before=gpipe' | FileCheck %s --check-prefix=GPIPE
// RUN: mpmd_opt %s -mpmd-pipeline-scheduler='must-happen-before=CircularWithReversedBackward' | FileCheck %s --check-prefix=CIRCULAR
// RUN: mpmd_opt %s -mpmd-pipeline-scheduler='must-happen-before=ZeroBubbleH2FullTxLatency' | FileCheck %s --check-prefix=H2
// RUN: mpmd_opt %s -mpmd-rule-based-schedule='rules=FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["b"(1)],stage=0,call_counter=2,mesh_name="m")->FragmentInfo(origins=["f"],stage=0,call_counter=1,mesh_name="m")])' | FileCheck %s --check-prefix=RULE
// RUN: mpmd_opt %s -mpmd-remat-fragment | FileCheck %s --check-prefix=REMAT
// RUN: mpmd_opt %s -mpmd-remat-fragment='merge-remat-fragments=true' | FileCheck %s --check-prefix=MERGED
// RUN: mpmd_opt %s -mpmd-scheduling-units-verifier 2>&1 | FileCheck %s --check-prefix=UNITS

// One mesh: each forward fragment is followed by its backward one.
// F1B-LABEL: func.func @one_mesh
// F1B: origin=["f"], stage=0> (%arg0) {call_counter = 0
// F1B: origin=["b"(1)], stage=0> (%0) {call_counter = 0
// F1B: origin=["f"], stage=0> (%arg0) {call_counter = 1
// F1B: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 1
// F1B: origin=["f"], stage=0> (%arg0) {call_counter = 2
// F1B: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 2

// All forward, then all backward; circular goes back in the opposite order.
// GPIPE: origin=["f"], stage=0> (%arg0) {call_counter = 0
// GPIPE: origin=["f"], stage=0> (%arg0) {call_counter = 1
// GPIPE: origin=["f"], stage=0> (%arg0) {call_counter = 2
// GPIPE: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 0
// GPIPE: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 1
// CIRCULAR: origin=["f"], stage=0> (%arg0) {call_counter = 2
// CIRCULAR: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 2
// CIRCULAR: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 1
// CIRCULAR: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 0

// On the only mesh nothing waits for transfers.
// H2: origin=["f"], stage=0> (%arg0) {call_counter = 0
// H2: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 0
// H2: origin=["f"], stage=0> (%arg0) {call_counter = 1

// RULE: origin=["b"(1)], stage=0> ({{.*}}) {call_counter = 2
// RULE: origin=["f"], stage=0> ({{.*}}) {call_counter = 1

// REMAT-COUNT-3: origin=["f"], stage=0>
// REMAT: origin=["f"], stage=0> (%arg0) {call_counter = 2 : ui32, remat}
// REMAT: origin=["b"(1)], stage=0>
// REMAT: origin=["f"], stage=0> (%arg0) {call_counter = 1 : ui32, remat}
// REMAT: origin=["f"], stage=0> (%arg0) {call_counter = 0 : ui32, remat}
// MERGED: mpmd.fragment<mesh="m", origin=["f", "b"(1)], stage=0> (%arg0) {call_counter = 2 : ui32, remat}


// UNITS-NOT: warning
!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
func.func @one_mesh(%a: !t) -> (!t, !t, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"m/cpu" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"], stage=0> (%a) {call_counter = 0 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["f"], stage=0> (%a) {call_counter = 1 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["f"], stage=0> (%a) {call_counter = 2 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %none = mpmd.fragment<mesh="m", origin=[]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %3 = mpmd.fragment<mesh="m", origin=["b"(1)], stage=0> (%2) {call_counter = 2 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %4 = mpmd.fragment<mesh="m", origin=["b"(1)], stage=0> (%1) {call_counter = 1 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %5 = mpmd.fragment<mesh="m", origin=["b"(1)], stage=0> (%0) {call_counter = 0 : ui32} (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  return %3, %4, %5 : !t, !t, !t
}
