// Decompositions that JAX exports as calls of LAPACK, and bits of generators whose numbers
// are specified: the host's.
// RUN: tilewright run %s | FileCheck %s
// RUN: sh -c 'tilewright run %S/Inputs/unknown-call.mlir; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown-call.mlir:2:8: 'stablehlo.custom_call' of '@no_such_target': neither the device nor the host has a rule for it
// UNKNOWN: status 77

// CHECK: @cholesky: passed
func.func @cholesky() {
  %a = stablehlo.constant dense<[[4.0, 7.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %l, %info = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %l, dense<[[2.0, 7.0], [1.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %info, dense<0> : tensor<i32>
  %m = stablehlo.negate %a : tensor<2x2xf32>
  %l2, %info2 = stablehlo.custom_call @lapack_spotrf_ffi(%m) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %info2, dense<1> : tensor<i32>
  func.return
}

// -----

// Two matrices at once; pivots count from 1.
// CHECK: @lu: passed
func.func @lu() {
  %a = stablehlo.constant dense<[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 2.0], [2.0, 0.0]]]> : tensor<2x2x2xf64>
  %lu, %p, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2xi32>, tensor<2xi32>)
  check.expect_eq_const %lu, dense<[[[2.0, 3.0], [0.0, 1.0]], [[4.0, 2.0], [0.5, -1.0]]]> : tensor<2x2x2xf64>
  check.expect_eq_const %p, dense<[[2, 2], [1, 2]]> : tensor<2x2xi32>
  check.expect_eq_const %info, dense<0> : tensor<2xi32>
  func.return
}

// -----

// CHECK: @qr: passed
func.func @qr() {
  %a = stablehlo.constant dense<[[3.0, 1.0], [4.0, 2.0]]> : tensor<2x2xf32>
  %f, %tau = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%f, %tau) {mhlo.backend_config = {}} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %q, dense<[[-0.6, -0.8], [-0.8, 0.6]]> : tensor<2x2xf32>, tolerance = 1.0e-6
  check.expect_almost_eq_const %f, dense<[[-5.0, -2.2], [0.5, 0.4]]> : tensor<2x2xf32>, tolerance = 1.0e-6
  func.return
}

// -----

// x op(a) = b and op(a) x = b
// CHECK: @solve: passed
func.func @solve() {
  %a = stablehlo.constant dense<[[2.0, 9.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0, 4.0], [5.0, 8.0]]> : tensor<2x2xf32>
  %x = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %x, dense<[[1.0, 2.0], [1.0, 1.5]]> : tensor<2x2xf32>
  %y = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[1.0, 0.75], [2.5, 1.375]]> : tensor<2x2xf32>
  func.return
}

// -----

// CHECK: @eigen: passed
func.func @eigen() {
  %a = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 0.0)], [(0.0, 1.0), (2.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %v, %w, %info = stablehlo.custom_call @lapack_zheevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2xf64>, tensor<i32>)
  check.expect_almost_eq_const %w, dense<[1.0, 3.0]> : tensor<2xf64>, tolerance = 1.0e-14
  check.expect_eq_const %info, dense<0> : tensor<i32>
  func.return
}

// -----

// A matrix of rank 1; U is a whole basis.
// CHECK: @singular: passed
func.func @singular() {
  %a = stablehlo.constant dense<[[3.0, 0.0], [4.0, 0.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %r:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
  check.expect_eq_const %r#1, dense<[5.0, 0.0]> : tensor<2xf64>
  %one = stablehlo.dot_general %r#2, %r#2, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %one, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>, tolerance = 1.0e-14
  func.return
}

// -----

// Random123's known answers for keys and counters of zero.
// CHECK: @bits: passed
func.func @bits() {
  %s = stablehlo.constant dense<0> : tensor<2xui64>
  %t, %x = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x2xui32>)
  check.expect_eq_const %x, dense<[[0x6B200159, 0x99BA4EFE]]> : tensor<1x2xui32>
  check.expect_eq_const %t, dense<[0, 1]> : tensor<2xui64>
  %u, %y = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  check.expect_eq_const %y, dense<[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]> : tensor<4xui32>
  func.return
}

// CHECK: 7 passed, 0 failed
