// RUN: ttmlir-opt --ttir-fusing --split-input-file %s | FileCheck %s
// RUN: ttmlir-opt --ttir-fusing="exact=true" --split-input-file %s | FileCheck --check-prefix=EXACT %s

// EXACT-NOT: scaled_dot_product_attention

// The scale is on the scores, heads are repeated, the mask is added.
// CHECK-LABEL: func.func @grouped
// CHECK: "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{is_causal = false, {{.*}}scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x32x16xbf16>, tensor<2x2x32x16xbf16>, tensor<2x1x8x32xbf16>)
// CHECK-NEXT: return
func.func @grouped(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x32x16xbf16>, %v: tensor<2x2x32x16xbf16>, %m: tensor<2x1x8x32xbf16>) -> tensor<2x4x8x16xbf16> {
  %f = "ttir.full"() <{fill_value = 4.0 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
  %kr = "ttir.repeat_interleave"(%k) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<2x2x32x16xbf16>) -> tensor<2x4x32x16xbf16>
  %vr = "ttir.repeat_interleave"(%v) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<2x2x32x16xbf16>) -> tensor<2x4x32x16xbf16>
  %kt = "ttir.permute"(%kr) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x4x32x16xbf16>) -> tensor<2x4x16x32xbf16>
  %0 = "ttir.matmul"(%q, %kt) : (tensor<2x4x8x16xbf16>, tensor<2x4x16x32xbf16>) -> tensor<2x4x8x32xbf16>
  %1 = "ttir.div"(%0, %f) : (tensor<2x4x8x32xbf16>, tensor<1x1x1x1xbf16>) -> tensor<2x4x8x32xbf16>
  %2 = "ttir.add"(%1, %m) : (tensor<2x4x8x32xbf16>, tensor<2x1x8x32xbf16>) -> tensor<2x4x8x32xbf16>
  %3 = "ttir.typecast"(%2) : (tensor<2x4x8x32xbf16>) -> tensor<2x4x8x32xf32>
  %4 = "ttir.softmax"(%3) <{dimension = -1 : si32, numericStable = true}> : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %5 = "ttir.typecast"(%4) : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xbf16>
  %6 = "ttir.matmul"(%5, %vr) : (tensor<2x4x8x32xbf16>, tensor<2x4x32x16xbf16>) -> tensor<2x4x8x16xbf16>
  return %6 : tensor<2x4x8x16xbf16>
}

// -----

// Scales on both sides of the product multiply; hidden rows are cleared behind the operation, by the mask alone.
// CHECK-LABEL: func.func @cleared
// CHECK: %[[Y:.*]] = "ttir.scaled_dot_product_attention"(%arg0, %arg1, %arg2, %arg3) <{{.*}}scale = 2.500000e-01 : f32
// CHECK: %[[MOST:.*]] = "ttir.max"(%arg3) <{dim_arg = [3 : i32], keep_dim = true}>
// CHECK: %[[HIDDEN:.*]] = "ttir.eq"(%[[MOST]], %{{.*}}) : (tensor<2x1x8x1xf32>, tensor<2x1x8x1xf32>)
// CHECK: "ttir.where"(%{{.*}}, %{{.*}}, %[[Y]])
// CHECK-NOT: ttir.matmul
func.func @cleared(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x32x16xf32>, %v: tensor<2x4x32x16xf32>, %m: tensor<2x1x8x32xf32>) -> tensor<2x4x8x16xf32> {
  %half = "ttir.full"() <{fill_value = 0.5 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
  %zeros = "ttir.zeros"() <{shape = array<i32: 2, 4, 8, 32>}> : () -> tensor<2x4x8x32xf32>
  %low = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 2, 4, 8, 32>}> : () -> tensor<2x4x8x32xf32>
  %qs = "ttir.multiply"(%q, %half) : (tensor<2x4x8x16xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x16xf32>
  %ks = "ttir.multiply"(%k, %half) : (tensor<2x4x32x16xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x32x16xf32>
  %kt = "ttir.transpose"(%ks) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<2x4x32x16xf32>) -> tensor<2x4x16x32xf32>
  %0 = "ttir.matmul"(%qs, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x32xf32>) -> tensor<2x4x8x32xf32>
  %1 = "ttir.add"(%0, %m) : (tensor<2x4x8x32xf32>, tensor<2x1x8x32xf32>) -> tensor<2x4x8x32xf32>
  %2 = "ttir.ne"(%1, %low) : (tensor<2x4x8x32xf32>, tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %3 = "ttir.reduce_or"(%2) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x1xf32>
  %4 = "ttir.logical_not"(%3) : (tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
  %5 = "ttir.softmax"(%1) <{dimension = 3 : si32, numericStable = true}> : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %6 = "ttir.where"(%4, %zeros, %5) : (tensor<2x4x8x1xf32>, tensor<2x4x8x32xf32>, tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %7 = "ttir.matmul"(%6, %v) : (tensor<2x4x8x32xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %7 : tensor<2x4x8x16xf32>
}

// -----

// Scales on the scores and on the query are two: the products stay.
// CHECK-LABEL: func.func @scaled_twice
// CHECK-NOT: scaled_dot_product_attention
func.func @scaled_twice(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x32x16xf32>, %v: tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32> {
  %half = "ttir.full"() <{fill_value = 0.5 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
  %qs = "ttir.multiply"(%q, %half) : (tensor<2x4x8x16xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x16xf32>
  %kt = "ttir.transpose"(%k) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<2x4x32x16xf32>) -> tensor<2x4x16x32xf32>
  %0 = "ttir.matmul"(%qs, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x32xf32>) -> tensor<2x4x8x32xf32>
  %1 = "ttir.multiply"(%0, %half) : (tensor<2x4x8x32xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x32xf32>
  %2 = "ttir.softmax"(%1) <{dimension = 3 : si32, numericStable = true}> : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %3 = "ttir.matmul"(%2, %v) : (tensor<2x4x8x32xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %3 : tensor<2x4x8x16xf32>
}

// -----

// A softmax over queries is no attention.
// CHECK-LABEL: func.func @over_queries
// CHECK-NOT: scaled_dot_product_attention
func.func @over_queries(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x32x16xf32>, %v: tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32> {
  %kt = "ttir.transpose"(%k) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<2x4x32x16xf32>) -> tensor<2x4x16x32xf32>
  %0 = "ttir.matmul"(%q, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x32xf32>) -> tensor<2x4x8x32xf32>
  %1 = "ttir.softmax"(%0) <{dimension = 2 : si32, numericStable = true}> : (tensor<2x4x8x32xf32>) -> tensor<2x4x8x32xf32>
  %2 = "ttir.matmul"(%1, %v) : (tensor<2x4x8x32xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %2 : tensor<2x4x8x16xf32>
}
