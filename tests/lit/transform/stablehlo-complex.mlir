// RUN: ttmlir-opt %s --stablehlo-complex-data-type-conversion | FileCheck %s
// RUN: not ttmlir-opt %S/Inputs/complex-tanh.mlir --stablehlo-complex-data-type-conversion 2>&1 | FileCheck %s --check-prefix=TANH
// TANH: error: failed to legalize operation 'stablehlo.tanh': it computes on complex numbers

// Known parts are neither packed nor unpacked.
// CHECK-LABEL: func.func @parts(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
func.func @parts(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c = stablehlo.complex %a, %b : tensor<3xcomplex<f32>>
  %r = stablehlo.real %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %i = stablehlo.imag %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  // CHECK-NEXT: return %arg0, %arg1
  return %r, %i : tensor<3xf32>, tensor<3xf32>
}

// Data movement uses packed values.
// CHECK-LABEL: func.func @moved(%arg0: tensor<2x4x2xf32>) -> tensor<5x1x4x2xf32>
func.func @moved(%a: tensor<2x4xcomplex<f32>>) -> tensor<5x1x4xcomplex<f32>> {
  // CHECK-NEXT: stablehlo.slice %arg0 [0:1, 0:4, 0:2] : (tensor<2x4x2xf32>) -> tensor<1x4x2xf32>
  %0 = stablehlo.slice %a [0:1, 0:4] : (tensor<2x4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2, 3]
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<1x4xcomplex<f32>>) -> tensor<5x1x4xcomplex<f32>>
  return %1 : tensor<5x1x4xcomplex<f32>>
}

// Arithmetic uses the parts.
// CHECK-LABEL: func.func @product
func.func @product(%a: tensor<3xcomplex<f32>>, %b: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
  // CHECK-COUNT-4: stablehlo.multiply {{.*}} : tensor<3xf32>
  // CHECK: %[[RE:.*]] = stablehlo.subtract
  %0 = stablehlo.multiply %a, %b : tensor<3xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  // CHECK: return %[[RE]]
  return %1 : tensor<3xf32>
}
