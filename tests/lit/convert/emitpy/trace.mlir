// A traced function remembers in globals whether it has been called; later calls copy what comes from the host and replay.
// RUN: ttmlir-opt --ttir-to-ttnn-common-pipeline=enable-trace=true --ttnn-common-to-emitpy-pipeline %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-python %t.mlir | FileCheck %s
// RUN: ttmlir-opt --ttir-to-ttnn-common-pipeline=enable-trace=true %s -o %t.ttnn.mlir
// RUN: not ttmlir-opt "--convert-ttnn-to-emitpy=target-module=true" %t.ttnn.mlir 2>&1 | FileCheck %s --check-prefix=MODULE

// MODULE: error: failed to legalize operation 'ttnn.capture_or_execute_trace': it is unsupported in Python

// CHECK: is_first_call_trace_0_f = True
// CHECK: trace_id_trace_0_f = None
// CHECK: def capture_or_execute_trace_0_f(arg_0, arg_1):
// CHECK: global is_first_call_trace_0_f
// CHECK: if is_first_call_trace_0_f:
// CHECK-NEXT: is_first_call_trace_0_f = False
// CHECK-NEXT: [[SLOTS:[a-z_0-9]+]] = allocate_slots_trace_0_f(arg_0)
// CHECK-NEXT: global_input_0_trace_0_f = [[SLOTS]][0]
// CHECK-NEXT: global_input_1_trace_0_f = [[SLOTS]][1]
// CHECK-NEXT: global_output_0_trace_0_f = [[SLOTS]][2]
// CHECK-NEXT: [[ID:[a-z_0-9]+]] = run_and_capture_trace_0_f(arg_1, global_input_0_trace_0_f, global_input_1_trace_0_f, global_output_0_trace_0_f)
// CHECK-NEXT: trace_id_trace_0_f = [[ID]]
// CHECK-NEXT: else:
// CHECK-NEXT: ttnn.copy_host_to_device_tensor(arg_1, global_input_1_trace_0_f, cq_id=0)
// CHECK-NEXT: execute_trace_0_f(trace_id_trace_0_f)
// CHECK-NEXT: return global_output_0_trace_0_f
// CHECK: def run_and_capture_trace_0_f
// CHECK: ttnn.begin_trace_capture(
// CHECK: ttnn.end_trace_capture(
// CHECK: ttnn.execute_trace(
func.func @f(%x: tensor<32x32xf32>, %w: tensor<32x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<32x32xf32> {
  %0 = "ttir.add"(%x, %w) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
