// RUN: ttmlir-opt %s --ttir-cpu-boolean-narrowing | FileCheck %s

// CHECK-LABEL: func.func @mask
// CHECK: %[[C:.*]] = "ttir.lt"(%arg0, %arg1) : (tensor<4x1xi32>, tensor<1x4xi32>) -> tensor<4x4xi1>
// CHECK: %[[N:.*]] = "ttir.logical_not"(%[[C]]) : (tensor<4x4xi1>) -> tensor<4x4xi1>
// CHECK: %[[P:.*]] = "ttir.permute"(%[[N]]){{.*}} -> tensor<4x4xi1>
// CHECK: %[[F:.*]] = "ttir.typecast"(%[[P]]){{.*}} -> tensor<4x4xf32>
// CHECK: %[[M:.*]] = "ttir.multiply"(%[[F]], %[[F]])
// CHECK: return %[[M]]
func.func @mask(%a: tensor<4x1xi32>, %b: tensor<1x4xi32>) -> tensor<4x4xf32> {
  %0 = "ttir.lt"(%a, %b) : (tensor<4x1xi32>, tensor<1x4xi32>) -> tensor<4x4xf32>
  %1 = "ttir.logical_not"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "ttir.permute"(%1) <{permutation = array<i64: 1, 0>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "ttir.multiply"(%2, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// A concatenation of conditions and other values has the values' type.
// CHECK-LABEL: func.func @joined
// CHECK: %[[C:.*]] = "ttir.gt"{{.*}} -> tensor<2x4xi1>
// CHECK: %[[F:.*]] = "ttir.typecast"(%[[C]])
// CHECK: "ttir.concat"(%[[F]], %arg0){{.*}} -> tensor<4x4xf32>
// CHECK: "ttir.concat"(%[[C]], %[[C]]){{.*}} -> tensor<4x4xi1>
func.func @joined(%a: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = "ttir.gt"(%a, %a) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "ttir.concat"(%0, %a) <{dim = 0 : si32}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = "ttir.concat"(%0, %0) <{dim = 0 : si32}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @moved_values
// CHECK: "ttir.reshape"{{.*}} -> tensor<16xf32>
// CHECK-NOT: typecast
func.func @moved_values(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  %0 = "ttir.reshape"(%a) <{shape = [16 : i32]}> : (tensor<4x4xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
