// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s

// CHECK-LABEL: func.func @switch
// CHECK-NEXT: cf.switch %arg0 : i32, [
// CHECK-NEXT:   default: ^bb1(%arg1 : i32),
// CHECK-NEXT:   42: ^bb1(%arg0 : i32),
// CHECK-NEXT:   4294967295: ^bb2(%arg0, %arg1 : i32, i32)
// CHECK-NEXT: ]
// CHECK-NEXT: ^bb1(%0: i32):  // 3 preds: ^bb0, ^bb0, ^bb1
// CHECK: cf.switch %0 : i32, [
// CHECK-NEXT:   default: ^bb1(%arg1 : i32)]
func.func @switch(%a: i32, %b: i32) {
  cf.switch %a : i32, [
    default: ^one(%b : i32),
    42: ^one(%a : i32),
    -1: ^two(%a, %b : i32, i32)
  ]
^one(%x: i32):
  cf.switch %x : i32, [
    default: ^one(%b : i32)
  ]
^two(%y: i32, %z: i32):
  return
}
