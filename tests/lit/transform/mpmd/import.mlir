// RUN: mpmd_opt %s -split-input-file -mpmd-map-input-output-to-mesh='input-assignment=0@m#pinned_host output-assignment=0@n' | FileCheck %s --check-prefix=IO
// RUN: mpmd_opt %s -split-input-file -mpmd-inline-nested-user-exposed-ops='assignment=f@m/1,g@n,t@n' -mpmd-map-named-ops-to-mpmd-ops='assignment=f@m/1,g@n,t@n' | FileCheck %s --check-prefix=NAMES
// RUN: mpmd_opt %s -split-input-file -mpmd-import-pipeline='name-to-mesh-assignment=f@m/1,g@n,t@n' | FileCheck %s --check-prefix=ALL
// RUN: mpmd_opt %s -split-input-file -mpmd-import-pipeline='name-to-mesh-assignment=f@m/1,g@n,t@n' -mpmd-optimize-pipeline -mpmd-sharding-propagation-pipeline -mpmd-export-pipeline -mlir-diagnostic-verbosity-level=errors | FileCheck %s --check-prefix=DONE
// RUN: not mpmd_opt %s -split-input-file -mpmd-map-named-ops-to-mpmd-ops='assignment=f@m' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not mpmd_opt %s -split-input-file -mpmd-inline-nested-user-exposed-ops='assignment=f@m,g@n,t@n,h@n' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not mpmd_opt %s -split-input-file -mpmd-map-named-ops-to-mpmd-ops='assignment=f' 2>&1 | FileCheck %s --check-prefix=AT
// RUN: not mpmd_opt %s -split-input-file -mpmd-map-input-output-to-mesh='input-assignment=7@m' 2>&1 | FileCheck %s --check-prefix=BOUNDS

// AT: error: Assignment must contain '@' denoting a name assigned to a mesh (and stage), got: f
// BOUNDS: error: index 7 of an assignment is out of bounds: there are 1
// MISSING: error: Top-level NamedComputation 'h' is not assigned to a mesh in the user-defined named-to-mesh assignment.
// NESTED: error: NamedComputation 'h' is nested in a NamedComputation 'f' which has a different mesh or stage assignment.

// IO-LABEL: func.func @main
// IO-SAME: (%arg0: !mpmd.mesh_tensor<"m", tensor<4xf32>, memory_kind="pinned_host">) -> !mpmd.mesh_tensor<"n", tensor<4xf32>>
// IO-NEXT: mpmd.unassign {origin = "user_in"} %arg0
// IO: mpmd.assign {origin = "user_out"}

// NAMES-LABEL: func.func @main
// NAMES-NEXT: %0 = stablehlo.abs %arg0
// NAMES-NEXT: %1 = mpmd.assign {origin = "f"} %0
// NAMES-NEXT: %2 = mpmd.fragment<mesh="m", origin=["f"], stage=1> (%1, %1)
// NAMES-NEXT: add
// NAMES-NEXT: multiply
// NAMES-NEXT: mpmd.return
// NAMES: %3 = mpmd.unassign {origin = "f"} %2
// NAMES: mpmd.fragment<mesh="n", origin=["g"(1)]>
// NAMES: mpmd.assign {origin = "t"}

// The absolute value is merged into the first fragment, the difference into the second.
// ALL-LABEL: func.func @main
// ALL-SAME: (%arg0: !mpmd.mesh_tensor<"m", tensor<4xf32>>) -> !mpmd.mesh_tensor<"n", tensor<4xf32>>
// ALL-NEXT: %0 = mpmd.fragment<mesh="m", origin=["f"], stage=1> (%arg0)
// ALL-NEXT: abs
// ALL-NEXT: add
// ALL-NEXT: multiply
// ALL-NEXT: mpmd.return
// ALL: %1 = mpmd.transfer %0
// ALL-NEXT: %2 = mpmd.fragment<mesh="n", origin=["g"(1)]> (%1)
// ALL-NEXT: negate
// ALL-NEXT: subtract
// ALL-NEXT: mpmd.return
// ALL: return %2

// DONE: mpmd.fragment_call<mesh="m", origin=["f"]> @p0_stage1_fwd.main
// DONE: mpmd.fragment_call<mesh="n", origin=["g"(1)]> @p1_g_bwd.main
// DONE: func.func @p1_g_bwd.main(%arg0: tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = stablehlo.abs %a : tensor<4xf32>
  %1 = mpmd.named_computation<"f"> (%0, %0) (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %5 = mpmd.named_computation<"h"> (%x) (%z: tensor<4xf32>) {
      %7 = stablehlo.add %z, %z : tensor<4xf32>
      mpmd.return %7 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %5, %y : tensor<4xf32>
    mpmd.return %6 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = mpmd.named_computation<"g"(1)> (%1) (%x: tensor<4xf32>) {
    %5 = stablehlo.negate %x : tensor<4xf32>
    mpmd.return %5 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.subtract %2, %2 : tensor<4xf32>
  %4 = mpmd.named_tensor %3 name="t" : tensor<4xf32>
  return %4 : tensor<4xf32>
}
