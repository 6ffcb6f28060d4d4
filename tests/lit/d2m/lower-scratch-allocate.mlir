// RUN: ttmlir-opt %s "--d2m-fe-pipeline=enable-elementwise-fusion=true override-device-shape=1,1" --d2m-be-pipeline --mlir-print-ir-before=d2m-lower-scratch-allocate --mlir-print-ir-after=d2m-lower-scratch-allocate -o %t 2>&1 | FileCheck %s
// Values between the loops of one fused generic are parts of its scratch buffer.

// CHECK: IR Dump Before
// CHECK: d2m.scratch_allocate
// CHECK: IR Dump After
// CHECK-NOT: d2m.scratch_allocate
// CHECK-NOT: d2m.scratch_init
// CHECK: memref.subview
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.sin"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.cos"(%b) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
