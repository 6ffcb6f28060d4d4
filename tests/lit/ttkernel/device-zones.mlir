// RUN: ttmlir-opt %s --insert-device-zone-scopes=traits=all | FileCheck %s
// RUN: ttmlir-opt %s --insert-device-zone-scopes=traits=init,trid-noc | FileCheck %s --check-prefix=INIT
// RUN: ttmlir-opt %s --insert-device-zone-scopes | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: @kernel
// CHECK-NEXT: emitc.verbatim "DeviceZoneScopedN(\22kernel_outer_kernel\22);"
// CHECK-NOT: DeviceZoneScopedN(\22get_compile_time_arg_val\22)
// CHECK: emitc.verbatim "{"
// CHECK-NEXT: emitc.verbatim "DeviceZoneScopedN(\22tile_regs_acquire\22);"
// CHECK-NEXT: ttkernel.tile_regs_acquire
// CHECK-NEXT: emitc.verbatim "}"
// CHECK: emitc.verbatim "DeviceZoneScopedN(\22exp_tile_init\22);"
// INIT-LABEL: @kernel
// INIT-NOT: tile_regs_acquire\22
// INIT: emitc.verbatim "DeviceZoneScopedN(\22exp_tile_init\22);"
// INIT-NOT: exp_tile\22
// NONE-LABEL: @kernel
// NONE-NEXT: emitc.verbatim "DeviceZoneScopedN(\22kernel_outer_kernel\22);"
// NONE-NOT: emitc.verbatim
func.func @kernel() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  ttkernel.tile_regs_acquire() : () -> ()
  ttkernel.exp_tile_init() : () -> ()
  ttkernel.exp_tile(%c0) : (index) -> ()
  return
}

// A function that is no kernel has no zone of its own.
// CHECK-LABEL: @helper
// CHECK-NEXT: return
func.func @helper() {
  return
}
