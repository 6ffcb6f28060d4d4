// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s
func.func @a(%i: index, %f: f32) {
  // CHECK: scf.index_switch %arg0 {x = 1 : i32}
  // CHECK-NEXT: {{^}}    case 2 {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: {{^}}    case -3 {
  // CHECK: {{^}}    default {
  scf.index_switch %i {x = 1 : i32}
  case 2 { scf.yield }
  case -3 { scf.yield }
  default { scf.yield }
  // CHECK: %{{.*}} = scf.index_switch %arg0 -> f32
  // CHECK-NEXT: case 2 {
  // CHECK-NEXT: scf.yield %arg1 : f32
  %2 = scf.index_switch %i -> f32
  case 2 { scf.yield %f : f32 }
  default { scf.yield %f : f32 }
  return
}
