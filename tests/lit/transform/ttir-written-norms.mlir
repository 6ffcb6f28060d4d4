// RUN: ttmlir-opt --ttir-fusing="written-norms=true exact=true" --canonicalize %s | FileCheck %s
// RUN: ttmlir-opt --ttir-fusing="exact=true" --canonicalize %s | FileCheck %s --check-prefix=OFF

// Means are computed in f32 and narrowed, as jax does for bf16.
// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[W:.*]] = "ttir.reshape"(%arg1) <{shape = [4 : i32]}>
// CHECK: "ttir.layer_norm"(%arg0, %[[W]], %arg2) <{epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<3x4xbf16>
// CHECK-NEXT: return
// OFF-LABEL: func.func @layer_norm
// OFF-NOT: ttir.layer_norm
func.func @layer_norm(%x: tensor<3x4xbf16>, %w: tensor<1x4xbf16>, %b: tensor<4xbf16>) -> tensor<3x4xbf16> {
  %n = "ttir.full"() <{fill_value = 4.0 : f32, shape = array<i32: 3, 1>}> : () -> tensor<3x1xf32>
  %e = "ttir.full"() <{fill_value = 1.0e-5 : f32, shape = array<i32: 3, 1>}> : () -> tensor<3x1xbf16>
  %0 = "ttir.typecast"(%x) : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  %1 = "ttir.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = "ttir.div"(%1, %n) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %3 = "ttir.typecast"(%2) : (tensor<3x1xf32>) -> tensor<3x1xbf16>
  %4 = "ttir.broadcast"(%3) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<3x1xbf16>) -> tensor<3x4xbf16>
  %5 = "ttir.subtract"(%x, %4) : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %6 = "ttir.multiply"(%5, %5) : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %7 = "ttir.typecast"(%6) : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  %8 = "ttir.sum"(%7) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %9 = "ttir.div"(%8, %n) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %10 = "ttir.typecast"(%9) : (tensor<3x1xf32>) -> tensor<3x1xbf16>
  %11 = "ttir.add"(%10, %e) : (tensor<3x1xbf16>, tensor<3x1xbf16>) -> tensor<3x1xbf16>
  %12 = "ttir.rsqrt"(%11) : (tensor<3x1xbf16>) -> tensor<3x1xbf16>
  %13 = "ttir.broadcast"(%12) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<3x1xbf16>) -> tensor<3x4xbf16>
  %14 = "ttir.multiply"(%5, %13) : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %15 = "ttir.broadcast"(%w) <{broadcast_dimensions = array<i64: 3, 1>}> : (tensor<1x4xbf16>) -> tensor<3x4xbf16>
  %16 = "ttir.multiply"(%14, %15) : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %17 = "ttir.reshape"(%b) <{shape = [1 : i32, 4 : i32]}> : (tensor<4xbf16>) -> tensor<1x4xbf16>
  %18 = "ttir.add"(%16, %17) : (tensor<3x4xbf16>, tensor<1x4xbf16>) -> tensor<3x4xbf16>
  return %18 : tensor<3x4xbf16>
}

// By a root of the mean of squares; x itself is not centred.
// CHECK-LABEL: func.func @rms_norm
// CHECK: "ttir.rms_norm"(%arg0)
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %e = "ttir.full"() <{fill_value = 1.0e-6 : f32, shape = array<i32: 3, 1>}> : () -> tensor<3x1xf32>
  %0 = "ttir.multiply"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = "ttir.mean"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = "ttir.add"(%e, %1) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %3 = "ttir.sqrt"(%2) : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %4 = "ttir.div"(%x, %3) : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %4 : tensor<3x4xf32>
}

// The squares are of something else, the sum is not over the count: no norm.
// CHECK-LABEL: func.func @others
// CHECK-NOT: norm
func.func @others(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = "ttir.full"() <{fill_value = 1.0e-6 : f32, shape = array<i32: 3, 1>}> : () -> tensor<3x1xf32>
  %n = "ttir.full"() <{fill_value = 3.0 : f32, shape = array<i32: 3, 1>}> : () -> tensor<3x1xf32>
  %0 = "ttir.multiply"(%y, %y) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = "ttir.mean"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %2 = "ttir.add"(%1, %e) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %4 = "ttir.multiply"(%x, %3) : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %5 = "ttir.multiply"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = "ttir.sum"(%5) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %7 = "ttir.div"(%6, %n) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %8 = "ttir.add"(%7, %e) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %9 = "ttir.rsqrt"(%8) : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %10 = "ttir.multiply"(%x, %9) : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %4, %10 : tensor<3x4xf32>, tensor<3x4xf32>
}
