// affine.min and affine.max whose results are ordered by bounds of the sequence or of loops.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @bounded_min(%n: index) {
  %a = "some"() : () -> index
  %b = "other"() : () -> index
  %v = affine.min affine_map<(d0, d1)[s0] -> (d0 * 2 + 5, s0 + 30, d1)>(%a, %b)[%n]
  %w = affine.min affine_map<()[s0, s1] -> (s0, s1 + 10)>()[%a, %b]
  %y = affine.max affine_map<()[s0, s1] -> (s0, s1 + 10)>()[%a, %b]
  "use"(%v, %w, %y) : (index, index, index) -> ()
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.min"]} in %root : (!transform.any_op) -> !transform.any_op
    %a = transform.structured.match ops{["some"]} in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.structured.match ops{["other"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_bounded_affine_ops %loops with [%a, %b : !transform.any_op, !transform.any_op] within [0, 0] and [10, 10] : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1, s2] -> (s2, s1 * 2 + 5, s0 + 30)>
// CHECK: #map1 = affine_map<()[s0, s1] -> (s0, s1 + 10)>
// CHECK-LABEL: func.func @bounded_min
// CHECK-NEXT: %0 = "some"() : () -> index
// CHECK-NEXT: %1 = "other"() : () -> index
// CHECK-NEXT: %2 = affine.min #map()[%arg0, %0, %1]
// CHECK-NEXT: %3 = affine.max #map1()[%0, %1]
// CHECK-NEXT: "use"(%2, %0, %3) : (index, index, index) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @bounded_max(%n: index) {
  %a = "some"() : () -> index
  %b = "other"() : () -> index
  %v = affine.min affine_map<(d0, d1)[s0] -> (d0 * 2 + 5, s0 + 30, d1)>(%a, %b)[%n]
  %w = affine.min affine_map<()[s0, s1] -> (s0, s1 + 10)>()[%a, %b]
  %y = affine.max affine_map<()[s0, s1] -> (s0, s1 + 10)>()[%a, %b]
  "use"(%v, %w, %y) : (index, index, index) -> ()
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.max"]} in %root : (!transform.any_op) -> !transform.any_op
    %a = transform.structured.match ops{["some"]} in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.structured.match ops{["other"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_bounded_affine_ops %loops with [%a, %b : !transform.any_op, !transform.any_op] within [0, 20] and [10, 30] : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0, d1)[s0] -> (d0 * 2 + 5, s0 + 30, d1)>
// CHECK: #map1 = affine_map<()[s0, s1] -> (s0, s1 + 10)>
// CHECK: #map2 = affine_map<()[s0] -> (s0 + 10)>
// CHECK-LABEL: func.func @bounded_max
// CHECK-NEXT: %0 = "some"() : () -> index
// CHECK-NEXT: %1 = "other"() : () -> index
// CHECK-NEXT: %2 = affine.min #map(%0, %1)[%arg0]
// CHECK-NEXT: %3 = affine.min #map1()[%0, %1]
// CHECK-NEXT: %4 = affine.apply #map2()[%1]
// CHECK-NEXT: "use"(%2, %3, %4) : (index, index, index) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @min_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c4 {
    %1 = affine.min affine_map<(d0) -> (4, 20 - d0)>(%i)
    %2 = affine.min affine_map<(d0)[s0] -> (4, d0, s0)>(%i)[%n]
    %3 = affine.max affine_map<(d0) -> (-1, d0)>(%i)
    "use"(%1, %2, %3) : (index, index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.min"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_min_max_affine_ops %loops : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0)[s0] -> (4, s0, d0)>
// CHECK: #map1 = affine_map<(d0) -> (-1, d0)>
// CHECK-LABEL: func.func @min_in_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c16 = arith.constant 16 : index
// CHECK-NEXT: scf.for %arg1 = %c0 to %c16 step %c4 {
// CHECK-NEXT: %c4_0 = arith.constant 4 : index
// CHECK-NEXT: %0 = affine.min #map(%arg1)[%arg0]
// CHECK-NEXT: %1 = affine.max #map1(%arg1)
// CHECK-NEXT: "use"(%c4_0, %0, %1) : (index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @max_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c4 {
    %1 = affine.min affine_map<(d0) -> (4, 20 - d0)>(%i)
    %2 = affine.min affine_map<(d0)[s0] -> (4, d0, s0)>(%i)[%n]
    %3 = affine.max affine_map<(d0) -> (-1, d0)>(%i)
    "use"(%1, %2, %3) : (index, index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["affine.max"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.affine.simplify_min_max_affine_ops %loops : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0) -> (4, -d0 + 20)>
// CHECK: #map1 = affine_map<(d0)[s0] -> (4, d0, s0)>
// CHECK-LABEL: func.func @max_in_loop
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c16 = arith.constant 16 : index
// CHECK-NEXT: scf.for %arg1 = %c0 to %c16 step %c4 {
// CHECK-NEXT: %0 = affine.min #map(%arg1)
// CHECK-NEXT: %1 = affine.min #map1(%arg1)[%arg0]
// CHECK-NEXT: "use"(%0, %1, %arg1) : (index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @patterns(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c4 {
    %1 = affine.min affine_map<(d0) -> (4, 20 - d0)>(%i)
    %2 = affine.min affine_map<(d0)[s0] -> (4, d0, s0)>(%i)[%n]
    %3 = affine.max affine_map<(d0) -> (-1, d0)>(%i)
    "use"(%1, %2, %3) : (index, index, index) -> ()
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %loops {
    transform.apply_patterns.scf.for_loop_canonicalization
    } : !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0)[s0] -> (4, d0, s0)>
// CHECK-LABEL: func.func @patterns
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c16 = arith.constant 16 : index
// CHECK-NEXT: scf.for %arg1 = %c0 to %c16 step %c4 {
// CHECK-NEXT: %0 = affine.min #map(%arg1)[%arg0]
// CHECK-NEXT: "use"(%c4, %0, %arg1) : (index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
