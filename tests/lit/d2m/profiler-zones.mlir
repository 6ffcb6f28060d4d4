// RUN: ttmlir-opt %s --ttir-to-ttmetal-pipeline="insert-profiler-traces=true" -o %t.zones.mlir
// RUN: FileCheck %s --input-file=%t.zones.mlir
// RUN: ttmlir-opt %s --ttir-to-ttmetal-pipeline="insert-profiler-traces=true profiler-traits=sfpu" | FileCheck %s --check-prefix=SFPU
// RUN: ttmlir-opt %s --ttir-to-ttmetal-pipeline -o %t.plain.mlir
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t.plain.mlir
// RUN: not ttmlir-opt %s --ttir-to-ttmetal-pipeline="insert-profiler-traces=true profiler-traits=fpu,fast" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: ttmlir-translate --ttmetal-to-flatbuffer %t.zones.mlir -o %t.zones.ttm
// RUN: ttmlir-translate --ttmetal-to-flatbuffer %t.plain.mlir -o %t.plain.ttm
// RUN: tilewright run %t.plain.ttm --outputs=%t.npz
// RUN: tilewright run %t.zones.ttm --expect=%t.npz --atol=0 | FileCheck %s --check-prefix=SAME

// Each kernel has a zone, and so have operations of the chosen kinds whose results nobody reads.
// CHECK: func.func {{.*}}@compute_kernel1
// CHECK: emitc.verbatim "DeviceZoneScopedN(\22kernel_outer_compute_kernel1\22);"
// CHECK: emitc.verbatim "DeviceZoneScopedN(\22tile_regs_acquire\22);"
// CHECK-NEXT: emitc.call_opaque "tile_regs_acquire"()
// CHECK-NEXT: emitc.verbatim "}"
// CHECK-NOT: DeviceZoneScopedN(\22exp_tile\22)
// SFPU: DeviceZoneScopedN(\22exp_tile\22)
// SFPU-NOT: DeviceZoneScopedN(\22tile_regs_acquire\22)
// PLAIN-NOT: DeviceZone
// WRONG: error: 'func.func' op insert-device-zone-scopes: no operations are of the kind 'fast': traits are all, binary, device-zone, fpu, init, layout, sfpu, ternary, trid-noc or unary
// SAME: out0: pcc {{.*}}, largest difference 0: ok
func.func @forward(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %r = "ttir.exp"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
