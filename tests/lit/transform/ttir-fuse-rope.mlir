// RUN: ttmlir-opt %s --ttir-fusing | FileCheck %s
// RUN: ttmlir-opt %s --ttir-fusing=exact=true | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: ttcore.composite
!x = tensor<2x3x4x8xf32>
!half = tensor<2x3x4x4xf32>
!table = tensor<1x1x4x8xf32>
!halves = tensor<1x1x4x4xf32>

// CHECK-LABEL: func.func @rotated
// CHECK: %[[Y:.*]] = "ttcore.composite"(%arg0, %arg1, %arg2) <{composite_name = "rotary_embedding", decomposition = @rotary_embedding_decomp}>
// CHECK-NEXT: return %[[Y]]
func.func @rotated(%x: !x, %cos: !table, %sin: !table) -> !x {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 4 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %1 = "ttir.neg"(%0) : (!half) -> !half
  %2 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 4 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %3 = "ttir.concat"(%1, %2) <{dim = -1 : si32}> : (!half, !half) -> !x
  %4 = "ttir.multiply"(%sin, %3) : (!table, !x) -> !x
  %5 = "ttir.multiply"(%x, %cos) : (!x, !table) -> !x
  %6 = "ttir.add"(%4, %5) : (!x, !x) -> !x
  return %6 : !x
}

// CHECK-LABEL: func.func @by_halves
// CHECK: %[[C:.*]] = "ttir.concat"(%arg1, %arg1)
// CHECK: %[[S:.*]] = "ttir.concat"(%arg2, %arg2)
// CHECK: "ttcore.composite"(%arg0, %[[C]], %[[S]]) <{composite_name = "rotary_embedding", decomposition = @rotary_embedding_decomp_0}>
func.func @by_halves(%x: !x, %cos: !halves, %sin: !halves) -> !x {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 4 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 4 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %2 = "ttir.multiply"(%0, %cos) : (!half, !halves) -> !half
  %3 = "ttir.multiply"(%1, %sin) : (!half, !halves) -> !half
  %4 = "ttir.subtract"(%2, %3) : (!half, !half) -> !half
  %5 = "ttir.multiply"(%0, %sin) : (!half, !halves) -> !half
  %6 = "ttir.multiply"(%cos, %1) : (!halves, !half) -> !half
  %7 = "ttir.add"(%5, %6) : (!half, !half) -> !half
  %8 = "ttir.concat"(%4, %7) <{dim = 3 : si32}> : (!half, !half) -> !x
  return %8 : !x
}

// The sum has the sines where the difference has the cosines: no rotation.
// CHECK-LABEL: func.func @exchanged
// CHECK-NOT: ttcore.composite
// CHECK: return
func.func @exchanged(%x: !x, %cos: !halves, %sin: !halves) -> !x {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 4 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 4 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %2 = "ttir.multiply"(%0, %cos) : (!half, !halves) -> !half
  %3 = "ttir.multiply"(%1, %sin) : (!half, !halves) -> !half
  %4 = "ttir.subtract"(%2, %3) : (!half, !half) -> !half
  %5 = "ttir.multiply"(%0, %cos) : (!half, !halves) -> !half
  %6 = "ttir.multiply"(%1, %sin) : (!half, !halves) -> !half
  %7 = "ttir.add"(%5, %6) : (!half, !half) -> !half
  %8 = "ttir.concat"(%4, %7) <{dim = 3 : si32}> : (!half, !half) -> !x
  return %8 : !x
}

// Both halves negated, and the first half in front: no rotation.
// CHECK-LABEL: func.func @other_order
// CHECK-NOT: ttcore.composite
// CHECK: return
func.func @other_order(%x: !x, %cos: !table, %sin: !table) -> !x {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 4 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 3 : i32, 4 : i32, 4 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !half
  %2 = "ttir.neg"(%1) : (!half) -> !half
  %3 = "ttir.concat"(%2, %0) <{dim = 3 : si32}> : (!half, !half) -> !x
  %4 = "ttir.multiply"(%3, %sin) : (!x, !table) -> !x
  %5 = "ttir.multiply"(%x, %cos) : (!x, !table) -> !x
  %6 = "ttir.add"(%4, %5) : (!x, !x) -> !x
  return %6 : !x
}

// CHECK: func.func private @rotary_embedding_decomp(%arg0: tensor<2x3x4x8xf32>, %arg1: tensor<1x1x4x8xf32>, %arg2: tensor<1x1x4x8xf32>) -> tensor<2x3x4x8xf32> attributes {tt.composite_decomposition}
// CHECK: ttir.neg
// CHECK: func.func private @rotary_embedding_decomp_0
// CHECK-NOT: ttir.neg
// CHECK: "ttir.subtract"
