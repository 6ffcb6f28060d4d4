// RUN: ttmlir-opt %s --canonicalize | FileCheck %s

// Known facts of shapes: repeated ones, those of static tensors.

// CHECK-LABEL: func.func @alone
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: return %true, %true : i1, i1
func.func @alone(%a: !shape.shape) -> (i1, i1) {
  %0 = shape.is_broadcastable %a : !shape.shape
  %1 = shape.is_broadcastable %a, %a : !shape.shape, !shape.shape
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %0 = shape.const_shape [] : !shape.shape
// CHECK-NEXT: %1 = shape.const_shape [2, 4] : !shape.shape
// CHECK-NEXT: %2 = shape.is_broadcastable %arg0, %arg1 : !shape.shape, !shape.shape
// CHECK-NEXT: %3 = shape.is_broadcastable %arg0, %arg1, %1 : !shape.shape, !shape.shape, !shape.shape
// CHECK-NEXT: %4 = shape.is_broadcastable %arg0, %0 : !shape.shape, !shape.shape
func.func @repeated(%a: !shape.shape, %b: !shape.shape) -> (i1, i1, i1) {
  %d = shape.const_shape [2, 4] : !shape.shape
  %0 = shape.is_broadcastable %a, %b, %a : !shape.shape, !shape.shape, !shape.shape
  %1 = shape.is_broadcastable %a, %b, %d, %d : !shape.shape, !shape.shape, !shape.shape, !shape.shape
  %e = shape.const_shape [] : !shape.shape
  %2 = shape.is_broadcastable %a, %e : !shape.shape, !shape.shape
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @of
// CHECK-NEXT: %0 = shape.const_shape [2, 3] : tensor<2xindex>
// CHECK-NEXT: %1 = shape.shape_of %arg1 : tensor<?x3xf32> -> tensor<2xindex>
// CHECK-NEXT: %2 = shape.is_broadcastable %1, %0 : tensor<2xindex>, tensor<2xindex>
func.func @of(%c: tensor<2x3xf32>, %e: tensor<?x3xf32>) -> i1 {
  %s = shape.shape_of %c : tensor<2x3xf32> -> tensor<2xindex>
  %t = shape.shape_of %e : tensor<?x3xf32> -> tensor<2xindex>
  %0 = shape.is_broadcastable %s, %t : tensor<2xindex>, tensor<2xindex>
  return %0 : i1
}

// Extents of a length that the type leaves open stay to be computed.
// CHECK-LABEL: func.func @open
// CHECK-NEXT: shape.shape_of
func.func @open(%c: tensor<2x3xf32>) -> tensor<?xindex> {
  %s = shape.shape_of %c : tensor<2x3xf32> -> tensor<?xindex>
  return %s : tensor<?xindex>
}
