// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Dimensions count from the end where they are negative.
// CHECK-LABEL: func.func @from_the_end
// CHECK: "ttir.concat"
// CHECK: "ttir.squeeze"
// CHECK: "ttir.unsqueeze"
// CHECK: "ttir.index_select"
func.func @from_the_end(%a: tensor<2x3x1xf32>) {
  %0 = "ttir.concat"(%a, %a) <{dim = -1 : si32}> : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
  %1 = "ttir.squeeze"(%a) <{dim = -1 : si32}> : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %2 = "ttir.unsqueeze"(%a) <{dim = -1 : si32}> : (tensor<2x3x1xf32>) -> tensor<2x3x1x1xf32>
  %3 = "ttir.index_select"(%a) <{dim = -2 : si32, begin = 1 : si32, length = 1 : si32, stride = 0 : si32}> : (tensor<2x3x1xf32>) -> tensor<2x1x1xf32>
  return
}

// -----

func.func @too_far(%a: tensor<2x3x1xf32>) {
  // expected-error @+1 {{Invalid dimension -4 for concatenation.}}
  %0 = "ttir.concat"(%a, %a) <{dim = -4 : si32}> : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
  return
}
