// The steps of the language's specification under their own names, in order, give the pipeline's output.
// RUN: ttlang-opt %s --ttl-validate --ttl-canonicalize --ttl-allocate-cbs --ttl-expand-threads --ttl-to-ttkernel-pipeline | FileCheck %s
// RUN: ttlang-opt %s --ttl-validate --ttl-verify-layouts --ttl-insert-synchronization --ttl-infer-dst-requirements --ttl-bufferize --ttl-canonicalize --ttl-allocate-circular-buffers --ttl-expand-threads --ttl-lower-compute --ttl-lower-data-movement --ttl-lower-synchronization | FileCheck %s
// RUN: ttlang-opt %s --ttl-schedule-pipeline --ttl-bufferize | FileCheck %s --check-prefix=MEMORY
// RUN: ttlang-opt %s --ttl-canonicalize --ttl-allocate-cbs --ttl-expand-threads --ttl-lower-compute | FileCheck %s --check-prefix=COMPUTE
// RUN: not ttlang-opt %s --convert-ttl-to-ttkernel=only=all 2>&1 | FileCheck %s --check-prefix=ONLY

// MEMORY: ttl.cb_reserve {{.*}} -> !ttl.block<memref<1x1x!ttcore.tile<32x32, bf16>, #ttl.memory_space<L1>>, !ttl.cb<
// MEMORY: ttl.block_add {{.*}} -> tensor<1x1x

// COMPUTE-LABEL: func.func @double_datamovement0
// COMPUTE: ttl.copy
// COMPUTE-LABEL: func.func @double_compute0
// COMPUTE: ttl.cb_wait
// COMPUTE: ttkernel.add_binary_tile
// COMPUTE: ttl.cb_push

// CHECK-LABEL: func.func @double_datamovement0
// CHECK: ttkernel.cb_reserve_back
// CHECK: ttkernel.noc_async_read_page
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: ttkernel.cb_push_back
// CHECK-LABEL: func.func @double_compute0
// CHECK: ttkernel.cb_wait_front
// CHECK: ttkernel.cb_reserve_back
// CHECK: ttkernel.init_sfpu
// CHECK: ttkernel.tile_regs_acquire
// CHECK: ttkernel.add_binary_tile
// CHECK: ttkernel.pack_tile
// CHECK: ttkernel.tile_regs_release
// CHECK: ttkernel.cb_pop_front
// CHECK-LABEL: func.func @double_datamovement1
// CHECK: ttkernel.noc_async_write_page
// CHECK: ttkernel.noc_async_write_barrier
// CHECK-NOT: ttl.{{[a-z]+}} %

// ONLY: convert-ttl-to-ttkernel: 'only' is one of compute, data-movement, synchronization, not 'all'
#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!tensor = tensor<4x1x!ttcore.tile<32x32, bf16>, #layout>
func.func @double(%t: !tensor, %u: !tensor) {
  ttl.kernel(%t, %u : !tensor, !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%x: !tensor, %y: !tensor):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=4, memory_space=L1
    %b = ttl.create_cb shape=[1, 1], element_type=!ttcore.tile<32x32, bf16>, buffer_factor=4, memory_space=L1
    %in = ttl.tensor_accessor %x {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %out = ttl.tensor_accessor %y {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      scf.for %i = %c0 to %c4 step %c1 {
        %r = ttl.cb_reserve %a
        %tz = ttl.copy %in[%i, %c0], %r
        ttl.wait %tz
        ttl.cb_push %r
      }
    }
    ttl.compute_thread {
      scf.for %i = %c0 to %c4 step %c1 {
        %p = ttl.cb_wait %a
        %o = ttl.cb_reserve %b
        %s = ttl.block_add %p, %p
        ttl.block_store %o, %s
        ttl.cb_pop %p
        ttl.cb_push %o
      }
    }
    ttl.datamovement_thread {
      scf.for %i = %c0 to %c4 step %c1 {
        %r = ttl.cb_wait %b
        %tz = ttl.copy %r, %out[%i, %c0]
        ttl.wait %tz
        ttl.cb_pop %r
      }
    }
  }
  return
}
