// RUN: mpmd_opt %s -split-input-file -mpmd-mark-aliasing-and-donation -mpmd-mark-fragment-reserved-memory | FileCheck %s --check-prefix=BUFFERS
// RUN: mpmd_opt %s -split-input-file -mpmd-mark-input-output-with-layouts | FileCheck %s --check-prefix=LAYOUTS
// RUN: mpmd_opt %s -split-input-file -mpmd-mark-offloaded-input-output | FileCheck %s --check-prefix=HOST
// RUN: mpmd_opt %s -split-input-file -mpmd-sink-create-token-into-fragments | FileCheck %s --check-prefix=TOKENS
// RUN: mpmd_opt %s -split-input-file -mpmd-sink-create-token-into-fragments -mpmd-lower-to-fragment-calls=verbose-logging=true 2>&1 | FileCheck %s --check-prefix=CALLS

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>, sharding=<@m, [{"x"}]>>

// The second fragment's operand is on the memory of its result; the sharded one uses an eighth beside it.
// BUFFERS-LABEL: func.func @main
// BUFFERS: origin=["f_1"]> (%arg0, %arg1) {arg_attrs = [{}, {jax.buffer_donor = true}], call_counter = 0 : ui32, reserved_hbm_bytes = 0 : i64}
// BUFFERS: origin=["f_1"]> (%0, %arg0) {arg_attrs = [{tf.aliasing_output = 0 : i32}, {}], call_counter = 1 : ui32, reserved_hbm_bytes = 0 : i64}

// One function for both; a name from where they come and their calls.
// CALLS: Module main on mesh m will execute the following XLA programs:
// CALLS-NEXT: - p0_f_1_calls0to1.main from program with origins [f_1], call counter 0.
// CALLS-LABEL: func.func @main
// CALLS-NEXT: %0 = mpmd.fragment_call<mesh="m", origin=["f_1"]> @p0_f_1_calls0to1.main(%arg0, %arg1)
// CALLS-NEXT: %1 = mpmd.fragment_call<mesh="m", origin=["f_1"]> @p0_f_1_calls0to1.main(%0, %arg0)
// CALLS: func.func @p0_f_1_calls0to1.main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> attributes {mesh_shape = #sdy.mesh<["x"=4]>} {
// CALLS-NEXT: add
// CALLS-NEXT: return
sdy.mesh @m = <["x"=4]>
func.func @main(%a: !t, %b: !s {jax.buffer_donor = true}) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f_1"]> (%a, %b) {call_counter = 0 : ui32} (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %2 = stablehlo.add %x, %y : tensor<4xf32>
    mpmd.return %2 : tensor<4xf32>
  } : (!t, !s) -> !t
  %1 = mpmd.fragment<mesh="m", origin=["f_1"]> (%0, %a) {call_counter = 1 : ui32} (%x: tensor<4xf32>, %y: tensor<4xf32>) {
    %2 = stablehlo.add %x, %y : tensor<4xf32>
    mpmd.return %2 : tensor<4xf32>
  } : (!t, !t) -> !t
  return %1 : !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4x2xf32>>
!c = !mpmd.mesh_tensor<"m/cpu", tensor<4x2xf32>>

// A layout that is left open is the default one as soon as two read the value, or one does within.
// LAYOUTS-LABEL: func.func @layouts
// LAYOUTS-SAME: %arg0: !mpmd.mesh_tensor<"m", tensor<4x2xf32>> {mhlo.layout_mode = "{0, 1}"}
// LAYOUTS-SAME: %arg1: !mpmd.mesh_tensor<"m", tensor<4x2xf32>>)
// LAYOUTS: arg_attrs = [{mhlo.layout_mode = "{0, 1}"}, {}], res_attrs = [{mhlo.layout_mode = "{1, 0}"}, {}]
// HOST-LABEL: func.func @layouts
// HOST: {arg_attrs = [{}, {}], res_attrs = [{}, {mhlo.memory_kind = "pinned_host"}]}
func.func @layouts(%a: !t {mhlo.layout_mode = "{0, 1}"}, %b: !t {mhlo.layout_mode = "auto"}) -> (!t {mhlo.layout_mode = "{1, 0}"}, !t {mhlo.memory_kind = "pinned_host"}, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>, <"m/cpu" : <["x"=4]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%a, %b) (%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) {
    %2 = stablehlo.custom_call @annotate_device_placement(%y) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x2xf32>) -> tensor<4x1x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x1x2xf32>) -> tensor<4x2xf32>
    mpmd.return %x, %4 : tensor<4x2xf32>, tensor<4x2xf32>
  } : (!t, !t) -> (!t, !t)
  return %0#0, %0#1, %b : !t, !t, !t
}

// -----

!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// TOKENS-LABEL: func.func @tokens
// TOKENS-NEXT: %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0)
// TOKENS: %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) {arg_attrs = [{mhlo.a}]} (%arg1: tensor<4xf32>) {
// TOKENS-NEXT: %2 = stablehlo.create_token
// TOKENS-NEXT: stablehlo.after_all %2
func.func @tokens(%a: !t) -> !t attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%a) (%x: tensor<4xf32>) {
    %2 = stablehlo.create_token : !stablehlo.token
    mpmd.return %x, %2 : tensor<4xf32>, !stablehlo.token
  } : (!t) -> (!t, !stablehlo.token)
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0#1, %0#0) {arg_attrs = [{mhlo.b}, {mhlo.a}]} (%k: !stablehlo.token, %x: tensor<4xf32>) {
    %2 = stablehlo.after_all %k : !stablehlo.token
    mpmd.return %x : tensor<4xf32>
  } : (!stablehlo.token, !t) -> !t
  return %1 : !t
}

