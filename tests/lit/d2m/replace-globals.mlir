// RUN: ttmlir-opt %s --d2m-generic-replace-globals | FileCheck %s
// RUN: ttmlir-opt %s --d2m-generic-replace-globals --d2m-split-threads -o %t
// RUN: sed 's/xf32> \[1\]/xf32> [7]/' %s | not ttmlir-opt - --d2m-generic-replace-globals 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: Global must have a valid index attribute
// Inside of a generic a global is the operand that its index names; outside it stays.

#map = affine_map<(d0) -> (d0)>
module {
  ttcore.global @scale = tensor<4xf32> [1]
  // CHECK-LABEL: func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>)
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK: %[[KEPT:.*]] = ttcore.get_global @scale
    %outside = ttcore.get_global @scale : tensor<4xf32>
    %out = d2m.empty() : tensor<4xf32>
    // CHECK: d2m.generic
    // CHECK-NOT: ttcore.get_global
    // CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
    %0 = d2m.generic {block_factors = [1], grid = #ttcore.grid<1x1>, indexing_maps = [#map, #map, #map], iterator_types = [#ttcore.iterator_type<parallel>], threads = [#d2m.thread<compute>]}
        ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%out : tensor<4xf32>) {
      %cb = d2m.get_cb(2) : !d2m.cb<tensor<4xf32>>
      %scale = ttcore.get_global @scale : tensor<4xf32>
      %to = d2m.reserve %cb : !d2m.cb<tensor<4xf32>> -> tensor<4xf32>
      %made = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%x, %scale : tensor<4xf32>, tensor<4xf32>) outs(%to : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %product = arith.mulf %a, %b : f32
        linalg.yield %product : f32
      } -> tensor<4xf32>
      d2m.yield %made : (tensor<4xf32>)
    } : tensor<4xf32>
    // CHECK: return %{{.*}}, %[[KEPT]]
    return %0, %outside : tensor<4xf32>, tensor<4xf32>
  }
}
