// RUN: sdy_opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: sdy_opt %s --sdy-insert-explicit-reshards=enable-full-version=true --sdy-resolve-single-device-sharding | FileCheck %s --check-prefix=CHOICE
// RUN: sdy_opt %s --sdy-remove-all-gather-reduce-scatter-for-cmv1 | FileCheck %s --check-prefix=PRODUCT

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// Values go to the device and come back through a whole copy on all devices.
// CHECK-LABEL: func @on_one
// CHECK-NEXT: %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: %[[D:.*]] = sdy.reshard %[[W]] <@one, []>
// CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[D]] {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[N]] <@mesh, [{}, {}]>
// CHECK-NEXT: return %[[B]]

// The device itself computes, the others have zeros; the sum is for all.
// CHOICE-LABEL: func @on_one
// CHOICE-NEXT: %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHOICE-NEXT: %[[P:.*]] = stablehlo.partition_id
// CHOICE-NEXT: %[[I:.*]] = stablehlo.convert %[[P]]
// CHOICE-NEXT: %[[C:.*]] = stablehlo.constant dense<1> : tensor<i64>
// CHOICE-NEXT: %[[HERE:.*]] = stablehlo.compare EQ, %[[I]], %[[C]]
// CHOICE-NEXT: %[[V:.*]] = "stablehlo.if"(%[[HERE]])
// CHOICE-NEXT:   stablehlo.negate %[[W]]
// CHOICE: sdy.all_reduce {"x"} %[[V]] out_sharding=<@mesh, [{}, {}]>
func.func @on_one(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// PRODUCT-LABEL: func @gathered
// PRODUCT-NOT: sdy.all_gather
// PRODUCT: stablehlo.dot %arg0, %arg1
func.func @gathered(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
  %1 = stablehlo.dot %0, %b : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
