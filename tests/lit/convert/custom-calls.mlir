// RUN: ttmlir-opt %s --split-input-file --stablehlo-to-ttir-pipeline | FileCheck %s

// A cache is written in place and stands for the call's result.
// CHECK-LABEL: func.func @caches
func.func @caches(%cache: tensor<1x2x8x4xbf16>, %x: tensor<1x2x1x4xbf16>, %at: tensor<1xi32>) -> tensor<1x2x8x4xbf16> {
  // CHECK-NEXT: "ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}>
  // CHECK-NEXT: return %arg0
  %0 = stablehlo.custom_call @tt.update_cache(%cache, %x, %at) {mhlo.frontend_attributes = {batch_offset = "0"}}
      : (tensor<1x2x8x4xbf16>, tensor<1x2x1x4xbf16>, tensor<1xi32>) -> tensor<1x2x8x4xbf16>
  return %0 : tensor<1x2x8x4xbf16>
}

// -----

// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xi32>) {
  // CHECK: "ttir.erf"(%arg0)
  // CHECK: "ttir.topk"(%arg0) <{dim = -1 : i32, k = 2 : i32, largest = true, sorted = false}>
  %0 = stablehlo.custom_call @mhlo.erf(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}}
      : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0, %1#0, %1#1 : tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xi32>
}

// -----

// CHECK-LABEL: func.func @made
func.func @made() -> (tensor<2xf32>, tensor<2x3xi32>, tensor<4xf32>) {
  // CHECK-DAG: "ttir.constant"() <{value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}>
  // CHECK-DAG: "ttir.arange"() <{arange_dimension = 1 : i64, end = 3 : si64, start = 0 : si64, step = 1 : si64}>
  // CHECK-DAG: ttir.empty() : tensor<4xf32>
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
  %2 = tensor.empty() : tensor<4xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2x3xi32>, tensor<4xf32>
}
