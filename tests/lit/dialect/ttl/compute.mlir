// compute: operand groups, empty ones too, attributes, a body, one type or several.
// RUN: ttlang-opt %s | FileCheck %s
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s
// RUN: ttlang-opt %s -mlir-print-op-generic | ttlang-opt | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
!tile = !ttcore.tile<32x32, f32>

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[A:.*]]: tensor<2x2x!ttcore.tile<32x32, f32>>, %[[B:.*]]: tensor
func.func @f(%a: tensor<2x2x!tile>, %b: tensor<2x2x!tile>) -> tensor<2x2x!tile> {
  // CHECK: %[[R:.*]] = ttl.compute ins(%[[A]], %[[B]] : tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>) outs(%[[A]] : tensor<2x2x!ttcore.tile<32x32, f32>>) {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: !ttcore.tile<32x32, f32>, %[[Y:.*]]: !ttcore.tile<32x32, f32>, %{{.*}}: !ttcore.tile<32x32, f32>):
  // CHECK-NEXT: %[[S:.*]] = ttl.tile_add %[[X]], %[[Y]] : !ttcore.tile<32x32, f32>
  // CHECK-NEXT: ttl.yield %[[S]] : !ttcore.tile<32x32, f32>
  // CHECK-NEXT: } -> tensor<2x2x!ttcore.tile<32x32, f32>>
  %0 = ttl.compute ins(%a, %b : tensor<2x2x!tile>, tensor<2x2x!tile>)
      outs(%a : tensor<2x2x!tile>)
      {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: !tile, %y: !tile, %o: !tile):
    %s = ttl.tile_add %x, %y : !tile
    ttl.yield %s : !tile
  } -> tensor<2x2x!tile>
  // CHECK: ttl.compute ins() outs(%[[R]], %[[R]] : {{.*}}) {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} {
  // CHECK: } -> (tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<2x2x!ttcore.tile<32x32, f32>>)
  %1:2 = ttl.compute ins() outs(%0, %0 : tensor<2x2x!tile>, tensor<2x2x!tile>)
      {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%x: !tile, %y: !tile):
    ttl.yield %x, %y : !tile, !tile
  } -> (tensor<2x2x!tile>, tensor<2x2x!tile>)
  return %1#1 : tensor<2x2x!tile>
}
