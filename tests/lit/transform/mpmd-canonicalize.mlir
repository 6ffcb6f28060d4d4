// RUN: mpmd_opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @transfers
// CHECK-NEXT: %0 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="device">
// CHECK-NEXT: return %0, %arg0
func.func @transfers(%a: !mpmd.mesh_tensor<"m", tensor<8xf32>>) -> (!mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="device">, !mpmd.mesh_tensor<"m", tensor<8xf32>>)
    attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  %0 = mpmd.transfer %a : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>
  %1 = mpmd.transfer %0 : (!mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="device">
  %2 = mpmd.transfer %a : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
  return %1, %2 : !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="device">, !mpmd.mesh_tensor<"m", tensor<8xf32>>
}

// CHECK-LABEL: func.func @reductions
// CHECK-NEXT: %0 = mpmd.reduce<add> %arg0, %arg0
// CHECK-NEXT: %1 = mpmd.reduce<max> %0
// CHECK-NEXT: return %0, %1
func.func @reductions(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = mpmd.reduce<add> %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = mpmd.reduce<none> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = mpmd.reduce<max> %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
