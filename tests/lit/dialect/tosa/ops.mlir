// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: not ttmlir-opt %S/Inputs/zero.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: 'tosa.abs' op operand #0 must be tosa-conformant tensor of number values, but got 'tensor<0xf32>'

func.func @f(%a: tensor<1x4x4x2xf32>, %m: tensor<1x2x3xf32>, %n: tensor<1x3x2xf32>) {
  // CHECK: %[[Z:.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK: tosa.mul %arg0, %arg0, %{{.*}} : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>, tensor<1xi8>) -> tensor<1x4x4x2xf32>
  %0 = tosa.mul %a, %a, %shift : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>, tensor<1xi8>) -> tensor<1x4x4x2xf32>
  // CHECK: tosa.const_shape {values = dense<[1, 32]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.const_shape {values = dense<[1, 32]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK: tosa.reshape %{{.*}}, %{{.*}} : (tensor<1x4x4x2xf32>, !tosa.shape<2>) -> tensor<1x32xf32>
  %1 = tosa.reshape %0, %s : (tensor<1x4x4x2xf32>, !tosa.shape<2>) -> tensor<1x32xf32>
  // CHECK: tosa.max_pool2d %arg0 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = tosa.max_pool2d %a {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  // CHECK: tosa.matmul %arg1, %arg2, %{{.*}}, %{{.*}} : (tensor<1x2x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  %3 = tosa.matmul %m, %n, %zp, %zp : (tensor<1x2x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  // CHECK: tosa.concat %{{.*}}, %{{.*}} {axis = 0 : i32} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<2x32xf32>
  %4 = tosa.concat %1, %1 {axis = 0 : i32} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<2x32xf32>
  return
}
