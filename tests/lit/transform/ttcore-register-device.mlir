// RUN: ttmlir-opt %s --ttcore-register-device | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device="mesh-shape=2,4 mock-system-desc-arch=blackhole" | FileCheck %s --check-prefix=MESH
// RUN: ttmlir-opt %s --ttcore-register-device --ttcore-register-device | FileCheck %s
// RUN: ttrt query --quiet --save-artifacts --device n150 --artifact-dir %t.dir --result-file %t.results
// RUN: ttmlir-opt %s --ttcore-register-device="system-desc-path=%t.dir/system_desc.ttsys" | FileCheck %s --check-prefix=FILE
// RUN: not ttmlir-opt %s --ttcore-register-device="system-desc-path=/nonexistent.ttsys" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ttmlir-opt %s --ttcore-register-device="mock-system-desc-arch=abacus" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: ttmlir-opt %s --ttcore-mark-functions-as-forward | FileCheck %s --check-prefix=MARK

// CHECK: #system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136,
// CHECK-SAME: [0], [1 : i32], [ 0x0x0x0]>
// CHECK: module attributes {ttcore.system_desc = #system_desc} {
// CHECK-NEXT: ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap =
// CHECK-SAME: meshShape = , chipIds = [0]>
// CHECK-NOT: ttcore.device

// MESH: arch = <blackhole>
// MESH-SAME: [0, 0, 0, 0, 0, 0, 0, 0], [1 : i32, 1 : i32,
// MESH: workerGrid = #ttcore.grid<10x13
// MESH-SAME: meshShape = 2x4, chipIds = [0, 1, 2, 3, 4, 5, 6, 7]>

// FILE: l1_unreserved_base = 103840

// NONE: error: system desc does not exist: /nonexistent.ttsys
// NAME: error: there is no system 'abacus'

// MARK: func.func @public
// MARK-SAME: tt.function_type = "forward_device"
// MARK: func.func private @private
// MARK-NOT: tt.function_type
// MARK: func.func @kept
// MARK-SAME: tt.function_type = "const_eval"
module {
  func.func @public() {
    return
  }
  func.func private @private() {
    return
  }
  func.func @kept() attributes {tt.function_type = "const_eval"} {
    return
  }
}
