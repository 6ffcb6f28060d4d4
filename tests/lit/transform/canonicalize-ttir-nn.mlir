// RUN: ttmlir-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize --split-input-file | ttmlir-opt --canonicalize --split-input-file - | FileCheck %s

// CHECK-LABEL: @points
// CHECK: %[[X:.*]] = "ttir.reshape"(%arg0) <{shape = [24 : i32, 4 : i32]}>
// CHECK: %[[W:.*]] = "ttir.reshape"(%arg1) <{shape = [5 : i32, 4 : i32]}>
// CHECK: %[[M:.*]] = "ttir.matmul"(%[[X]], %[[W]]) <{transpose_a = false, transpose_b = true}>
// CHECK: "ttir.reshape"(%[[M]]) <{shape = [2 : i32, 3 : i32, 2 : i32, 2 : i32, 5 : i32]}>
func.func @points(%x: tensor<2x3x2x2x4xf32>, %w: tensor<5x4x1x1x1xf32>) -> tensor<2x3x2x2x5xf32> {
  %0 = "ttir.conv3d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, groups = 1 : i32}> : (tensor<2x3x2x2x4xf32>, tensor<5x4x1x1x1xf32>) -> tensor<2x3x2x2x5xf32>
  return %0 : tensor<2x3x2x2x5xf32>
}

// -----

// Leading dimensions stay separate where both sides merged the same ones.
// CHECK-LABEL: @merged
// CHECK-NEXT: "ttir.matmul"(%arg0, %arg1) {{.*}} -> tensor<2x3x4x6xf32>
// CHECK-NEXT: return
func.func @merged(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = "ttir.reshape"(%a) <{shape = [6 : i32, 4 : i32, 5 : i32]}> : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = "ttir.reshape"(%b) <{shape = [6 : i32, 5 : i32, 6 : i32]}> : (tensor<2x3x5x6xf32>) -> tensor<6x5x6xf32>
  %2 = "ttir.matmul"(%0, %1) : (tensor<6x4x5xf32>, tensor<6x5x6xf32>) -> tensor<6x4x6xf32>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 3 : i32, 4 : i32, 6 : i32]}> : (tensor<6x4x6xf32>) -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}
// CHECK-LABEL: @merged_otherwise
// CHECK-COUNT-2: "ttir.reshape"
// CHECK: "ttir.matmul"
// CHECK: "ttir.reshape"
func.func @merged_otherwise(%a: tensor<2x3x4x5xf32>, %b: tensor<3x2x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = "ttir.reshape"(%a) <{shape = [6 : i32, 4 : i32, 5 : i32]}> : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = "ttir.reshape"(%b) <{shape = [6 : i32, 5 : i32, 6 : i32]}> : (tensor<3x2x5x6xf32>) -> tensor<6x5x6xf32>
  %2 = "ttir.matmul"(%0, %1) : (tensor<6x4x5xf32>, tensor<6x5x6xf32>) -> tensor<6x4x6xf32>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 3 : i32, 4 : i32, 6 : i32]}> : (tensor<6x4x6xf32>) -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// -----

// CHECK-LABEL: @without_ones
// CHECK-NEXT: %[[R:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 8 : i32, 3 : i32]}>
// CHECK-NEXT: "ttir.permute"(%[[R]]) <{permutation = array<i64: 0, 2, 1>}>
// CHECK-NEXT: %[[E:.*]] = "ttir.embedding"(%arg1, %arg2) : (tensor<4xi32>, tensor<9x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @without_ones(%x: tensor<8x3xf32>, %i: tensor<4xi32>, %w: tensor<9x8xf32>) -> (tensor<1x3x8xf32>, tensor<4x8xf32>) {
  %0 = "ttir.reshape"(%x) <{shape = [1 : i32, 1 : i32, 8 : i32, 3 : i32]}> : (tensor<8x3xf32>) -> tensor<1x1x8x3xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x1x8x3xf32>) -> tensor<1x1x3x8xf32>
  %2 = "ttir.reshape"(%1) <{shape = [1 : i32, 3 : i32, 8 : i32]}> : (tensor<1x1x3x8xf32>) -> tensor<1x3x8xf32>
  %3 = "ttir.reshape"(%i) <{shape = [4 : i32, 1 : i32]}> : (tensor<4xi32>) -> tensor<4x1xi32>
  %4 = "ttir.embedding"(%3, %w) : (tensor<4x1xi32>, tensor<9x8xf32>) -> tensor<4x1x8xf32>
  %5 = "ttir.reshape"(%4) <{shape = [4 : i32, 8 : i32]}> : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  return %2, %5 : tensor<1x3x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @truths
// CHECK: %[[T:.*]] = "ttir.eq"(%arg0, %arg1)
// CHECK: "ttir.min"(%[[T]]) <{dim_arg = [0 : i32], keep_dim = true}>
// CHECK: "ttir.prod"(%arg0)
func.func @truths(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %0 = "ttir.eq"(%a, %b) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = "ttir.prod"(%0) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %2 = "ttir.prod"(%a) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<4x2xf32>) -> tensor<1x2xf32>
  return %1, %2 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// A cache for several users needs them as the first dimension; one with an offset stays.
// CHECK-LABEL: @caches
// CHECK-DAG: %[[I:.*]] = "ttir.repeat"(%arg2) <{repeat_dimensions = array<i64: 3>}>
// CHECK-DAG: %[[X:.*]] = "ttir.permute"(%arg1) <{permutation = array<i64: 0, 2, 1, 3>}>
// CHECK: "ttir.paged_update_cache"(%arg0, %[[X]], %[[I]]) <{share_cache = false}>
// CHECK: "ttir.update_cache"(%arg0, %arg3, %arg2) <{batch_offset = 1 : i32}>
func.func @caches(%c: tensor<3x2x8x4xf32>, %x: tensor<1x2x3x4xf32>, %i: tensor<1xi32>, %y: tensor<1x2x1x4xf32>) -> tensor<3x2x8x4xf32> {
  "ttir.update_cache"(%c, %x, %i) <{batch_offset = 0 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x3x4xf32>, tensor<1xi32>) -> ()
  "ttir.update_cache"(%c, %y, %i) <{batch_offset = 1 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x1x4xf32>, tensor<1xi32>) -> ()
  return %c : tensor<3x2x8x4xf32>
}

// -----

// CHECK-LABEL: @nothing_there
// CHECK-NEXT: %[[E:.*]] = ttir.empty() : tensor<4xbf16>
// CHECK-NEXT: return %[[E]]
func.func @nothing_there() -> tensor<4xbf16> {
  %0 = ttir.empty() : tensor<4xf32>
  %1 = ttir.empty() : tensor<4xbf16>
  %2 = ttir.to_layout %0, %1 : tensor<4xf32> into tensor<4xbf16> -> tensor<4xbf16>
  return %2 : tensor<4xbf16>
}

// -----

// A lossless intermediate cast is dropped; a cast is conservative if both were.
// CHECK-LABEL: @careful
// CHECK: %[[A:.*]] = "ttir.typecast"(%arg0) {{.*}} -> tensor<4xbf16>
// CHECK: "ttir.typecast"(%[[A]]) <{conservative_folding = true}> {{.*}} -> tensor<4xf32>
// CHECK: "ttir.typecast"(%arg0) <{conservative_folding = false}> {{.*}} -> tensor<4xui16>
func.func @careful(%a: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xui16>) {
  %0 = "ttir.typecast"(%a) <{conservative_folding = false}> : (tensor<4xf16>) -> tensor<4xbf16>
  %1 = "ttir.typecast"(%0) <{conservative_folding = true}> : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = "ttir.typecast"(%a) <{conservative_folding = true}> : (tensor<4xf16>) -> tensor<4xbf16>
  %3 = "ttir.typecast"(%2) <{conservative_folding = false}> : (tensor<4xbf16>) -> tensor<4xui16>
  return %1, %3 : tensor<4xf32>, tensor<4xui16>
}

// -----

// Numbers of 64 bits, constant lists and long shifts.
// CHECK-LABEL: @folds
// CHECK-DAG: dense<{{\[\[}}11, 12], [21, 22]]>
// CHECK-DAG: %[[Z:.*]] = "ttir.zeros"() <{shape = array<i32: 2>}> : () -> tensor<2xui8>
// CHECK-DAG: %[[L:.*]] = "ttir.eq"
// CHECK: return %{{.*}}, %[[Z]], %[[L]]
func.func @folds(%x: tensor<2xui8>) -> (tensor<2x2xi32>, tensor<2xui8>, tensor<2xi1>) {
  %0 = "ttir.constant"() <{value = dense<[[10], [20]]> : tensor<2x1xi32>}> : () -> tensor<2x1xi32>
  %1 = "ttir.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %2 = "ttir.add"(%0, %1) : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %3 = "ttir.full"() <{shape = array<i32: 2>, fill_value = 8 : i32}> : () -> tensor<2xui8>
  %4 = "ttir.logical_right_shift"(%x, %3) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %5 = "ttir.constant"() <{value = dense<[1, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %6 = "ttir.eq"(%1, %5) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %2, %4, %6 : tensor<2x2xi32>, tensor<2xui8>, tensor<2xi1>
}
