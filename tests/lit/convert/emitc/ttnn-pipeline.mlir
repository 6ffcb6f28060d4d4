// From TTIR to C++ that a compiler takes: constants in a function of their own, results of
// which are kept; with inputs and a main, as a library, and with inputs from files.
// RUN: ttmlir-opt --ttir-to-emitc-pipeline %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs %t.cpp
// RUN: ttmlir-opt --ttir-to-ttnn-common-pipeline=enable-cpu-hoisted-const-eval=false %s -o %t.common.mlir
// RUN: ttmlir-opt --ttnn-common-to-emitc-pipeline=target-dylib=true %t.common.mlir -o %t.lib.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.lib.mlir -o %t.lib.cpp
// RUN: FileCheck %s --check-prefix=LIB --input-file=%t.lib.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs %t.lib.cpp
// RUN: ttmlir-opt "--ttnn-common-to-emitc-pipeline=load-input-tensors-from-disk=true tensor-load-directory=in" %t.common.mlir -o %t.load.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.load.mlir -o %t.load.cpp
// RUN: FileCheck %s --check-prefix=LOAD --input-file=%t.load.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs %t.load.cpp

// CHECK: ::std::vector<::ttnn::Tensor> forward_const_eval_0(::std::vector<::ttnn::Tensor> v1)
// CHECK: static ::std::vector<::ttnn::Tensor> g_cached_result_forward_const_eval_0;
// CHECK: ::std::vector<::ttnn::Tensor> forward(::std::vector<::ttnn::Tensor> v1)
// CHECK: ::std::function<::std::vector<::ttnn::Tensor>(::std::vector<::ttnn::Tensor>)> [[F:v[0-9]+]] = &forward_const_eval_0;
// CHECK-NEXT: [[IN:v[0-9]+]] = util_create_vec(
// CHECK-NEXT: ::std::vector<::ttnn::Tensor>* [[CACHE:v[0-9]+]] = &g_cached_result_forward_const_eval_0;
// CHECK-NEXT: ttnn::constEvalFuncWrapper([[F]], [[IN]], [[CACHE]]);
// CHECK: int32_t main() {
// LIB: ::std::vector<::ttnn::Tensor> forward(
// LIB-NOT: main
// LOAD: ttnn::loadTensor("in/arg0.tensorbin", ::ttnn::Layout::TILE, ::ttnn::DataType::FLOAT32, {{v[0-9]+}}, ::ttnn
// LOAD: int32_t main() {
func.func @forward(%x: tensor<32x64xf32>, %w: tensor<64x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<32x32xf32> {
  %0 = "ttir.exp"(%w) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = "ttir.matmul"(%x, %0) : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
