// Types of results as they are inferred, whatever is declared.
// RUN: stablehlo-opt --hlo-test-infer --allow-unregistered-dialect %s | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %b: tensor<2x4xf32>, %p: tensor<i1>) {
  // CHECK: types0 = tensor<?x4xf32, #stablehlo.bounds<10, ?>>
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<2x4xf32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.get_return_types"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  // CHECK: types0 = tensor<2x4xf32>
  %2 = "stablehlo.select"(%p, %a, %b) : (tensor<i1>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<2x4xf32>) -> tensor<?x?xf32>
  %3 = "hlo_test_infer.get_return_types"(%2) : (tensor<?x?xf32>) -> tensor<2xindex>
  // CHECK: types0 = tensor<2x4xcomplex<f32>>
  %4 = "stablehlo.complex"(%b, %b) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<?x?xcomplex<f32>>
  %5 = "hlo_test_infer.get_return_types"(%4) : (tensor<?x?xcomplex<f32>>) -> tensor<2xindex>
  // CHECK: types0 = tensor<2x4xi1>
  %6 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<2x4xf32>) -> tensor<?x?xi1>
  %7 = "hlo_test_infer.get_return_types"(%6) : (tensor<?x?xi1>) -> tensor<2xindex>
  return
}
