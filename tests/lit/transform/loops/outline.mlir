// Loops become functions of what they use; constants are made again there.
// RUN: ttmlir-opt %s --transform-interpreter --allow-unregistered-dialect --split-input-file | FileCheck %s

func.func @outline(%n: index, %s: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %r = scf.for %i = %c0 to %n step %s iter_args(%a = %x) -> f32 {
    %q = "use"(%a, %i, %n) : (f32, index, index) -> f32
    scf.yield %q : f32
  }
  scf.for %i = %c0 to %n step %s {
    "end"() : () -> ()
  }
  return %r : f32
}
func.func private @part_0()
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    %f, %c = transform.loop.outline %loops {func_name = "part"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK-LABEL: func.func @part
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = scf.for %arg4 = %c0 to %arg0 step %arg2 iter_args(%arg5 = %arg3) -> (f32) {
// CHECK-NEXT: %1 = "use"(%arg5, %arg4, %arg0) : (f32, index, index) -> f32
// CHECK-NEXT: scf.yield %1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : f32
// CHECK-NEXT: }
// CHECK-LABEL: func.func @part_1
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: scf.for %arg3 = %c0 to %arg1 step %arg2 {
// CHECK-NEXT: "end"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-LABEL: func.func @outline
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = scf.execute_region -> f32 {
// CHECK-NEXT: %1 = func.call @part(%arg0, %c0, %arg1, %arg2) : (index, index, index, f32) -> f32
// CHECK-NEXT: scf.yield %1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.execute_region {
// CHECK-NEXT: func.call @part_1(%c0, %arg0, %arg1) : (index, index, index) -> ()
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @part_0()
