// RUN: ttmlir-opt %s --split-input-file --stablehlo-to-ttir-pipeline=enable-aggressive-simplification=false | FileCheck %s

// A cache is written in place and replaces the call's result.
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

// -----

// Argument attributes of a model are kept.
// CHECK-LABEL: func.func @marked
// CHECK-SAME: %arg0: tensor<4xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "weight"}
func.func @marked(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: "ttir.add"(%arg1, %arg0)
  %0 = stablehlo.custom_call @tt.mark_argument(%w) {mhlo.frontend_attributes = {ttcore.argument_type = "parameter", ttir.name = "weight"}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Composites of sharded programs come as calls.
// CHECK-LABEL: func.func @called
func.func @called(%x: tensor<5x3xf32>, %i: tensor<2x3xi32>, %w: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<5x3xf32>, tensor<5x2xf32>) {
  // CHECK: "ttir.gather"(%arg0, {{.*}}) <{dim = 0 : i32}>
  %0 = stablehlo.custom_call @tenstorrent.gather_dim(%x, %i) {tt.composite_attributes = {dim = 0 : i64}, tt.has_custom_sharding} : (tensor<5x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  // CHECK: "ttir.rms_norm"(%arg0, %arg2)
  %1 = stablehlo.custom_call @tenstorrent.rms_norm(%x, %w) {tt.composite_attributes = {epsilon = 1.0e-5 : f32, normalized_shape = dense<3> : tensor<1xi64>}, tt.has_custom_sharding} : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  // CHECK: "ttir.topk"(%arg0) <{{{.*}}sorted = true
  %2 = stablehlo.custom_call @tenstorrent.topk_values(%x) {tt.composite_attributes = {k = 2 : i64, dim = -1 : i64}, tt.has_custom_sharding} : (tensor<5x3xf32>) -> tensor<5x2xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<5x3xf32>, tensor<5x2xf32>
}
