// Tiles loaded and packed one by one, as in the specification's lowered form; registers are assigned where none is named.
// RUN: ttlang-opt %s --ttl-lower-to-ttkernel -split-input-file -verify-diagnostics | FileCheck %s
// RUN: sed -n -e '1,/^}/p' %s | ttlang-opt | ttlang-opt | FileCheck %s --check-prefix=TEXT

!cb = !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>
// TEXT: ttl.get_tile %{{.*}} : (!ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>, index) -> !ttcore.tile<32x32, bf16>
// TEXT: ttl.pack_tile %{{.*}} -> ()
// CHECK-LABEL: func.func @sum
// CHECK: ttkernel.tile_regs_acquire
// CHECK: ttkernel.copy_tile(%[[A:.*]], %c0, %c0)
// CHECK: ttkernel.copy_tile(%[[A]], %c1, %c1)
// CHECK: ttkernel.add_binary_tile(%c0, %c1, %c2)
// CHECK: ttkernel.pack_tile(%c2, %{{.*}}, %c0, true)
// CHECK: ttkernel.tile_regs_release
func.func @sum() attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %o = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  ttl.init_sfpu(%a, %o) : <[2, 1], !ttcore.tile<32x32, bf16>, 2>, <[2, 1], !ttcore.tile<32x32, bf16>, 2>
  ttl.tile_regs_acquire
  %x = ttl.get_tile %a, %c0
  %y = ttl.get_tile %a, %c1
  %z = ttl.tile_add %x, %y {dst_idx = 2 : i32} : !ttcore.tile<32x32, bf16>
  ttl.tile_regs_commit
  ttl.tile_regs_wait
  ttl.pack_tile %c2, %o, %c0
  ttl.tile_regs_release
  return
}

// -----

func.func @spill(%a: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %x = ttl.get_tile %a, %c0
  // expected-error @+1 {{it stands in no part of its block that begins with ttl.tile_regs_acquire}}
  %s = ttl.spill_tile_to_l1 %x, %c0
  %y = ttl.restore_tile_from_l1 %s
  return
}

// -----

func.func @other(%a: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{gives '!ttcore.tile<32x32, f32>', the buffer holds '!ttcore.tile<32x32, bf16>'}}
  %x = ttl.get_tile %a, %c0 : (!ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>, index) -> !ttcore.tile<32x32, f32>
  return
}
