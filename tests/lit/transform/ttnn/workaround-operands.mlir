// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttnn-layout --ttnn-workaround --mlir-print-local-scope | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttnn-layout --ttnn-workaround=ttnn-enable-layout-workaround-pass=false | FileCheck %s --check-prefix=OFF
// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttnn-layout --ttnn-workaround=ttnn-optimization-level=1 | FileCheck %s --check-prefix=OPT

// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --ttnn-layout --ttnn-workaround -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN

// Operands and results are converted to the forms that the kernels support, and back.

// OFF-NOT: to_tensor_spec
// CHECK-LABEL: @tables
// CHECK: %[[I:.*]] = "ttnn.to_tensor_spec"(%arg0) {{.*}} -> tensor<4xui32, {{.*}}memref<1x4xui32,
// CHECK: %[[W:.*]] = "ttnn.to_tensor_spec"(%arg1) {{.*}} -> tensor<8x32xbf16, {{.*}}memref<8x32xbf16,
// CHECK: %[[E:.*]] = "ttnn.embedding"(%[[I]], %[[W]]) {{.*}} -> tensor<4x32xbf16, {{.*}}tile<32x32, bf16>
// CHECK: "ttnn.to_tensor_spec"(%[[E]]) {{.*}} -> tensor<4x32xf32,
// OPT-LABEL: @tables
// OPT: to_tensor_spec
func.func @tables(%i: tensor<4xsi32>, %w: tensor<8x32xf32>) -> tensor<4x32xf32> {
  %0 = "ttnn.embedding"(%i, %w) : (tensor<4xsi32>, tensor<8x32xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

// The optimizer lays these out itself.
// OPT-LABEL: @rules
// OPT-NOT: to_tensor_spec
// CHECK-LABEL: @rules
// CHECK: %[[X:.*]] = "ttnn.to_tensor_spec"(%arg0) {{.*}} -> tensor<4x8xf32,
// CHECK: %[[S:.*]] = "ttnn.sum"(%[[X]])
// CHECK: %[[Q:.*]] = "ttnn.divide"(%[[S]], %[[S]]) : (tensor<4x1xf32,
// CHECK: %[[R:.*]] = "ttnn.to_tensor_spec"(%[[Q]]) {{.*}} -> tensor<4x1xsi32,
// CHECK: "ttnn.permute"(%[[Q]]) {{.*}}tensor<4x1xf32,
// CHECK: "ttnn.add"(%[[R]], %[[R]])
func.func @rules(%x: tensor<4x8xsi32>) -> (tensor<1x4xsi32>, tensor<4x1xsi32>) {
  %0 = "ttnn.sum"(%x) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x8xsi32>) -> tensor<4x1xsi32>
  %1 = "ttnn.divide"(%0, %0) : (tensor<4x1xsi32>, tensor<4x1xsi32>) -> tensor<4x1xsi32>
  %2 = "ttnn.permute"(%1) <{permutation = array<i64: 1, 0>}> : (tensor<4x1xsi32>) -> tensor<1x4xsi32>
  %3 = "ttnn.add"(%1, %1) : (tensor<4x1xsi32>, tensor<4x1xsi32>) -> tensor<4x1xsi32>
  return %2, %3 : tensor<1x4xsi32>, tensor<4x1xsi32>
}

// -----

// Integers of more bits are cut, which values may not bear.
// CHECK-LABEL: @sorted
// CHECK: %[[V:.*]], %[[I:.*]] = "ttnn.sort"({{.*}} -> (tensor<2x65000xbf16, {{.*}}tensor<2x65000xui32,
// CHECK-DAG: "ttnn.to_tensor_spec"(%[[V]]) {{.*}} -> tensor<2x65000xf32,
// CHECK-DAG: "ttnn.to_tensor_spec"(%[[I]]) {{.*}} -> tensor<2x65000xsi32,
// CHECK: %{{.*}}, %{{.*}} = "ttnn.sort"({{.*}} -> (tensor<2x64xui16, {{.*}}tensor<2x64xui16,
// CHECK: "ttnn.sort"({{.*}} -> (tensor<2x64xui16, {{.*}}tensor<2x64xui16,
// WARN-NOT: warning
// WARN: workaround-operands.mlir:[[# @LINE + 4]]:12: warning: 'ttnn.sort' op chips sort integers of 16 bits: values below 0 or above 65535 lose their high bits and come out wrong; keep values within 16 bits or sort on the host
func.func @sorted(%x: tensor<2x65000xf32>, %y: tensor<2x64xui16>, %z: tensor<2x64xsi32>) -> (tensor<2x65000xf32>, tensor<2x65000xsi32>, tensor<2x64xui16>, tensor<2x64xsi32>, tensor<2x64xsi32>) {
  %0, %1 = "ttnn.sort"(%x) <{dim = -1 : si8, descending = false, stable = false}> : (tensor<2x65000xf32>) -> (tensor<2x65000xf32>, tensor<2x65000xsi32>)
  %2, %3 = "ttnn.sort"(%y) <{dim = -1 : si8, descending = false, stable = false}> : (tensor<2x64xui16>) -> (tensor<2x64xui16>, tensor<2x64xsi32>)
  %4, %5 = "ttnn.sort"(%z) <{dim = -1 : si8, descending = false, stable = false}> : (tensor<2x64xsi32>) -> (tensor<2x64xsi32>, tensor<2x64xsi32>)
  return %0, %1, %2, %3, %4 : tensor<2x65000xf32>, tensor<2x65000xsi32>, tensor<2x64xui16>, tensor<2x64xsi32>, tensor<2x64xsi32>
// WARN-NOT: warning
}

// -----

// A constant is made on the host: it loses its device, and comes back to it.
// CHECK-LABEL: @constant
// CHECK: %[[C:.*]] = "ttnn.constant"() {{.*}} -> tensor<2xf32, {{.*}}memref<1x2xf32, #ttnn.buffer_type<system_memory>>>
// CHECK: "ttnn.to_tensor_spec"(%[[C]]) {{.*}}memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>
func.func @constant() -> tensor<2xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>> {
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %0 = "ttnn.constant"(%d) <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : (!ttnn.device) -> tensor<2xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>
  return %0 : tensor<2xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>
}
