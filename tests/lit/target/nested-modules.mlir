// Functions of modules inside the module are programs, too; a module without any is refused.
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | ttmlir-translate --ttnn-to-flatbuffer - -o %t.ttnn
// RUN: ttrt run %t.ttnn --quiet --print-input-output-tensors --init ones --result-file %t.json | FileCheck %s
// RUN: echo 'module {}' | ttmlir-opt --ttcore-register-device | not ttmlir-translate --ttnn-to-flatbuffer - 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: out0: f32 2x2: 2 2 2 2
// CHECK: out0: f32 3: 1 1 1
// NONE: error: 'builtin.module' op the module has no function that could be a program
module {
  func.func @one(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "ttir.add"(%a, %a) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
module {
  func.func @two(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "ttir.multiply"(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
