// Quantized types in text and bytecode.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

// CHECK: module attributes {t.a = !quant.uniform<i8:f32, 0.46909785270690918>,
// CHECK-SAME: t.b = !quant.uniform<ui8:f32, 3.400000e+01:16>,
// CHECK-SAME: t.c = !quant.uniform<u8<0:254>:f32, 3.400000e+01:16>,
// CHECK-SAME: t.d = !quant.uniform<i8<-127:127>:f32:1, {1.000000e-01:-30,2.000000e+00,1.000000e-09:3}>,
// CHECK-SAME: t.e = !quant.any<i8<-8:7>:f32>, t.f = !quant.any<u4>,
// CHECK-SAME: t.g = !quant.calibrated<f32<-0.998:1.232100e+00>>,
// CHECK-SAME: t.h = !quant.uniform<i8:bf16:{0:1, 1:2}, {{[{][{]}}2.000000e+00:12, 3.000000e+00:27}, {4.000000e+00, 5.000000e+00}}>,
// CHECK-SAME: t.i = tensor<4x!quant.uniform<si4:f64, 1.000000e-300>>} {
module attributes {
  t.a = !quant.uniform<i8:f32, 0.46909785270690918>,
  t.b = !quant.uniform<ui8:f32, 34.0:16>,
  t.c = !quant.uniform<u8<0:254>:f32, 34.0:16>,
  t.d = !quant.uniform<i8<-127:127>:f32:1, {0.1:-30,2.0, 1.0e-9:3}>,
  t.e = !quant.any<i8<-8:7>:f32>,
  t.f = !quant.any<u4<0:15>>,
  t.g = !quant.calibrated<f32<-0.998:1.2321>>,
  t.h = !quant.uniform<i8:bf16:{0:1, 1:2}, {{2.0:12, 3.0:27}, {4.0, 5.0}}>,
  t.i = tensor<4x!quant.uniform<si4:f64, 1.0e-300:0>>
} {
  // CHECK: quant.qcast %{{.*}} : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 1.000000e-01>>
  // CHECK: quant.dcast %{{.*}} : tensor<4x!quant.uniform<i8:f32, 1.000000e-01>> to tensor<4xf32>
  // CHECK: quant.scast %{{.*}} : tensor<4x!quant.uniform<i8:f32, 1.000000e-01>> to tensor<4xi8>
  func.func @f(%a: tensor<4xf32>) {
    %0 = quant.qcast %a : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.1>>
    %1 = quant.dcast %0 : tensor<4x!quant.uniform<i8:f32, 0.1>> to tensor<4xf32>
    %2 = quant.scast %0 : tensor<4x!quant.uniform<i8:f32, 0.1>> to tensor<4xi8>
    return
  }
}
