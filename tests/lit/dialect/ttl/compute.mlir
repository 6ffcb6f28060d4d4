// ttl.compute reads and prints its operands in groups, its body and its results.
// RUN: ttlang-opt %s | FileCheck %s
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
!tile = !ttcore.tile<32x32, f32>
!block = tensor<2x2x!tile>
!cb = !ttl.cb<[2, 2], !tile, 2>

// CHECK-LABEL: func.func @compute
func.func @compute(%a: !block, %cb: !cb) -> !block {
  // CHECK: %[[T:.*]] = ttl.attach_cb
  %t = ttl.attach_cb %a, %cb : (!block, !cb) -> !block
  // CHECK: %{{.*}} = ttl.compute ins(%[[T]], %[[T]] : tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>) outs(%[[T]] : tensor<2x2x!ttcore.tile<32x32, f32>>) {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: !ttcore.tile<32x32, f32>, %[[Y:.*]]: !ttcore.tile<32x32, f32>, %{{.*}}: !ttcore.tile<32x32, f32>):
  // CHECK-NEXT: %[[S:.*]] = ttl.tile_add %[[X]], %[[Y]] : !ttcore.tile<32x32, f32>
  // CHECK-NEXT: ttl.yield %[[S]] : !ttcore.tile<32x32, f32>
  // CHECK-NEXT: } -> tensor<2x2x!ttcore.tile<32x32, f32>>
  %0 = ttl.compute ins(%t, %t : !block, !block) outs(%t : !block) {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: !tile, %y: !tile, %o: !tile):
    %s = ttl.tile_add %x, %y : !tile
    ttl.yield %s : !tile
  } -> !block
  // CHECK: } -> (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>)
  %1:2 = ttl.compute ins(%t : !block) outs(%t, %t : !block, !block) {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: !tile, %o: !tile, %p: !tile):
    ttl.yield %x, %x : !tile, !tile
  } -> (!block, !block)
  return %0 : !block
}
