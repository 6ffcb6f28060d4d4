// RUN: ttmlir-opt %s --d2m-generate-outer-loops --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --d2m-generic-apply-interchange=matmul-interchange=2,0,1 --d2m-generate-outer-loops --split-input-file | FileCheck %s --check-prefix=TURNED
// RUN: ttmlir-opt %s --d2m-generate-outer-loops --d2m-generic-lower-to-explicit-form --split-input-file | FileCheck %s --check-prefix=EXPLICIT

// The loops of a matmul: two over blocks of the result, one that adds up.

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<8192x4096, 1>
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#parallel = #ttcore.iterator_type<parallel>
#reduction = #ttcore.iterator_type<reduction>

// CHECK-LABEL: func.func @matmul
// CHECK: block_factors = [1, 2, 3]
// CHECK: %[[F0:.*]] = d2m.get_block_factor(0)
// CHECK: %[[F1:.*]] = d2m.get_block_factor(1)
// CHECK: %[[F2:.*]] = d2m.get_block_factor(2)
// CHECK: affine.for %[[M:.*]] = 0 to %[[F0]]
// CHECK: affine.for %[[N:.*]] = 0 to %[[F1]]
// CHECK: affine.for %[[K:.*]] = 0 to %[[F2]]
// CHECK: %[[OFFSET:.*]] = d2m.block_offset(0)
// CHECK: %[[BLOCK:.*]] = arith.addi %[[M]], %[[OFFSET]]
// CHECK: d2m.remote_load %{{.*}} %{{.*}}[%[[BLOCK]], %[[K]]]
// CHECK: } {d2m.blocking_loop = 2 : i64, d2m.reduction_loop}
// CHECK: } {d2m.blocking_loop = 1 : i64}
// CHECK: } {d2m.blocking_loop = 0 : i64}

// Loop 2 comes first; the queries follow their loops.
// TURNED-LABEL: func.func @matmul
// TURNED: block_factors = [3, 1, 2]
// TURNED-SAME: iterator_types = [#reduction, #parallel, #parallel]
// TURNED: affine.for %[[K:.*]] = 0 to
// TURNED: affine.for %[[M:.*]] = 0 to
// TURNED: affine.for %{{.*}} = 0 to
// TURNED: %[[OFFSET:.*]] = d2m.block_offset(1)
// TURNED: %[[BLOCK:.*]] = arith.addi %[[M]], %[[OFFSET]]
// TURNED: d2m.remote_load %{{.*}} %{{.*}}[%[[BLOCK]], %[[K]]]
// TURNED: } {d2m.blocking_loop = 0 : i64, d2m.reduction_loop}

// A core's blocks begin at its index times the factor; the reduction begins at 0.
// EXPLICIT-LABEL: func.func @matmul
// EXPLICIT: block_factors = [], {{.*}} indexing_maps = [], iterator_types = []
// EXPLICIT-NOT: affine.for
// EXPLICIT: scf.for %[[M:.*]] =
// EXPLICIT: scf.for
// EXPLICIT: scf.for %[[K:.*]] =
// EXPLICIT: %[[ONE:.*]] = arith.constant 1 : index
// EXPLICIT: %[[CORE:.*]] = d2m.core_index(0)
// EXPLICIT: %[[START:.*]] = arith.muli %[[ONE]], %[[CORE]]
// EXPLICIT: %[[BLOCK:.*]] = arith.addi %[[M]], %[[START]]
// EXPLICIT: d2m.remote_load %{{.*}} %{{.*}}[%[[BLOCK]], %[[K]]]
// EXPLICIT: } {d2m.blocking_loop = 2 : i64, d2m.reduction_loop}
func.func @matmul(%a: memref<2x3x1x2x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<3x4x2x2x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<2x4x1x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 2, 3], grid = #ttcore.grid<2x2>, indexing_maps = [#row, #column, #result], iterator_types = [#parallel, #parallel, #reduction], threads = [#d2m.thread<unified>]}
      ins(%a, %b : memref<2x3x1x2x!ttcore.tile<32x32, f32>, #s, #l1>, memref<3x4x2x2x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<2x4x1x2x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %m = d2m.block_index(0) : index
    %k = d2m.iter_index(2) : index
    %x = memref.alloc() : memref<1x2x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%m, %k] : memref<1x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x3x1x2x!ttcore.tile<32x32, f32>, #s, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<4096x4096, 1>

// A generic with loops of its own is left alone.
// CHECK-LABEL: func.func @explicit
// CHECK-NOT: affine.for
// EXPLICIT-LABEL: func.func @explicit
// EXPLICIT: d2m.core_index(1)
func.func @explicit(%a: memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<2x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%a : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %y = d2m.core_index(0) : index
    %x = d2m.core_index(1) : index
    %t = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %t %a[%y, %x] : memref<1x1x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  }
  return
}
