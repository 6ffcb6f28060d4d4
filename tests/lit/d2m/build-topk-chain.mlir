// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection --d2m-build-topk-chain --split-input-file | FileCheck %s

// Along rows: transposed for the sort, and back.
// CHECK-LABEL: func.func @one_core
// CHECK: d2m.tile_transpose
// CHECK: "d2m.topk_block"
// CHECK-SAME: generate_indices = true, k = 8 : i32, num_elements = 64
// CHECK-NOT: d2m.composite_view
// CHECK-COUNT-2: d2m.tile_transpose
// CHECK: d2m.tile_typecast
// CHECK-NOT: topk_plan
// CHECK-NOT: topk_input
func.func @one_core(%a: tensor<32x64xf32>) -> (tensor<32x8xf32>, tensor<32x8xsi32>) {
  %v, %i = "ttir.topk"(%a) <{k = 8 : i32, dim = 1 : i32, largest = true, sorted = false}> : (tensor<32x64xf32>) -> (tensor<32x8xf32>, tensor<32x8xsi32>)
  return %v, %i : tensor<32x8xf32>, tensor<32x8xsi32>
}

// -----

// Along columns nothing is transposed, and the indices are converted where they are taken.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: d2m.tile_transpose
// CHECK: "d2m.topk_block"
// CHECK-COUNT-2: d2m.tile_typecast
// CHECK-NOT: d2m.tile_typecast
// CHECK: return
func.func @columns(%a: tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xsi32>) {
  %v, %i = "ttir.topk"(%a) <{k = 8 : i32, dim = 0 : i32, largest = true, sorted = false}> : (tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xsi32>)
  return %v, %i : tensor<8x32xf32>, tensor<8x32xsi32>
}

// -----

// Too long for one core: bands, compacted, gathered and merged until one is left.  Only the
// leaf generates indices.
// CHECK-LABEL: func.func @bands
// CHECK: "d2m.topk_block"
// CHECK-SAME: generate_indices = true
// CHECK: d2m.local_copy
// CHECK: "d2m.composite_view"
// CHECK: "d2m.composite_view"
// CHECK: "d2m.topk_block"
// CHECK-SAME: generate_indices = false
// CHECK: d2m.local_copy
// CHECK: d2m.tile_transpose
// CHECK-NOT: topk_plan
func.func @bands(%a: tensor<32x65536xf32>) -> (tensor<32x16xf32>, tensor<32x16xsi32>) {
  %v, %i = "ttir.topk"(%a) <{k = 16 : i32, dim = 1 : i32, largest = true, sorted = false}> : (tensor<32x65536xf32>) -> (tensor<32x16xf32>, tensor<32x16xsi32>)
  return %v, %i : tensor<32x16xf32>, tensor<32x16xsi32>
}
