// Weights are a dictionary, what depends on them only is kept in another one, which a
// function of the file consteval fills; the host computes it with ttir_cpu.
// RUN: ttmlir-opt --ttir-to-emitpy-pipeline %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-python %t.mlir -o %t.py
// RUN: FileCheck %s --input-file=%t.py
// RUN: python3 -m py_compile %t.py
// RUN: ttmlir-opt --ttir-to-emitpy-pipeline="split-files=false enable-cpu-hoisted-const-eval=false" %s -o %t.one.mlir
// RUN: ttmlir-translate --mlir-to-python %t.one.mlir -o %t.one.py
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.one.py
// RUN: ttmlir-opt --ttir-to-emitpy-pipeline="target-module=true split-files=false" %s -o %t.module.mlir
// RUN: ttmlir-translate --mlir-to-python %t.module.mlir -o %t.module.py
// RUN: FileCheck %s --check-prefix=MODULE --input-file=%t.module.py

// CHECK: # File: "main"
// CHECK-NEXT: import ttnn
// CHECK-NEXT: import utils
// CHECK-NEXT: from consteval import consteval_net
// CHECK: ce_cache_net = {}
// CHECK-NEXT: # net takes: parameter, input, constant
// CHECK-NEXT: def net(activations, weights):
// CHECK-NEXT: global ce_cache_net
// CHECK-NEXT: ce_cache_net = consteval_net(ce_cache_net, weights)
// CHECK: activation_0 = activations[0]
// CHECK: ce_cache_net["net_const_eval_0"]
// CHECK: return [ttnn_multiply_0]
// CHECK: def create_activations_for_net():
// CHECK: def create_weights_for_net():
// CHECK: net_weights["the weight"] = ttnn_ones_1
// CHECK: net_weights["weight_1"] = ttnn_ones_2
// CHECK: # File: "consteval"
// CHECK: import ttir_cpu
// CHECK-NEXT: import torch
// CHECK: def cpu_hoisted_const_eval_[[H:[0-9a-f]+]](arg_0, arg_1):
// CHECK-NEXT: def cpu_hoisted_const_eval_[[H]]_impl(inputs, inputs_0):
// CHECK-NEXT: ttir_cpu_add_0 = ttir_cpu.add(inputs, inputs_0)
// CHECK-NEXT: ttir_cpu_sum_0 = ttir_cpu.sum(ttir_cpu_add_0, keepdim=True, dim=[1])
// CHECK-NEXT: return ttir_cpu_sum_0
// CHECK: utils.execute_cpu_hoisted_function(util_create_list_0, cpu_hoisted_const_eval_[[H]]_impl)
// CHECK: def net_const_eval_0(arg):
// CHECK: cpu_hoisted_const_eval_[[H]](
// CHECK: def consteval_net(ce_cache, weights):
// CHECK-NEXT: if not ce_cache:
// CHECK-NEXT: net_const_eval_0_0 = net_const_eval_0([weights["the weight"], weights["weight_1"]])
// CHECK-NEXT: ce_cache["net_const_eval_0"] = net_const_eval_0_0[0]
// CHECK-NEXT: return ce_cache

// ONE-NOT: # File
// ONE-NOT: ttir_cpu
// ONE: def net_const_eval_0(arg):
// ONE: def net(activations, weights):
// ONE: def consteval_net(ce_cache, weights):
// MODULE: def net_const_eval_0(arg_0, device):
// MODULE: def forward(input, device):
// MODULE-NEXT: global ce_cache_forward
// MODULE-NEXT: ce_cache_forward = consteval_forward(ce_cache_forward, input, device)
// MODULE: def consteval_forward(ce_cache, input, device):
// MODULE: net_const_eval_0([{{.*}}], device)
func.func @net(%w: tensor<32x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "the weight"},
               %x: tensor<32x64xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
               %c: tensor<32x64xf32> {ttcore.argument_type = #ttcore.argument_type<constant>}) -> tensor<32x64xf32> {
  %0 = "ttir.add"(%w, %c) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<32x64xf32>) -> tensor<32x1xf32>
  %2 = "ttir.multiply"(%x, %1) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}
