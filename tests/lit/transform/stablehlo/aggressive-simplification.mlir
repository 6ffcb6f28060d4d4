// RUN: stablehlo-opt --stablehlo-aggressive-simplification --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: %[[FIVE:.*]] = stablehlo.constant dense<5> : tensor<4xi32>
// CHECK-DAG: %[[NONE:.*]] = stablehlo.constant dense<0> : tensor<4xi32>
// CHECK: %[[A:.*]] = stablehlo.compare LT, %arg0, %[[FIVE]]
// CHECK: %[[B:.*]] = stablehlo.subtract %arg1, %arg1
// CHECK: return %arg0, %[[NONE]], %[[A]], %[[B]]
func.func @arithmetic(%a: tensor<4xi32>, %f: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<4xi32>
  %five = stablehlo.constant dense<5> : tensor<4xi32>
  %0 = stablehlo.multiply %one, %a : tensor<4xi32>
  %1 = stablehlo.or %zero, %0 : tensor<4xi32>
  %2 = stablehlo.xor %1, %1 : tensor<4xi32>
  %3 = stablehlo.compare GT, %five, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // a NaN less itself is no zero
  %4 = stablehlo.subtract %f, %f : tensor<4xf32>
  return %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @shapes
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2x4xf32>
// CHECK: %[[C:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK: %[[D:.*]] = stablehlo.slice %arg0 [1:2, 0:2]
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %arg0
func.func @shapes(%a: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3x5x2x4xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>
  %2 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2x4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2, 3] : (tensor<3x2x4xf32>) -> tensor<3x5x2x4xf32>
  %4 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // starts beyond the end go back to what fits
  %one = stablehlo.constant dense<9> : tensor<i32>
  %zero = stablehlo.constant dense<-4> : tensor<i32>
  %5 = stablehlo.dynamic_slice %a, %one, %zero, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %6 = stablehlo.transpose %4, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %7 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1, %3, %4, %5, %8 : tensor<6xf32>, tensor<3x5x2x4xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<2x3xf32>
}

// -----

// A slice of a concatenation is a slice of the part that contains it; attributes are kept.
// CHECK-LABEL: func.func @joins
// CHECK: %[[A:.*]] = stablehlo.slice %arg1 [1:2] {mhlo.sharding = "{replicated}"} : (tensor<3xf32>) -> tensor<1xf32>
// CHECK: %[[B:.*]] = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0
// CHECK: return %[[A]], %[[B]]
func.func @joins(%a: tensor<2xf32>, %b: tensor<3xf32>, %n: tensor<0xf32>) -> (tensor<1xf32>, tensor<7xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %0 [3:4] {mhlo.sharding = "{replicated}"} : (tensor<5xf32>) -> tensor<1xf32>
  %2 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %3 = stablehlo.concatenate %2, %n, %a, dim = 0 : (tensor<5xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %1, %3 : tensor<1xf32>, tensor<7xf32>
}

// -----

// Values that a loop only carries are used directly; the third result needs the second.
// CHECK-LABEL: func.func @regions
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}) : tensor<i32>
// CHECK: stablehlo.add %{{.*}}, %arg0
// CHECK: stablehlo.reduce(%arg1 init: %arg0), (%arg1 init: %arg0) across dimensions = [0]
// CHECK-NOT: stablehlo.multiply
func.func @regions(%s: tensor<i32>, %v: tensor<8xi32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %k = %s) : tensor<i32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %i, %k : tensor<i32>
      stablehlo.return %4, %k : tensor<i32>, tensor<i32>
    }
  %1:3 = stablehlo.reduce(%v init: %s), (%v init: %s), (%v init: %s) across dimensions = [0] : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
    reducer(%a: tensor<i32>, %x: tensor<i32>) (%b: tensor<i32>, %y: tensor<i32>) (%c: tensor<i32>, %z: tensor<i32>) {
      %4 = stablehlo.multiply %a, %x : tensor<i32>
      %5 = stablehlo.add %b, %y : tensor<i32>
      %6 = stablehlo.maximum %c, %5 : tensor<i32>
      stablehlo.return %4, %5, %6 : tensor<i32>, tensor<i32>, tensor<i32>
    }
  return %0#0, %0#1, %1#2 : tensor<i32>, tensor<i32>, tensor<i32>
}
