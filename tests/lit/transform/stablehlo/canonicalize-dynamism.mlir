// RUN: stablehlo-opt --stablehlo-canonicalize-dynamism --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @known
func.func @known(%a: tensor<4xf32>, %z: tensor<f32>, %i: tensor<2xi64>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<3xi32>, tensor<7xf32>, tensor<2xf32>, tensor<1xf32>) {
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %s24 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %s22 = stablehlo.constant dense<2> : tensor<2xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [1] {note} : (tensor<4xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s24, dims = [1] {note} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // CHECK: stablehlo.reshape %arg0
  %1 = stablehlo.dynamic_reshape %a, %s22 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // CHECK: stablehlo.iota dim = 0
  %2 = stablehlo.dynamic_iota %three, dim = 0 : (tensor<1xi64>) -> tensor<3xi32>
  // CHECK: stablehlo.pad %arg0, %arg1, low = [1], high = [2], interior = [0]
  %zero = stablehlo.constant dense<0> : tensor<1xi64>
  %3 = stablehlo.dynamic_pad %a, %z, %one, %two, %zero : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7xf32>
  // CHECK: stablehlo.slice %arg0 [1:3]
  %4 = stablehlo.real_dynamic_slice %a, %one, %three, %one : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  // CHECK: %[[S:.*]] = stablehlo.slice %arg2 [0:1]
  // CHECK: %[[P:.*]] = stablehlo.slice %[[S]] [0:1]
  // CHECK: %[[R:.*]] = stablehlo.reshape %[[P]] : (tensor<1xi64>) -> tensor<i64>
  // CHECK: stablehlo.dynamic_slice %arg0, %[[R]], sizes = [1]
  %s = stablehlo.slice %i [0:1] : (tensor<2xi64>) -> tensor<1xi64>
  %l = stablehlo.add %s, %one : tensor<1xi64>
  %5 = stablehlo.real_dynamic_slice %a, %s, %l, %one : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x4xf32>, tensor<2x2xf32>, tensor<3xi32>, tensor<7xf32>, tensor<2xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @unknown
// CHECK: stablehlo.dynamic_reshape
func.func @unknown(%a: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x2xf32> {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @call
// CHECK: stablehlo.custom_call @f(%arg0) : (tensor<4xf32>) -> tensor<2x2xf32>
func.func @call(%a: tensor<4xf32>) -> tensor<2x2xf32> {
  %s = stablehlo.constant dense<2> : tensor<2xi64>
  %0 = stablehlo.custom_call @f(%a, %s) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @outside(%a: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{indices_of_shape_operands: index #0 (3) must be within bounds for operation operands (from 0 to 1)}}
  %0 = stablehlo.custom_call @f(%a) {indices_of_shape_operands = dense<3> : tensor<1xi64>} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
