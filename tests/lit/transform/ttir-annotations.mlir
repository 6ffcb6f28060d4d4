// RUN: ttmlir-opt %s --ttir-infer-kv-cache-argument-types | FileCheck %s --check-prefix=CACHE
// RUN: ttmlir-opt %s --ttir-propagate-weight-dtype 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: ttmlir-opt %s --ttir-predicate-type-alignment | FileCheck %s --check-prefix=TRUTH

// CACHE: func.func @cache(%arg0: tensor<1x2x8x4xf32> {ttcore.kv_cache}, %arg1: tensor<1x2x8x4xf32>)
func.func @cache(%c: tensor<1x2x8x4xf32>, %x: tensor<1x2x8x4xf32>) {
  "ttir.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> ()
  return
}

// For merged weights the widest format wins, with a warning.
// WEIGHT: warning: {{.*}}fusing matmuls with differing weight dtype overrides; using highest-precision dtype 'bfp_bf8'
// WEIGHT: "ttir.matmul"(%arg0, %{{.*}}) <{{.*}}> {ttcore.weight_dtype = "bfp_bf8"}
// WEIGHT: "ttir.matmul"(%arg0, %{{.*}}) <{{.*}}> {ttcore.weight_dtype = "bfp_bf4"}
func.func @weights(%x: tensor<2x4xbf16>, %p: tensor<4x3xbf16> {ttcore.weight_dtype = "bfp_bf4"}, %q: tensor<4x3xbf16> {ttcore.weight_dtype = "bfp_bf8"}) -> (tensor<2x6xbf16>, tensor<2x3xbf16>) {
  %w = "ttir.concat"(%p, %q) <{dim = 1 : si32}> : (tensor<4x3xbf16>, tensor<4x3xbf16>) -> tensor<4x6xbf16>
  %0 = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (tensor<2x4xbf16>, tensor<4x6xbf16>) -> tensor<2x6xbf16>
  %r = "ttir.reshape"(%p) <{shape = [2 : i32, 6 : i32]}> : (tensor<4x3xbf16>) -> tensor<2x6xbf16>
  %s = "ttir.reshape"(%r) <{shape = [4 : i32, 3 : i32]}> : (tensor<2x6xbf16>) -> tensor<4x3xbf16>
  %1 = "ttir.matmul"(%x, %s) <{transpose_a = false, transpose_b = false}> : (tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xbf16>
  return %0, %1 : tensor<2x6xbf16>, tensor<2x3xbf16>
}

// TRUTH-LABEL: @truths
func.func @truths(%a: tensor<4xi32>, %b: tensor<4xi1>) -> tensor<4xi32> {
  // TRUTH: %[[E:.*]] = "ttir.eq"(%arg0, %arg0) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // TRUTH: %[[B:.*]] = "ttir.typecast"(%arg1)
  // TRUTH: %[[A:.*]] = "ttir.logical_and"(%[[E]], %[[B]]) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // TRUTH: "ttir.where"(%[[A]], %arg0, %arg0) : (tensor<4xi32>
  %0 = "ttir.eq"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %1 = "ttir.logical_and"(%0, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = "ttir.where"(%1, %a, %a) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
