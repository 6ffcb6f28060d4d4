// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=enable-trace=true -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline -o %t.plain.mlir
// RUN: tilewright run %t.plain.mlir --entry f --outputs %t.npz
// RUN: tilewright run %t.mlir --entry f --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir -o %t.ttnn
// RUN: tilewright run %t.ttnn --entry f --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: ttmlir-translate --flatbuffer-to-ttnn %t.ttnn -o %t.back.mlir
// RUN: FileCheck %s --input-file=%t.back.mlir --check-prefix=BACK
// RUN: ttmlir-opt --ttcore-register-device %t.back.mlir | ttmlir-translate --ttnn-to-flatbuffer -o %t.again.ttnn
// RUN: tilewright run %t.again.ttnn --entry f --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: ttrt run %t.ttnn --quiet --loops 3 --save-artifacts --artifact-dir %t.dir --result-file %t.json
// RUN: cp %t.dir/*/run/program_0/outputs.npz %t.golden.npz
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.plain.mlir -o %t.plain.ttnn
// RUN: ttrt run %t.plain.ttnn --golden %t.golden.npz --log-file %t.log --result-file %t.json
// RUN: FileCheck %s --input-file=%t.log --check-prefix=GOLDEN

// A program that is recorded computes what it computed before; a binary has its functions
// as programs, which are private but for the first.
// SAME: out0: {{.*}}: ok
// GOLDEN: output_0: pcc 1.00000000, largest difference 0

// BACK: func.func @f(
// BACK: "ttnn.capture_or_execute_trace"(%{{.*}}, %arg1, %arg0) <{allocate_slots_callee = @allocate_slots_trace_0_f, capture_callee = @run_and_capture_trace_0_f, execute_callee = @execute_trace_0_f, operandSegmentSizes = array<i32: 1, 2, 0>}>
// BACK: func.func private @trace_0_f({{.*}} attributes {tt.function_type = "trace_main"}
// BACK: func.func private @allocate_slots_trace_0_f({{.*}} attributes {tt.function_type = "trace_allocate_slots"}
// BACK: func.func private @run_and_capture_trace_0_f({{.*}} -> tensor<ui32, #ttnn.trace_id> attributes {tt.function_type = "trace_run_and_capture"}
// BACK: func.func private @execute_trace_0_f(%arg0: tensor<ui32, #ttnn.trace_id>) attributes {tt.function_type = "trace_execute"}

// The weight is its own slot; the input is written into one.
// CHECK-LABEL: func.func private @trace_0_f(
// CHECK: %[[Y:.*]] = "ttnn.relu"
// CHECK: "ttnn.copy"(%[[Y]], %arg2)
// CHECK: return{{$}}
// CHECK-LABEL: func.func private @allocate_slots_trace_0_f(
// CHECK: %[[I:.*]] = "ttnn.empty"
// CHECK: %[[O:.*]] = "ttnn.empty"
// CHECK: return %arg0, %[[I]], %[[O]]
// CHECK-LABEL: func.func private @run_and_capture_trace_0_f(
// CHECK-SAME: -> tensor<ui32, #ttnn.trace_id>
// CHECK: "ttnn.write_tensor"(%arg0, %arg2)
// CHECK: call @trace_0_f(%arg1, %arg2, %arg3)
// CHECK: %[[T:.*]] = "ttnn.begin_trace_capture"
// CHECK: call @trace_0_f(%arg1, %arg2, %arg3)
// CHECK: "ttnn.end_trace_capture"
// CHECK: "ttnn.execute_trace"
// CHECK: return %[[T]]
// CHECK-LABEL: func.func private @execute_trace_0_f(
// CHECK: "ttnn.execute_trace"
// CHECK-LABEL: func.func @f(
// CHECK: "ttnn.capture_or_execute_trace"(%{{.*}}, %arg1, %arg0) <{allocate_slots_callee = @allocate_slots_trace_0_f, capture_callee = @run_and_capture_trace_0_f, execute_callee = @execute_trace_0_f
func.func @f(%x: tensor<4x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<32x16xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<4x16xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32>
  %1 = "ttir.relu"(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
