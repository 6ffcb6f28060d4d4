// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-memory-management | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-memory-management=aggressive-memory-saving=false | FileCheck %s --check-prefixes=CHECK,SOME
#dram = #ttnn.buffer_type<dram>
!t4x6x64 = tensor<4x6x64xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<4x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t64x2x2 = tensor<64x2x2xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<64x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t64x4x6 = tensor<64x4x6xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<64x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t8x32 = tensor<8x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x4x32 = tensor<1x4x32xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x8x32 = tensor<1x8x32xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t2x4x32 = tensor<2x4x32xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t2x4x16 = tensor<2x4x16xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t2x2x32 = tensor<2x2x32xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t4x6 = tensor<4x6xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t8x3 = tensor<8x3xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t8x6 = tensor<8x6xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x1x1x2 = tensor<1x1x1x2xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x1x1x16 = tensor<1x1x1x16xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t8x1x1x2 = tensor<8x1x1x2xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<8x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x40x3x64 = tensor<1x40x3x64xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1280 + d1 * 32 + d2, d3), <1x1>, memref<40x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x40x64 = tensor<1x40x64xf32, #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x40x1x64 = tensor<1x40x1x64xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1280 + d1 * 32 + d2, d3), <1x1>, memref<40x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t64x64 = tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x64 = tensor<1x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t16x8 = tensor<16x8xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x1x1x1024 = tensor<1x1x1x1024xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x1x1x1 = tensor<1x1x1x1xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!t1x1x32x32 = tensor<1x1x32x32xf32, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>

// A negative index counts from the end.
// CHECK-LABEL: func.func @permute
// CHECK: %[[S:.*]] = "ttnn.slice_static"(%arg0) <{begins = [1 : i32, 2 : i32, 0 : i32], ends = [3 : i32, 5 : i32, 64 : i32], step = [1 : i32, 2 : i32, 1 : i32]}>
// CHECK: "ttnn.permute"(%[[S]]) <{permutation = array<i64: 2, 0, 1>}>
// CHECK-NOT: slice_static
// CHECK: return
func.func @permute(%x: !t4x6x64) -> !t64x2x2 {
  %0 = "ttnn.permute"(%x) <{permutation = array<i64: 2, 0, 1>}> : (!t4x6x64) -> !t64x4x6
  %1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 1 : i32, -4 : i32], ends = [64 : i32, 3 : i32, 5 : i32], step = [1 : i32, 1 : i32, 2 : i32]}> : (!t64x4x6) -> !t64x2x2
  return %1 : !t64x2x2
}

// CHECK-LABEL: func.func @reshape
// CHECK: %[[S:.*]] = "ttnn.slice_static"(%arg0) <{begins = [2 : i32, 0 : i32], ends = [6 : i32, 32 : i32]
// CHECK: "ttnn.reshape"(%[[S]])
func.func @reshape(%x: !t8x32) -> !t1x4x32 {
  %0 = "ttnn.reshape"(%x) <{shape = [1 : i32, 8 : i32, 32 : i32]}> : (!t8x32) -> !t1x8x32
  %1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 2 : i32, 0 : i32], ends = [1 : i32, 6 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!t1x8x32) -> !t1x4x32
  return %1 : !t1x4x32
}

// A dimension that the reshape makes cannot be cut before it.
// CHECK-LABEL: func.func @split_dimension
// CHECK: "ttnn.reshape"(%arg0)
// CHECK: "ttnn.slice_static"
func.func @split_dimension(%x: !t8x32) -> !t2x4x32 {
  %0 = "ttnn.reshape"(%x) <{shape = [2 : i32, 4 : i32, 32 : i32]}> : (!t8x32) -> !t2x4x32
  %1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!t2x4x32) -> !t2x4x16
  %2 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 1 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (!t2x4x32) -> !t2x2x32
  %3 = "ttnn.concat"(%2, %2) <{dim = 1 : si32}> : (!t2x2x32, !t2x2x32) -> !t2x4x32
  return %3 : !t2x4x32
}

// CHECK-LABEL: func.func @repeat
// CHECK: %[[S:.*]] = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 1 : i32], ends = [4 : i32, 6 : i32], step = [1 : i32, 2 : i32]
// CHECK: "ttnn.repeat"(%[[S]]) <{repeat_dims = #ttnn.shape<2x1>}>
func.func @repeat(%x: !t4x6) -> !t8x3 {
  %0 = "ttnn.repeat"(%x) <{repeat_dims = #ttnn.shape<2x1>}> : (!t4x6) -> !t8x6
  %1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 1 : i32], ends = [8 : i32, 6 : i32], step = [1 : i32, 2 : i32]}> : (!t8x6) -> !t8x3
  return %1 : !t8x3
}

// CHECK-LABEL: func.func @repeated_dimension
// CHECK: %[[R:.*]] = "ttnn.repeat"(%arg0)
// CHECK: "ttnn.slice_static"(%[[R]])
func.func @repeated_dimension(%x: !t4x6) -> !t4x6 {
  %0 = "ttnn.repeat"(%x) <{repeat_dims = #ttnn.shape<2x1>}> : (!t4x6) -> !t8x6
  %1 = "ttnn.slice_static"(%0) <{begins = [2 : i32, 0 : i32], ends = [6 : i32, 6 : i32], step = [1 : i32, 1 : i32]}> : (!t8x6) -> !t4x6
  return %1 : !t4x6
}

// CHECK-LABEL: func.func @repeat_inside
// CHECK: "ttnn.repeat"(%arg0) <{repeat_dims = #ttnn.shape<1x1x8x1>}>
func.func @repeat_inside(%x: !t1x1x1x2) -> !t1x1x1x16 {
  %0 = "ttnn.repeat"(%x) <{repeat_dims = #ttnn.shape<8x1x1x1>}> : (!t1x1x1x2) -> !t8x1x1x2
  %1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 1 : i32, 1 : i32, 16 : i32]}> : (!t8x1x1x2) -> !t1x1x1x16
  return %1 : !t1x1x1x16
}

// Two indices of a dimension that is dropped: rows of one reshape.
// CHECK-LABEL: func.func @siblings
// CHECK: %[[R:.*]] = "ttnn.reshape"(%arg0) <{shape = [1 : i32, 120 : i32, 64 : i32]}>
// CHECK-DAG: "ttnn.slice_static"(%[[R]]) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 120 : i32, 64 : i32], step = [1 : i32, 3 : i32, 1 : i32]
// CHECK-DAG: "ttnn.slice_static"(%[[R]]) <{begins = [0 : i32, 2 : i32, 0 : i32], ends = [1 : i32, 120 : i32, 64 : i32], step = [1 : i32, 3 : i32, 1 : i32]
// CHECK-NOT: ttnn.reshape
// CHECK: return
func.func @siblings(%x: !t1x40x3x64) -> (!t1x40x64, !t1x40x64) {
  %0 = "ttnn.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 40 : i32, 1 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!t1x40x3x64) -> !t1x40x1x64
  %1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 40 : i32, 64 : i32]}> : (!t1x40x1x64) -> !t1x40x64
  %2 = "ttnn.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 2 : i32, 0 : i32], ends = [1 : i32, 40 : i32, 3 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!t1x40x3x64) -> !t1x40x1x64
  %3 = "ttnn.reshape"(%2) <{shape = [1 : i32, 40 : i32, 64 : i32]}> : (!t1x40x1x64) -> !t1x40x64
  return %1, %3 : !t1x40x64, !t1x40x64
}

// CHECK-LABEL: func.func @sum
// ALL: %[[X:.*]] = "ttnn.slice_static"(%arg0) <{begins = [16 : i32, 0 : i32], ends = [32 : i32, 8 : i32]
// ALL: %[[Y:.*]] = "ttnn.slice_static"(%arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 8 : i32]
// ALL: "ttnn.subtract"(%[[X]], %[[Y]])
// SOME: "ttnn.subtract"(%arg0, %arg1)
func.func @sum(%x: !t64x64, %y: !t1x64) -> !t16x8 {
  %0 = "ttnn.subtract"(%x, %y) : (!t64x64, !t1x64) -> !t64x64
  %1 = "ttnn.slice_static"(%0) <{begins = [16 : i32, 0 : i32], ends = [32 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> : (!t64x64) -> !t16x8
  return %1 : !t16x8
}

// Less padding: the operand of 1 element stays.
// CHECK-LABEL: func.func @narrow
// ALL: %[[X:.*]] = "ttnn.reshape"(%arg0)
// ALL: "ttnn.multiply"(%[[X]], %arg1)
// SOME: "ttnn.multiply"(%arg0, %arg1)
func.func @narrow(%x: !t1x1x1x1024, %y: !t1x1x1x1) -> !t1x1x32x32 {
  %0 = "ttnn.multiply"(%x, %y) : (!t1x1x1x1024, !t1x1x1x1) -> !t1x1x1x1024
  %1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 1 : i32, 32 : i32, 32 : i32]}> : (!t1x1x1x1024) -> !t1x1x32x32
  return %1 : !t1x1x32x32
}
