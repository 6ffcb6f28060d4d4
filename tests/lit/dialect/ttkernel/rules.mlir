// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: i32, %x: index) {
  // expected-error@+1 {{must specify exactly one NoC address mode}}
  "ttkernel.noc_async_read"(%x, %x, %a, %a, %a, %a) <{operandSegmentSizes = array<i32: 2, 1, 1, 1, 1, 0>}> : (index, index, i32, i32, i32, i32) -> ()
  return
}
// -----
func.func @f(%a: i32, %x: index) {
  // expected-error@+1 {{core address mode requires x and y coordinates}}
  "ttkernel.noc_async_write"(%a, %x, %a, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 0>}> : (i32, index, i32, i32) -> ()
  return
}
// -----
func.func @f() {
  %t = arith.constant 16 : i32
  // expected-error@+1 {{trid must be in [0, 15].}}
  ttkernel.noc_async_read_barrier_with_trid(%t) : (i32) -> ()
  return
}
// -----
func.func @f(%a: i32) {
  // expected-error@+1 {{cta_base must be a constant when cta_expr is not provided}}
  %0 = ttkernel.TensorAccessorArgs(%a, %a)
  return
}
// -----
func.func @f(%a: i32) {
  // expected-error@+1 {{number of format specifiers must match number of operands}}
  ttkernel.dprint("{} {}", %a) : (i32) -> ()
  return
}
// -----
func.func @f(%in: !ttkernel.cb<4, !ttcore.tile<32x32, f32>>, %n: i32, %out: !ttkernel.cb<4, !ttcore.tile<32x32, f32>>) {
  // expected-error@+1 {{Input to TilizeOp or Output to UntilizeOp must have scalar element type}}
  "ttkernel.tilize_init"(%in, %n, %out) : (!ttkernel.cb<4, !ttcore.tile<32x32, f32>>, i32, !ttkernel.cb<4, !ttcore.tile<32x32, f32>>) -> ()
  return
}
// -----
func.func @f(%in: !ttkernel.cb<4, !ttcore.tile<32x32, f32>>, %out: !ttkernel.cb<4096, f32>) {
  // expected-error@+1 {{cols_per_dst_pass must divide total_col_tiles}}
  "ttkernel.pack_untilize_init"(%in, %out) <{colsPerDstPass = 2 : i32, totalColTiles = 3 : i32}> : (!ttkernel.cb<4, !ttcore.tile<32x32, f32>>, !ttkernel.cb<4096, f32>) -> ()
  return
}
// -----
func.func @f(%i: index) {
  // expected-error@+1 {{sfpu_reduce does not support reduce_dim Scalar; decompose into Col + Row}}
  "ttkernel.sfpu_reduce"(%i) <{reduce_type = #ttkernel.reduce_type<reduce_sum>, data_format = #ttcore.supportedDataTypes<si32>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_scalar>}> : (index) -> ()
  return
}
// -----
module {
  builtin.module {
  }
  %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<4, f32>
  %n = arith.constant 1 : i32
  // expected-error@+1 {{CBPushBackOp must be inside of a EnqueueProgramOp region}}
  ttkernel.cb_push_back(%cb, %n) : (!ttkernel.cb<4, f32>, i32) -> ()
}
// -----
func.func @f(%a: i32, %x: index) {
  // expected-error@+1 {{operand group starting at #4 requires 1 element, but found 0}}
  "ttkernel.noc_async_read"(%x, %x, %a, %a) <{operandSegmentSizes = array<i32: 2, 0, 1, 1, 0, 0>}> : (index, index, i32, i32) -> ()
  return
}
