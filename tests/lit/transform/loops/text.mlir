// Operations on loops read back as they were printed, from text and bytecode.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

module attributes {transform.with_named_sequence} {
// CHECK: transform.named_sequence @loops(%[[ROOT:.*]]: !transform.any_op, %[[FOR:.*]]: !transform.op<"scf.for">)
transform.named_sequence @loops(%root: !transform.any_op, %for: !transform.op<"scf.for">) {
  // CHECK: transform.apply_patterns to %[[ROOT]] {
  // CHECK-NEXT: transform.apply_patterns.scf.for_loop_canonicalization
  transform.apply_patterns to %root {
    transform.apply_patterns.scf.for_loop_canonicalization
  } : !transform.any_op
  // CHECK: transform.apply_conversion_patterns to %[[ROOT]] {
  // CHECK-NEXT: transform.apply_conversion_patterns.scf.scf_to_control_flow
  // CHECK-NEXT: transform.apply_conversion_patterns.scf.structural_conversions
  transform.apply_conversion_patterns to %root {
    transform.apply_conversion_patterns.scf.scf_to_control_flow
    transform.apply_conversion_patterns.scf.structural_conversions
  } {legal_dialects = ["scf"], preserve_handles} : !transform.any_op
  // CHECK: transform.loop.hoist_loop_invariant_subsets %[[ROOT]] : !transform.any_op
  transform.loop.hoist_loop_invariant_subsets %root : !transform.any_op
  // CHECK: %{{.*}} = transform.loop.pipeline %[[FOR]] {read_latency = 5 : i64} : (!transform.op<"scf.for">) -> !transform.any_op
  %p = transform.loop.pipeline %for {iteration_interval = 1, read_latency = 5} : (!transform.op<"scf.for">) -> !transform.any_op
  // CHECK: %{{.*}}, %{{.*}} = transform.loop.peel %{{.*}} {fail_if_already_divisible = true, peel_front = true} : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
  %f = transform.cast %p : !transform.any_op to !transform.op<"scf.for">
  %a, %b = transform.loop.peel %f {peel_front = true, fail_if_already_divisible = true} : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
  // CHECK: transform.loop.fuse_sibling %{{.*}} into %{{.*}} : (!transform.any_op, !transform.any_op) -> !transform.any_op
  %c = transform.loop.fuse_sibling %a into %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
  // CHECK: transform.loop.coalesce %{{.*}} : (!transform.any_op) -> !transform.any_op
  %d = transform.loop.coalesce %c : (!transform.any_op) -> !transform.any_op
  // CHECK: %{{.*}}, %{{.*}} = transform.loop.outline %{{.*}} {func_name = "part"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %g, %h = transform.loop.outline %d {func_name = "part"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  // CHECK: transform.affine.simplify_bounded_affine_ops %{{.*}} with[%{{.*}}, %[[ROOT]] : !transform.any_op, !transform.any_op] within [0, -1] and [4, 8] : !transform.any_op
  transform.affine.simplify_bounded_affine_ops %g with [%h, %root : !transform.any_op, !transform.any_op] within [0, -1] and [4, 8] : !transform.any_op
  // CHECK: transform.scf.take_assumed_branch %{{.*}} take_else_branch : (!transform.any_op) -> ()
  transform.scf.take_assumed_branch %h take_else_branch : (!transform.any_op) -> ()
  transform.yield
}
}

// The plan's words are read as what MLIR writes.
// CHECK: transform.sequence failures(propagate) {
// CHECK-NEXT: ^bb0(%[[ROOT:.*]]: !transform.any_op):
// CHECK-NEXT: %[[LOOPS:.*]] = transform.structured.match ops{["affine.for"]} in %[[ROOT]] : (!transform.any_op) -> !transform.any_op
// CHECK-NEXT: %[[TILED:.*]] = transform.loop.tile %[[LOOPS]] tile_sizes = [32, 32]
// CHECK-NEXT: %[[SCHED:.*]] = transform.ttl.schedule_pipeline %[[TILED]]
// CHECK-NEXT: transform.affine.simplify_bounded_affine_ops %[[SCHED]] with[] within [] and [] : !transform.any_op
transform.sequence {
  %loops = transform.structured.match ops{["affine.for"]}
  %tiled = transform.loop.tile %loops tile_sizes=[32, 32]
  %sched = transform.ttl.schedule_pipeline %tiled
  transform.affine.simplify_bounded_affine_ops %sched
}
