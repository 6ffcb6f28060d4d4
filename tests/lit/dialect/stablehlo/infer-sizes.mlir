// Sizes of broadcasts along other dimensions than the last are not known as values.
// RUN: stablehlo-opt %s --hlo-test-infer --allow-unregistered-dialect --verify-diagnostics

func.func @front(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<2xindex> {
  // expected-warning @below {{unsupported non prefix-padded dynamic rank broadcast_dimensions = array<i64: 0>}}
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}

func.func @end(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<2xindex> {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}
