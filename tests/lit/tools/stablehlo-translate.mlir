// RUN: stablehlo-translate --interpret %s | FileCheck %s
// RUN: not stablehlo-translate %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stablehlo-translate --deserialize %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: 1 passed, 0 failed, 0 not supported
// NONE: stablehlo-translate: say one of --serialize, --deserialize, --interpret
// MISSING: stablehlo-translate: error:
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>
  return
}
