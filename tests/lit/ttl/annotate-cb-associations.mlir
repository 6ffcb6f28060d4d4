// Each input of a ttl.compute has the number of its circular buffer as an attribute.
// RUN: ttlang-opt %s --ttl-annotate-cb-associations | FileCheck %s
#id = affine_map<(d0, d1) -> (d0, d1)>
!tile = !ttcore.tile<32x32, f32>
!block = tensor<1x1x!tile>

// CHECK: ttl.compute
// CHECK-SAME: ttl.cb_index.0 = 5 : i64, ttl.cb_index.1 = 3 : i64}
func.func @inputs(%a: !block, %b: !block, %o: !block) -> !block {
  %cb0 = ttl.bind_cb {cb_index = 5, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %cb1 = ttl.bind_cb {cb_index = 3, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %cb2 = ttl.bind_cb {cb_index = 2, buffer_factor = 1} : !ttl.cb<[1, 1], !tile, 1>
  %x = ttl.attach_cb %a, %cb0 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %y = ttl.attach_cb %b, %cb1 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %z = ttl.attach_cb %o, %cb2 : (!block, !ttl.cb<[1, 1], !tile, 1>) -> !block
  %r = ttl.compute ins(%x, %y : !block, !block) outs(%z : !block)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%p: !tile, %q: !tile, %out: !tile):
    %sum = ttl.tile_add %p, %q : !tile
    ttl.yield %sum : !tile
  } -> !block
  return %r : !block
}
