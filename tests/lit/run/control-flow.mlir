// RUN: tilewright run %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s --stablehlo-flatten-control-flow | FileCheck %s --check-prefix=FLAT

// FLAT-NOT: stablehlo.while
// FLAT-NOT: stablehlo.case
// FLAT-NOT: stablehlo.if

// CHECK: @counted: passed
func.func @counted() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %end = stablehlo.constant dense<7> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %r:2 = stablehlo.while(%i = %zero, %x = %one) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %x, %x : tensor<2xf32>
    %n = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %n, %d : tensor<i32>, tensor<2xf32>
  }
  check.expect_eq_const %r#0, dense<8> : tensor<i32>
  check.expect_eq_const %r#1, dense<16.0> : tensor<2xf32>
  func.return
}

// -----

// A loop in a loop, and branches in it; an index outside takes the last branch.
// CHECK: @nested: passed
func.func @nested() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare NE, %three, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%k = %i, %t = %s) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare GE, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %v = "stablehlo.case"(%k) ({
        stablehlo.return %one : tensor<i32>
      }, {
        %ten = stablehlo.constant dense<10> : tensor<i32>
        stablehlo.return %ten : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %u = stablehlo.add %t, %v : tensor<i32>
      %n = stablehlo.subtract %k, %one : tensor<i32>
      stablehlo.return %n, %u : tensor<i32>, tensor<i32>
    }
    %m = stablehlo.add %one, %i : tensor<i32>
    stablehlo.return %m, %q#1 : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#1, dense<33> : tensor<i32>
  func.return
}
