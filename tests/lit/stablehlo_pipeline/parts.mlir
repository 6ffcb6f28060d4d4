// RUN: ttmlir-opt --split-input-file --update-global-to-local-shapes %s | FileCheck %s
// RUN: not ttmlir-opt --update-global-to-local-shapes %S/Inputs/counted.mlir 2>&1 | FileCheck %s --check-prefix=COUNTED
// RUN: not ttmlir-opt --update-global-to-local-shapes %S/Inputs/vast.mlir 2>&1 | FileCheck %s --check-prefix=VAST

// VAST: vast.mlir:4:10: error: 'sdy.all_reduce' op is for a mesh of more than 1048576 devices
// COUNTED: error: 'stablehlo.iota' op cannot be computed part by part

sdy.mesh @mesh = <["x"=2, "y"=2]>
// Exchanges along both axes of one dimension: one among all four devices.
// CHECK-LABEL: func.func @moved
func.func @moved(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"x", "y"}]>] manual_axes={} (%b: tensor<8x4xf32>) {
    // CHECK: "stablehlo.all_to_all"(%{{.*}}) <{channel_handle
    // CHECK-SAME: concat_dimension = 0
    // CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3]]>
    // CHECK-SAME: split_count = 4 : i64, split_dimension = 1
    // CHECK-SAME: (tensor<2x4xf32>) -> tensor<8x1xf32>
    %1 = sdy.all_to_all [{"x", "y"}: 0->1] %b out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x4xf32>
    sdy.return %1 : tensor<8x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

sdy.mesh @mesh = <["x"=1, "y"=2]>
// A constant whose parts are equal, a slice of every other element, all of a split dimension.
// CHECK-LABEL: func.func @halves
func.func @halves(%a: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x2xf32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {}]>] manual_axes={} (%b: tensor<4x8xf32>) {
    // CHECK: stablehlo.slice %{{.*}} [0:4, 1:4:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.slice %b [0:4, 1:8:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<4x8xf32>) -> tensor<4x4xf32>
    // CHECK{LITERAL}: stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
    %2 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} dense<[[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]> : tensor<4x2xf32>
    sdy.return %1, %2 : tensor<4x4xf32>, tensor<4x2xf32>
  } : (tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x2xf32>
}
