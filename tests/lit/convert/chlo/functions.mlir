// RUN: stablehlo-opt --chlo-legalize-to-stablehlo --split-input-file --verify-diagnostics %s | FileCheck %s

// One constant for a number that has a name, one for each use of one that has none.
// CHECK-LABEL: func.func @asin
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-NEXT: %[[L:.*]] = stablehlo.subtract %[[ONE]], %arg0
// CHECK-NEXT: %[[R:.*]] = stablehlo.add %[[ONE]], %arg0
// CHECK-NEXT: %[[P:.*]] = stablehlo.multiply %[[L]], %[[R]]
// CHECK-NEXT: %[[Q:.*]] = stablehlo.sqrt %[[P]]
// CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[ONE]], %[[Q]]
// CHECK-NEXT: %[[T:.*]] = stablehlo.atan2 %arg0, %[[S]]
// CHECK-NEXT: %[[U:.*]] = stablehlo.add %[[T]], %[[T]]
// CHECK-NEXT: return %[[U]]
func.func @asin(%a: tensor<3xf32>) -> tensor<3xf32> {
  %r = chlo.asin %a : tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// Narrow floats are widened for approximations only.
// CHECK-LABEL: func.func @narrow
// CHECK: stablehlo.convert %arg0 : (tensor<bf16>) -> tensor<f32>
// CHECK: stablehlo.clamp
// CHECK: %[[E:.*]] = stablehlo.convert {{.*}} : (tensor<f32>) -> tensor<bf16>
// CHECK: stablehlo.atan2 %[[E]], {{.*}} : tensor<bf16>
func.func @narrow(%a: tensor<bf16>) -> tensor<bf16> {
  %e = chlo.erf %a : tensor<bf16> -> tensor<bf16>
  %r = chlo.atan %e : tensor<bf16> -> tensor<bf16>
  return %r : tensor<bf16>
}

// f64 has coefficients of its own, a real number is its own conjugate.
// CHECK-LABEL: func.func @wide
// CHECK: dense<9.60497373{{.*}}> : tensor<f64>
// CHECK-NOT: chlo
// CHECK: return
func.func @wide(%a: tensor<f64>) -> tensor<f64> {
  %e = chlo.erf %a : tensor<f64> -> tensor<f64>
  %r = chlo.conj %e : tensor<f64> -> tensor<f64>
  return %r : tensor<f64>
}

// CHECK-LABEL: func.func @complex
// CHECK: %[[RE:.*]] = stablehlo.real %arg0
// CHECK: %[[IM:.*]] = stablehlo.imag %arg0
// CHECK: %[[N:.*]] = stablehlo.negate %[[IM]]
// CHECK: stablehlo.complex %[[RE]], %[[N]]
func.func @complex(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %r = chlo.conj %a : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %r : tensor<2xcomplex<f32>>
}

// CHECK-LABEL: func.func @high_half
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xi16>
// CHECK: %[[Y:.*]] = stablehlo.convert %arg1 : (tensor<2xi8>) -> tensor<2xi16>
// CHECK: %[[P:.*]] = stablehlo.multiply %[[X]], %[[Y]]
// CHECK: %[[EIGHT:.*]] = stablehlo.constant dense<8> : tensor<2xi16>
// CHECK: %[[H:.*]] = stablehlo.shift_right_arithmetic %[[P]], %[[EIGHT]]
// CHECK: stablehlo.convert %[[H]] : (tensor<2xi16>) -> tensor<2xi8>
func.func @high_half(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %r = "chlo.mulhi"(%a, %b) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// -----

// Constants of bounded shapes get the operand's size.
// CHECK-LABEL: func.func @bounded
// CHECK: %[[C:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<f32>) -> tensor<4x2xf32>
// CHECK: %[[S:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.set_dimension_size %[[B]], %[[S]], dim = 0
func.func @bounded(%a: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>> {
  %r = "chlo.constant_like"(%a) {value = 2.0 : f32} : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  return %r : tensor<?x2xf32, #stablehlo.bounds<4, ?>>
}

// -----

// CHECK-LABEL: func.func @said
// CHECK: stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
func.func @said(%a: tensor<2x3xi32>, %b: tensor<2xi32>) -> tensor<2x3xi32> {
  %r = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

func.func @nowhere(%a: tensor<2x3xi32>, %b: tensor<2xi32>) -> tensor<2x3xi32> {
  // expected-warning @+2 {{unsupported non prefix-padded dynamic rank broadcast_dimensions = 2}}
  // expected-error @+1 {{failed to legalize operation 'chlo.broadcast_add'}}
  %r = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

func.func @no_formula(%a: tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN> {
  // expected-error @+1 {{failed to legalize operation 'chlo.erfc' that was explicitly marked illegal}}
  %r = chlo.erfc %a : tensor<2xf8E4M3FN> -> tensor<2xf8E4M3FN>
  return %r : tensor<2xf8E4M3FN>
}
