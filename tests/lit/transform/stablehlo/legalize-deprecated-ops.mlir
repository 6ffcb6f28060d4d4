// RUN: stablehlo-opt --stablehlo-legalize-deprecated-ops --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-legalize-deprecated-ops=fail-on-unused=false --split-input-file %s | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @gone
func.func @gone(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<2xf32>, tensor<4x3xf32>, tensor<i32>, !stablehlo.token) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg1, dims = [1]
  %1 = stablehlo.broadcast %b, sizes = [4] : (tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: stablehlo.einsum %[[ONE]], %arg2, config = ",a->"
  %2 = "stablehlo.unary_einsum"(%i) {einsum_config = "a->"} : (tensor<3xi32>) -> tensor<i32>
  // CHECK: stablehlo.after_all
  %3 = "stablehlo.create_token"() : () -> !stablehlo.token
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<4x3xf32>, tensor<i32>, !stablehlo.token
}

// CHECK-LABEL: func.func @sum
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f16>
func.func @sum(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// KEEP: stablehlo.rng
func.func @rng(%a: tensor<f32>, %s: tensor<1xi64>) -> tensor<2xf32> {
  // expected-error @+1 {{failed to legalize operation 'stablehlo.rng' that was explicitly marked illegal}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
