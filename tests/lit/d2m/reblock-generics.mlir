// RUN: ttmlir-opt %s --ttcore-register-device --d2m-reblock-generics | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-reblock-generics=test-buffer-size-policy=max | FileCheck %s --check-prefix=MAX
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-reblock-generics=test-buffer-size-policy=min | FileCheck %s --check-prefix=MIN
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-reblock-generics=test-buffer-size-policy=auto-mn | FileCheck %s --check-prefix=MN
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-reblock-generics=test-buffer-size-policy=small 2>&1 | FileCheck %s --check-prefix=POLICY

// POLICY: error: {{.*}}invalid test-buffer-size-policy 'small' (expected one of: auto, bounded, auto-mn, min, max)

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<16384x4096, 1>
#same = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#parallel = #ttcore.iterator_type<parallel>
#reduction = #ttcore.iterator_type<reduction>

// Element-wise, shards of 4x4 tiles: the most blocks that have four tiles, 2x2 or 4x1; of those the larger first factor.
// Users after the generic see the output as before.

// CHECK-LABEL: func.func @eltwise
// CHECK: %[[IN:.*]] = d2m.view_layout %arg0 {{.*}} -> memref<4x1x1x4x!ttcore.tile<32x32, f32>, #ttcore.shard<16384x4096, 1>, #l1>
// CHECK: %[[OUT:.*]] = d2m.view_layout %arg1
// CHECK: d2m.generic {block_factors = [4, 1], grid = #ttcore.grid<1x1>
// CHECK: ins(%[[IN]] : memref<4x1x1x4x
// CHECK: outs(%[[OUT]] : memref<4x1x1x4x
// CHECK: memref.alloc() : memref<1x4x!ttcore.tile<32x32, f32>, #l1>
// CHECK: %[[BACK:.*]] = d2m.view_layout %[[OUT]] {{.*}} -> memref<1x1x4x4x
// CHECK: return %[[BACK]]
// MAX-LABEL: func.func @eltwise
// MAX-NOT: d2m.view_layout
// MAX: block_factors = [1, 1]
// MIN-LABEL: func.func @eltwise
// MIN-NOT: d2m.view_layout
// MIN: block_factors = [1, 1]
func.func @eltwise(%a: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) -> memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1> {
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%a : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%b : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %x = memref.alloc() : memref<4x4x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%i, %j] : memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x4x!ttcore.tile<32x32, f32>, #l1>) outs(%x : memref<4x4x!ttcore.tile<32x32, f32>, #l1>) {
    ^bb0(%t: !ttcore.tile<32x32, f32>, %o: !ttcore.tile<32x32, f32>):
      %e = "d2m.tile_exp"(%t) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
      linalg.yield %e : !ttcore.tile<32x32, f32>
    }
    d2m.remote_store %b[%i, %j] %x : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, memref<4x4x!ttcore.tile<32x32, f32>, #l1>
  }
  return %b : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>
}

// A matmul: the reduction in steps of one tile, its smallest buffers; with auto-mn rows instead, since only the operands
// that a choice changes count.

// CHECK-LABEL: func.func @matmul
// CHECK: d2m.generic {block_factors = [1, 1, 4]
// CHECK: memref<1x4x4x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
// MAX-LABEL: func.func @matmul
// MAX: block_factors = [1, 1, 1]
// MIN-LABEL: func.func @matmul
// MIN: block_factors = [1, 1, 4]
// MN-LABEL: func.func @matmul
// MN: block_factors = [4, 1, 1]
func.func @matmul(%a: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#row, #column, #result], iterator_types = [#parallel, #parallel, #reduction], threads = [#d2m.thread<unified>]}
      ins(%a, %b : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %k = d2m.block_index(2) : index
    %x = memref.alloc() : memref<4x4x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%i, %k] : memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>
    %y = memref.alloc() : memref<4x4x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %y %b[%k, %j] : memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>
    %z = memref.alloc() : memref<4x4x!ttcore.tile<32x32, f32>, #l1>
    "d2m.tile_matmul_block"(%x, %y, %z) : (memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<4x4x!ttcore.tile<32x32, f32>, #l1>) -> ()
    d2m.remote_store %c[%i, %j] %z : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, memref<4x4x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}

// Without a computation the blocks stay as they are.
// CHECK-LABEL: func.func @transfer
// CHECK-NOT: d2m.view_layout
// CHECK: block_factors = [1, 1]
func.func @transfer(%a: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, %b: memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%a : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%b : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %x = memref.alloc() : memref<4x4x!ttcore.tile<32x32, f32>, #l1>
    d2m.remote_load %x %a[%i, %j] : memref<4x4x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>
    d2m.remote_store %b[%i, %j] %x : memref<1x1x4x4x!ttcore.tile<32x32, f32>, #s, #l1>, memref<4x4x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}
