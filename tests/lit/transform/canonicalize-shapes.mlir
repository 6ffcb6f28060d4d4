// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | FileCheck %s

// Computations on shapes and assumptions.

// CHECK-LABEL: func.func @assuming(%arg0: !shape.witness) -> index
// CHECK-NEXT: %0 = "test.make"() : () -> index
// CHECK-NEXT: return %0 : index
func.func @assuming(%a: !shape.witness) -> index {
  %w = shape.const_witness true
  %0 = shape.assuming %w -> index {
    %1 = "test.make"() : () -> index
    shape.assuming_yield %1 : index
  }
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @assuming_all(%arg0: !shape.witness, %arg1: !shape.witness) -> (!shape.witness, !shape.witness, !shape.witness)
// CHECK-NEXT: %0 = shape.const_witness false
// CHECK-NEXT: %1 = shape.assuming_all %arg0, %arg1
// CHECK-NEXT: return %1, %0, %arg0 : !shape.witness, !shape.witness, !shape.witness
func.func @assuming_all(%a: !shape.witness, %b: !shape.witness) -> (!shape.witness, !shape.witness, !shape.witness) {
  %w = shape.const_witness true
  %f = shape.const_witness false
  %0 = shape.assuming_all %w, %a, %b
  %1 = shape.assuming_all %f, %a
  %2 = shape.assuming_all %a, %a
  return %0, %1, %2 : !shape.witness, !shape.witness, !shape.witness
}

// -----

// CHECK-LABEL: func.func @assuming_all2(%arg0: !shape.witness, %arg1: !shape.witness, %arg2: !shape.witness) -> !shape.witness
// CHECK-NEXT: %0 = shape.assuming_all %arg0, %arg1, %arg2
// CHECK-NEXT: return %0 : !shape.witness
func.func @assuming_all2(%a: !shape.witness, %b: !shape.witness, %c: !shape.witness) -> (!shape.witness) {
  %0 = shape.assuming_all %a, %b
  %1 = shape.assuming_all %0, %c, %a
  return %1 : !shape.witness
}

// -----

// CHECK-LABEL: func.func @assuming_unused(%arg0: !shape.witness) -> index
// CHECK-NEXT: %0 = shape.assuming %arg0 -> (index) {
// CHECK-NEXT: %1 = "test.make"() : () -> index
// CHECK-NEXT: %2 = "test.make"() : () -> index
// CHECK-NEXT: shape.assuming_yield %2 : index
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : index
func.func @assuming_unused(%a: !shape.witness) -> index {
  %0:2 = shape.assuming %a -> (index, index) {
    %1 = "test.make"() : () -> index
    %2 = "test.make"() : () -> index
    shape.assuming_yield %1, %2 : index, index
  }
  return %0#1 : index
}

// -----

// CHECK-LABEL: func.func @cstr(%arg0: tensor<?xindex>, %arg1: tensor<?xindex>, %arg2: i1) -> (!shape.witness, !shape.witness, !shape.witness, !shape.witness)
// CHECK-NEXT: %0 = shape.const_shape [2, 3] : tensor<2xindex>
// CHECK-NEXT: %1 = shape.const_shape [1, 3] : tensor<2xindex>
// CHECK-NEXT: %2 = shape.const_witness true
// CHECK-NEXT: %3 = shape.cstr_eq %0, %1 : tensor<2xindex>, tensor<2xindex>
// CHECK-NEXT: return %2, %2, %3, %2 : !shape.witness, !shape.witness, !shape.witness, !shape.witness
func.func @cstr(%a: tensor<?xindex>, %b: tensor<?xindex>, %p: i1) -> (!shape.witness, !shape.witness, !shape.witness, !shape.witness) {
  %s = shape.const_shape [2, 3] : tensor<2xindex>
  %s1 = shape.const_shape [1, 3] : tensor<2xindex>
  %0 = shape.cstr_broadcastable %s, %s1 : tensor<2xindex>, tensor<2xindex>
  %1 = shape.cstr_eq %s, %s : tensor<2xindex>, tensor<2xindex>
  %2 = shape.cstr_eq %s, %s1 : tensor<2xindex>, tensor<2xindex>
  %t = arith.constant true
  %3 = shape.cstr_require %t, "msg"
  return %0, %1, %2, %3 : !shape.witness, !shape.witness, !shape.witness, !shape.witness
}

// -----

// CHECK-LABEL: func.func @cstr2(%arg0: tensor<?xindex>, %arg1: tensor<?xindex>, %arg2: i1) -> (!shape.witness, !shape.witness, !shape.witness, i1)
// CHECK-NEXT: %0 = shape.const_shape [] : tensor<0xindex>
// CHECK-NEXT: %1 = shape.const_witness true
// CHECK-NEXT: %2 = shape.cstr_broadcastable %arg0, %arg1 : tensor<?xindex>, tensor<?xindex>
// CHECK-NEXT: %3 = shape.is_broadcastable %arg1, %0 : tensor<?xindex>, tensor<0xindex>
// CHECK-NEXT: return %1, %2, %1, %3 : !shape.witness, !shape.witness, !shape.witness, i1
func.func @cstr2(%a: tensor<?xindex>, %b: tensor<?xindex>, %p: i1) -> (!shape.witness, !shape.witness, !shape.witness, i1) {
  %0 = shape.cstr_broadcastable %a, %a : tensor<?xindex>, tensor<?xindex>
  %1 = shape.cstr_broadcastable %a, %b, %a : tensor<?xindex>, tensor<?xindex>, tensor<?xindex>
  %s = shape.const_shape [] : tensor<0xindex>
  %2 = shape.cstr_broadcastable %s, %b : tensor<0xindex>, tensor<?xindex>
  %3 = shape.is_broadcastable %s, %b : tensor<0xindex>, tensor<?xindex>
  return %0, %1, %2, %3 : !shape.witness, !shape.witness, !shape.witness, i1
}

// -----

// CHECK-LABEL: func.func @bcast(%arg0: tensor<?xindex>, %arg1: tensor<3xindex>) -> (tensor<?xindex>, tensor<?xindex>, tensor<3xindex>)
// CHECK-NEXT: return %arg0, %arg0, %arg1 : tensor<?xindex>, tensor<?xindex>, tensor<3xindex>
func.func @bcast(%a: tensor<?xindex>, %b: tensor<3xindex>) -> (tensor<?xindex>, tensor<?xindex>, tensor<3xindex>) {
  %0 = shape.broadcast %a, %a : tensor<?xindex>, tensor<?xindex> -> tensor<?xindex>
  %1 = shape.broadcast %a, %0, %a : tensor<?xindex>, tensor<?xindex>, tensor<?xindex> -> tensor<?xindex>
  %2 = shape.broadcast %b : tensor<3xindex> -> tensor<3xindex>
  return %0, %1, %2 : tensor<?xindex>, tensor<?xindex>, tensor<3xindex>
}

// -----

// CHECK-LABEL: func.func @ext(%arg0: tensor<2x?xf32>, %arg1: index) -> (index, index, !shape.size, index)
// CHECK-NEXT: %c0 = shape.const_size 0
// CHECK-NEXT: %c0_0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0 = shape.shape_of %arg0 : tensor<2x?xf32> -> tensor<2xindex>
// CHECK-NEXT: %1 = shape.get_extent %0, %c0_0 : tensor<2xindex>, index -> index
// CHECK-NEXT: %2 = shape.get_extent %0, %c1 : tensor<2xindex>, index -> index
// CHECK-NEXT: return %1, %2, %c0, %arg1 : index, index, !shape.size, index
func.func @ext(%a: tensor<2x?xf32>, %i: index) -> (index, index, !shape.size, index) {
  %c0 = shape.const_size 0
  %ci = arith.constant 0 : index
  %ci1 = arith.constant 1 : index
  %s = shape.shape_of %a : tensor<2x?xf32> -> tensor<2xindex>
  %0 = shape.get_extent %s, %ci : tensor<2xindex>, index -> index
  %1 = shape.get_extent %s, %ci1 : tensor<2xindex>, index -> index
  %2 = shape.index_to_size %i
  %3 = shape.size_to_index %2 : !shape.size
  %4 = shape.size_to_index %c0 : !shape.size
  %5 = shape.index_to_size %4
  return %0, %1, %5, %3 : index, index, !shape.size, index
}

// -----

// CHECK-LABEL: func.func @arith(%arg0: index, %arg1: !shape.size) -> (index, index, !shape.size, index, !shape.size, !shape.size)
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c0 = shape.const_size 0
// CHECK-NEXT: %c9 = arith.constant 9 : index
// CHECK-NEXT: %c14 = arith.constant 14 : index
// CHECK-NEXT: %0 = shape.add %arg1, %c0 : !shape.size, !shape.size -> !shape.size
// CHECK-NEXT: return %c9, %c14, %0, %c3, %arg1, %arg1 : index, index, !shape.size, index, !shape.size, !shape.size
func.func @arith(%a: index, %s: !shape.size) -> (index, index, !shape.size, index, !shape.size, !shape.size) {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %0 = shape.add %c2, %c7 : index, index -> index
  %1 = shape.mul %c2, %c7 : index, index -> index
  %c = shape.const_size 0
  %2 = shape.add %s, %c : !shape.size, !shape.size -> !shape.size
  %3 = shape.div %c7, %c2 : index, index -> index
  %4 = shape.max %s, %s : !shape.size, !shape.size -> !shape.size
  %5 = shape.min %s, %s : !shape.size, !shape.size -> !shape.size
  return %0, %1, %2, %3, %4, %5 : index, index, !shape.size, index, !shape.size, !shape.size
}

// -----

// CHECK-LABEL: func.func @from(%arg0: index, %arg1: index) -> (!shape.shape, tensor<2xindex>, !shape.shape)
// CHECK-NEXT: %0 = shape.const_shape [2, 7] : !shape.shape
// CHECK-NEXT: %1 = shape.const_shape [2, 7] : tensor<2xindex>
// CHECK-NEXT: %from_elements = tensor.from_elements %arg0, %arg1 : tensor<2xindex>
// CHECK-NEXT: %2 = shape.from_extent_tensor %from_elements : tensor<2xindex>
// CHECK-NEXT: return %0, %1, %2 : !shape.shape, tensor<2xindex>, !shape.shape
func.func @from(%a: index, %b: index) -> (!shape.shape, tensor<2xindex>, !shape.shape) {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %0 = shape.from_extents %c2, %c7 : index, index
  %1 = shape.to_extent_tensor %0 : !shape.shape -> tensor<2xindex>
  %t = tensor.from_elements %a, %b : tensor<2xindex>
  %2 = shape.from_extent_tensor %t : tensor<2xindex>
  return %0, %1, %2 : !shape.shape, tensor<2xindex>, !shape.shape
}

// -----

// CHECK-LABEL: func.func @sh(%arg0: !shape.shape, %arg1: tensor<?xindex>) -> (i1, i1, !shape.shape, !shape.shape, !shape.size)
// CHECK-NEXT: %c40 = shape.const_size 40
// CHECK-NEXT: %0 = shape.const_shape [2, 3, 2, 4, 5] : !shape.shape
// CHECK-NEXT: %1 = shape.const_shape [4, 5] : !shape.shape
// CHECK-NEXT: %false = arith.constant false
// CHECK-NEXT: %2 = shape.shape_eq %arg0, %arg0 : !shape.shape, !shape.shape
// CHECK-NEXT: return %2, %false, %1, %0, %c40 : i1, i1, !shape.shape, !shape.shape, !shape.size
func.func @sh(%a: !shape.shape, %b: tensor<?xindex>) -> (i1, i1, !shape.shape, !shape.shape, !shape.size) {
  %0 = shape.shape_eq %a, %a : !shape.shape, !shape.shape
  %s = shape.const_shape [2, 3] : !shape.shape
  %s2 = shape.const_shape [2, 4, 5] : !shape.shape
  %1 = shape.shape_eq %s, %s2 : !shape.shape, !shape.shape
  %c1 = shape.const_size 1
  %h, %t = "shape.split_at"(%s2, %c1) : (!shape.shape, !shape.size) -> (!shape.shape, !shape.shape)
  %c = shape.concat %s, %s2 : !shape.shape, !shape.shape -> !shape.shape
  %n = shape.num_elements %s2 : !shape.shape -> !shape.size
  return %0, %1, %t, %c, %n : i1, i1, !shape.shape, !shape.shape, !shape.size
}

// -----

// CHECK-LABEL: func.func @rk(%arg0: tensor<?x?xf32>) -> (index, !shape.size)
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %c2_0 = shape.const_size 2
// CHECK-NEXT: return %c2, %c2_0 : index, !shape.size
func.func @rk(%t: tensor<?x?xf32>) -> (index, !shape.size) {
  %s = shape.shape_of %t : tensor<?x?xf32> -> tensor<2xindex>
  %r = shape.rank %s : tensor<2xindex> -> index
  %s2 = shape.shape_of %t : tensor<?x?xf32> -> !shape.shape
  %r2 = shape.rank %s2 : !shape.shape -> !shape.size
  return %r, %r2 : index, !shape.size
}

// -----

// CHECK-LABEL: func.func @ex(%arg0: tensor<?x?xf32>, %arg1: index) -> index
// CHECK-NEXT: %dim = tensor.dim %arg0, %arg1 : tensor<?x?xf32>
// CHECK-NEXT: return %dim : index
func.func @ex(%t: tensor<?x?xf32>, %i: index) -> (index) {
  %s = shape.shape_of %t : tensor<?x?xf32> -> tensor<2xindex>
  %r = tensor.extract %s[%i] : tensor<2xindex>
  return %r : index
}

// -----

// CHECK-LABEL: func.func @bc(%arg0: tensor<2xindex>, %arg1: tensor<3xindex>, %arg2: tensor<?xindex>) -> (tensor<?xindex>, !shape.shape, tensor<?xindex>)
// CHECK-NEXT: %0 = shape.broadcast %arg0, %arg1 : tensor<2xindex>, tensor<3xindex> -> tensor<3xindex>
// CHECK-NEXT: %cast = tensor.cast %0 : tensor<3xindex> to tensor<?xindex>
// CHECK-NEXT: %1 = shape.from_extent_tensor %arg0 : tensor<2xindex>
// CHECK-NEXT: return %cast, %1, %arg2 : tensor<?xindex>, !shape.shape, tensor<?xindex>
func.func @bc(%a: tensor<2xindex>, %b: tensor<3xindex>, %c: tensor<?xindex>) -> (tensor<?xindex>, !shape.shape, tensor<?xindex>) {
  %0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<3xindex> -> tensor<?xindex>
  %1 = shape.broadcast %a : tensor<2xindex> -> !shape.shape
  %e = shape.const_shape [] : tensor<0xindex>
  %2 = shape.broadcast %c, %e : tensor<?xindex>, tensor<0xindex> -> tensor<?xindex>
  return %0, %1, %2 : tensor<?xindex>, !shape.shape, tensor<?xindex>
}

// -----

// CHECK-LABEL: func.func @cc(%arg0: tensor<2x?xf32>, %arg1: tensor<1x?xf32>) -> (!shape.witness, !shape.witness)
// CHECK-NEXT: %0 = shape.const_witness true
// CHECK-NEXT: %1 = shape.shape_of %arg0 : tensor<2x?xf32> -> tensor<2xindex>
// CHECK-NEXT: %2 = shape.shape_of %arg1 : tensor<1x?xf32> -> tensor<2xindex>
// CHECK-NEXT: %3 = shape.cstr_broadcastable %1, %2 : tensor<2xindex>, tensor<2xindex>
// CHECK-NEXT: return %3, %0 : !shape.witness, !shape.witness
func.func @cc(%a: tensor<2x?xf32>, %b: tensor<1x?xf32>) -> (!shape.witness, !shape.witness) {
  %0 = shape.shape_of %a : tensor<2x?xf32> -> tensor<2xindex>
  %1 = shape.shape_of %b : tensor<1x?xf32> -> tensor<2xindex>
  %2 = shape.cstr_broadcastable %0, %1 : tensor<2xindex>, tensor<2xindex>
  %c = shape.const_shape [1] : tensor<1xindex>
  %3 = shape.cstr_broadcastable %0, %c : tensor<2xindex>, tensor<1xindex>
  return %2, %3 : !shape.witness, !shape.witness
}

// -----

// CHECK-LABEL: func.func @ce(%arg0: tensor<2xindex>) -> !shape.witness
// CHECK-NEXT: %0 = shape.const_witness true
// CHECK-NEXT: return %0 : !shape.witness
func.func @ce(%a: tensor<2xindex>) -> (!shape.witness) {
  %2 = shape.cstr_eq %a, %a : tensor<2xindex>, tensor<2xindex>
  return %2 : !shape.witness
}

// -----

// CHECK-LABEL: func.func @dm(%arg0: tensor<2x?xf32>) -> (index, index)
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %0 = shape.dim %arg0, %c1 : tensor<2x?xf32>, index -> index
// CHECK-NEXT: return %c2, %0 : index, index
func.func @dm(%a: tensor<2x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = shape.dim %a, %c0 : tensor<2x?xf32>, index -> index
  %1 = shape.dim %a, %c1 : tensor<2x?xf32>, index -> index
  return %0, %1 : index, index
}

// -----

// CHECK-LABEL: func.func @ge(%arg0: tensor<2x?xf32>) -> (index, !shape.size, i1, i1)
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %c4 = shape.const_size 4
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: return %c7, %c4, %true, %true : index, !shape.size, i1, i1
func.func @ge(%a: tensor<2x?xf32>) -> (index, !shape.size, i1, i1) {
  %c1 = arith.constant 1 : index
  %s = shape.const_shape [4, 7] : tensor<2xindex>
  %0 = shape.get_extent %s, %c1 : tensor<2xindex>, index -> index
  %z = shape.const_size 0
  %1 = shape.get_extent %s, %z : tensor<2xindex>, !shape.size -> !shape.size
  %2 = shape.shape_eq %s, %s : tensor<2xindex>, tensor<2xindex>
  %3 = shape.is_broadcastable %s, %s, %s : tensor<2xindex>, tensor<2xindex>, tensor<2xindex>
  return %0, %1, %2, %3 : index, !shape.size, i1, i1
}
