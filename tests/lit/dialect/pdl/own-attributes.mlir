// mlir-opt does not read these forms.
// RUN: ttmlir-opt --split-input-file %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s | ttmlir-opt | FileCheck %s
// Attributes of the operation itself stay apart from those of its pattern.
// CHECK-LABEL: func.func @own_attributes
func.func @own_attributes(%op: !pdl.operation) {
  %0 = pdl.result 0 of %op
  // CHECK: pdl.operation "foo.op"(%{{.*}} : !pdl.value)  {} {mine}
  %1 = pdl.operation "foo.op"(%0 : !pdl.value) {} {mine}
  return
}
