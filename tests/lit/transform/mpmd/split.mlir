// RUN: mpmd_opt %s -mpmd-split-bwd-fragments | FileCheck %s --check-prefix=BWD
// RUN: mpmd_opt %s -mpmd-split-and-prioritize-transfer-independent-computations | FileCheck %s --check-prefix=WAIT

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<4xf32>>

// The transferred part comes first and passes on the sum.
// BWD-LABEL: func.func @split
// BWD: %1:2 = mpmd.fragment<mesh="m", origin=["b"(1)]> (%arg0, %0) {split_keep_transferred}
// BWD-NEXT: %[[S:.*]] = stablehlo.add
// BWD-NEXT: %[[P:.*]] = stablehlo.multiply
// BWD-NEXT: mpmd.return %[[P]], %[[S]]
// BWD: %2 = mpmd.fragment<mesh="m", origin=["b"(1)]> (%arg0, %0, %1#1) {split_drop_transferred} ({{.*}}, %arg4: tensor<4xf32>)
// BWD-NEXT: %[[A:.*]] = stablehlo.abs %arg4
// BWD-NEXT: mpmd.return %[[A]]
// BWD: mpmd.transfer %1#0
// BWD-NEXT: return %2

// The part without transfers comes first, and passes on its arguments.
// WAIT-LABEL: func.func @split
// WAIT: %1:3 = mpmd.fragment<mesh="m", origin=["b"(1)]> (%arg0, %0) {split_keep_transferred}
// WAIT-NEXT: add
// WAIT-NEXT: abs
// WAIT-NEXT: mpmd.return
// WAIT: %2 = mpmd.fragment<mesh="m", origin=["b"(1)]> (%arg0, %0, %1#1, %1#2) {split_drop_transferred}
// WAIT-NEXT: multiply
// WAIT-NEXT: mpmd.return
// WAIT: mpmd.transfer %2
// WAIT-NEXT: return %1#0
func.func @split(%a: !t, %b: !u) -> (!t, !u) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : <["x"=2]>>>} {
  %0 = mpmd.transfer %b : (!u) -> !t
  %1:2 = mpmd.fragment<mesh="m", origin=["b"(1)]> (%a, %0) (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %3 = stablehlo.add %x, %x : tensor<4xf32>
    %4 = stablehlo.multiply %3, %y : tensor<4xf32>
    %5 = stablehlo.abs %3 : tensor<4xf32>
    mpmd.return %4, %5 : tensor<4xf32>, tensor<4xf32>
  } : (!t, !t) -> (!t, !t)
  %2 = mpmd.transfer %1#0 : (!t) -> !u
  return %1#1, %2 : !t, !u
}
