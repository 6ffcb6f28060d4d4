// Complex numbers in a manual computation: arguments, results and shardings get the last dimension, which no axis shards.
// RUN: ttmlir-opt %s --stablehlo-complex-data-type-conversion | FileCheck %s --implicit-check-not=complex
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @product(%arg0: tensor<8x4x2xf32>, %arg1: tensor<2xf32>) -> tensor<8x4x2xf32>
// CHECK: sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {"y"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<4x4x2xf32>, %arg3: tensor<2xf32>)
// CHECK: stablehlo.slice %arg2 [0:4, 0:2, 0:2]
// CHECK-COUNT-4: stablehlo.multiply
// CHECK: sdy.return %{{.*}} : tensor<4x2x2xf32>
// CHECK: -> tensor<8x4x2xf32>
func.func @product(%a: tensor<8x4xcomplex<f32>>, %b: tensor<complex<f32>>) -> tensor<8x4xcomplex<f32>> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%c: tensor<4x4xcomplex<f32>>, %d: tensor<complex<f32>>) {
    %1 = stablehlo.slice %c [0:4, 0:2] : (tensor<4x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %2 = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
    %3 = stablehlo.multiply %1, %2 : tensor<4x2xcomplex<f32>>
    sdy.return %3 : tensor<4x2xcomplex<f32>>
  } : (tensor<8x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8x4xcomplex<f32>>
  return %0 : tensor<8x4xcomplex<f32>>
}

// Inside only; what crosses the border is real and keeps its shardings.
// CHECK-LABEL: func.func @inside
// CHECK: in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
// CHECK: stablehlo.multiply
func.func @inside(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%c: tensor<4xf32>) {
    %1 = stablehlo.complex %c, %c : tensor<4xcomplex<f32>>
    %2 = stablehlo.multiply %1, %1 : tensor<4xcomplex<f32>>
    %3 = stablehlo.imag %2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
