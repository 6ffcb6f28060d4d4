// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection --canonicalize --d2m-lower-to-layout --d2m-generic-fusion | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection=override-device-shape=1,1 --canonicalize --d2m-lower-to-layout --d2m-generic-fusion=enable-eltwise-reduction-fusion=true | FileCheck %s --check-prefix=SUM

// Three in a row are one generic with an intermediate buffer each.
// CHECK-LABEL: func.func @chain
// CHECK: d2m.tile_exp
// CHECK-NOT: d2m.remote_store
// CHECK: d2m.tile_mul
// CHECK-NOT: d2m.remote_store
// CHECK: d2m.tile_abs
// CHECK: d2m.remote_store
func.func @chain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.multiply"(%0, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.abs"(%1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// A value with two users is stored.
// CHECK-LABEL: func.func @two_users
// CHECK: d2m.tile_exp
// CHECK: d2m.remote_store
// CHECK: d2m.tile_abs
// CHECK: d2m.remote_store
func.func @two_users(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.abs"(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// What is summed is fused on request only, and on the same grid.
// CHECK-LABEL: func.func @sum
// CHECK: d2m.tile_exp
// CHECK: d2m.remote_store
// CHECK: d2m.tile_reduce_sum
// SUM-LABEL: func.func @sum
// SUM: d2m.tile_exp
// SUM-NOT: d2m.remote_store
// SUM: d2m.tile_reduce_sum
func.func @sum(%a: tensor<64x64xf32>) -> tensor<64x1xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<64x64xf32>) -> tensor<64x1xf32>
  return %1 : tensor<64x1xf32>
}
