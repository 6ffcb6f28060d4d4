// Named kernels: a name and arguments, no function around them; and their other attributes.
// RUN: ttlang-opt %s | ttlang-opt | FileCheck %s
// RUN: ttlang-opt %s --mlir-print-op-generic | ttlang-opt | FileCheck %s
// RUN: ttlang-opt %s --pass-pipeline='builtin.module(ttl-validate,ttl-insert-synchronization,ttl-allocate-cbs,ttl-expand-threads,ttl-assign-dst-registers,ttl-lower-to-ttkernel)' | FileCheck %s --check-prefix=LOWERED
// RUN: ttlang-opt %s --ttl-expand-threads | FileCheck %s --check-prefix=EXPANDED

// CHECK: ttl.kernel @copied(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>) attributes {block_factors = {{\[\[}}1, 1], [1, 1]], compute_config = {fp32_dest_acc_en = true, math_fidelity = "HiFi2"}, grid = #ttl.grid<[2, 2]>, memory_space = "L1", python_source_file = "kernel.py", python_source_line = 12 : i64, tiled = true} {
// CHECK-NEXT: ttl.create_cb
// CHECK: ttl.kernel @empty() {
// CHECK-LABEL: func.func @host
// CHECK: ttl.kernel(%arg0, %{{.*}} : tensor<1x1x!ttcore.tile<32x32, bf16>>, index) attributes {compile_time_args = [1], grid = [2, 1]} {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<{{.*}}>, %{{.*}}: index):
// CHECK: ttl.kernel attributes {grid = [8, 8]} {
// LOWERED-NOT: ttl.kernel @
// LOWERED-LABEL: func.func @copied_datamovement0()
// LOWERED-SAME: compute_config = {fp32_dest_acc_en = true, math_fidelity = "HiFi2"}
// LOWERED-SAME: ttl.crta_indices = [0 : i32]
// LOWERED-LABEL: func.func @copied_writer()
// LOWERED-SAME: ttl.crta_indices = [1 : i32]
ttl.kernel @copied(
  %a: tensor<64x64xf32>,
  %out: tensor<64x64xf32>
) attributes {grid = #ttl.grid<[2, 2]>, block_factors = [[1,1], [1,1]], memory_space = "L1", tiled = true,
              compute_config = {math_fidelity = "HiFi2", fp32_dest_acc_en = true},
              python_source_file = "kernel.py", python_source_line = 12} {
  %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  %to = ttl.tensor_accessor %out {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  ttl.datamovement_thread {
    %page = ttl.core_linear() : index
    %blk = ttl.cb_reserve %cb
    %tx = ttl.copy %from[%page], %blk : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_push %blk
  }
  ttl.datamovement_thread attributes {name = "copied_writer"} {
    %page = ttl.core_linear() : index
    %blk = ttl.cb_wait %cb
    %tx = ttl.copy %blk, %to[%page] : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_pop %blk
  }
}

ttl.kernel @empty() {
}

// An input that is known when the kernel is compiled is a constant of its threads, another one an argument.
// EXPANDED-LABEL: func.func @host
// EXPANDED-LABEL: func.func @host_datamovement0()
// EXPANDED: %[[N:.*]] = arith.constant 3 : index
// EXPANDED: arith.addi %[[N]], %[[N]]
func.func @host(%t: tensor<1x1x!ttcore.tile<32x32, bf16>>) {
  %n = arith.constant 3 : index
  ttl.kernel(%t, %n : tensor<1x1x!ttcore.tile<32x32, bf16>>, index) grid=[2, 1] attributes {compile_time_args = [1]} {
  ^bb0(%x: tensor<1x1x!ttcore.tile<32x32, bf16>>, %k: index):
    ttl.datamovement_thread {
      %s = arith.addi %k, %k : index
    }
  }
  ttl.kernel grid=[8,8] {
  }
  return
}
