// RUN: ttmlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant 7 : i32
// CHECK-DAG: arith.constant -2 : i32
// CHECK-DAG: arith.constant 2147483645 : i32
// CHECK-DAG: arith.constant true
// CHECK-NOT: arith.divsi
// CHECK: arith.divui
func.func @constants(%x: i32) -> (i32, i32, i32, i32, i1, i32) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c0 = arith.constant 0 : i32
  %big = arith.constant 2147483647 : i32
  %0 = arith.addi %c3, %c4 : i32
  %1 = arith.addi %big, %big : i32
  %m5 = arith.constant -5 : i32
  %c2 = arith.constant 2 : i32
  %2 = arith.divsi %m5, %c2 : i32
  %3 = arith.divui %m5, %c2 : i32
  %4 = arith.cmpi ugt, %m5, %c2 : i32
  // a division by zero is the run's affair
  %5 = arith.divui %c3, %c0 : i32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i1, i32
}

// CHECK-LABEL: func.func @identities(%arg0: i32)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %arg0, %arg0, %[[ZERO]], %[[ZERO]], %arg0
func.func @identities(%x: i32) -> (i32, i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %c0, %x : i32
  %1 = arith.muli %c1, %x : i32
  %2 = arith.muli %x, %c0 : i32
  %3 = arith.subi %x, %x : i32
  %i = arith.index_cast %x : i32 to index
  %4 = arith.index_cast %i : index to i32
  return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
}

// Through i32 and back loses bits of an index.
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-2: arith.index_cast
func.func @narrow(%i: index) -> index {
  %0 = arith.index_cast %i : index to i32
  %1 = arith.index_cast %0 : i32 to index
  return %1 : index
}
