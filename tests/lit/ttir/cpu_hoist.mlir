// RUN: ttmlir-opt --ttcore-wrap-device-module --cpu-hoist-manually-tagged %s | FileCheck %s

// Operations marked ttir.should_hoist become calls; elements are of 32 bits in front of them.
// CHECK: ttcore.device_module
// CHECK: func.func @sums
// CHECK: ttir.to_layout {{.*}} tensor<4x8xbf16> into tensor<4x8xf32>
// CHECK: %[[S:.*]] = call @[[ADD:cpu_hoisted_ttir_add_[0-9a-f]+]](%{{.*}}, %{{.*}}) {ttir.cpu_hoisted_call} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: ttir.to_layout %[[S]]
// CHECK: call @[[ADD]](
// CHECK: call @cpu_hoisted_ttir_maximum_
func.func @sums(%a: tensor<4x8xbf16>, %b: tensor<4x8xf32>, %c: tensor<4x8xui16>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xui16>) {
  %0 = "ttir.add"(%a, %a) {ttir.should_hoist} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = "ttir.add"(%b, %b) {ttir.should_hoist} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.maximum"(%c, %c) {ttir.should_hoist} : (tensor<4x8xui16>, tensor<4x8xui16>) -> tensor<4x8xui16>
  return %0, %1, %2 : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xui16>
}
// Equal bodies are one function, declared for the device and defined for the host.
// CHECK: func.func private @[[ADD]](tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> attributes {{.*}}tt.function_type = "forward_cpu_declaration"
// CHECK: func.func private @cpu_hoisted_ttir_maximum_{{.*}}(tensor<4x8xui32>, tensor<4x8xui32>) -> tensor<4x8xui32>
// CHECK: ttcore.cpu_module
// CHECK: func.func @[[ADD]](%{{.*}}: tensor<4x8xf32> {bufferization.access = "read"}, {{.*}}) -> tensor<4x8xf32> attributes {arg_ranks = [2, 2], func_hash = "{{[0-9a-f]*}}", result_ranks = [2], tt.function_type = "forward_cpu"}
// CHECK-NOT: @cpu_hoisted_ttir_add_
// CHECK: func.func @cpu_hoisted_ttir_maximum_

