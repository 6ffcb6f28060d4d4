// RUN: ttmlir-opt %s --ttir-to-emitc-pipeline -o %t.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs -x c++ %t.cpp
// RUN: not ttmlir-opt %s --ttir-to-ttnn-common-pipeline --ttcore-unwrap-device-module --convert-ttnn-to-emitc 2>&1 | FileCheck %s --check-prefix=LOST

// What the host computes is in the source as text, in front of what calls it.
// CHECK: std::tuple<::ttnn::Tensor, ::ttnn::Tensor> cpu_hoisted_ttir_sort_[[S:[0-9a-f]+]](::ttnn::Tensor v1) {
// CHECK: ::ttir_cpu::call(R"ttir(func.func @cpu_hoisted_ttir_sort_[[S]](%arg0: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xi32>) {
// CHECK-NEXT: = "ttir.sort"(%arg0)
// CHECK: )ttir", v{{[0-9]+}});
// CHECK: ::std::vector<::ttnn::Tensor> f(
// CHECK: ::cpu_hoisted_ttir_sort_[[S]](
// LOST: error: 'func.func' op runs on the host, and its text is not known; run emitc-embed-host-functions before its module is erased
func.func @f(%x: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xi32>) {
  %0, %1 = "ttir.sort"(%x) <{dim = 1 : si32, descending = false, stable = true}> {ttir.should_hoist} : (tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xi32>)
  return %0, %1 : tensor<4x32xf32>, tensor<4x32xi32>
}
