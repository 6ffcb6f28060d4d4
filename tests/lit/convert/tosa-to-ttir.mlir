// RUN: ttmlir-opt %s --convert-tosa-to-ttir --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @names
// CHECK: %[[A:.*]] = "ttir.add"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: "ttir.gt"(%[[A]], %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
// CHECK: "ttir.where"
func.func @names(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = tosa.add %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.greater %0, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = tosa.select %1, %0, %x : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: @shapes
// CHECK: "ttir.reshape"(%arg0) <{shape = [3 : i32, 2 : i32]}>
// CHECK: "ttir.pad"(%{{.*}}) <{padding = array<i32: 1, 0, 0, 2>, value = 7.000000e+00 : f32}>
// CHECK: "ttir.slice_static"(%{{.*}}) <{begins = [1 : i32, 1 : i32], ends = [3 : i32, 4 : i32], step = [1 : i32, 1 : i32]}>
// CHECK: "ttir.repeat"(%{{.*}}) <{repeat_dimensions = array<i64: 2, 1>}>
func.func @shapes(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %s = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
  %p = tosa.const_shape {values = dense<[1, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %c = "tosa.const"() {values = dense<7.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.pad %0, %p, %c : (tensor<3x2xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x4xf32>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %e = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.slice %1, %b, %e : (tensor<4x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>
  %t = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.tile %2, %t : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// -----

func.func @shifted(%x: tensor<4xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  // expected-error @below {{'tosa.mul' op conversion does not support shifted multiply}}
  %0 = tosa.mul %x, %x, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @zero_point(%x: tensor<1x4x4xi8>, %z: tensor<1xi8>) -> tensor<1x4x4xi32> {
  // expected-error @below {{conversion expects zero point value to be defined by a tosa.const op}}
  %0 = tosa.matmul %x, %x, %z, %z : (tensor<1x4x4xi8>, tensor<1x4x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4xi32>
  return %0 : tensor<1x4x4xi32>
}

// -----

func.func @rounds(%x: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error @below {{failed to legalize operation 'tosa.cast' that was explicitly marked illegal}}
  %0 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
