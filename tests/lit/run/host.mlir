// Operations that the device does not support run on the host, with a report; with --no-host they are an error.
// RUN: tilewright run %s | FileCheck %s
// RUN: not tilewright run %s --no-host | FileCheck %s --check-prefix=DEVICE

// A loop that data ends; its body's product is the device's.
// CHECK: @collatz: passed (on the host: stablehlo.while)
// DEVICE: @collatz: not supported
func.func @collatz() {
  %start = stablehlo.constant dense<27> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%n = %start, %steps = %zero) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare NE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %odd = stablehlo.and %n, %one : tensor<i32>
    %is_odd = stablehlo.compare EQ, %odd, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %half = stablehlo.divide %n, %two : tensor<i32>
    %next = "stablehlo.if"(%is_odd) ({
      %a = stablehlo.multiply %n, %three : tensor<i32>
      %b = stablehlo.add %a, %one : tensor<i32>
      stablehlo.return %b : tensor<i32>
    }, {
      stablehlo.return %half : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %more = stablehlo.add %steps, %one : tensor<i32>
    stablehlo.return %next, %more : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#1, dense<111> : tensor<i32>
  func.return
}

// -----

// The untaken branch would not end.
// CHECK: @branch: passed (on the host: stablehlo.if
// DEVICE: @branch: not supported
func.func @branch() {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<5> : tensor<i32>
  %r = "stablehlo.if"(%no) ({
    %w = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %c = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    stablehlo.return %w : tensor<i32>
  }, {
    %y = stablehlo.add %x, %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %r, dense<10> : tensor<i32>
  func.return
}

// -----

// Parts between the host's: 64 x 64 elements are worth a call of the device.
// CHECK: @parts: passed (on the host: stablehlo.tanh)
func.func @parts() {
  %x = stablehlo.iota dim = 0 : tensor<64x64xf32>
  %y = stablehlo.iota dim = 1 : tensor<64x64xf32>
  %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %zero = stablehlo.subtract %p, %p : tensor<64x64xf32>
  %z = stablehlo.complex %zero, %zero : tensor<64x64xcomplex<f32>>
  %t = stablehlo.tanh %z : tensor<64x64xcomplex<f32>>
  %re = stablehlo.real %t : (tensor<64x64xcomplex<f32>>) -> tensor<64x64xf32>
  %s = stablehlo.add %re, %p : tensor<64x64xf32>
  check.expect_eq %s, %p : tensor<64x64xf32>
  func.return
}

// -----

// Integers of 64 bits are right or refused; those known to fit run on the device.
// CHECK: @wide: passed (on the host: stablehlo.multiply)
func.func @wide() {
  %a = stablehlo.constant dense<[3000000000, -5]> : tensor<2xi64>
  %p = stablehlo.multiply %a, %a : tensor<2xi64>
  check.expect_eq_const %p, dense<[9000000000000000000, 25]> : tensor<2xi64>
  func.return
}

// -----

// CHECK: @narrow: passed{{$}}
func.func @narrow() {
  %i = stablehlo.iota dim = 0 : tensor<4xi64>
  %n = stablehlo.constant dense<4> : tensor<4xi64>
  %s = stablehlo.add %i, %n : tensor<4xi64>
  %c = stablehlo.compare LT, %i, %n : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %r = stablehlo.select %c, %s, %i : tensor<4xi1>, tensor<4xi64>
  check.expect_eq_const %r, dense<[4, 5, 6, 7]> : tensor<4xi64>
  func.return
}

// -----

// CHECK: @double: passed (on the host: stablehlo.sqrt
func.func @double() {
  %a = stablehlo.constant dense<2.0> : tensor<2xf64>
  %r = stablehlo.sqrt %a : tensor<2xf64>
  %p = stablehlo.multiply %r, %r : tensor<2xf64>
  check.expect_eq_const %p, dense<2.0000000000000004> : tensor<2xf64>
  func.return
}

// CHECK: 6 passed, 0 failed, 0 not supported
