// RUN: stablehlo-opt --stablehlo-aggressive-folder=fold-op-element-limit=8 --split-input-file %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-aggressive-folder=optimize-float=false --split-input-file %s | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @numbers
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[5, -3]> : tensor<2xi8>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xbf16>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<(0.000000e+00,2.000000e+00)> : tensor<complex<f32>>
// CHECK-DAG: %[[D:.*]] = stablehlo.constant dense<9.000000e+00> : tensor<100xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
// WHOLE-LABEL: func.func @numbers
// WHOLE: stablehlo.constant dense<[5, -3]> : tensor<2xi8>
// WHOLE: stablehlo.sqrt
// WHOLE: stablehlo.multiply
func.func @numbers() -> (tensor<2xi8>, tensor<2xbf16>, tensor<complex<f32>>, tensor<100xf32>) {
  %0 = stablehlo.constant dense<[-128, 126]> : tensor<2xi8>
  %1 = stablehlo.constant dense<[-123, 127]> : tensor<2xi8>
  %2 = stablehlo.subtract %1, %0 : tensor<2xi8>
  %3 = stablehlo.constant dense<[0, -4]> : tensor<2xi8>
  %4 = stablehlo.add %2, %3 : tensor<2xi8>
  %5 = stablehlo.constant dense<[4.0, 9.0]> : tensor<2xbf16>
  %6 = stablehlo.sqrt %5 : tensor<2xbf16>
  %7 = stablehlo.constant dense<(1.0, 1.0)> : tensor<complex<f32>>
  %8 = stablehlo.multiply %7, %7 : tensor<complex<f32>>
  // a splat is one number however many elements it has
  %9 = stablehlo.constant dense<3.0> : tensor<100xf32>
  %10 = stablehlo.multiply %9, %9 : tensor<100xf32>
  return %4, %6, %8, %10 : tensor<2xi8>, tensor<2xbf16>, tensor<complex<f32>>, tensor<100xf32>
}

// -----

// Device-dependent results are not folded: the limit, division by zero, non-integers.
// CHECK-LABEL: func.func @stays
// CHECK: stablehlo.negate
// CHECK: stablehlo.divide
// CHECK: stablehlo.convert
// CHECK: stablehlo.log
func.func @stays() -> (tensor<9xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8]> : tensor<9xi32>
  %1 = stablehlo.negate %0 : tensor<9xi32>
  %2 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %3 = stablehlo.divide %2, %2 : tensor<2xi32>
  %4 = stablehlo.constant dense<[1.0, 128.0]> : tensor<2xf32>
  %5 = stablehlo.convert %4 : (tensor<2xf32>) -> tensor<2xi8>
  %6 = stablehlo.constant dense<[-1.0, 1.0]> : tensor<2xf32>
  %7 = stablehlo.log %6 : tensor<2xf32>
  return %1, %3, %5, %7 : tensor<9xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @moves
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[4, 3, 2, 1]> : tensor<4xi32>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<7> : tensor<4xi32>
// CHECK: %[[D:.*]] = stablehlo.concatenate %arg0, %[[C]], dim = 0
// CHECK: return %[[A]], %[[B]], %[[D]]
func.func @moves(%a: tensor<1xi32>) -> (tensor<2x2xi32>, tensor<4xi32>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.reshape %0 : (tensor<2x2xi32>) -> tensor<4xi32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<4xi32>
  %4 = stablehlo.constant dense<7> : tensor<2xi32>
  %5 = stablehlo.concatenate %a, %4, %4, dim = 0 : (tensor<1xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5xi32>
  return %1, %3, %5 : tensor<2x2xi32>, tensor<4xi32>, tensor<5xi32>
}

// -----

// A maximum of equal values is the value; a sum is not.
// CHECK-LABEL: func.func @reductions
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<3> : tensor<2xi32>
// CHECK: %[[B:.*]] = stablehlo.reduce
// CHECK: return %[[A]], %[[B]], %arg0
func.func @reductions(%a: tensor<4xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<4xi32>) {
  %0 = stablehlo.constant dense<3> : tensor<2x5xi32>
  %1 = stablehlo.constant dense<3> : tensor<i32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xi32>, tensor<i32>) -> tensor<2xi32>
  %3 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<2x5xi32>, tensor<i32>) -> tensor<2xi32>
  %4 = stablehlo.reduce(%a init: %1) applies stablehlo.add across dimensions = [] : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %2, %3, %4 : tensor<2xi32>, tensor<2xi32>, tensor<4xi32>
}

// -----

// The branch that runs moves out; the others stay only where they have effects.
// CHECK-LABEL: func.func @branches
// CHECK: %[[A:.*]] = stablehlo.negate %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.abs %arg0
// CHECK-NEXT: stablehlo.case
// CHECK: stablehlo.custom_call @loud
// CHECK: return %[[A]], %[[B]]
func.func @branches(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<-1> : tensor<i32>
  %1 = "stablehlo.case"(%0) ({
    stablehlo.return %a : tensor<f32>
  }, {
    %3 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2 = "stablehlo.case"(%0) ({
    %3 = stablehlo.custom_call @loud(%a) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }, {
    %3 = stablehlo.abs %a : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %1, %2 : tensor<f32>, tensor<f32>
}

// -----

// Numbers of a size that the type does not state stay.
// CHECK-LABEL: func.func @joined_to_any_size
// CHECK: stablehlo.concatenate
func.func @joined_to_any_size() -> tensor<?xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<?xi32>
  return %2 : tensor<?xi32>
}

// -----

// CHECK-LABEL: func.func @joined_to_too_many
// CHECK: stablehlo.concatenate
// WHOLE-LABEL: func.func @joined_to_too_many
// WHOLE: stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]>
func.func @joined_to_too_many() -> tensor<10xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %1 = stablehlo.constant dense<[6, 7, 8, 9, 10]> : tensor<5xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5xi32>, tensor<5xi32>) -> tensor<10xi32>
  return %2 : tensor<10xi32>
}
