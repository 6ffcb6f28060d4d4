// RUN: ttmlir-opt %s --tt-populate-argument-types="argument-types=f=input,parameter,;g=constant" | FileCheck %s
// RUN: not ttmlir-opt %s --tt-populate-argument-types="argument-types=f=input" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not ttmlir-opt %s --tt-populate-argument-types="argument-types=h=input" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ttmlir-opt %s --tt-populate-argument-types="argument-types=g=weight" 2>&1 | FileCheck %s --check-prefix=KIND

// CHECK: func.func @f(%arg0: tensor<1xf32> {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "x"}, %arg1: tensor<1xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>})
// COUNT: Expected: 2 arguments, got: 1 arguments
func.func @f(%a: tensor<1xf32> {ttir.name = "x"}, %b: tensor<1xf32>) {
  return
}
// CHECK: func.func @g(%arg0: tensor<1xf32> {ttcore.argument_type = #ttcore.argument_type<constant>})
// NAME: Function: "h" was provided
// KIND: Invalid argument type: weight
func.func @g(%a: tensor<1xf32>) {
  return
}
