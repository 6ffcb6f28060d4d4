// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-scalarize-const-tensors | FileCheck %s

// A number is added, not a tensor that is full of it.
// CHECK-LABEL: func.func @add_number
// CHECK-NOT: d2m.tile_fill
// CHECK: d2m.generic
// CHECK-NEXT: ins(%{{[0-9a-z_]+}} : tensor<
// CHECK: %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK: "d2m.tile_add"(%{{.*}}, %[[C]]) : (!ttcore.tile<32x32, f32>, f32)
func.func @add_number(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.full"() <{fill_value = 2.5 : f32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xf32>
  %1 = "ttir.add"(%a, %0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// As the first operand it stays a tensor.
// CHECK-LABEL: func.func @from_number
// CHECK: d2m.tile_fill
// CHECK: "d2m.tile_sub"(%{{.*}}, %{{.*}}) : (!ttcore.tile<32x32, f32>, !ttcore.tile<32x32, f32>)
func.func @from_number(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.full"() <{fill_value = 2.5 : f32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xf32>
  %1 = "ttir.subtract"(%0, %a) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// What is returned, too, is still built.
// CHECK-LABEL: func.func @used_twice
// CHECK: d2m.tile_fill
// CHECK: "d2m.tile_mul"(%{{.*}}, %{{.*}}) : (!ttcore.tile<32x32, f32>, f32)
func.func @used_twice(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "ttir.full"() <{fill_value = 3.0 : f32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xf32>
  %1 = "ttir.multiply"(%a, %0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Integers are added to a number, but multiplied with a tensor: the unit's product with a number is of floats.
// CHECK-LABEL: func.func @integers
// CHECK: "d2m.tile_add"(%{{.*}}, %{{.*}}) : (!ttcore.tile<32x32, si32>, i32)
// CHECK: "d2m.tile_mul"(%{{.*}}, %{{.*}}) : (!ttcore.tile<32x32, si32>, !ttcore.tile<32x32, si32>)
// CHECK: "d2m.tile_bitwise_or"(%{{.*}}, %{{.*}}) : (!ttcore.tile<32x32, si32>, !ttcore.tile<32x32, si32>)
func.func @integers(%a: tensor<64x64xsi32>) -> tensor<64x64xsi32> {
  %0 = "ttir.full"() <{fill_value = 3 : i32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xsi32>
  %1 = "ttir.add"(%a, %0) : (tensor<64x64xsi32>, tensor<64x64xsi32>) -> tensor<64x64xsi32>
  %2 = "ttir.full"() <{fill_value = 2 : i32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xsi32>
  %3 = "ttir.multiply"(%1, %2) : (tensor<64x64xsi32>, tensor<64x64xsi32>) -> tensor<64x64xsi32>
  %4 = "ttir.full"() <{fill_value = 5 : i32, shape = array<i32: 64, 64>}> : () -> tensor<64x64xsi32>
  %5 = "ttir.bitwise_or"(%3, %4) : (tensor<64x64xsi32>, tensor<64x64xsi32>) -> tensor<64x64xsi32>
  return %5 : tensor<64x64xsi32>
}
