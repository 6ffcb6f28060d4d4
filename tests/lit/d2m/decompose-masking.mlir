// RUN: ttmlir-opt %s --d2m-decompose-masking --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --d2m-decompose-masking=num-stream-buffers=4 --split-input-file 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: warning: {{.*}}num-stream-buffers

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<8192x4096, 1>

// 50x96 elements in 4x4 tiles over two cores each way: a partial row of tiles, whole columns. Rows: one of whole tiles,
// the partial one, two of padding; columns: three of data, one of padding.

// CHECK-LABEL: func.func @partial_row
// CHECK: d2m.generic {{.*}}grid = #ttcore.grid<2x2>
// CHECK: %[[IN:.*]] = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<2x2x
// CHECK: %[[MASK:.*]] = memref.alloc() : memref<1x1x
// CHECK: d2m.remote_load %[[IN]] %arg0
// CHECK: %[[FILL:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[VALID:.*]] = arith.constant 18 : index
// CHECK: d2m.write_row_mask_tile(%[[VALID]]) to %[[MASK]]
// CHECK-NOT: d2m.write_col_mask_tile
// Whole tiles are copied,
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = memref.load %[[IN]]
// CHECK: memref.store %[[TILE]], %[[OUT]]
// CHECK: } {d2m.linalg_root, d2m.scheduled}
// those of the partial row are chosen by the mask,
// CHECK: scf.for
// CHECK: %[[T:.*]] = memref.load %[[IN]]
// CHECK: %[[PAD:.*]] = d2m.tile_fill(%[[FILL]])
// CHECK: %[[M:.*]] = memref.load %[[MASK]]
// CHECK: %[[W:.*]] = "d2m.tile_where"(%[[M]], %[[T]], %[[PAD]])
// CHECK: memref.store %[[W]], %[[OUT]]
// rows and columns of padding are filled.
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: d2m.tile_fill
// CHECK: scf.for
// CHECK: d2m.tile_fill
// CHECK-NOT: d2m.tile_where
// CHECK: d2m.remote_store %arg1[%{{.*}}, %{{.*}}] %[[OUT]]
// CHECK-NOT: d2m.mask
func.func @partial_row(%a: memref<2x2x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<2x2x2x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  %0 = d2m.mask %a, %b logical_shape = [50, 96] fill_value = <neginf> : memref<2x2x2x2x!ttcore.tile<32x32, f32>, #s, #l1> into memref<2x2x2x2x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x2x2x2x!ttcore.tile<32x32, f32>, #s, #l1>
  return
}

// Infinity of integers is their greatest value.
// CHECK-LABEL: func.func @integers
// CHECK: arith.constant 2147483647 : i32
// CHECK: d2m.write_row_mask_tile
// CHECK: d2m.write_col_mask_tile
func.func @integers(%a: memref<1x1x2x2x!ttcore.tile<32x32, si32>, #s, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, si32>, #s, #l1>) {
  %0 = d2m.mask %a, %b logical_shape = [33, 40] fill_value = <inf> : memref<1x1x2x2x!ttcore.tile<32x32, si32>, #s, #l1> into memref<1x1x2x2x!ttcore.tile<32x32, si32>, #s, #l1> -> memref<1x1x2x2x!ttcore.tile<32x32, si32>, #s, #l1>
  return
}

// Masks of tensors wait for bufferization.
// CHECK-LABEL: func.func @tensors
// CHECK: d2m.mask
#layout = #ttcore.metal_layout<logical_shape = 50x50, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
func.func @tensors(%a: tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>, %b: tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>) -> tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout> {
  %0 = d2m.mask %a, %b logical_shape = [50, 50] fill_value = <zero> : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout> into tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout> -> tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>
  return %0 : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #layout>
}
