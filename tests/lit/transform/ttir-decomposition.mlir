// RUN: ttmlir-opt %s --ttir-to-ttir-decomposition | FileCheck %s
// RUN: ttmlir-opt %s --ttir-to-ttir-decomposition=config=cpu-fallback | FileCheck %s --check-prefix=HOST
// RUN: not ttmlir-opt %s --ttir-to-ttir-decomposition=config=abacus 2>&1 | FileCheck %s --check-prefix=CONFIG

// CONFIG: error: ttir-to-ttir-decomposition: unknown config 'abacus'; it is ttnn, ttmetal or cpu-fallback

// CHECK-LABEL: @products
func.func @products(%a: tensor<2x3x4xf32>, %b: tensor<5x4x2xf32>, %c: tensor<3x1xf32>) -> (tensor<2x3x5xf32>, tensor<3x3xf32>) {
  // CHECK: %[[B:.*]] = "ttir.permute"(%arg1) <{permutation = array<i64: 2, 1, 0>}>
  // CHECK: "ttir.matmul"(%arg0, %[[B]])
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 2>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<2x3x5xf32>
  // CHECK: "ttir.multiply"(%arg2, %{{.*}}) : (tensor<3x1xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %1 = "ttir.dot_general"(%c, %c) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 1>}> : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: @slices
// HOST-LABEL: @slices
func.func @slices(%a: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>, tensor<3x8xf32>) {
  // HOST: "ttir.index"
  // CHECK: "ttir.slice_static"(%arg0) <{begins = [0 : i32, 1 : i32], ends = [4 : i32, 5 : i32], step = [1 : i32, 2 : i32]}>
  %0 = "ttir.index"(%a) <{dim = 1 : i32, begin = 1 : i32, end = -1 : i32, step = 2 : i32}> : (tensor<4x6xf32>) -> tensor<4x2xf32>
  // CHECK: %[[P:.*]] = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32], ends = [4 : i32, 2 : i32]
  // CHECK: %[[Q:.*]] = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 3 : i32], ends = [4 : i32, 5 : i32]
  // CHECK: "ttir.concat"(%[[P]], %[[Q]]) <{dim = 1 : si32}>
  %1 = "ttir.index_select"(%a) <{dim = -1 : si32, begin = 0 : si32, length = 2 : si32, stride = 3 : si32}> : (tensor<4x6xf32>) -> tensor<4x4xf32>
  // CHECK: %[[S:.*]] = "ttir.slice_static"(%arg0) <{begins = [1 : i32, 0 : i32], ends = [4 : i32, 6 : i32]
  // CHECK: "ttir.pad"(%[[S]]) <{padding = array<i32: 0, 0, 0, 2>, value = 1.000000e+00 : f32}>
  %2 = "ttir.pad"(%a) <{padding = array<i32: -1, 0, 0, 2>, value = 1.0 : f32}> : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x4xf32>, tensor<3x8xf32>
}

// CHECK-LABEL: @reductions
// HOST-LABEL: @reductions
func.func @reductions(%a: tensor<2x3x4xf32>, %b: tensor<2x3xi1>) -> (tensor<3xf32>, tensor<3xi32>, tensor<2xi1>, tensor<3x4xf32>) {
  // CHECK: %[[P:.*]] = "ttir.prod"(%arg0) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  // CHECK: "ttir.prod"(%[[P]]) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<2x3xf32>) -> tensor<3xf32>
  %0 = "ttir.prod"(%a) <{dim_arg = [0 : i32, 2 : i32], keep_dim = false}> : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: %[[M:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 0, 2>}>
  // CHECK: %[[F:.*]] = "ttir.reshape"(%[[M]]) <{shape = [3 : i32, 8 : i32]}>
  // CHECK: "ttir.argmax"(%[[F]]) <{dim_arg = [1 : i32], keep_dim = false}>
  %1 = "ttir.argmax"(%a) <{dim_arg = [-3 : i32, -1 : i32], keep_dim = false}> : (tensor<2x3x4xf32>) -> tensor<3xi32>
  // CHECK: "ttir.min"(%arg1)
  %2 = "ttir.reduce_and"(%b) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<2x3xi1>) -> tensor<2xi1>
  // CHECK: "ttir.sum"(%arg0)
  // HOST: %[[S:.*]] = "ttir.sum"(%arg0)
  // HOST: "ttir.ne"(%[[S]], %{{.*}})
  %3 = "ttir.reduce_or"(%a) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xi32>, tensor<2xi1>, tensor<3x4xf32>
}

// Three dimensions whose last is a whole number of tiles keep tiles' width.
// CHECK-LABEL: @norm
func.func @norm(%x: tensor<2x64x3xf32>, %s: tensor<3xf32>) -> tensor<2x64x3xf32> {
  // CHECK: %[[P:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 1>}>
  // CHECK: %[[X:.*]] = "ttir.reshape"(%[[P]]) <{shape = [2 : i32, 3 : i32, 2 : i32, 32 : i32]}>
  // CHECK: "ttir.reshape"(%arg1) <{shape = [1 : i32, 3 : i32, 1 : i32, 1 : i32]}>
  // CHECK: %[[N:.*]] = "ttir.batch_norm_inference"(%[[X]]
  // CHECK: %[[R:.*]] = "ttir.reshape"(%[[N]]) <{shape = [2 : i32, 3 : i32, 64 : i32]}>
  // CHECK: "ttir.permute"(%[[R]]) <{permutation = array<i64: 0, 2, 1>}>
  %0 = "ttir.batch_norm_inference"(%x, %s, %s, %s, %s) <{dimension = 2 : i32, epsilon = 1.0e-5 : f32}> : (tensor<2x64x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x64x3xf32>
  return %0 : tensor<2x64x3xf32>
}

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x2x5x5xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32> {
  // CHECK: %[[X:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>}>
  // CHECK: %[[Y:.*]] = "ttir.conv2d"(%[[X]], %arg1) <{batch_dim = 0 : i64, channel_dim = 3 : i64{{.*}}height_dim = 1 : i64{{.*}}width_dim = 2 : i64}> : (tensor<1x5x5x2xf32>, tensor<4x2x3x3xf32>) -> tensor<1x3x3x4xf32>
  // CHECK: "ttir.permute"(%[[Y]]) <{permutation = array<i64: 0, 3, 1, 2>}>
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32, batch_dim = 0 : i64, height_dim = 2 : i64, width_dim = 3 : i64, channel_dim = 1 : i64}> : (tensor<1x2x5x5xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// CHECK-LABEL: @numbers
func.func @numbers(%x: tensor<2x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:2, 1.0}>>) {
  // CHECK: %[[A:.*]] = "ttir.arange"() <{arange_dimension = 0 : i64, end = 6 : si64, start = 0 : si64, step = 2 : si64}> : () -> tensor<3xf32>
  // CHECK: %[[R:.*]] = "ttir.reshape"(%[[A]]) <{shape = [1 : i32, 3 : i32, 1 : i32]}>
  // CHECK: "ttir.broadcast"(%[[R]]) <{broadcast_dimensions = array<i64: 2, 1, 4>}>
  %0 = "ttir.arange"() <{start = 0 : si64, end = 6 : si64, step = 2 : si64, arange_dimension = 1 : i64}> : () -> tensor<2x3x4xf32>
  // CHECK: %[[S:.*]] = "ttir.constant"() <{value = dense<[5.000000e-01, 2.500000e-01, 1.000000e+00]> : tensor<3xf32>}>
  // CHECK: %[[Z:.*]] = "ttir.constant"() <{value = dense<[0, 2, 0]> : tensor<3xsi32>}>
  // CHECK: "ttir.quantize_unrolled"(%arg0, %[[S]], %[[Z]]) <{axis = 1 : i32}>
  %1 = "ttir.quantize"(%x) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:2, 1.0}>>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25:2, 1.0}>>
}

// HOST-LABEL: @heads
func.func @heads(%q: tensor<2x5x12xf32>, %kv: tensor<2x5x12xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x2x3x5xf32>, tensor<2x2x5x3xf32>) {
  // HOST: "ttir.reshape"(%arg0) <{shape = [2 : i32, 5 : i32, 4 : i32, 3 : i32]}>
  // HOST: %[[K:.*]] = "ttir.slice_static"(%arg1) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 5 : i32, 6 : i32]
  // HOST: "ttir.reshape"(%[[K]]) <{shape = [2 : i32, 5 : i32, 2 : i32, 3 : i32]}>
  // HOST: "ttir.permute"(%{{.*}}) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x2x5x3xf32>) -> tensor<2x2x3x5xf32>
  %0:3 = "ttir.split_query_key_value_and_split_heads"(%q, %kv) <{num_heads = 4 : ui32, num_kv_heads = 2 : ui32, transpose_key = true}> : (tensor<2x5x12xf32>, tensor<2x5x12xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x2x3x5xf32>, tensor<2x2x5x3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x4x5x3xf32>, tensor<2x2x3x5xf32>, tensor<2x2x5x3xf32>
}
