// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tilewright run %t.mlir --entry f | FileCheck %s --check-prefix=TEXT
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir -o %t.ttnn
// RUN: ttrt run %t.ttnn --seed 0 --result-file %t.json 2>&1 | FileCheck %s --check-prefix=BINARY
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=enable-const-evl=false 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=optimization-level=3 2>&1 | FileCheck %s --check-prefix=LEVEL

// NEAR: has no option 'enable-const-evl'; did you mean 'enable-const-eval'?
// LEVEL: Invalid optimization_level: 3. Must be 0, 1, or 2.

// The whole way: weights are prepared once, integers divided as floats, and it still runs.
// CHECK: ttcore.device_module
// CHECK: func.func private @f_const_eval_0
// CHECK-LABEL: func.func @f(
// CHECK: ttcore.load_cached(@f_const_eval_0
// CHECK: "ttnn.to_layout"(%arg0)
// CHECK: "ttnn.matmul"
// CHECK: "ttnn.sum"
// CHECK: "ttnn.deallocate"
// TEXT: out0: f32[4] = {{-?[0-9]}}
// BINARY: loop 0:
func.func @f(%x: tensor<4x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
             %a: tensor<32x16xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
             %b: tensor<32x16xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<4xf32> {
  %0 = "ttir.add"(%a, %b) : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %1 = "ttir.matmul"(%x, %0) : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32>
  %2 = "ttir.sum"(%1) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x16xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
