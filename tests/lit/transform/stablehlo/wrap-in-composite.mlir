// RUN: stablehlo-opt --stablehlo-wrap-in-composite='op-names=stablehlo.add,stablehlo.reduce version=2' %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-wrap-in-composite='op-names=stablehlo.add,stablehlo.reduce' --stablehlo-legalize-composite-to-call --inline %s | stablehlo-translate --interpret

// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = stablehlo.composite "stablehlo.add" %{{.*}} {decomposition = @stablehlo.add.impl_0, version = 2 : i32}
// CHECK: %[[R:.*]] = stablehlo.composite "stablehlo.reduce" %[[S]], %{{.*}} {composite_attributes = {dimensions = array<i64: 0>}, decomposition = @stablehlo.reduce.impl, version = 2 : i32}
// CHECK: func.func private @stablehlo.add.impl()
// CHECK: func.func private @stablehlo.reduce.impl(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<i32>
// CHECK: applies stablehlo.add
// CHECK: func.func private @stablehlo.add.impl_0(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32>
func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.add %a, %a : tensor<3xi32>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<12> : tensor<i32>
  return
}
func.func private @stablehlo.add.impl() {
  return
}
