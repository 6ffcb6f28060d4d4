// Custom directives of transform's formats round-trip.
// RUN: ttmlir-opt --split-input-file %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s | ttmlir-opt --split-input-file | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s --mlir-print-op-generic | ttmlir-opt --split-input-file | FileCheck %s

// CHECK: transform.named_sequence @main(%arg0: !transform.any_op
module attributes {transform.with_named_sequence} {
transform.named_sequence @main(%a: !transform.any_op) {
  // CHECK: structured.promote %arg0 : (!transform.any_op) -> !transform.op<"linalg.copy">
  %0 = transform.structured.promote %a : (!transform.any_op) -> !transform.op<"linalg.copy">
  // CHECK: %low_size, %high_size, %split_point = transform.structured.multitile_sizes %arg0 {dimension = 0 : i64, target_size = 3 : i64} : (!transform.any_op) -> !transform.param<i64>
  %1:3 = transform.structured.multitile_sizes %a {dimension = 0, target_size = 3} : (!transform.any_op) -> !transform.param<i64>
  // CHECK: transform.structured.continuous_tile_sizes %arg0 {dimension = 1 : i64, target_size = 4 : i64} : (!transform.any_op) -> !transform.any_op
  %2:2 = transform.structured.continuous_tile_sizes %a {dimension = 1, target_size = 4} : (!transform.any_op) -> !transform.any_op
  // CHECK: transform.structured.tile_using_for %arg0 tile_sizes [4, [8], %{{.*}}] :
  %3:4 = transform.structured.tile_using_for %a tile_sizes [4, [8], %1#0] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  // CHECK: transform.structured.tile_using_forall %arg0 num_threads *(%{{.*}}) :
  %4:2 = transform.structured.tile_using_forall %a num_threads *(%1#0) : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  // CHECK: transform.structured.tile_using_forall %arg0 tile_sizes [%{{.*}}, 3] :
  %5:2 = transform.structured.tile_using_forall %a tile_sizes [%1#1, 3] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  // CHECK: transform.structured.split %arg0 after 4  {dimension = 0 : i64} : !transform.any_op
  %6 = transform.structured.split %a after 4 {dimension = 0 : i64} : !transform.any_op
  // CHECK: transform.structured.split %arg0 after %split_point  {dimension = 0 : i64, multiway} : !transform.any_op, !transform.param<i64>
  %7 = transform.structured.split %a after %1#2 {dimension = 0 : i64, multiway} : !transform.any_op, !transform.param<i64>
  // CHECK: = transform.get_result %arg0[all] :
  %8 = transform.get_result %a[all] : (!transform.any_op) -> !transform.any_value
  // CHECK: = transform.get_operand %arg0[except(0, 1)] :
  %9 = transform.get_operand %a[except(0, 1)] : (!transform.any_op) -> !transform.any_value
  // CHECK: = transform.get_operand %arg0[-1, 2] :
  %10 = transform.get_operand %a[-1, 2] : (!transform.any_op) -> !transform.any_value
  // CHECK: %{{.*}}:2 = transform.replicate num(%arg0) %arg0, %low_size : !transform.any_op, !transform.any_op, !transform.param<i64>
  %11:2 = transform.replicate num(%a) %a, %1#0 : !transform.any_op, !transform.any_op, !transform.param<i64>
  // CHECK: = transform.apply_registered_pass "cse" with options = {"a" = %low_size, "b" = [1 : i64, %high_size]} to %arg0 :
  %12 = transform.apply_registered_pass "cse" with options = {a = %1#0, "b" = [1, %1#1]} to %a : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> !transform.any_op
  // CHECK: transform.sequence %arg0 : !transform.any_op failures(suppress) {
  transform.sequence %a : !transform.any_op failures(suppress) {
  ^bb0(%b: !transform.any_op):
  }
  // CHECK: transform.sequence %arg0, %low_size : (!transform.any_op, !transform.param<i64>) failures(suppress) {
  transform.sequence %a, %1#0 : (!transform.any_op, !transform.param<i64>) failures(suppress) {
  ^bb0(%b: !transform.any_op, %c: !transform.param<i64>):
  }
  transform.yield
}
}

// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @m(%a: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.yield %a : !transform.any_op
  }
  transform.named_sequence @act(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.sequence failures(propagate) {
  ^bb0(%a: !transform.any_op):
    // CHECK: = foreach_match in %arg0
    // CHECK-NEXT: {{^}}        @m -> @act,
    // CHECK-NEXT: {{^}}        @m -> @act : (!transform.any_op) -> !transform.any_op
    %0 = transform.foreach_match in %a @m -> @act, @m -> @act : (!transform.any_op) -> !transform.any_op
  }
}
