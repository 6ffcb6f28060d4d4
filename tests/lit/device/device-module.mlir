// RUN: ttmlir-opt --stablehlo-to-ttir-pipeline --d2m-fe-pipeline --d2m-be-pipeline --d2m-to-ttkernel-pre-emitc-pipeline --d2m-to-ttmetal-pipeline %s > %t.mlir
// RUN: FileCheck %s --check-prefix=WRAPPED < %t.mlir
// RUN: tilewright sim %t.mlir --profile | FileCheck %s

// A program of StableHLO stays in the module for the device; the simulator runs it from there.

// WRAPPED: ttcore.device_module
// CHECK: noc
func.func @main(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = stablehlo.add %a, %b : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
