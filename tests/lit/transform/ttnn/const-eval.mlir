// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --const-eval-hoist-transform | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device --const-eval-hoist-transform --ttnn-force-const-eval-to-system-memory | FileCheck %s --check-prefix=HOST
// RUN: ttmlir-opt %s --split-input-file --ttir-to-ttnn-backend-pipeline -o %t.mlir
// RUN: ttmlir-opt %s --split-input-file --ttcore-wrap-device-module --ttcore-unwrap-device-module | FileCheck %s --check-prefix=BACK

#dram = #ttnn.buffer_type<dram>
#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// Two sets that share nothing; what depends on the input stays.
// CHECK: module attributes {{.*}}ttnn.l1_const_eval_usage = 1024 : ui64
// CHECK: func.func private @f_const_eval_0(%arg0: tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout> attributes {tt.function_type = "const_eval"}
// CHECK-NEXT: "ttnn.abs"(%arg0)
// CHECK-NEXT: return
// CHECK: func.func private @f_const_eval_1(%arg0: tensor<32x32xf32, #ttnn_layout>, %arg1: tensor<32x32xf32, #ttnn_layout>)
// CHECK: "ttnn.add"(%arg0, %arg1)
// CHECK: "ttnn.neg"
// CHECK-LABEL: func.func @f(
// CHECK: %[[A:.*]] = ttcore.load_cached(@f_const_eval_0, [%arg1])
// CHECK: %[[B:.*]] = ttcore.load_cached(@f_const_eval_1, [%arg2, %arg3])
// CHECK: %[[P:.*]] = "ttnn.multiply"(%arg0, %[[A]])
// CHECK: "ttnn.add"(%[[P]], %[[B]])
// The weights wait on the host, and go to the device where they are used.
// HOST: func.func private @f_const_eval_0(%arg0: tensor<32x32xf32, #[[H:.*]]>)
// HOST-NEXT: %[[D:.*]] = "ttnn.to_tensor_spec"(%arg0)
// HOST-NEXT: "ttnn.abs"(%[[D]])
// HOST: func.func @f(%arg0: tensor<32x32xf32, #ttnn_layout1>{{.*}}%arg1: tensor<32x32xf32, #[[H]]>
// BACK-NOT: ttcore.device_module
// BACK: func.func @f
func.func @f(%x: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<input>},
             %a: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>},
             %b: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<constant>},
             %c: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<32x32xf32, #t> attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.abs"(%a) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %1 = "ttnn.add"(%b, %c) : (tensor<32x32xf32, #t>, tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %2 = "ttnn.neg"(%1) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %3 = "ttnn.multiply"(%x, %0) : (tensor<32x32xf32, #t>, tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %4 = "ttnn.add"(%3, %2) : (tensor<32x32xf32, #t>, tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  return %4 : tensor<32x32xf32, #t>
}

// -----

#dram = #ttnn.buffer_type<dram>
#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// A second time: what joins earlier results becomes part of the first function.
// CHECK-LABEL: func.func private @g_const_eval_3(%arg0: {{.*}}, %arg1:
// CHECK: %[[A:.*]] = "ttnn.abs"(%arg0)
// CHECK: %[[B:.*]] = "ttnn.neg"(%arg1)
// CHECK: %[[S:.*]] = "ttnn.add"(%[[A]], %[[B]])
// CHECK: return %[[S]] :
// CHECK-NOT: @g_const_eval_5
// CHECK-LABEL: func.func @g(
// CHECK: ttcore.load_cached(@g_const_eval_3, [%arg0, %arg1])
func.func private @g_const_eval_3(%a: tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t> attributes {tt.function_type = "const_eval"} {
  %0 = "ttnn.abs"(%a) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  return %0 : tensor<32x32xf32, #t>
}
func.func private @g_const_eval_5(%a: tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t> attributes {tt.function_type = "const_eval"} {
  %0 = "ttnn.neg"(%a) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  return %0 : tensor<32x32xf32, #t>
}
// BACK: func.func @g
func.func @g(%a: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<32x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<32x32xf32, #t> {
  %0 = ttcore.load_cached(@g_const_eval_3, [%a]) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %1 = ttcore.load_cached(@g_const_eval_5, [%b]) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  %2 = "ttnn.add"(%0, %1) : (tensor<32x32xf32, #t>, tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  return %2 : tensor<32x32xf32, #t>
}

// -----

// A composite's decomposition keeps its constants: where the composite stays, they are never needed.
// CHECK-LABEL: func.func @composed
// CHECK: ttcore.composite
// CHECK-LABEL: func.func private @decomposed
// CHECK: "ttir.arange"
// CHECK-NOT: load_cached
// BACK: func.func @composed
func.func @composed(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = "ttcore.composite"(%a) <{composite_name = "plus_positions", decomposition = @decomposed}> : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
func.func private @decomposed(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = "ttir.arange"() <{arange_dimension = 0 : i64, end = 8 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<8xi32>
  %1 = "ttir.neg"(%0) : (tensor<8xi32>) -> tensor<8xi32>
  %2 = "ttir.add"(%a, %1) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %2 : tensor<8xi32>
}
