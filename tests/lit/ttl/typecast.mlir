// Element types that differ: the conversion, and the formats that units are told. A loop whose inputs are of one format
// is told nothing; a product is stored in another format than it sets up.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s
// RUN: ttlang-opt %s --ttl-to-ttkernel-pipeline | FileCheck %s --check-prefix=KERNEL

!h = tensor<2x2x!ttcore.tile<32x32, bf16>>
!f = tensor<2x2x!ttcore.tile<32x32, f32>>
!hcb = !ttl.cb<[2, 2], !ttcore.tile<32x32, bf16>, 2>
!fcb = !ttl.cb<[2, 2], !ttcore.tile<32x32, f32>, 2>

// CHECK-LABEL: func.func @sum
// CHECK: ttl.typecast %{{.*}} : tensor<2x2x!ttcore.tile<32x32, bf16>> -> tensor<2x2x!ttcore.tile<32x32, f32>>
// KERNEL-LABEL: func.func @sum
// KERNEL: ttkernel.init_sfpu
// KERNEL: scf.for
// KERNEL: ttkernel.reconfig_data_format_srca(%[[A:.*]]) : (!ttkernel.cb<8, !ttcore.tile<32x32, bf16>>)
// KERNEL: ttkernel.copy_tile_init(%[[A]])
// KERNEL: ttkernel.typecast_tile_init(<bf16>, <f32>)
// KERNEL: ttkernel.typecast_tile(%{{.*}}, <bf16>, <f32>)
// KERNEL: ttkernel.reconfig_data_format_srca(%{{.*}}) : (!ttkernel.cb<8, !ttcore.tile<32x32, f32>>)
// KERNEL-NOT: pack_reconfig
// KERNEL: return
func.func @sum() attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !hcb
  %b = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !fcb
  %o = ttl.bind_cb {cb_index = 2, buffer_factor = 2} : !fcb
  %x = ttl.cb_wait %a : !hcb -> !h
  %y = ttl.cb_wait %b : !fcb -> !f
  %v = ttl.cb_reserve %o : !fcb -> !f
  %wide = ttl.typecast %x : !h -> !f
  %s = ttl.add %wide, %y : !f, !f -> !f
  %r = ttl.attach_cb %s, %o : (!f, !fcb) -> !f
  ttl.cb_push %o : !fcb
  return
}

// KERNEL-LABEL: func.func @one_input
// KERNEL-NOT: reconfig
// KERNEL: ttkernel.typecast_tile(
// KERNEL-NOT: reconfig
// KERNEL: return
func.func @one_input() attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !hcb
  %o = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !fcb
  %x = ttl.cb_wait %a : !hcb -> !h
  %v = ttl.cb_reserve %o : !fcb -> !f
  %e = ttl.exp %x : !h -> !h
  %s = ttl.typecast %e : !h -> !f
  %r = ttl.attach_cb %s, %o : (!f, !fcb) -> !f
  ttl.cb_push %o : !fcb
  return
}

// KERNEL-LABEL: func.func @product
// KERNEL: ttkernel.mm_init(%[[A:.*]], %[[A]], %[[A]],
// KERNEL: ttkernel.matmul_tiles
// KERNEL: ttkernel.pack_reconfig_data_format(%[[O:.*]]) : (!ttkernel.cb<8, !ttcore.tile<32x32, f32>>)
// KERNEL-NEXT: ttkernel.pack_tile(%{{.*}}, %[[O]]
func.func @product() attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !hcb
  %o = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !fcb
  %x = ttl.cb_wait %a : !hcb -> !h
  %v = ttl.cb_reserve %o : !fcb -> !f
  %p = ttl.matmul %x, %x : !h, !h -> !h
  %s = ttl.typecast %p : !h -> !f
  %r = ttl.attach_cb %s, %o : (!f, !fcb) -> !f
  ttl.cb_push %o : !fcb
  return
}
