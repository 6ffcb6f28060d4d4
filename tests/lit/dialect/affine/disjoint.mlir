// RUN: ttmlir-opt %s --mlir-print-op-generic | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s --check-prefix=CUSTOM
// RUN: ttmlir-opt %s --emit-bytecode -o %t && ttmlir-opt %t | FileCheck %s --check-prefix=CUSTOM
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=5 -o %t && ttmlir-opt %t | FileCheck %s --check-prefix=CUSTOM

// A property that is there or not is written as false, or as the unit attribute.

// CHECK: <{disjoint = false, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 5>}>
// CHECK: <{disjoint, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 5>}>
// CHECK: <{disjoint, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 6>}>
// CUSTOM: affine.linearize_index [%arg0, %arg1] by (5) : index
// CUSTOM: affine.linearize_index disjoint [%arg0, %arg1] by (5) : index
// CUSTOM: affine.linearize_index disjoint [%arg0, %arg1] by (6) : index
func.func @f(%a: index, %b: index) -> (index, index, index) {
  %0 = affine.linearize_index [%a, %b] by (5) : index
  %1 = affine.linearize_index disjoint [%a, %b] by (5) : index
  %2 = "affine.linearize_index"(%a, %b) <{disjoint = true, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 6>}> : (index, index) -> index
  return %0, %1, %2 : index, index, index
}
