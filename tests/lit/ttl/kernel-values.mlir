// Results of kernels are the tensors that threads write; a thread may be given what it uses; core_ranges of a buffer limit
// the threads that use it to these cores.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s --check-prefix=TEXT
// RUN: ttlang-opt %s --mlir-print-op-generic | ttlang-opt | FileCheck %s --check-prefix=TEXT
// RUN: ttlang-opt %s --emit-bytecode -o %t.mlirbc && ttlang-opt %t.mlirbc | FileCheck %s --check-prefix=TEXT
// RUN: ttlang-opt %s --ttl-validate --ttl-allocate-cbs --ttl-expand-threads | FileCheck %s
// RUN: ttlang-opt %s --ttl-canonicalize --ttl-allocate-cbs --ttl-expand-threads | FileCheck %s --check-prefix=LAID
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-insert-synchronization,ttl-canonicalize,ttl-allocate-cbs,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED

// TEXT-LABEL: func.func @twice
// TEXT: %[[R:.*]] = ttl.kernel(%arg0, %arg1 : tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16> attributes {grid = #ttl.grid<[2, 2]>} {
// TEXT: ttl.create_cb {core_ranges = #ttl.core_mask<[13]>} : <[1, 1]
// TEXT: ttl.datamovement_thread(%{{.*}}, %{{.*}} : !ttl.cb<{{.*}}>, !ttl.accessor<{{.*}}>) attributes {name = "reader"} {
// TEXT-NEXT: ^bb0(%{{.*}}: !ttl.cb<{{.*}}>, %{{.*}}: !ttl.accessor<{{.*}}>):
// TEXT: ttl.compute_thread(%{{.*}}, %{{.*}} : !ttl.cb<{{.*}}>, !ttl.cb<{{.*}}>) {
// TEXT-NEXT: ttl.cb_wait
// TEXT: return %[[R]] : tensor<64x64xbf16>

// CHECK-LABEL: func.func @twice(%arg0: tensor<64x64xbf16>, %arg1: tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT: return %arg1 : tensor<64x64xbf16>
// CHECK-LABEL: func.func @reader
// CHECK: %[[IF:.*]] = arith.ori
// CHECK: ttl.bind_cb{{.*}}{core_ranges = #ttl.core_mask<[13]>}
// CHECK: scf.if %[[IF]] {
// CHECK-NEXT: ttl.core_linear
// CHECK-NEXT: ttl.cb_reserve
// CHECK: ttl.cb_push
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-LABEL: func.func @twice_compute0
// CHECK: scf.if
// CHECK-LABEL: func.func @twice_datamovement1
// CHECK-NOT: scf.if

// LAID-LABEL: func.func @twice(%arg0: tensor<2x2x!ttcore.tile<32x32, bf16>, #ttnn_layout>, %arg1: tensor<2x2x!ttcore.tile<32x32, bf16>, #ttnn_layout>) -> tensor<2x2x!ttcore.tile<32x32, bf16>, #ttnn_layout>
// LAID-NEXT: return %arg1

// Cores 0, 2 and 3: two comparisons for each range of indices.
// LOWERED-LABEL: func.func @reader
// LOWERED-SAME: ttl.core_ranges = [array<i64: 0, 13>]
// LOWERED: arith.cmpi sge, %[[N:.*]], %c0
// LOWERED: arith.cmpi slt, %[[N]], %c1
// LOWERED: arith.cmpi sge, %[[N]], %c2
// LOWERED: arith.cmpi slt, %[[N]], %c4
// LOWERED: scf.if
func.func @twice(%x: tensor<64x64xbf16>, %out: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %r = ttl.kernel(%x, %out) -> tensor<64x64xbf16> attributes {grid = #ttl.grid<[2, 2]>} {
  ^bb0(%kx: tensor<64x64xbf16>, %kout: tensor<64x64xbf16>):
    %x_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1, core_ranges = #ttl.core_mask<[13]>
    %out_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1
    %x_acc = ttl.tensor_accessor %kx {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %out_acc = ttl.tensor_accessor %kout {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread(%x_cb, %x_acc) attributes {name = "reader"} {
    ^bb0(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2, L1>, %acc: !ttl.accessor<tensor<64x64xbf16>, #ttl.layout<interleaved>, DRAM>):
      %n = ttl.core_linear() : index
      %b = ttl.cb_reserve %cb
      %tx = ttl.copy %acc[%n], %b : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_push %b
    }
    ttl.compute_thread(%x_cb, %out_cb) {
      %a = ttl.cb_wait %x_cb
      %o = ttl.cb_reserve %out_cb
      %s = ttl.block_add %a, %a
      ttl.block_store %o, %s
      ttl.cb_pop %a
      ttl.cb_push %o
    }
    ttl.datamovement_thread {
      %n = ttl.core_linear() : index
      %b = ttl.cb_wait %out_cb
      %tx = ttl.copy %b, %out_acc[%n] : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_pop %b
    }
  }
  return %r : tensor<64x64xbf16>
}

// A kernel that names no inputs has those that it uses of the function.
// TEXT-LABEL: func.func @captured(%arg0: {{.*}}, %arg1: {{.*}})
// TEXT-NEXT: ttl.kernel(%arg1, %arg0 : !ttl.dist_tensor<{{.*}}>, !ttl.dist_tensor<{{.*}}>) attributes {grid = [2, 2]} {
// TEXT-NEXT: ^bb0(%[[B:.*]]: !ttl.dist_tensor<{{.*}}>, %[[A:.*]]: !ttl.dist_tensor<{{.*}}>):
// TEXT: ttl.extract_shard %[[B]]
// TEXT-NEXT: ttl.extract_shard %[[A]]
// TEXT: ttl.redistribute %[[B]]
// LOWERED-LABEL: func.func @captured_datamovement0
// LOWERED-SAME: ttl.crta_indices = [1 : i32]
!dist = !ttl.dist_tensor<grid=[2, 2], shard=[32, 32], f32, sharded, L1>
func.func @captured(%A: !dist, %B: !dist) {
  ttl.kernel grid=[2,2] {
    %b_local = ttl.extract_shard %B
    %a_local = ttl.extract_shard %A
    %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    ttl.datamovement_thread {
      %x = ttl.cb_reserve %cb
      %t = ttl.copy %a_local, %x
      ttl.wait %t
      ttl.cb_push %x
    }
    ttl.datamovement_thread {
      %x = ttl.cb_wait %cb
      %t = ttl.copy %x, %b_local
      ttl.wait %t
      ttl.cb_pop %x
    }
    %B_redistributed = ttl.redistribute %B strategy=interleaved
  }
  return
}
