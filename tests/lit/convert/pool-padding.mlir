// Windows beyond half of which is padding: the image is padded before.
// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttir-flatten-sliding-window --convert-ttir-to-ttnn -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @maximum
func.func @maximum(%x: tensor<1x4x4x2xf32>) -> tensor<1x9x9x2xf32> {
  // CHECK: "ttnn.pad"
  // CHECK-SAME: padding = array<i32: 0, 0, 3, 3, 3, 3, 0, 0>
  // CHECK-SAME: value = 0xFF800000 : f32
  // CHECK: "ttnn.max_pool2d"
  // CHECK-SAME: padding = array<i32: 0, 0>
  %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 2, 2>, stride = array<i32: 1, 1>, dilation = array<i32: 1, 1>, padding = array<i32: 3, 3, 3, 3>, ceil_mode = false}> : (tensor<1x4x4x2xf32>) -> tensor<1x9x9x2xf32>
  return %0 : tensor<1x9x9x2xf32>
}

// -----

// An average over the image alone cannot be: zeros would be counted.
func.func @average(%x: tensor<1x4x4x2xf32>) -> tensor<1x9x9x2xf32> {
  // expected-error @+1 {{failed to legalize operation 'ttir.avg_pool2d'}}
  %0 = "ttir.avg_pool2d"(%x) <{kernel = array<i32: 2, 2>, stride = array<i32: 1, 1>, dilation = array<i32: 1, 1>, padding = array<i32: 3, 3, 3, 3>, ceil_mode = false, count_include_pad = false}> : (tensor<1x4x4x2xf32>) -> tensor<1x9x9x2xf32>
  return %0 : tensor<1x9x9x2xf32>
}
