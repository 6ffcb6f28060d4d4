// RUN: ttmlir-opt --collapse-parallel-loops %s | FileCheck %s

// Dimensions of 3, 4 and 5 become 60: position 17 is (0, 3, 2). The second dimension stays in the middle, the first is last; sums go on.
// CHECK-LABEL: @five
// CHECK: scf.parallel (%[[ALL:.*]], %[[J:.*]], %[[I:.*]]) = (%{{.*}}, %{{.*}}, %c2{{.*}}) to (%c60, %arg0, %c8) step (%{{.*}}, %{{.*}}, %c2{{.*}}) init (%{{.*}}) -> f32 {
// CHECK-NEXT: %[[C20:.*]] = arith.constant 20 : index
// CHECK-NEXT: %[[K:.*]] = arith.divui %[[ALL]], %[[C20]]
// CHECK-NEXT: %[[A:.*]] = arith.muli %[[K]], %[[C20]]
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[ALL]], %[[A]]
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[L:.*]] = arith.divui %[[REST]], %[[C5]]
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[L]], %[[C5]]
// CHECK-NEXT: %[[M:.*]] = arith.subi %[[REST]], %[[B]]
// CHECK-NEXT: memref.load %arg1[%[[I]], %[[J]], %[[K]], %[[L]], %[[M]]]
// CHECK-NEXT: scf.reduce
func.func @five(%n: index, %x: memref<8x?x3x4x5xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = scf.parallel (%i, %j, %k, %l, %m) = (%c2, %c0, %c0, %c0, %c0) to (%c8, %n, %c3, %c4, %c5) step (%c2, %c1, %c1, %c1, %c1) init (%z) -> f32 {
    %v = memref.load %x[%i, %j, %k, %l, %m] : memref<8x?x3x4x5xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      scf.reduce.return %t : f32
    }
  }
  return %s : f32
}

// Three dimensions, a count that is not known, one that starts at 1, and none at all stay.
// CHECK-LABEL: @kept
// CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) = (%c0, %c0, %c0) to (%c3, %c3, %c3)
// CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) = {{.*}} to (%c3, %c3, %arg0, %c3)
// CHECK: scf.parallel {{.*}} = (%c0, %c0, %c1, %c0)
// CHECK: scf.parallel {{.*}} to (%c3, %c3, %c0, %c3)
func.func @kept(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c3, %c3, %c3) step (%c1, %c1, %c1) {
  }
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c0, %c0) to (%c3, %c3, %n, %c3) step (%c1, %c1, %c1, %c1) {
  }
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c1, %c0) to (%c3, %c3, %c3, %c3) step (%c1, %c1, %c1, %c1) {
  }
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c0, %c0) to (%c3, %c3, %c0, %c3) step (%c1, %c1, %c1, %c1) {
  }
  return
}
