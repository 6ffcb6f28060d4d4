// RUN: not tilewright run %s | FileCheck %s
// RUN: not tilewright run %s --no-host | FileCheck %s --check-prefix=DEVICE

// Functions that check themselves: each is compiled, run, and judged.
// CHECK: @sum: passed
func.func @sum() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
  %b = stablehlo.add %a, %a : tensor<3xi64>
  check.expect_eq_const %b, dense<[2, 4, 6]> : tensor<3xi64>
  func.return
}

// -----

// CHECK: self-check.mlir:[[#@LINE+6]]: check.expect_almost_eq_const: element 1 is 2, expected 2.5
// CHECK: @wrong: FAILED (on the host: stablehlo.abs)
// DEVICE: @wrong: FAILED{{$}}
func.func @wrong() {
  %a = stablehlo.constant dense<[-1.0, 2.0]> : tensor<2xf64>
  %b = stablehlo.abs %a : tensor<2xf64>
  check.expect_almost_eq_const %b, dense<[1.0, 2.5]> : tensor<2xf64>
  func.return
}

// -----

// Cut to 32 bits this would agree by accident.
// DEVICE: 'check.expect_eq_const': an integer that does not fit the device's 32 bits
// DEVICE: @wide: not supported
// CHECK: @wide: FAILED
func.func @wide() {
  %a = stablehlo.constant dense<0> : tensor<1xi64>
  check.expect_eq_const %a, dense<4294967296> : tensor<1xi64>
  func.return
}

// -----

// CHECK: @close: passed
func.func @close() {
  %a = stablehlo.constant dense<[1.0, -3.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.00000012, -3.0]> : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<2xf32>
  check.expect_eq %a, %a : tensor<2xf32>
  func.return
}

// CHECK: 2 passed, 2 failed, 0 not supported
// DEVICE: 2 passed, 1 failed, 1 not supported
// DEVICE: without --no-host
