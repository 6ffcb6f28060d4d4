// RUN: ttmlir-opt %s --ttir-fusing | FileCheck %s
// RUN: ttmlir-opt %s --ttir-fusing=exact=true | FileCheck %s --check-prefix=EXACT
// RUN: ttmlir-opt %s --ttir-fusing=ttnn-enable-conv2d-with-multiply-pattern=true | FileCheck %s --check-prefix=SCALE

// CHECK-LABEL: @activations
// EXACT-LABEL: @activations
func.func @activations(%x: tensor<2x4xf32>, %h: tensor<2x4xbf16>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xbf16>, tensor<2x4xf32>) {
  %3 = "ttir.full"() <{fill_value = 3.0 : f32, shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  %6 = "ttir.full"() <{fill_value = 6.0 : f32, shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  %z = "ttir.zeros"() <{shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  // CHECK: "ttir.hardsigmoid"(%arg0)
  %a = "ttir.add"(%x, %3) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %b = "ttir.maximum"(%a, %z) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %c = "ttir.minimum"(%b, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = "ttir.div"(%c, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "ttir.silu"(%arg0)
  %e = "ttir.sigmoid"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %f = "ttir.multiply"(%e, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // A cast between: the result is that of the narrow type.
  // CHECK: "ttir.silu"(%arg1) : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
  // EXACT: "ttir.sigmoid"(%arg1)
  %g = "ttir.sigmoid"(%h) : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
  %i = "ttir.typecast"(%g) <{conservative_folding = false}> : (tensor<2x4xbf16>) -> tensor<2x4xf32>
  %j = "ttir.typecast"(%h) <{conservative_folding = false}> : (tensor<2x4xbf16>) -> tensor<2x4xf32>
  %k = "ttir.multiply"(%i, %j) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %l = "ttir.typecast"(%k) <{conservative_folding = false}> : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  // CHECK: "ttir.mish"(%arg0)
  %20 = "ttir.full"() <{fill_value = 20.0 : f32, shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  %gt = "ttir.gt"(%x, %20) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %ex = "ttir.exp"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %lo = "ttir.log1p"(%ex) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %wh = "ttir.where"(%gt, %x, %lo) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %th = "ttir.tanh"(%wh) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %mi = "ttir.multiply"(%th, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %d, %f, %l, %mi : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xbf16>, tensor<2x4xf32>
}

// CHECK-LABEL: @gelu
// EXACT-LABEL: @gelu
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = "ttir.full"() <{fill_value = 0.5 : f32, shape = array<i32: 1>}> : () -> tensor<1xf32>
  %one = "ttir.ones"() <{shape = array<i32: 1>}> : () -> tensor<1xf32>
  %s = "ttir.full"() <{fill_value = 0.707106769 : f32, shape = array<i32: 1>}> : () -> tensor<1xf32>
  %t = "ttir.full"() <{fill_value = 0.797884583 : f32, shape = array<i32: 1>}> : () -> tensor<1xf32>
  %u = "ttir.full"() <{fill_value = 0.044715 : f32, shape = array<i32: 1>}> : () -> tensor<1xf32>
  // CHECK: %[[E:.*]] = "ttir.gelu"(%arg0)
  // EXACT: "ttir.gelu"(%arg0)
  %0 = "ttir.multiply"(%x, %s) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %1 = "ttir.erf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.add"(%one, %1) : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "ttir.multiply"(%2, %half) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = "ttir.multiply"(%3, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[T:.*]] = "ttir.gelu"(%arg0)
  // CHECK: return %[[E]], %[[T]]
  // EXACT: "ttir.tanh"
  %5 = "ttir.multiply"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "ttir.multiply"(%5, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = "ttir.multiply"(%6, %u) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %8 = "ttir.add"(%7, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = "ttir.multiply"(%t, %8) : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = "ttir.tanh"(%9) : (tensor<4xf32>) -> tensor<4xf32>
  %11 = "ttir.add"(%10, %one) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %12 = "ttir.multiply"(%x, %half) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %13 = "ttir.multiply"(%12, %11) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4, %13 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @conv(%arg0: tensor<1x5x5x2xf32>, %arg1: tensor<4x2x3x3xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.conv2d_weight}
// SCALE-LABEL: @conv
func.func @conv(%x: tensor<1x5x5x2xf32>, %w: tensor<4x2x3x3xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<1x1x1x4xf32>, %s: tensor<1x1x1x4xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x3x3x4xf32> {
  // CHECK: %[[B:.*]] = "ttir.add"(%arg2, %arg2)
  // CHECK: %[[C:.*]] = "ttir.conv2d"(%arg0, %arg1, %[[B]])
  // CHECK: "ttir.multiply"(%[[C]], %arg3)
  // SCALE: %[[R:.*]] = "ttir.reshape"(%arg3) <{shape = [4 : i32, 1 : i32, 1 : i32, 1 : i32]}>
  // SCALE: %[[W:.*]] = "ttir.multiply"(%arg1, %[[R]])
  // SCALE: "ttir.conv2d"(%arg0, %[[W]], %{{.*}})
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x5x5x2xf32>, tensor<4x2x3x3xf32>) -> tensor<1x3x3x4xf32>
  %1 = "ttir.add"(%b, %0) : (tensor<1x1x1x4xf32>, tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %2 = "ttir.add"(%1, %b) : (tensor<1x3x3x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x3x3x4xf32>
  %3 = "ttir.multiply"(%2, %s) : (tensor<1x3x3x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x3x3x4xf32>
  return %3 : tensor<1x3x3x4xf32>
}

// CHECK-LABEL: @products
// EXACT-LABEL: @products
func.func @products(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %v: tensor<6xf32>, %r: tensor<4x6xf32>) -> (tensor<1x4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>) {
  // CHECK: %[[L:.*]] = "ttir.linear"(%arg0, %arg1, %arg2)
  // CHECK: "ttir.reshape"(%[[L]]) <{shape = [1 : i32, 4 : i32, 6 : i32]}>
  %0 = "ttir.matmul"(%a, %b) <{transpose_a = false, transpose_b = false}> : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = "ttir.reshape"(%0) <{shape = [1 : i32, 4 : i32, 6 : i32]}> : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  %2 = "ttir.reshape"(%v) <{shape = [1 : i32, 1 : i32, 6 : i32]}> : (tensor<6xf32>) -> tensor<1x1x6xf32>
  %3 = "ttir.broadcast"(%2) <{broadcast_dimensions = array<i64: 1, 4, 1>}> : (tensor<1x1x6xf32>) -> tensor<1x4x6xf32>
  %4 = "ttir.add"(%1, %3) : (tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  // CHECK: "ttir.linear"(%arg0, %arg1, %arg3)
  // EXACT: %[[M:.*]] = "ttir.matmul"
  // EXACT: "ttir.add"(%[[M]], %arg3)
  %5 = "ttir.matmul"(%a, %b) <{transpose_a = false, transpose_b = false}> : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %6 = "ttir.add"(%5, %r) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: %[[S:.*]] = "ttir.slice_static"(%arg0) <{begins = [2 : i32, 0 : i32], ends = [4 : i32, 8 : i32]
  // CHECK: "ttir.matmul"(%[[S]], %arg1)
  %7 = "ttir.matmul"(%a, %b) <{transpose_a = false, transpose_b = false}> : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %8 = "ttir.slice_static"(%7) <{begins = [2 : i32, 0 : i32], ends = [4 : i32, 6 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return %4, %6, %8 : tensor<1x4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>
}

// As jax writes it for bf16: the maximum guarded, the sum in f32.
// CHECK-LABEL: @softmax_of_halves
func.func @softmax_of_halves(%x: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  // CHECK-NEXT: "ttir.softmax"(%arg0) <{dimension = 1 : si32, numericStable = true}>
  // CHECK-NEXT: return
  %0 = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 2>}> : () -> tensor<2xbf16>
  %1 = "ttir.max"(%x) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x4xbf16>) -> tensor<2xbf16>
  %2 = "ttir.maximum"(%0, %1) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 1 : i32]}> : (tensor<2xbf16>) -> tensor<2x1xbf16>
  %4 = "ttir.broadcast"(%3) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<2x1xbf16>) -> tensor<2x4xbf16>
  %5 = "ttir.subtract"(%x, %4) : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> tensor<2x4xbf16>
  %6 = "ttir.exp"(%5) : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
  %7 = "ttir.typecast"(%6) <{conservative_folding = false}> : (tensor<2x4xbf16>) -> tensor<2x4xf32>
  %8 = "ttir.sum"(%7) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %9 = "ttir.typecast"(%8) <{conservative_folding = false}> : (tensor<2x1xf32>) -> tensor<2x1xbf16>
  %10 = "ttir.broadcast"(%9) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<2x1xbf16>) -> tensor<2x4xbf16>
  %11 = "ttir.div"(%6, %10) : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> tensor<2x4xbf16>
  return %11 : tensor<2x4xbf16>
}

// A sum in a narrower type is another sum.
// CHECK-LABEL: @narrow_sum
func.func @narrow_sum(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NOT: ttir.softmax
  %0 = "ttir.exp"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "ttir.typecast"(%0) <{conservative_folding = false}> : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %2 = "ttir.sum"(%1) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<2x4xbf16>) -> tensor<2x1xbf16>
  %3 = "ttir.typecast"(%2) <{conservative_folding = false}> : (tensor<2x1xbf16>) -> tensor<2x1xf32>
  %4 = "ttir.div"(%0, %3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// CHECK-LABEL: @norms
func.func @norms(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: "ttir.softmax"(%arg0) <{dimension = 1 : si32, numericStable = true}>
  %0 = "ttir.max"(%x) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x4xf32>) -> tensor<2xf32>
  %1 = "ttir.reshape"(%0) <{shape = [2 : i32, 1 : i32]}> : (tensor<2xf32>) -> tensor<2x1xf32>
  %2 = "ttir.subtract"(%x, %1) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %3 = "ttir.exp"(%2) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "ttir.sum"(%3) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %5 = "ttir.div"(%3, %4) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  // CHECK: "ttir.rms_norm"(%arg0, %arg1) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 4>
  %e = "ttir.full"() <{fill_value = 1.0e-5 : f32, shape = array<i32: 2, 1>}> : () -> tensor<2x1xf32>
  %q = "ttir.full"() <{fill_value = 0.25 : f32, shape = array<i32: 2, 1>}> : () -> tensor<2x1xf32>
  %6 = "ttir.multiply"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "ttir.sum"(%6) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %8 = "ttir.multiply"(%7, %q) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %9 = "ttir.add"(%8, %e) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %10 = "ttir.rsqrt"(%9) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %11 = "ttir.multiply"(%x, %10) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %12 = "ttir.reshape"(%g) <{shape = [1 : i32, 4 : i32]}> : (tensor<4xf32>) -> tensor<1x4xf32>
  %13 = "ttir.multiply"(%11, %12) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %5, %13 : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @moved
func.func @moved(%h: tensor<2x3x4x5xf32>, %x: tensor<2x6xf32>) -> (tensor<8x15xf32>, tensor<2x12xf32>, tensor<2x2xf32>) {
  // CHECK: %[[C:.*]] = "ttir.concatenate_heads"(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x4x15xf32>
  // CHECK: "ttir.reshape"(%[[C]]) <{shape = [8 : i32, 15 : i32]}>
  %0 = "ttir.permute"(%h) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x3x4x5xf32>) -> tensor<2x4x3x5xf32>
  %1 = "ttir.reshape"(%0) <{shape = [8 : i32, 15 : i32]}> : (tensor<2x4x3x5xf32>) -> tensor<8x15xf32>
  // CHECK: "ttir.repeat_interleave"(%arg1) <{dim = 1 : si32, repeats = 2 : ui32}>
  %2 = "ttir.reshape"(%x) <{shape = [2 : i32, 6 : i32, 1 : i32]}> : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
  %3 = "ttir.broadcast"(%2) <{broadcast_dimensions = array<i64: 1, 1, 2>}> : (tensor<2x6x1xf32>) -> tensor<2x6x2xf32>
  %4 = "ttir.reshape"(%3) <{shape = [2 : i32, 12 : i32]}> : (tensor<2x6x2xf32>) -> tensor<2x12xf32>
  // CHECK: "ttir.topk"(%arg1) <{dim = 1 : i32, k = 2 : i32, largest = true, sorted = true}>
  %v, %i = "ttir.sort"(%x) <{descending = true, dim = -1 : si32, stable = false}> : (tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xsi32>)
  %5 = "ttir.slice_static"(%v) <{begins = [0 : i32, 0 : i32], ends = [2 : i32, 2 : i32], step = [1 : i32, 1 : i32]}> : (tensor<2x6xf32>) -> tensor<2x2xf32>
  return %1, %4, %5 : tensor<8x15xf32>, tensor<2x12xf32>, tensor<2x2xf32>
}

// The least norm that something is divided by is small, but not zero.
// CHECK-LABEL: @guarded
func.func @guarded(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NOT: ttir.relu
  // CHECK: "ttir.maximum"
  %e = "ttir.full"() <{fill_value = 1.0e-12 : f32, shape = array<i32: 2, 4>}> : () -> tensor<2x4xf32>
  %m = "ttir.maximum"(%x, %e) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %m : tensor<2x4xf32>
}

// The mean drops its dimension, which the root gets back.
// CHECK-LABEL: @rms_of_dropped_dimension
// CHECK: "ttir.rms_norm"(%arg0, %arg1) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 8>
func.func @rms_of_dropped_dimension(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %eps = "ttir.full"() <{fill_value = 9.99999974E-6 : f32, shape = array<i32: 1>}> : () -> tensor<1xf32>
  %0 = "ttir.typecast"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %1 = "ttir.multiply"(%0, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.mean"(%1) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = "ttir.add"(%2, %eps) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = "ttir.rsqrt"(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "ttir.reshape"(%4) <{shape = [4 : i32, 1 : i32]}> : (tensor<4xf32>) -> tensor<4x1xf32>
  %6 = "ttir.multiply"(%0, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %7 = "ttir.typecast"(%6) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %8 = "ttir.reshape"(%w) <{shape = [1 : i32, 8 : i32]}> : (tensor<8xbf16>) -> tensor<1x8xbf16>
  %9 = "ttir.multiply"(%8, %7) : (tensor<1x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %9 : tensor<4x8xbf16>
}

// The means of columns are not the root of rows.
// CHECK-LABEL: @rms_of_other_dimension
// CHECK-NOT: ttir.rms_norm
func.func @rms_of_other_dimension(%x: tensor<8x8xbf16>, %w: tensor<8xbf16>) -> tensor<8x8xbf16> {
  %eps = "ttir.full"() <{fill_value = 9.99999974E-6 : f32, shape = array<i32: 1>}> : () -> tensor<1xbf16>
  %1 = "ttir.multiply"(%x, %x) : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %2 = "ttir.mean"(%1) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<8x8xbf16>) -> tensor<8xbf16>
  %3 = "ttir.add"(%2, %eps) : (tensor<8xbf16>, tensor<1xbf16>) -> tensor<8xbf16>
  %4 = "ttir.rsqrt"(%3) : (tensor<8xbf16>) -> tensor<8xbf16>
  %5 = "ttir.reshape"(%4) <{shape = [8 : i32, 1 : i32]}> : (tensor<8xbf16>) -> tensor<8x1xbf16>
  %6 = "ttir.multiply"(%x, %5) : (tensor<8x8xbf16>, tensor<8x1xbf16>) -> tensor<8x8xbf16>
  %8 = "ttir.reshape"(%w) <{shape = [1 : i32, 8 : i32]}> : (tensor<8xbf16>) -> tensor<1x8xbf16>
  %9 = "ttir.multiply"(%8, %6) : (tensor<1x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %9 : tensor<8x8xbf16>
}
