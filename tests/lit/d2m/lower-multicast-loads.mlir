// RUN: ttmlir-opt %s --ttcore-register-device --d2m-lower-multicast-loads | FileCheck %s

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<4096x4096, 1>
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#parallel = #ttcore.iterator_type<parallel>
#reduction = #ttcore.iterator_type<reduction>

// A row of blocks goes to a row of cores, a column to a column.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[Y:.*]] = d2m.core_index(0)
// CHECK: %[[H:.*]] = arith.constant 1 : index
// CHECK: %[[W:.*]] = arith.constant 4 : index
// CHECK: d2m.remote_load %{{.*}} %arg0[%{{.*}}, %{{.*}}] mcore[%[[Y]], %{{.*}}] mshape[%[[H]], %[[W]]]
// CHECK: %[[X:.*]] = d2m.core_index(1)
// CHECK: d2m.remote_load %{{.*}} %arg1[%{{.*}}, %{{.*}}] mcore[%{{.*}}, %[[X]]] mshape[%{{.*}}, %{{.*}}]
func.func @matmul(%a: memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<3x4x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<2x4x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 1, 3], grid = #ttcore.grid<2x4>, indexing_maps = [#row, #column, #result], iterator_types = [#parallel, #parallel, #reduction], threads = [#d2m.thread<unified>]}
      ins(%a, %b : memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, memref<3x4x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<2x4x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %m = d2m.block_index(0) : index
    %n = d2m.block_index(1) : index
    %k = d2m.block_index(2) : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%m, %k] mcast[%c0] : memref<1x1x!ttcore.tile<32x32, f32>, #l1>, memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
    %y = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %y %b[%k, %n] mcast[%c1] : memref<1x1x!ttcore.tile<32x32, f32>, #l1>, memref<3x4x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  }
  return
}

// With one core in a row each core loads for itself.
// CHECK-LABEL: func.func @alone
// CHECK: d2m.remote_load %{{.*}} %arg0[%{{.*}}, %{{.*}}] :
// CHECK-NOT: mcore
func.func @alone(%a: memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<3x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<2x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 1, 3], grid = #ttcore.grid<2x1>, indexing_maps = [#row, #column, #result], iterator_types = [#parallel, #parallel, #reduction], threads = [#d2m.thread<unified>]}
      ins(%a, %b : memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, memref<3x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<2x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %m = d2m.block_index(0) : index
    %k = d2m.block_index(2) : index
    %c0 = arith.constant 0 : index
    %x = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%m, %k] mcast[%c0] : memref<1x1x!ttcore.tile<32x32, f32>, #l1>, memref<2x3x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  }
  return
}
