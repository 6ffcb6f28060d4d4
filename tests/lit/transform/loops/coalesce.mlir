// One loop over the iterations of a nest.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @carried(%m: memref<?x?xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> f32 {
    %q = scf.for %j = %c1 to %c8 step %c2 iter_args(%b = %a) -> f32 {
      %v = memref.load %m[%i, %j] : memref<?x?xf32>
      %s = arith.addf %b, %v : f32
      scf.yield %s : f32
    }
    scf.yield %q : f32
  } {outer}
  return %r : f32
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: func.func @carried
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %c8_1 = arith.constant 8 : index
// CHECK-NEXT: %c1_2 = arith.constant 1 : index
// CHECK-NEXT: %c0_3 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %c1_4 = arith.constant 1 : index
// CHECK-NEXT: %c32 = arith.constant 32 : index
// CHECK-NEXT: %0 = scf.for %arg2 = %c0_0 to %c32 step %c1_2 iter_args(%arg3 = %arg1) -> (f32) {
// CHECK-NEXT: %1:2 = affine.delinearize_index %arg2 into (8, 4) : index, index
// CHECK-NEXT: %2 = affine.apply #map(%1#1)
// CHECK-NEXT: %3 = memref.load %arg0[%1#0, %2] : memref<?x?xf32>
// CHECK-NEXT: %4 = arith.addf %arg3, %3 : f32
// CHECK-NEXT: scf.yield %4 : f32
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return %0 : f32
// CHECK-NEXT: }

// -----

func.func @numbers(%n: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %k to %n step %k : i32 {
      "use"(%i, %j) : (i32, i32) -> ()
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @numbers
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT: %0 = arith.subi %arg0, %arg1 : i32
// CHECK-NEXT: %1 = arith.ceildivsi %0, %arg1 : i32
// CHECK-NEXT: %c0_i32_0 = arith.constant 0 : i32
// CHECK-NEXT: %c1_i32_1 = arith.constant 1 : i32
// CHECK-NEXT: %2 = arith.muli %arg0, %1 : i32
// CHECK-NEXT: scf.for %arg2 = %c0_i32 to %2 step %c1_i32  : i32 {
// CHECK-NEXT: %3 = arith.remsi %arg2, %1 : i32
// CHECK-NEXT: %4 = arith.divsi %arg2, %1 : i32
// CHECK-NEXT: %5 = arith.muli %3, %arg1 : i32
// CHECK-NEXT: %6 = arith.addi %5, %arg1 : i32
// CHECK-NEXT: "use"(%4, %6) : (i32, i32) -> ()
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @triangle(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %h = %c0 to %n step %c1 {
    scf.for %i = %c0 to %h step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        "use"(%h, %i, %j) : (index, index, index) -> ()
      }
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK-LABEL: func.func @triangle
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg1 = %c0 to %arg0 step %c1 {
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %c1_1 = arith.constant 1 : index
// CHECK-NEXT: %c0_2 = arith.constant 0 : index
// CHECK-NEXT: %c1_3 = arith.constant 1 : index
// CHECK-NEXT: %0 = affine.apply #map()[%arg1, %arg0]
// CHECK-NEXT: scf.for %arg2 = %c0_0 to %0 step %c1_1 {
// CHECK-NEXT: %1:2 = affine.delinearize_index %arg2 into (%arg1, %arg0) : index, index
// CHECK-NEXT: "use"(%arg1, %1#0, %1#1) : (index, index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @dynamic(%n: index, %k: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %s {
    scf.for %j = %c0 to %k step %c1 {
      scf.for %l = %c0 to %k step %s {
        "use"(%i, %j, %l) : (index, index, index) -> ()
      }
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["scf.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<()[s0, s1] -> (s0 ceildiv s1)>
// CHECK: #map1 = affine_map<()[s0, s1, s2] -> ((s1 ceildiv s2) * s0)>
// CHECK: #map2 = affine_map<()[s0, s1, s2] -> (((s1 ceildiv s2) * s0) * (s0 ceildiv s2))>
// CHECK: #map3 = affine_map<(d0)[s0] -> (d0 * s0)>
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = affine.apply #map()[%arg0, %arg2]
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %c1_1 = arith.constant 1 : index
// CHECK-NEXT: %c0_2 = arith.constant 0 : index
// CHECK-NEXT: %c1_3 = arith.constant 1 : index
// CHECK-NEXT: %1 = affine.apply #map()[%arg1, %arg2]
// CHECK-NEXT: %c0_4 = arith.constant 0 : index
// CHECK-NEXT: %c1_5 = arith.constant 1 : index
// CHECK-NEXT: %2 = affine.apply #map()[%arg0, %arg2]
// CHECK-NEXT: %3 = affine.apply #map1()[%arg1, %arg0, %arg2]
// CHECK-NEXT: %4 = affine.apply #map2()[%arg1, %arg0, %arg2]
// CHECK-NEXT: scf.for %arg3 = %c0_0 to %4 step %c1_1 {
// CHECK-NEXT: %5:3 = affine.delinearize_index %arg3 into (%0, %arg1, %1) : index, index, index
// CHECK-NEXT: %6 = affine.apply #map3(%5#2)[%arg2]
// CHECK-NEXT: %7 = affine.apply #map3(%5#0)[%arg2]
// CHECK-NEXT: "use"(%7, %5#1, %6) : (index, index, index) -> ()
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @alone(%n: index) {
  affine.for %i = 2 to %n {
    "use"(%i) : (index) -> ()
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["affine.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK-LABEL: func.func @alone
// CHECK-NEXT: affine.for %arg1 = 2 to %arg0 {
// CHECK-NEXT: "use"(%arg1) : (index) -> ()
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

func.func @affine(%n: index) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to min affine_map<(d0) -> (d0, 7)>(%n) {
        "use"(%i, %j, %k) : (index, index, index) -> ()
      }
    }
  } {outer}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %outer = transform.structured.match ops{["affine.for"]} attributes {outer} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.loop.coalesce %outer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
// CHECK: #map = affine_map<() -> (8)>
// CHECK: #map1 = affine_map<()[s0] -> (s0)>
// CHECK: #map2 = affine_map<(d0)[s0] -> (d0 * s0)>
// CHECK: #map3 = affine_map<(d0) -> (d0, 7)>
// CHECK: #map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
// CHECK: #map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
// CHECK-LABEL: func.func @affine
// CHECK-NEXT: %0 = affine.apply #map()
// CHECK-NEXT: %1 = affine.apply #map1()[%arg0]
// CHECK-NEXT: %2 = affine.apply #map2(%0)[%1]
// CHECK-NEXT: %3 = affine.min #map3(%arg0)
// CHECK-NEXT: %4 = affine.apply #map2(%2)[%3]
// CHECK-NEXT: affine.for %arg1 = 0 to %4 {
// CHECK-NEXT: %5 = affine.apply #map4(%arg1)[%3]
// CHECK-NEXT: %6 = affine.apply #map5(%arg1)[%3]
// CHECK-NEXT: %7 = affine.apply #map4(%6)[%1]
// CHECK-NEXT: %8 = affine.apply #map5(%6)[%1]
// CHECK-NEXT: "use"(%8, %7, %5) : (index, index, index) -> ()
// CHECK-NEXT: } {outer}
// CHECK-NEXT: return
// CHECK-NEXT: }
