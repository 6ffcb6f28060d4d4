// RUN: sdy_opt %s --sdy-populate-op-sharding-rules --verify-diagnostics | FileCheck %s
// RUN: sdy_opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true 2>/dev/null | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: @product
// CHECK: #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=4, k=8, l=16} reduction={l}>
func.func @product(%x: tensor<2x4x16xf32>, %y: tensor<2x16x8xf32>) -> tensor<2x4x8xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x16xf32>, tensor<2x16x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Dimensions that meet again share factors.
// CHECK-LABEL: @reshape
// CHECK: #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=2, j=4, k=3}>
func.func @reshape(%x: tensor<2x12xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x12xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// Each element of the slice may be on another device: the gather adds up zeros.
// CHECK-LABEL: @rows
// CHECK: #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=5, j=4, k=10, l=1} reduction={k} need_replication={l}>
func.func @rows(%x: tensor<10x4xf32>, %i: tensor<5x1xi32>) -> tensor<5x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: @ends
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=12} need_replication={j}>
// KEEP-LABEL: @ends
// KEEP: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
// KEEP: #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
func.func @ends(%x: tensor<4x8xf32>) -> tensor<4x12xf32> {
  %0 = stablehlo.slice %x [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.abs %x : tensor<4x8xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x12xf32>
  return %2 : tensor<4x12xf32>
}

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-warning @below {{custom call @foreign is unknown to SDY sharding rule registry}}
  %0 = stablehlo.custom_call @foreign(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
