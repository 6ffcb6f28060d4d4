// RUN: ttmlir-opt %s --arith-to-d2m-tile-ops --math-to-d2m-tile-ops | FileCheck %s
// RUN: ttmlir-opt %s --d2m-decompose-arange | FileCheck %s --check-prefix=ARANGE

#l1 = #ttcore.memory_space<l1>
!f = !ttcore.tile<32x32, f32>
!i = !ttcore.tile<32x32, si32>

// Operations on tiles change; those on numbers stay.
// CHECK-LABEL: func.func @names
// CHECK: "d2m.tile_add"
// CHECK: "d2m.tile_mul"
// CHECK: "d2m.tile_abs"
// CHECK: arith.addf %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f32
func.func @names(%a: !f, %b: !f, %n: f32) -> (!f, f32) {
  %0 = arith.addf %a, %b : !f
  %1 = arith.mulf %0, %a : !f
  %2 = math.absf %1 : !f
  %4 = arith.addf %n, %n : f32
  %5 = math.exp %4 : f32
  return %2, %5 : !f, f32
}

// 7, 10, 13, ... down columns: each tile's numbers are turned, moved and scaled.
// ARANGE-LABEL: func.func @count
// ARANGE: d2m.fill_arange_tile to %[[TILE:.*]] :
// ARANGE: %[[START:.*]] = arith.constant 7.0{{.*}} : f32
// ARANGE: %[[STEP:.*]] = arith.constant 3.0{{.*}} : f32
// ARANGE: scf.for
// ARANGE: scf.for
// ARANGE: %[[LOADED:.*]] = memref.load %[[TILE]]
// ARANGE: %[[TURNED:.*]] = "d2m.tile_transpose"(%[[LOADED]])
// ARANGE: %[[MOVED:.*]] = "d2m.tile_add"(%[[TURNED]], %{{.*}})
// ARANGE: %[[SCALED:.*]] = "d2m.tile_mul"(%[[MOVED]], %[[STEP]])
// ARANGE: %[[RESULT:.*]] = "d2m.tile_add"(%[[SCALED]], %[[START]])
// ARANGE: memref.store %[[RESULT]]
// ARANGE: d2m.linalg_root, d2m.scheduled
func.func @count(%tile: memref<1x1x!f>, %out: memref<2x1x!f>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%tile : memref<1x1x!f>)
      outs(%out : memref<2x1x!f>) {
    %0 = "d2m.arange_block"(%tile, %out) <{colMajor = true, num_elements = 64 : i64, start = 7 : i64, step = 3 : i64}> : (memref<1x1x!f>, memref<2x1x!f>) -> memref<2x1x!f>
  }
  return
}
