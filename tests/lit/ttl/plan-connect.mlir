// Pipes and semaphores in the specification's form: cores and values as attributes, types and indices of semaphores omitted.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s
// RUN: ttlang-opt %s --ttl-canonicalize --ttl-allocate-cbs | FileCheck %s --check-prefix=NUMBERED
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: func.func @connected
// CHECK: ttl.create_pipe [0, 0] to [0, 0] through [1, 3] : !ttl.pipe
// CHECK: ttl.create_pipe [0, 0] to [1, 0] : !ttl.pipe
// CHECK: ttl.create_semaphore {initial_value = 7 : i64, is_remote = false} : !ttl.semaphore
// CHECK: ttl.create_semaphore 0 : !ttl.semaphore
// CHECK: ttl.semaphore_wait %{{.*}}, 5 {comparison = "equal", kept, reset_value = 0 : i64} : !ttl.semaphore
// CHECK: ttl.get_remote_semaphore %{{.*}} {core = array<i64: 1, 0>} : !ttl.semaphore
// CHECK: ttl.get_remote_multicast_semaphore %{{.*}} : !ttl.semaphore
// CHECK: ttl.semaphore_set %{{.*}}, 2 {core = array<i64: 0, 0>, core_end = array<i64: 1, 1>} : !ttl.semaphore

// NUMBERED: ttl.create_pipe [0, 0] to [0, 0] through [1, 3] semaphores 2
// NUMBERED: ttl.create_pipe [0, 0] to [1, 0] semaphores 5
// NUMBERED: ttl.create_semaphore 8 scratch 9 {initial_value = 7 : i64, is_remote = false}
// NUMBERED: ttl.create_semaphore 0 :
// NUMBERED: %[[C5:.*]] = arith.constant 5 : index
// NUMBERED: ttl.semaphore_wait %{{.*}}, %[[C5]] {comparison = "equal", kept, reset_value = 0 : i64}
// NUMBERED: ttl.get_remote_semaphore %{{.*}}[%{{.*}}, %{{.*}}]
// NUMBERED: %[[Z:.*]] = arith.constant 0 : index
// NUMBERED: %[[Y:.*]] = arith.constant 0 : index
// NUMBERED: %[[XE:.*]] = arith.constant 1 : index
// NUMBERED: %[[YE:.*]] = arith.constant 3 : index
// NUMBERED: ttl.get_remote_multicast_semaphore %{{.*}}[%[[Z]], %[[Y]]] through [%[[XE]], %[[YE]]]
// NUMBERED: ttl.get_remote_multicast_semaphore

// LOWERED-LABEL: func.func @connected_datamovement0
// LOWERED-SAME: ttl.semaphore_values = array<i64: 8, 7>
// LOWERED: ttkernel.noc_async_write_multicast
// LOWERED: ttkernel.noc_semaphore_set_multicast
// LOWERED: ttkernel.experimental.semaphore_wait
// LOWERED: ttkernel.noc_semaphore_inc
func.func @connected() {
  ttl.kernel attributes {grid = #ttl.grid<[2, 4]>} {
    %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    %all = ttl.create_pipe src_core=[0,0] dst_core_range=[[0,0],[1,3]]
    %one = ttl.create_pipe src_core=[0, 0], dst_core=[1, 0]
    %sem = ttl.create_semaphore {initial_value = 7 : i32, is_remote = false}
    %far = ttl.create_semaphore 0 : !ttl.semaphore
    ttl.datamovement_thread {
      ttl.if_pipe_src %all, %one {
      ^bb0(%pipe: !ttl.pipe):
        %blk = ttl.cb_wait %cb
        %xf = ttl.copy %blk, %pipe
        ttl.wait %xf
        ttl.cb_pop %blk
      }
      ttl.semaphore_wait %sem, 5 {reset_value = 0, comparison = "equal", kept}
      ttl.semaphore_set %sem, 0
      %r = ttl.get_remote_semaphore %far {core = [1, 0]}
      ttl.semaphore_inc %r, 1
      %m = ttl.get_remote_multicast_semaphore %far
      ttl.semaphore_set %m, 3
      ttl.semaphore_set %sem, 2 {mcast_range = [[0, 0], [1, 1]]}
      ttl.semaphore_inc %sem, 1 {core = [0, 1]}
    }
    ttl.datamovement_thread {
      ttl.if_pipe_dst %all, %one {
      ^bb0(%pipe: !ttl.pipe):
        %blk = ttl.cb_reserve %cb
        %xf = ttl.copy %pipe, %blk
        ttl.wait %xf
        ttl.cb_push %blk
      }
    }
  }
  return
}
