// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo=allow-other-dialects %s | FileCheck %s
// RUN: stablehlo-translate --serialize --target=1.0.0 --allow-other-dialects %s | stablehlo-translate --deserialize > %t.0
// RUN: stablehlo-opt %s > %t.1
// RUN: diff %t.0 %t.1

// CHECK-LABEL: vhlo.func_v1 @mixed(
// CHECK-SAME: %[[A:.*]]: !vhlo.tensor_v1<!vhlo.f32_v1>)
// CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast %[[A]] : !vhlo.tensor_v1<!vhlo.f32_v1> to tensor<f32>
// CHECK: %[[C:.*]] = "vhlo.abs_v1"(%[[A]])
// CHECK: %[[D:.*]] = builtin.unrealized_conversion_cast %[[C]]
// CHECK: %[[E:.*]] = arith.addf %[[D]], %[[B]] : tensor<f32>
// CHECK: %[[F:.*]] = builtin.unrealized_conversion_cast %[[E]] : tensor<f32> to !vhlo.tensor_v1<!vhlo.f32_v1>
// CHECK: "vhlo.return_v1"(%[[F]])
func.func @mixed(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %a : tensor<f32>
  %1 = arith.addf %0, %a : tensor<f32>
  return %1 : tensor<f32>
}
