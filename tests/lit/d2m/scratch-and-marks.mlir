// RUN: ttmlir-opt %s --d2m-insert-scratch-buffers | FileCheck %s
// RUN: ttmlir-opt %s --d2m-mark-synchronized-buffers=num-stream-buffers=3 | FileCheck %s --check-prefix=MARK
// RUN: ttmlir-opt %s --d2m-linalg-to-affine --lower-affine --d2m-generic-linearize-memref | FileCheck %s --check-prefix=LINEAR

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<8192x4096, 1>
#same = affine_map<(d0, d1) -> (d0, d1)>

// Two operations: what is between them may be kept in 128 KB of L1, 32 tiles of f32.
// CHECK-LABEL: func.func @two
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {d2m.scratch_buffer} : memref<1x32x!ttcore.tile<32x32, f32>, #l1>
// CHECK: d2m.scratch_init %[[SCRATCH]]
// The map that fusion left on the first operation is its buffer's from now on.
// CHECK: memref.alloc() {d2m.blocking_map = #{{.*}}} : memref<2x2x
// CHECK-NOT: attrs = {d2m.blocking_map

// A buffer with one producer and one consumer that both compute is marked as such.
// MARK-LABEL: func.func @two
// MARK: memref.alloc() {d2m.synchronized_buffer = 3 : i32}
// MARK: memref.alloc() {d2m.compute_intermediate, d2m.synchronized_buffer = 3 : i32}
// MARK: memref.alloc() {d2m.synchronized_buffer = 3 : i32}

// LINEAR-LABEL: func.func @two
// LINEAR: %[[FLAT:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1]] : memref<2x2x!ttcore.tile<32x32, f32>, #l1> into memref<4x!ttcore.tile<32x32, f32>, #l1>
// LINEAR: affine.apply #{{.*}}(%{{.*}}, %{{.*}})
// LINEAR: memref.load %{{.*}}[%{{[0-9]+}}] : memref<4x!ttcore.tile<32x32, f32>, #l1>
// LINEAR-NOT: memref.load {{.*}} : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
func.func @two(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%a : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%b : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %c0 = arith.constant 0 : index
    %x = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%c0, %c0] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>
    %y = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x2x!ttcore.tile<32x32, f32>, #l1>) outs(%y : memref<2x2x!ttcore.tile<32x32, f32>, #l1>) attrs = {d2m.blocking_map = #same} {
    ^bb0(%t: !ttcore.tile<32x32, f32>, %o: !ttcore.tile<32x32, f32>):
      %e = "d2m.tile_exp"(%t) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
      linalg.yield %e : !ttcore.tile<32x32, f32>
    }
    %z = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%y : memref<2x2x!ttcore.tile<32x32, f32>, #l1>) outs(%z : memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
    ^bb0(%t: !ttcore.tile<32x32, f32>, %o: !ttcore.tile<32x32, f32>):
      %e = "d2m.tile_sin"(%t) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
      linalg.yield %e : !ttcore.tile<32x32, f32>
    }
    d2m.remote_store %b[%c0, %c0] %z : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}

// One operation needs no scratch; a buffer that a matmul adds to has one block, and one that nothing uses has no mark.
// CHECK-LABEL: func.func @one
// CHECK-NOT: d2m.scratch_buffer
// MARK-LABEL: func.func @one
// MARK: memref.alloc() : memref<1x1x
// MARK: memref.alloc() {d2m.synchronized_buffer = 3 : i32}
// MARK: memref.alloc() {d2m.synchronized_buffer = 1 : i32}
func.func @one(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%a : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%b : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %c0 = arith.constant 0 : index
    %unused = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
    %x = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%c0, %c0] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>
    %y = memref.alloc() : memref<2x2x!ttcore.tile<32x32, f32>, #l1>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) outs(%y : memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
    ^bb0(%p: !ttcore.tile<32x32, f32>, %q: !ttcore.tile<32x32, f32>, %o: !ttcore.tile<32x32, f32>):
      %e = "d2m.tile_matmul"(%p, %q, %o) : (!ttcore.tile<32x32, f32>, !ttcore.tile<32x32, f32>, !ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
      linalg.yield %e : !ttcore.tile<32x32, f32>
    }
    d2m.remote_store %b[%c0, %c0] %y : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}
