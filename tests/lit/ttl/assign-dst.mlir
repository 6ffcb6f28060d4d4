// What a unary operation overwrites is its input's register, or a copy in its own; tiles of 32 bits want a wide DST.
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(ttl-set-compute-kernel-config,ttl-assign-dst))' | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(ttl-assign-dst{separate-output-region=true}))' | FileCheck %s --check-prefix=APART
#id = affine_map<(d0, d1) -> (d0, d1)>
!tile = !ttcore.tile<32x32, si32>
!block = tensor<1x1x!tile>

// CHECK-LABEL: func.func @last_user
// CHECK: fp32_dest_acc_en = true
// CHECK: %[[SUM:.*]] = ttl.tile_add {{.*}} {dst_idx = 2 : i32}
// CHECK: %[[OTHER:.*]] = ttl.tile_add {{.*}} {dst_idx = 0 : i32}
// CHECK: %[[ABS:.*]] = ttl.tile_abs %[[SUM]] {dst_idx = 2 : i32}
// CHECK: ttl.tile_sub %[[ABS]], %[[OTHER]]

// APART-LABEL: func.func @last_user
// APART: %[[ABS:.*]] = ttl.tile_abs %{{.*}} {dst_idx = 2 : i32}
func.func @last_user(%a: !block, %b: !block, %o: !block) -> !block {
  %cb0 = ttl.bind_cb {cb_index = 0, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %cb1 = ttl.bind_cb {cb_index = 1, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %cb2 = ttl.bind_cb {cb_index = 2, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %x = ttl.attach_cb %a, %cb0 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %y = ttl.attach_cb %b, %cb1 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %z = ttl.attach_cb %o, %cb2 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %r = ttl.compute ins(%x, %y : !block, !block) outs(%z : !block)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%p: !tile, %q: !tile, %out: !tile):
    %sum = ttl.tile_add %p, %q : !tile
    %other = ttl.tile_add %q, %p : !tile
    %abs = ttl.tile_abs %sum : !tile
    %done = ttl.tile_sub %abs, %other : !tile
    ttl.yield %done : !tile
  } -> !block
  return %r : !block
}
