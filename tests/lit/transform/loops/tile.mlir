// Nests as loops over tiles around loops over what is in a tile; the bounds of affine loops are those of affine-loop-tile.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @affine(%n: index, %k: index) {
  affine.for %i = 5 to min affine_map<(d0)[s0] -> (d0, s0 + 7)>(%n)[%k] {
    affine.for %j = 0 to 20 {
      affine.for %l = 0 to 64 step 2 {
        "use"(%i, %j, %l) : (index, index, index) -> ()
      }
    }
  }
  affine.for %i = 0 to 6 {
    "alone"(%i) : (index) -> ()
  }
  return
}
// The plan's words: no root, no types, no failures.
transform.sequence {
  %loops = transform.structured.match ops{["affine.for"]}
  %tiled = transform.loop.tile %loops tile_sizes=[8, 32, 4]
}
// CHECK: #map = affine_map<(d0)[s0] -> (d0, s0 + 7)>
// CHECK: #map1 = affine_map<(d0) -> (d0)>
// CHECK: #map2 = affine_map<(d0, d1)[s0] -> (d1 + 8, d0, s0 + 7)>
// CHECK: #map3 = affine_map<(d0) -> (d0 + 20)>
// CHECK: #map4 = affine_map<(d0) -> (d0 + 8)>
// CHECK: #map5 = affine_map<(d0) -> (d0 + 6)>
// CHECK-LABEL: func.func @affine
// CHECK-NEXT: affine.for %[[I:.*]] = 5 to min #map(%arg0)[%arg1] step 8 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 20 step 32 {
// CHECK-NEXT: affine.for %[[L:.*]] = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %[[II:.*]] = #map1(%[[I]]) to min #map2(%arg0, %[[I]])[%arg1] {
// CHECK-NEXT: affine.for %[[JJ:.*]] = #map1(%[[J]]) to #map3(%[[J]]) {
// CHECK-NEXT: affine.for %[[LL:.*]] = #map1(%[[L]]) to #map4(%[[L]]) step 2 {
// CHECK-NEXT: "use"(%[[II]], %[[JJ]], %[[LL]])
// CHECK: affine.for %[[I:.*]] = 0 to 6 step 8 {
// CHECK-NEXT: affine.for %[[II:.*]] = #map1(%[[I]]) to #map5(%[[I]]) {
// CHECK-NEXT: "alone"(%[[II]])
// CHECK: transform.sequence failures(propagate) {
// CHECK-NEXT: ^bb0(%[[ROOT:.*]]: !transform.any_op):
// CHECK-NEXT: %[[LOOPS:.*]] = transform.structured.match ops{["affine.for"]} in %[[ROOT]] : (!transform.any_op) -> !transform.any_op
// CHECK-NEXT: transform.loop.tile %[[LOOPS]] tile_sizes = [8, 32, 4]

// -----

// Steps grow; the inner loops end at the old bounds. A nest that is not deep enough is tiled as deep as it is.
func.func @scf(%n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    scf.for %j = %c0 to %n step %step {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled = transform.loop.tile %loops tile_sizes = [4, 3, 7]
    transform.annotate %tiled "outermost" : !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @scf
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[I:.*]] = %c0 to %arg0 step %[[EIGHT]] {
// CHECK: %[[WIDE:.*]] = arith.muli %arg1, %c3
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %arg0 step %[[WIDE]] {
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[I]], %[[EIGHT]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %arg0, %[[BEHIND]] : index
// CHECK-NEXT: scf.for %[[II:.*]] = %[[I]] to %[[END]] step %c2 {
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[J]], %[[WIDE]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %arg0, %[[BEHIND]] : index
// CHECK-NEXT: scf.for %[[JJ:.*]] = %[[J]] to %[[END]] step %arg1 {
// CHECK-NEXT: "use"(%[[II]], %[[JJ]])
// CHECK: } {outermost}
