// Bitwise operations of integers, and with a number: its tile is filled, without a copy to that register before.
// RUN: ttlang-opt %s --split-input-file --verify-diagnostics --ttl-to-ttkernel-pipeline | FileCheck %s
!tile = !ttcore.tile<32x32, u32>
!block = tensor<1x1x!tile>
!cb = !ttl.cb<[1, 1], !tile, 2>

// CHECK: ttkernel.fill_tile_init()
// CHECK-NEXT: ttkernel.fill_tile_int(%[[FIVE:c[0-9]+]], %c5_i32)
// CHECK: ttkernel.copy_tile(%{{.*}}, %{{.*}}, %[[X:c[0-9]+]])
// CHECK-NEXT: ttkernel.binary_bitwise_tile_init()
// CHECK-NEXT: ttkernel.bitwise_xor_binary_tile(%[[X]], %[[FIVE]], %[[Y:c[0-9]+]], <u32>)
// CHECK-NEXT: ttkernel.bitwise_not_tile_init()
// CHECK-NEXT: ttkernel.bitwise_not_tile(%[[Y]])
// CHECK-NEXT: ttkernel.fill_tile_init()
// CHECK-NEXT: ttkernel.fill_tile_int(%[[FOUR:c[0-9]+]], %c4_i32)
// CHECK-NEXT: ttkernel.binary_shift_tile_init()
// CHECK-NEXT: ttkernel.binary_logical_right_shift_tile(%[[Y]], %[[FOUR]], %{{.*}}, <u32>)
// CHECK-NOT: ttkernel.copy_tile
func.func @bits(%a: !block) -> !block attributes {ttl.base_cta_index = 2 : i32, ttl.crta_indices = [], ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %x = ttl.attach_cb %a, %0 : (!block, !cb) -> !block
  %five = ttl.fill_int %x, 5 : !block -> !block
  %y = ttl.bitwise_xor %x, %five : !block, !block -> !block
  %z = ttl.bitwise_not %y : !block -> !block
  %four = ttl.fill_int %x, 4 : !block -> !block
  %w = ttl.logical_right_shift %z, %four : !block, !block -> !block
  %out = ttl.attach_cb %w, %1 : (!block, !cb) -> !block
  return %out : !block
}

// -----

!block = tensor<1x1x!ttcore.tile<32x32, f32>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @floats(%a: !block) -> !block attributes {ttl.base_cta_index = 2 : i32, ttl.crta_indices = [], ttl.kernel_thread = #ttkernel.thread<compute>} {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %x = ttl.attach_cb %a, %0 : (!block, !cb) -> !block
  // expected-error @+1 {{'ttl.tile_bitwise_not' op computes with integers, got tiles '!ttcore.tile<32x32, f32>' for ttl.bitwise_not}}
  %y = ttl.bitwise_not %x : !block -> !block
  %out = ttl.attach_cb %y, %1 : (!block, !cb) -> !block
  return %out : !block
}
