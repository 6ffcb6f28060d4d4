// A trace is captured by the first call and replayed by the next ones.
// RUN: ttmlir-opt --ttir-to-ttnn-common-pipeline=enable-trace=true %s -o %t.common.mlir
// RUN: ttmlir-opt --ttnn-common-to-emitc-pipeline %t.common.mlir -o %t.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs %t.cpp

// CHECK: bool is_first_call_trace_0_add = true;
// CHECK-NEXT: ttnn::MeshTraceId trace_id_trace_0_add;
// CHECK: ::std::tuple<::ttnn::Tensor> capture_or_execute_trace_0_add(::ttnn::Tensor v1, ::ttnn::Tensor v2) {
// CHECK: if ({{v[0-9]+}}) {
// CHECK-NEXT: bool [[NO:v[0-9]+]] = false;
// CHECK-NEXT: is_first_call_trace_0_add = [[NO]];
// CHECK-NEXT: auto {{v[0-9]+}} = allocate_slots_trace_0_add(
// CHECK: global_output_0_trace_0_add = [[OUT:v[0-9]+]];
// CHECK: [[ID:v[0-9]+]] = run_and_capture_trace_0_add(
// CHECK-NEXT: trace_id_trace_0_add = [[ID]];
// CHECK-NEXT: } else {
// CHECK: execute_trace_0_add(
// CHECK: ::std::make_tuple(
// CHECK: add(::std::vector<::ttnn::Tensor> v1) {
// CHECK: capture_or_execute_trace_0_add(
func.func @add(%a: tensor<32x32xbf16>, %b: tensor<32x32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<32x32xbf16> {
  %0 = "ttir.add"(%a, %b) : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}
