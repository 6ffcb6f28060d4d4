// RUN: ttmlir-opt %s --ttir-consolidate-static-cache-updates --cse | FileCheck %s
!cache = tensor<1x2x16x32xbf16>
!step = tensor<1x2x1x32xbf16>

// One length replaces that of the other layer, also where it is reshaped for its users.
// CHECK-LABEL: func.func @two_layers
// CHECK: %[[I:.*]] = "ttir.reshape"(%arg1)
// CHECK: "ttir.update_cache"(%arg2, %arg4, %[[I]])
// CHECK: "ttir.update_cache"(%arg3, %arg4, %[[I]])
// CHECK: %[[N:.*]] = "ttir.add"(%arg1
// CHECK-NOT: "ttir.add"
// CHECK: return %[[N]], %[[N]]
func.func @two_layers(%a: tensor<i32>, %b: tensor<i32>, %k: !cache, %l: !cache, %x: !step) -> (tensor<i32>, tensor<i32>) {
  %one = "ttir.full"() <{shape = array<i32>, fill_value = 1 : i32}> : () -> tensor<i32>
  %0 = "ttir.reshape"(%a) <{shape = [1 : i32]}> : (tensor<i32>) -> tensor<1xi32>
  "ttir.update_cache"(%k, %x, %0) <{batch_offset = 0 : i32}> : (!cache, !step, tensor<1xi32>) -> ()
  %1 = "ttir.reshape"(%b) <{shape = [1 : i32]}> : (tensor<i32>) -> tensor<1xi32>
  "ttir.update_cache"(%l, %x, %1) <{batch_offset = 0 : i32}> : (!cache, !step, tensor<1xi32>) -> ()
  %2 = "ttir.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = "ttir.add"(%b, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %2, %3 : tensor<i32>, tensor<i32>
}

// Only one of these leads to a cache, so the other may be any number.
// CHECK-LABEL: func.func @other_counter
// CHECK-DAG: "ttir.add"(%arg0
// CHECK-DAG: "ttir.add"(%arg1
func.func @other_counter(%a: tensor<1xi32>, %b: tensor<1xi32>, %k: !cache, %x: !step) -> (tensor<1xi32>, tensor<1xi32>) {
  %one = "ttir.full"() <{shape = array<i32: 1>, fill_value = 1 : i32}> : () -> tensor<1xi32>
  "ttir.update_cache"(%k, %x, %a) <{batch_offset = 0 : i32}> : (!cache, !step, tensor<1xi32>) -> ()
  %0 = "ttir.add"(%a, %one) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %1 = "ttir.add"(%b, %one) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %0, %1 : tensor<1xi32>, tensor<1xi32>
}

// CHECK-LABEL: func.func @other_increment
// CHECK-DAG: "ttir.add"(%arg0
// CHECK-DAG: "ttir.add"(%arg1
func.func @other_increment(%a: tensor<1xi32>, %b: tensor<1xi32>, %k: !cache, %x: !step) -> (tensor<1xi32>, tensor<1xi32>) {
  %one = "ttir.full"() <{shape = array<i32: 1>, fill_value = 1 : i32}> : () -> tensor<1xi32>
  %two = "ttir.full"() <{shape = array<i32: 1>, fill_value = 2 : i32}> : () -> tensor<1xi32>
  "ttir.update_cache"(%k, %x, %a) <{batch_offset = 0 : i32}> : (!cache, !step, tensor<1xi32>) -> ()
  "ttir.update_cache"(%k, %x, %b) <{batch_offset = 0 : i32}> : (!cache, !step, tensor<1xi32>) -> ()
  %0 = "ttir.add"(%a, %one) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %1 = "ttir.add"(%b, %two) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %0, %1 : tensor<1xi32>, tensor<1xi32>
}
