// A buffer of elements that a compute thread reads by tiles: whole pages, padded by the thread that fills it.
// RUN: ttlang-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: ttlang-opt %s -split-input-file -verify-diagnostics --convert-ttl-to-ttkernel | FileCheck %s --check-prefix=KERNEL

// CHECK: ttl.bind_cb{cb_index = 0, buffer_factor = 2} {ttl.padded} : <[2, 552], bf16, 2>
// CHECK: ttl.cb_pad %{{.*}} : <[2, 552], bf16, 2>
// KERNEL-LABEL: func.func @reader
// KERNEL-DAG: %[[FIRST:.*]] = arith.constant 552 : index
// KERNEL-DAG: %[[WORDS:.*]] = arith.constant 1024 : index
// KERNEL-DAG: %[[REST:.*]] = arith.constant 472 : index
// KERNEL-DAG: %[[PAGES:.*]] = arith.constant 2 : i32
// KERNEL: %[[AT:.*]] = ttkernel.get_write_ptr
// KERNEL: %[[L1:.*]] = ttkernel.reinterpret_cast(%[[AT]])
// KERNEL: scf.for %[[BLOCK:.*]] =
// KERNEL: arith.muli %[[BLOCK]], %[[WORDS]]
// KERNEL: scf.for %{{.*}} = %{{.*}} to %[[REST]]
// KERNEL: ttkernel.store_to_l1(%{{.*}}, %[[L1]], %{{.*}})
// KERNEL: ttkernel.cb_reserve_back(%{{.*}}, %[[PAGES]])
func.func @reader() attributes {ttl.kernel_thread = #ttkernel.thread<noc>} {
  %cb = ttl.bind_cb {cb_index = 0, buffer_factor = 2} {ttl.padded} : !ttl.cb<[2, 552], bf16, 2>
  ttl.cb_pad %cb : <[2, 552], bf16, 2>
  %v = ttl.cb_reserve %cb : <[2, 552], bf16, 2> -> tensor<2x552xbf16>
  ttl.cb_push %cb : <[2, 552], bf16, 2>
  return
}

// -----

func.func @tiles() {
  %cb = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
  // expected-error @+1 {{pads buffers of numbers, got '!ttcore.tile<32x32, f32>'}}
  ttl.cb_pad %cb : <[1, 1], !ttcore.tile<32x32, f32>, 2>
  return
}
