// RUN: mpmd_opt %s -split-input-file -mpmd-sharding-propagation-pipeline -mlir-diagnostic-verbosity-level=errors 2>&1 | FileCheck %s
// RUN: mpmd_opt %s -split-input-file -mpmd-sharding-propagation-pipeline 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: mpmd_opt %s -split-input-file -mpmd-sharding-propagation-pipeline -mpmd-export-pipeline='fail-on-inferred-fragments=false' -mlir-diagnostic-verbosity-level=errors 2>&1 | FileCheck %s --check-prefix=EXPORT

!t = !mpmd.mesh_tensor<"m", tensor<8x4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<8x4xf32>>

sdy.mesh @mesh = <["x"=2, "y"=2]>
// Through fragments and transfers; unused values are removed.
// CHECK-NOT: warning
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: !mpmd.mesh_tensor<"m", tensor<8x4xf32>, sharding=<@mesh, [{"x"}, {}]>> {{.*}}) -> !mpmd.mesh_tensor<"n", tensor<8x4xf32>, sharding=<@mesh, [{"x"}, {}]>>
// CHECK-NEXT: %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%arg1: tensor<8x4xf32>) {
// CHECK-NEXT: add
// CHECK-NEXT: mpmd.return
// CHECK-NEXT: }
// CHECK-NEXT: %1 = mpmd.transfer %0 : (!mpmd.mesh_tensor<"m", tensor<8x4xf32>, sharding=<@mesh, [{"x"}, {}]>>) -> !mpmd.mesh_tensor<"n", tensor<8x4xf32>, sharding=<@mesh, [{"x"}, {}]>>
// CHECK-NEXT: return %1
// EXPORT: mpmd.fragment_call<mesh="m", origin=["f"]> @p0_f.main(%arg0)
// EXPORT: func.func @p0_f.main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output
func.func @main(%a: !t {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>, tf.aliasing_output = 0 : i32}) -> !u attributes {topology = #mpmd.topology<<"m" : <["x"=2, "y"=2]>>, <"n" : <["x"=2, "y"=2]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%a, %a) (%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) {
    %2 = stablehlo.add %x, %y : tensor<8x4xf32>
    %3 = stablehlo.abs %x : tensor<8x4xf32>
    mpmd.return %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  } : (!t, !t) -> (!t, !t)
  %1 = mpmd.transfer %0#0 : (!t) -> !u
  return %1 : !u
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<8x4xf32>>
!u = !mpmd.mesh_tensor<"n", tensor<8x4xf32>>

// Fewer elements go to the other mesh, so the first one reshards.
// CHECK-LABEL: func.func @reshard
// CHECK-NEXT: %0 = mpmd.fragment<mesh="m", origin=[]> (%arg0) {mpmd.inferred_by = ["extract_reshards"]}
// CHECK-NEXT: mpmd.return
// CHECK-NEXT: } : (!mpmd.mesh_tensor<"m", tensor<8x4xf32>, sharding=<@mesh, [{}, {}]>>) -> !mpmd.mesh_tensor<"m", tensor<8x4xf32>, sharding=<@mesh, [{"x"}, {"y"}]>>
// CHECK-NEXT: %1 = mpmd.transfer %0
// WARN: warning: Found a resharding transfer in the module. This may cause performance issues.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @reshard(%a: !t {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (!u {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) attributes {topology = #mpmd.topology<<"m" : <["x"=2, "y"=2]>>, <"n" : <["x"=2, "y"=2]>>>} {
  %0 = mpmd.transfer %a : (!t) -> !u
  return %0 : !u
}
