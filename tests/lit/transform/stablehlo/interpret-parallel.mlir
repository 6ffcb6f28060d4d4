// RUN: stablehlo-translate --interpret %s | FileCheck %s
// RUN: not stablehlo-translate --interpret %S/../Inputs/alone.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not stablehlo-translate --interpret %S/../Inputs/askew.mlir 2>&1 | FileCheck %s --check-prefix=ASKEW

// CHECK: @main: passed
// ALONE: @main: not supported
// Nor are operands of other shapes exchanged.
// ASKEW: @main: not supported

// Whoever waits for somebody that does not come is sent home.
// Two replicas of two partitions: partitions are summed, then replicas permuted.
func.func @sum(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<ui32>, tensor<2xi32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  %2 = stablehlo.partition_id : tensor<ui32>
  %3 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  return %0, %2, %3 : tensor<2xi32>, tensor<ui32>, tensor<2xi32>
}

// Each iteration of the loop is an exchange; processes with more iterations are waited for.
func.func @rounds(%a: tensor<2xi32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<2xi32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %g = "stablehlo.all_to_all"(%v) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %g, %n : tensor<2xi32>, tensor<i32>
    }
  return %r#0 : tensor<2xi32>
}

func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %c = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %d = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %r:12 = "interpreter.run_parallel"(%a, %b, %c, %d) <{programs = [[@sum, @sum], [@sum, @sum]]}> : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    -> (tensor<2xi32>, tensor<ui32>, tensor<2xi32>, tensor<2xi32>, tensor<ui32>, tensor<2xi32>, tensor<2xi32>, tensor<ui32>, tensor<2xi32>, tensor<2xi32>, tensor<ui32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[11, 22]> : tensor<2xi32>
  check.expect_eq_const %r#3, dense<[11, 22]> : tensor<2xi32>
  check.expect_eq_const %r#4, dense<1> : tensor<ui32>
  check.expect_eq_const %r#6, dense<[105, 206]> : tensor<2xi32>
  check.expect_eq_const %r#2, dense<0> : tensor<2xi32>
  check.expect_eq_const %r#8, dense<[11, 22]> : tensor<2xi32>
  %s:2 = "interpreter.run_parallel"(%a, %b) <{programs = [[@rounds], [@rounds]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %s#0, dense<[1, 10]> : tensor<2xi32>
  check.expect_eq_const %s#1, dense<[2, 20]> : tensor<2xi32>
  return
}
