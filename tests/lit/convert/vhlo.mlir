// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-legalize-to-vhlo --vhlo-to-version=target=1.0.0 %s | FileCheck %s --check-prefix=OLD
// RUN: stablehlo-translate --serialize --target=current %s | stablehlo-translate --deserialize > %t.new
// RUN: stablehlo-translate --serialize --target=0.10.0 %s | stablehlo-translate --deserialize > %t.old
// RUN: stablehlo-opt %s > %t.text
// RUN: diff %t.text %t.new
// RUN: diff %t.text %t.old
// RUN: stablehlo-translate --serialize --target=1.1.0 %s | stablehlo-translate --deserialize --print-stablehlo-version | FileCheck %s --check-prefix=VERSION
// RUN: stablehlo-translate --deserialize --print-stablehlo-version %s | FileCheck %s --check-prefix=TEXT
// RUN: not stablehlo-translate --serialize %s 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not stablehlo-translate --serialize --target=2.0.0 %s 2>&1 | FileCheck %s --check-prefix=FUTURE
// RUN: not stablehlo-translate --serialize --target=1.x %s 2>&1 | FileCheck %s --check-prefix=WRONG

// VERSION: Reading portable artifact with StableHLO version: 1.1.0
// TEXT: Failed parsing StableHLO version from portable artifact
// EMPTY: No target version specified.
// EMPTY: Target version must be of the form `#.#.#`.
// FUTURE: target version 2.0.0 is greater than current version
// WRONG: Invalid target version argument '1.x'

// CHECK-LABEL: vhlo.func_v1 @elementwise(
// CHECK-SAME: %[[A:.*]]: !vhlo.tensor_v1<2x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>) {
// CHECK: "vhlo.tanh_v2"(%[[A]]) <{result_accuracy = #vhlo.result_accuracy_v1<
// CHECK: } {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"private">}
// OLD-LABEL: vhlo.func_v1 @elementwise
// OLD: "vhlo.tanh_v1"(%{{[a-z0-9]*}}) :
func.func private @elementwise(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a : tensor<2xf32>
  %1 = stablehlo.add %0, %a : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @dot
// CHECK: vhlo.dot_general_v2
// CHECK-SAME: accumulation_type = #vhlo.type_v1<!vhlo.none_v1>
// CHECK-SAME: lhs_contracting_dimensions = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>
// CHECK-SAME: precision_config = #vhlo.array_v1<[#vhlo<precision_v1 DEFAULT>, #vhlo<precision_v1 DEFAULT>]>
// OLD-LABEL: @dot
// OLD: vhlo.dot_general_v1
// OLD-NOT: accumulation_type
func.func @dot(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @windows
// CHECK: vhlo.reduce_window_v1
// CHECK-SAME: padding = #vhlo.tensor_v1<dense<0> : tensor<1x2xi64>>
// CHECK-SAME: window_strides = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>
// CHECK: ^{{.*}}(%{{.*}}: !vhlo.tensor_v1<!vhlo.f32_v1>
// CHECK: "vhlo.return_v1"
func.func @windows(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @gather
// CHECK: vhlo.gather_v2
// CHECK-SAME: operand_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>
// OLD-LABEL: @gather
// OLD: vhlo.gather_v1
func.func @gather(%a: tensor<5x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @constants
// CHECK: vhlo.constant_v1
// CHECK-SAME: #vhlo.tensor_v1<dense<[true, false]> : tensor<2xi1>>
// CHECK: vhlo.custom_call_v2
// CHECK-SAME: api_version = #vhlo<api_version_v1 API_VERSION_ORIGINAL>
// CHECK: vhlo.call_v1
// CHECK-SAME: callee = #vhlo.string_v1<"elementwise">
func.func @constants(%a: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %1 = stablehlo.custom_call @target(%a) {note = 1.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @elementwise(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %2 : tensor<2xi1>, tensor<2xf32>
}

// CHECK-LABEL: @quantized
// CHECK-SAME: !vhlo.tensor_v1<2x!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 3.400000e+01:16, -128:127, 1>>
func.func @quantized(%a: tensor<2x!quant.uniform<i8:f32, 3.400000e+01:16>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 3.400000e+01:16>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A flag that is set is no default.
// CHECK-LABEL: @flags
// CHECK: vhlo.all_gather_v2
// CHECK-SAME: use_global_device_ids = #vhlo.bool_v1<true>
func.func @flags(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
