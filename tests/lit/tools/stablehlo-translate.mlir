// RUN: stablehlo-translate --interpret %s | FileCheck %s
// RUN: not stablehlo-translate %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stablehlo-translate --deserialize %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: 2 passed, 0 failed, 0 not supported
// NONE: stablehlo-translate: give one of --serialize, --deserialize, --interpret
// MISSING: stablehlo-translate: error:
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>
  return
}
// -----

func.func @called() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  %2 = stablehlo.constant dense<[2.0, 4.000001]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%1, %2) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %1 : tensor<2xf32>
}
