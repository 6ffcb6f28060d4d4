// RUN: ttmlir-opt %s --ttir-decompose-outer-reductions | FileCheck %s

// Five: two and two, then one and one, and the fifth at the end.
// CHECK-LABEL: func.func @five
// CHECK: %[[R:.*]] = "ttir.slice_static"(%arg0) <{begins = [4 : i32
// CHECK: %[[A:.*]] = "ttir.add"(%{{.*}}, %{{.*}}) : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
// CHECK: %[[B:.*]] = "ttir.add"(%{{.*}}, %{{.*}}) : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
// CHECK: %[[C:.*]] = "ttir.add"(%[[B]], %[[R]])
// CHECK: return %[[C]]
func.func @five(%a: tensor<5x8x8xf32>) -> tensor<1x8x8xf32> {
  %0 = "ttir.sum"(%a) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<5x8x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}

// The inner dimension is still reduced; a mean is a sum, and one division by all.
// CHECK-LABEL: func.func @mean
// CHECK: "ttir.full"() <{fill_value = 6.250000e-02 : f32
// CHECK: "ttir.add"
// CHECK: "ttir.sum"(%{{.*}}) <{dim_arg = [2 : i32], keep_dim = true}>
// CHECK: "ttir.multiply"
func.func @mean(%a: tensor<2x4x8xf32>) -> tensor<1x4x1xf32> {
  %0 = "ttir.mean"(%a) <{dim_arg = [0 : i32, 2 : i32], keep_dim = true}> : (tensor<2x4x8xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @max
// CHECK: "ttir.maximum"
// CHECK-NOT: "ttir.max"
func.func @max(%a: tensor<2x4x8xi32>) -> tensor<1x4x8xi32> {
  %0 = "ttir.max"(%a) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<2x4x8xi32>) -> tensor<1x4x8xi32>
  return %0 : tensor<1x4x8xi32>
}

// The last two dimensions are reduced in tiles.
// CHECK-LABEL: func.func @inner
// CHECK: "ttir.sum"(%arg0) <{dim_arg = [1 : i32, 2 : i32]
func.func @inner(%a: tensor<2x4x8xf32>) -> tensor<2x1x1xf32> {
  %0 = "ttir.sum"(%a) <{dim_arg = [1 : i32, 2 : i32], keep_dim = true}> : (tensor<2x4x8xf32>) -> tensor<2x1x1xf32>
  return %0 : tensor<2x1x1xf32>
}
