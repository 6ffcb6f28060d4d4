// What may run although the program does not reach it: sizes that are not known could
// contradict what the result states.
// RUN: stablehlo-opt --hlo-test-speculatability --allow-unregistered-dialect %s | FileCheck %s

// Everything is as said, so that nothing is left.
// CHECK-LABEL: func.func @said
// CHECK-NEXT: return
func.func @said(%s: tensor<2xf32>, %d: tensor<?xf32>, %m: tensor<?x3xf32>) {
  %0 = stablehlo.tanh %d : (tensor<?xf32>) -> tensor<2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%0) : (tensor<2xf32>) -> ()
  %1 = stablehlo.add %s, %s : tensor<2xf32>
  "hlo_test_speculatability.is_speculatable"(%1) : (tensor<2xf32>) -> ()
  %2 = stablehlo.add %d, %d : tensor<?xf32>
  "hlo_test_speculatability.is_not_speculatable"(%2) : (tensor<?xf32>) -> ()
  %3 = stablehlo.transpose %m, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  "hlo_test_speculatability.is_speculatable"(%3) : (tensor<3x?xf32>) -> ()
  %4 = stablehlo.concatenate %d, %d, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  "hlo_test_speculatability.is_speculatable"(%4) : (tensor<?xf32>) -> ()
  %5 = stablehlo.reshape %d : (tensor<?xf32>) -> tensor<2x1xf32>
  "hlo_test_speculatability.is_not_speculatable"(%5) : (tensor<2x1xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @not_so
// CHECK: stablehlo.tanh
// CHECK-NEXT: "hlo_test_speculatability.is_not_speculatable"
func.func @not_so(%s: tensor<2xf32>) {
  %0 = stablehlo.tanh %s : tensor<2xf32>
  "hlo_test_speculatability.is_not_speculatable"(%0) : (tensor<2xf32>) -> ()
  return
}
