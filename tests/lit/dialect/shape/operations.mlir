// RUN: stablehlo-opt %s | FileCheck %s
// RUN: stablehlo-opt %s | stablehlo-opt | FileCheck %s

// CHECK-LABEL: func.func @all
func.func @all(%a: tensor<?x2xf32>, %b: tensor<?xf32>, %n: index, %s: !shape.size, %h: !shape.shape) -> tensor<?x2xf32> {
  // CHECK: %[[A:.*]] = shape.shape_of %arg0 : tensor<?x2xf32> -> tensor<2xindex>
  %0 = shape.shape_of %a : tensor<?x2xf32> -> tensor<2xindex>
  // CHECK: %[[B:.*]] = shape.shape_of %arg1 : tensor<?xf32> -> tensor<1xindex>
  %1 = shape.shape_of %b : tensor<?xf32> -> tensor<1xindex>
  // CHECK: shape.const_shape [1, 2, 3] : tensor<3xindex>
  %c = shape.const_shape [1, 2, 3] : tensor<3xindex>
  // CHECK: shape.const_shape {note}[] : !shape.shape
  %c2 = shape.const_shape {note}[] : !shape.shape
  // CHECK: %c5 = shape.const_size 5
  %sz = shape.const_size 5
  // CHECK: %[[W:.*]] = shape.cstr_broadcastable %[[A]], %[[B]] : tensor<2xindex>, tensor<1xindex>
  %w = shape.cstr_broadcastable %0, %1 : tensor<2xindex>, tensor<1xindex>
  // CHECK: shape.const_witness true
  %w2 = shape.const_witness true
  // CHECK: %[[ALL:.*]] = shape.assuming_all %[[W]], %{{.*}}
  %w3 = shape.assuming_all %w, %w2
  // CHECK: shape.assuming %[[ALL]] -> (tensor<?x2xf32>) {
  %r = shape.assuming %w3 -> (tensor<?x2xf32>) {
    // CHECK-NEXT: %[[X:.*]] = shape.broadcast %[[A]], %[[B]] : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %x = shape.broadcast %0, %1 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %y = stablehlo.dynamic_broadcast_in_dim %b, %x, dims = [1] : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x2xf32>
    // CHECK: shape.assuming_yield %{{.*}} : tensor<?x2xf32>
    shape.assuming_yield %y : tensor<?x2xf32>
  }
  // CHECK: shape.assuming %[[ALL]] {
  // CHECK-NEXT: shape.num_elements %[[A]] : tensor<2xindex> -> index
  // CHECK-NEXT: }
  shape.assuming %w3 {
    %q = shape.num_elements %0 : tensor<2xindex> -> index
  }
  // CHECK: %[[M:.*]] = shape.mul %arg3, %c5 : !shape.size, !shape.size -> !shape.size
  %m = shape.mul %s, %sz : !shape.size, !shape.size -> !shape.size
  // CHECK: shape.size_to_index %[[M]] : !shape.size
  %i = shape.size_to_index %m : !shape.size
  // CHECK: shape.to_extent_tensor %arg4 : !shape.shape -> tensor<?xindex>
  %e = shape.to_extent_tensor %h : !shape.shape -> tensor<?xindex>
  // CHECK: %[[G:.*]] = shape.get_extent %[[A]], %arg2 : tensor<2xindex>, index -> index
  %g = shape.get_extent %0, %n : tensor<2xindex>, index -> index
  // CHECK: shape.from_extents %arg2, %[[G]] : index, index
  %fe = shape.from_extents %n, %g : index, index
  // CHECK: shape.is_broadcastable %[[A]], %[[B]] : tensor<2xindex>, tensor<1xindex>
  %eq = shape.is_broadcastable %0, %1 : tensor<2xindex>, tensor<1xindex>
  // CHECK: %head, %tail = "shape.split_at"
  %t0, %t1 = "shape.split_at"(%h, %s) : (!shape.shape, !shape.size) -> (!shape.shape, !shape.shape)
  return %r : tensor<?x2xf32>
}
