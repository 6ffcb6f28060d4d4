// Kernels as C++: calls with template arguments, casts, variables for what loops carry.
// RUN: ttlang-opt %s --convert-ttkernel-to-emitc | FileCheck %s --check-prefix=EMITC
// RUN: ttlang-opt %s --convert-ttkernel-to-emitc | ttlang-translate --ttkernel-to-cpp | FileCheck %s
// RUN: ttlang-opt %s --convert-ttkernel-to-emitc | ttmlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=PLAIN

!tile = !ttcore.tile<32x32, bf16>
!cb = !ttkernel.cb<2, !tile>

// EMITC: emitc.call_opaque "reduce_init"({{.*}}) {template_args = [#emitc.opaque<"PoolType::MAX">, #emitc.opaque<"ReduceDim::REDUCE_ROW">]}

// CHECK: // compute
// CHECK-NEXT: #define REDUCE_OP PoolType::SUM
// CHECK-NEXT: #define REDUCE_DIM ReduceDim::REDUCE_COL
// CHECK-NEXT: #include <cstdint>
// CHECK-NEXT: #include "api/compile_time_args.h"
// CHECK-NEXT: #include "api/compute/bcast.h"
// CHECK-NEXT: #include "api/compute/common.h"
// CHECK-NEXT: #include "api/compute/eltwise_unary/exp.h"
// CHECK-NEXT: #include "api/compute/pack.h"
// CHECK-NEXT: #include "api/compute/reduce.h"
// CHECK-NEXT: #include "api/compute/reg_api.h"
// CHECK-NEXT: #include "tools/profiler/kernel_profiler.hpp"
// CHECK: float_to_bits
// CHECK: void kernel_main() {
// CHECK: reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2));
// CHECK: tile_regs_acquire();
// CHECK-NEXT: exp_tile_init<true>();
// CHECK-NEXT: exp_tile([[ZERO:v[0-9]+]]);
// CHECK-NEXT: unary_bcast<BroadcastType::ROW>(get_compile_time_arg_val(0), [[ZERO]], [[ZERO]]);
// CHECK-NEXT: pack_tile<true>([[ZERO]], get_compile_time_arg_val(2), [[ZERO]]);
func.func @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %in = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %scale = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  %out = ttkernel.get_compile_time_arg_val(2) : () -> !cb
  "ttkernel.reduce_init"(%in, %scale, %out) <{reduce_type = #ttkernel.reduce_type<reduce_max>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>}> : (!cb, !cb, !cb) -> ()
  ttkernel.tile_regs_acquire() : () -> ()
  "ttkernel.exp_tile_init"() <{approx = true}> : () -> ()
  "ttkernel.exp_tile"(%c0) : (index) -> ()
  ttkernel.unary_bcast(%in, %c0, %c0, <row>) : (!cb, index, index) -> ()
  ttkernel.pack_tile(%c0, %out, %c0, true) : (index, !cb, index) -> ()
  return
}

// CHECK: // reader
// CHECK-NEXT: #include <cstdint>
// CHECK-NEXT: #include "api/compile_time_args.h"
// CHECK-NEXT: #include "api/dataflow/dataflow_api.h"
// CHECK: void kernel_main() {
// CHECK: size_t [[X:v[0-9]+]] = get_absolute_logical_x();
// CHECK: int32_t [[N:v[0-9]+]] = get_common_arg_val<uint32_t>([[X]]);
// An index is a size_t, by way of ptrdiff_t.
// CHECK: ptrdiff_t [[P:v[0-9]+]] = (ptrdiff_t) [[N]];
// CHECK-NEXT: size_t [[B:v[0-9]+]] = (size_t) [[P]];
// Wrapping arithmetic is unsigned.
// CHECK: uint32_t [[U:v[0-9]+]] = (uint32_t) [[N]];
// CHECK-NEXT: uint32_t [[W:v[0-9]+]] = (uint32_t) [[N]];
// CHECK-NEXT: uint32_t [[SUM:v[0-9]+]] = [[U]] + [[W]];
// CHECK-NEXT: int32_t [[S:v[0-9]+]] = (int32_t) [[SUM]];
// CHECK: int32_t [[ACC:v[0-9]+]];
// CHECK-NEXT: [[ACC]] = [[N]];
// CHECK-NEXT: for (size_t [[I:i[0-9]+]] = {{v[0-9]+}}; [[I]] < [[B]]; [[I]] += {{v[0-9]+}}) {
// CHECK-NEXT:   int32_t [[OLD:v[0-9]+]] = [[ACC]];
// CHECK-NEXT:   bool [[LESS:v[0-9]+]] = [[OLD]] < [[S]];
// CHECK-NEXT:   int32_t [[NEW:v[0-9]+]];
// CHECK-NEXT:   if ([[LESS]]) {
// CHECK-NEXT:     cb_push_back(get_compile_time_arg_val(0), [[OLD]]);
// CHECK-NEXT:     [[NEW]] = [[S]];
// CHECK-NEXT:   } else {
// CHECK-NEXT:     [[NEW]] = [[OLD]];
// CHECK-NEXT:   }
// CHECK-NEXT:   int32_t [[V:v[0-9]+]] = [[NEW]];
// CHECK-NEXT:   [[ACC]] = [[V]];
// CHECK-NEXT: }
// CHECK: return;

// PLAIN: void compute() {
// PLAIN: void reader() {
func.func @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cb = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %x = ttkernel.my_logical_x_ : () -> index
  %n = ttkernel.get_common_arg_val(%x) : (index) -> i32
  %end = arith.index_cast %n : i32 to index
  %twice = arith.addi %n, %n : i32
  %last = scf.for %i = %c0 to %end step %c1 iter_args(%a = %n) -> (i32) {
    %less = arith.cmpi slt, %a, %twice : i32
    %b = scf.if %less -> (i32) {
      ttkernel.cb_push_back(%cb, %a) : (!cb, i32) -> ()
      scf.yield %twice : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %b : i32
  }
  ttkernel.cb_push_back(%cb, %last) : (!cb, i32) -> ()
  return
}
