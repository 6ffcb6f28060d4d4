// A pipe whose blocks arrive in a landing buffer: receivers signal that it is free, take the block from it, and signal again.
// RUN: ttlang-opt %s --convert-ttl-to-ttkernel | FileCheck %s
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>

// CHECK-LABEL: func.func @both
// CHECK: scf.if
// CHECK: ttkernel.noc_semaphore_inc
// CHECK: scf.if
// CHECK-NOT: semaphore_inc
// CHECK: %[[PORT:.*]] = ttkernel.get_compile_time_arg_val(2)
// CHECK: %[[PLACE:.*]] = ttkernel.get_write_ptr(%[[PORT]])
// CHECK: ttkernel.experimental.semaphore_wait
// CHECK-NOT: load_from_l1
// CHECK: ttkernel.noc_async_write_multicast{{.*}}%[[PLACE]]
// CHECK: scf.if
// CHECK: ttkernel.experimental.semaphore_wait
// CHECK: ttkernel.noc_async_read
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: ttkernel.noc_semaphore_inc
func.func @both() attributes {ttl.kernel_thread = #ttkernel.thread<noc>} {
  %cb = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !cb
  %p = ttl.create_pipe [0, 0] to [0, 0] through [0, 3] semaphores 0 : !ttl.pipe
  ttl.if_pipe_src %p {
  ^bb0(%q: !ttl.pipe):
    %h = ttl.copy %cb, %q {reserved, ttl.landing = 2 : i32} : (!cb, !ttl.pipe) -> !ttl.transfer_handle<write>
    ttl.wait %h : !ttl.transfer_handle<write>
  }
  ttl.if_pipe_dst %p {
  ^bb0(%q: !ttl.pipe):
    %h = ttl.copy %q, %cb {ttl.landing = 2 : i32} : (!ttl.pipe, !cb) -> !ttl.transfer_handle<read>
    ttl.wait %h : !ttl.transfer_handle<read>
  }
  return
}
