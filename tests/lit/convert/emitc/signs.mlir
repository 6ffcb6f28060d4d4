// RUN: ttmlir-opt %s --convert-ttkernel-to-emitc | FileCheck %s
// Indices are size_t, and ptrdiff_t where an operation reads their sign; integers of 32 bits are unsigned where it does not.

// CHECK: %[[N:.*]] = emitc.call_opaque "get_arg_val"
// CHECK: emitc.div %{{.*}} : (!emitc.ptrdiff_t, !emitc.ptrdiff_t) -> !emitc.ptrdiff_t
// CHECK: emitc.rem %{{.*}} : (!emitc.ptrdiff_t, !emitc.ptrdiff_t) -> !emitc.ptrdiff_t
// CHECK: emitc.div %{{.*}} : (!emitc.size_t, !emitc.size_t) -> !emitc.size_t
// CHECK: %[[L:.*]] = emitc.cast %[[I:.*]] : !emitc.size_t to !emitc.ptrdiff_t
// CHECK-NEXT: %[[R:.*]] = emitc.cast %[[C:.*]] : !emitc.size_t to !emitc.ptrdiff_t
// CHECK-NEXT: emitc.cmp lt, %[[L]], %[[R]] : (!emitc.ptrdiff_t, !emitc.ptrdiff_t) -> i1
// CHECK: emitc.cmp lt, %[[I]], %[[C]] : (!emitc.size_t, !emitc.size_t) -> i1
// CHECK: emitc.div %{{.*}} : (ui32, ui32) -> ui32
func.func @signs() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = "ttkernel.get_arg_val"(%c0) : (index) -> i32
  %i = arith.index_cast %n : i32 to index
  %1 = arith.divsi %i, %c3 : index
  %d = "ttkernel.get_arg_val"(%1) : (index) -> i32
  %2 = arith.remsi %i, %c3 : index
  %r = "ttkernel.get_arg_val"(%2) : (index) -> i32
  %3 = arith.divui %i, %c3 : index
  %u = "ttkernel.get_arg_val"(%3) : (index) -> i32
  %4 = arith.cmpi slt, %i, %c3 : index
  scf.if %4 {
    %l = "ttkernel.get_arg_val"(%i) : (index) -> i32
    scf.yield
  }
  %5 = arith.cmpi ult, %i, %c3 : index
  scf.if %5 {
    %m = "ttkernel.get_arg_val"(%i) : (index) -> i32
    scf.yield
  }
  %6 = arith.divui %n, %n : i32
  %7 = arith.index_cast %6 : i32 to index
  %w = "ttkernel.get_arg_val"(%7) : (index) -> i32
  return
}
