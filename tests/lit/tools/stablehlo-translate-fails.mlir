// RUN: not stablehlo-translate --interpret %s | FileCheck %s
// RUN: not stablehlo-translate --interpret /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING

// CHECK: check.expect_eq: element 1 is 4, expected 5
// CHECK: 0 passed, 1 failed, 0 not supported
// NOTHING: error: no function checks itself
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  %2 = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%1, %2) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
}
