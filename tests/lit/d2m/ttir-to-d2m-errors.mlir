// RUN: not ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --split-input-file 2>&1 | FileCheck %s

// CHECK: error: failed to legalize operation 'ttir.softmax' that was explicitly marked illegal
func.func @unknown(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.softmax"(%a) <{dimension = 1 : si32}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// CHECK: error: failed to legalize operation 'ttir.sum' that was explicitly marked illegal
// CHECK: note: TTIR reduction lowering expects keep_dim=true
func.func @dropped(%a: tensor<32x32xf32>) -> tensor<32xf32> {
  %0 = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<32x32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// CHECK: error: failed to legalize operation 'ttir.exp' that was explicitly marked illegal
// CHECK: note: a tensor without elements cannot be on the device
func.func @nothing(%a: tensor<0x32xf32>) -> tensor<0x32xf32> {
  %0 = "ttir.exp"(%a) : (tensor<0x32xf32>) -> tensor<0x32xf32>
  return %0 : tensor<0x32xf32>
}

// -----

// CHECK: error: failed to legalize operation 'ttir.topk' that was explicitly marked illegal
// CHECK: note: D2M topk only supports k <= 64
func.func @too_many(%a: tensor<32x256xf32>) -> (tensor<32x80xf32>, tensor<32x80xi32>) {
  %0, %1 = "ttir.topk"(%a) <{k = 80 : i32, dim = 1 : i32}> : (tensor<32x256xf32>) -> (tensor<32x80xf32>, tensor<32x80xi32>)
  return %0, %1 : tensor<32x80xf32>, tensor<32x80xi32>
}
