// A selection between two tiles is one call, with their element type.
// RUN: ttlang-opt %s --ttl-to-ttkernel-pipeline | FileCheck %s
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT
!tile = !ttcore.tile<32x32, si32>
!block = tensor<1x1x!tile>
!cb = !ttl.cb<[1, 1], !tile, 2>

// CHECK: ttkernel.where_tile_init()
// CHECK: ttkernel.where_tile(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, <si32>)
// TEXT: ttl.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x1x!ttcore.tile<32x32, si32>>, tensor<1x1x!ttcore.tile<32x32, si32>>, tensor<1x1x!ttcore.tile<32x32, si32>> -> tensor<1x1x!ttcore.tile<32x32, si32>>
func.func @choose(%a: !block, %b: !block, %c: !block) -> !block attributes {ttl.base_cta_index = 4 : i32, ttl.crta_indices = [], ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %2 = ttl.bind_cb {cb_index = 2, buffer_factor = 2} : !cb
  %3 = ttl.bind_cb {cb_index = 3, buffer_factor = 2} : !cb
  %x = ttl.attach_cb %a, %0 : (!block, !cb) -> !block
  %y = ttl.attach_cb %b, %1 : (!block, !cb) -> !block
  %z = ttl.attach_cb %c, %2 : (!block, !cb) -> !block
  %w = ttl.where %x, %y, %z : !block, !block, !block -> !block
  %out = ttl.attach_cb %w, %3 : (!block, !cb) -> !block
  return %out : !block
}
