// RUN: ttmlir-opt %s --canonicalize --mlir-print-local-scope | FileCheck %s

// Indices that are linearized and delinearized; the checks are MLIR 22's output.

// CHECK-LABEL: func.func @one_basis(
// CHECK-NEXT: return %arg0 : index
func.func @one_basis(%a: index) -> index {
  %0 = affine.delinearize_index %a into (5) : index
  return %0 : index
}

// CHECK-LABEL: func.func @no_outer(
// CHECK-NEXT: %0:2 = affine.delinearize_index %arg0 into (5) : index, index
// CHECK-NEXT: return %0#0, %0#1 : index, index
func.func @no_outer(%a: index) -> (index,index) {
  %0:2 = affine.delinearize_index %a into (5) : index, index
  return %0#0,%0#1 : index, index
}

// CHECK-LABEL: func.func @consts(
// CHECK-NEXT: %c-7 = arith.constant -7 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: return %c-7, %c1, %c0 : index, index, index
func.func @consts() -> (index,index,index) {
  %c = arith.constant -100 : index
  %0:3 = affine.delinearize_index %c into (3, 5) : index, index, index
  return %0#0,%0#1,%0#2 : index, index, index
}

// CHECK-LABEL: func.func @consts2(
// CHECK-NEXT: %c6 = arith.constant 6 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: return %c6, %c2, %c0 : index, index, index
func.func @consts2() -> (index,index,index) {
  %c = arith.constant 100 : index
  %0:3 = affine.delinearize_index %c into (2, 3, 5) : index, index, index
  return %0#0,%0#1,%0#2 : index, index, index
}

// CHECK-LABEL: func.func @unit(
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0:2 = affine.delinearize_index %arg0 into (%arg1, 5) : index, index
// CHECK-NEXT: return %c0, %0#0, %c0, %0#1 : index, index, index, index
func.func @unit(%a: index, %n : index) -> (index,index,index,index) {
  %0:4 = affine.delinearize_index %a into (1, %n, 1, 5) : index, index, index, index
  return %0#0,%0#1,%0#2,%0#3 : index, index, index, index
}

// CHECK-LABEL: func.func @unit2(
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0:3 = affine.delinearize_index %arg0 into (%arg1, 5) : index, index, index
// CHECK-NEXT: return %0#0, %0#1, %c0, %0#2 : index, index, index, index
func.func @unit2(%a: index, %n : index) -> (index,index,index,index) {
  %0:4 = affine.delinearize_index %a into (%n, 1, 5) : index, index, index, index
  return %0#0,%0#1,%0#2,%0#3 : index, index, index, index
}

// CHECK-LABEL: func.func @dynconst(
// CHECK-NEXT: %0:3 = affine.delinearize_index %arg0 into (3, 7) : index, index, index
// CHECK-NEXT: return %0#0, %0#1, %0#2 : index, index, index
func.func @dynconst(%a: index) -> (index,index,index) {
  %c = arith.constant 7 : index
  %0:3 = affine.delinearize_index %a into (3, %c) : index, index, index
  return %0#0,%0#1,%0#2 : index, index, index
}

// CHECK-LABEL: func.func @lin(
// CHECK-NEXT: %0 = affine.linearize_index [%arg0, %arg1] by (3, 7) : index
// CHECK-NEXT: return %0 : index
func.func @lin(%a: index, %b: index, %n : index) -> index {
  %c = arith.constant 7 : index
  %0 = affine.linearize_index [%a, %b] by (3, %c) : index
  return %0 : index
}

// CHECK-LABEL: func.func @lin1(
// CHECK-NEXT: return %arg0 : index
func.func @lin1(%a: index, %n : index) -> index {
  %0 = affine.linearize_index [%a] by (%n) : index
  return %0 : index
}

// CHECK-LABEL: func.func @lin0(
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: return %c0 : index
func.func @lin0() -> index {
  %0 = affine.linearize_index [] by () : index
  return %0 : index
}

// CHECK-LABEL: func.func @lin1b(
// CHECK-NEXT: return %arg0 : index
func.func @lin1b(%a: index, %n : index) -> index {
  %0 = affine.linearize_index [%a] by () : index
  return %0 : index
}

// CHECK-LABEL: func.func @lead(
// CHECK-NEXT: %0 = affine.linearize_index [%arg0, %arg1] by (4, 5) : index
// CHECK-NEXT: return %0 : index
func.func @lead(%a: index, %b: index, %n : index) -> index {
  %c = arith.constant 0 : index
  %0 = affine.linearize_index [%c, %a, %b] by (3, 4, 5) : index
  return %0 : index
}

// CHECK-LABEL: func.func @leaddis(
// CHECK-NEXT: %0 = affine.linearize_index disjoint [%arg0, %arg1] by (4, 5) : index
// CHECK-NEXT: return %0 : index
func.func @leaddis(%a: index, %b: index, %n : index) -> index {
  %c = arith.constant 0 : index
  %0 = affine.linearize_index disjoint [%c, %a, %b] by (3, 4, 5) : index
  return %0 : index
}

// CHECK-LABEL: func.func @unitlin(
// CHECK-NEXT: %0 = affine.linearize_index [%arg1, %arg0, %arg1] by (3, 1, 5) : index
// CHECK-NEXT: return %0 : index
func.func @unitlin(%a: index, %b: index, %n : index) -> index {
  %c = arith.constant 0 : index
  %0 = affine.linearize_index [%b, %c, %a, %b] by (3, 1, 1, 5) : index
  return %0 : index
}

// CHECK-LABEL: func.func @unitlindis(
// CHECK-NEXT: %0 = affine.linearize_index disjoint [%arg1, %arg1] by (3, 5) : index
// CHECK-NEXT: return %0 : index
func.func @unitlindis(%a: index, %b: index, %n : index) -> index {
  %c = arith.constant 0 : index
  %0 = affine.linearize_index disjoint [%b, %c, %a, %b] by (3, 1, 1, 5) : index
  return %0 : index
}

// CHECK-LABEL: func.func @constlin(
// CHECK-NEXT: %c93 = arith.constant 93 : index
// CHECK-NEXT: return %c93 : index
func.func @constlin() -> index {
  %c = arith.constant 2 : index
  %d = arith.constant 3 : index
  %0 = affine.linearize_index disjoint [%c, %d, %c] by (5, 7) : index
  return %0 : index
}

// CHECK-LABEL: func.func @del_lin(
// CHECK-NEXT: return %arg0, %arg1 : index, index
func.func @del_lin(%a: index, %b: index, %n : index) -> (index, index) {
  %0 = affine.linearize_index disjoint [%a, %b] by (%n, 5) : index
  %1:2 = affine.delinearize_index %0 into (%n, 5) : index, index
  return %1#0, %1#1 : index, index
}

// CHECK-LABEL: func.func @lin_del(
// CHECK-NEXT: return %arg0, %arg0 : index, index
func.func @lin_del(%a: index, %b: index, %n : index) -> (index, index) {
  %1:2 = affine.delinearize_index %a into (%n, 5) : index, index
  %0 = affine.linearize_index [%1#0, %1#1] by (%n, 5) : index
  %2 = affine.linearize_index [%1#0, %1#1] by (5) : index
  return %0, %2 : index, index
}

// CHECK-LABEL: func.func @split(
// CHECK-NEXT: %0 = affine.linearize_index disjoint [%arg2, %arg1] by (3, 2) : index
// CHECK-NEXT: %1:2 = affine.delinearize_index %0 into (2, 3) : index, index
// CHECK-NEXT: %2:2 = affine.delinearize_index %arg0 into (8, 4) : index, index
// CHECK-NEXT: return %1#0, %1#1, %2#0, %2#1 : index, index, index, index
func.func @split(%x: index, %y: index, %z: index) -> (index, index, index, index) {
  %0 = affine.linearize_index disjoint [%z, %y, %x] by (3, 2, 32) : index
  %1:4 = affine.delinearize_index %0 into (2, 3, 8, 4) : index, index, index, index
  return %1#0, %1#1, %1#2, %1#3 : index, index, index, index
}

// CHECK-LABEL: func.func @tail(
// CHECK-NEXT: %0:2 = affine.delinearize_index %arg0 into (2, 3) : index, index
// CHECK-NEXT: return %0#0, %0#1, %arg1 : index, index, index
func.func @tail(%x: index, %y: index, %n: index) -> (index, index, index) {
  %0 = affine.linearize_index disjoint [%x, %y] by (7, %n) : index
  %1:3 = affine.delinearize_index %0 into (2, 3, %n) : index, index, index
  return %1#0, %1#1, %1#2 : index, index, index
}

// CHECK-LABEL: func.func @not_disjoint(
// CHECK-NEXT: %0 = affine.linearize_index [%arg0, %arg1] by (7, 5) : index
// CHECK-NEXT: %1:2 = affine.delinearize_index %0 into (7, 5) : index, index
// CHECK-NEXT: return %1#0, %1#1 : index, index
func.func @not_disjoint(%x: index, %y: index) -> (index, index) {
  %0 = affine.linearize_index [%x, %y] by (7, 5) : index
  %1:2 = affine.delinearize_index %0 into (7, 5) : index, index
  return %1#0, %1#1 : index, index
}

// CHECK-LABEL: func.func @join(
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0] -> (s0 * 5)>()[%arg2]
// CHECK-NEXT: %1:3 = affine.delinearize_index %arg0 into (2, %0, 3) : index, index, index
// CHECK-NEXT: %2 = affine.linearize_index [%arg1, %1#1] by (9, %0) : index
// CHECK-NEXT: return %2, %1#2 : index, index
func.func @join(%x: index, %y: index, %n: index) -> (index, index) {
  %0:4 = affine.delinearize_index %x into (2, %n, 5, 3) : index, index, index, index
  %1 = affine.linearize_index [%y, %0#1, %0#2] by (9, %n, 5) : index
  return %1, %0#3 : index, index
}

// CHECK-LABEL: func.func @known_by_disjoint(
// CHECK-NEXT: %0 = affine.linearize_index disjoint [%arg1, %arg0] by (9, 20) : index
// CHECK-NEXT: return %0 : index
func.func @known_by_disjoint(%x: index, %y: index) -> index {
  %0:2 = affine.delinearize_index %x into (5) : index, index
  %1 = affine.linearize_index disjoint [%y, %0#0, %0#1] by (9, 4, 5) : index
  return %1 : index
}

// CHECK-LABEL: func.func @bounds_differ(
// CHECK-NEXT: %0:2 = affine.delinearize_index %arg0 into (5) : index, index
// CHECK-NEXT: %1 = affine.linearize_index [%arg1, %0#0, %0#1] by (9, 4, 5) : index
// CHECK-NEXT: return %1 : index
func.func @bounds_differ(%x: index, %y: index) -> index {
  %0:2 = affine.delinearize_index %x into (5) : index, index
  %1 = affine.linearize_index [%y, %0#0, %0#1] by (9, 4, 5) : index
  return %1 : index
}

// A size defined after the delinearization cannot be used there: nothing is joined.
// CHECK-LABEL: func.func @size_comes_later(
// CHECK: affine.delinearize_index
// CHECK: affine.linearize_index disjoint [%arg1, %{{.*}}#0, %{{.*}}#1] by (9, %{{.*}}, 5)
func.func @size_comes_later(%x: index, %y: index, %m_index: memref<index>) -> index {
  %0:2 = affine.delinearize_index %x into (5) : index, index
  %n = memref.load %m_index[] : memref<index>
  %1 = affine.linearize_index disjoint [%y, %0#0, %0#1] by (9, %n, 5) : index
  return %1 : index
}

// Sizes that a static list cannot contain stay values.
// CHECK-LABEL: func.func @no_size(
// CHECK: affine.delinearize_index %arg0 into (%c0, 4) : index, index
func.func @no_size(%x: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0:2 = affine.delinearize_index %x into (%c0, 4) : index, index
  return %0#0, %0#1 : index, index
}
