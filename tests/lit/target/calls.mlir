// RUN: ttmlir-opt --ttcore-register-device %s -o %t.mlir
// RUN: tilewright run %t.mlir --entry f --outputs %t.npz
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir -o %t.ttnn
// RUN: tilewright run %t.ttnn --entry f --expect %t.npz | FileCheck %s
// RUN: ttmlir-translate --flatbuffer-to-ttnn %t.ttnn | FileCheck %s --check-prefix=BACK
// RUN: ttrt run %t.ttnn --quiet --program-index 2 --init ones --print-input-output-tensors --result-file %t.json | FileCheck %s --check-prefix=ONES
// RUN: tilewright run %t.mlir --entry accumulate --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry accumulate --expect %t.npz | FileCheck %s --check-prefix=SUM

// Functions that others call, of a binary as well, and a function that records commands by
// itself: what a trace made has the values of its newest run.
// CHECK: out0: {{.*}}: ok
// CHECK: out1: {{.*}}: ok
// SUM: out0: {{.*}}, largest difference 0: ok
// BACK: func.func private @twice(
// BACK: %[[T:.*]] = "ttnn.begin_trace_capture"({{.*}}) -> tensor<ui32, #ttnn.trace_id>
// BACK: "ttnn.end_trace_capture"(%{{.*}}, %[[T]])
// BACK: "ttnn.execute_trace"(%{{.*}}, %[[T]])
// BACK: call @twice
// A capture computes once, each of two runs of its trace once more: 1 + 1 + 1.
// ONES: out0: f32 32x32: 3 3 3
#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
func.func private @twice(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.exp"(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %1 = "ttnn.add"(%0, %x) : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  "ttnn.deallocate"(%0) <{force = false}> : (tensor<32x32xf32, #l>) -> ()
  "ttnn.deallocate"(%x) <{force = false}> : (tensor<32x32xf32, #l>) -> ()
  return %1 : tensor<32x32xf32, #l>
}
func.func @f(%x: tensor<32x32xf32, #l>) -> (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) attributes {tt.function_type = "forward_device"} {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  %0 = "ttnn.sin"(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %1 = "ttnn.multiply"(%0, %0) : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  "ttnn.deallocate"(%0) <{force = false}> : (tensor<32x32xf32, #l>) -> ()
  "ttnn.end_trace_capture"(%d, %t) <{cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  %2 = call @twice(%1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %3 = call @twice(%2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %3, %1 : tensor<32x32xf32, #l>, tensor<32x32xf32, #l>
}
func.func @accumulate(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> attributes {tt.function_type = "forward_device"} {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %s = "ttnn.zeros"(%d) <{shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> tensor<32x32xf32, #l>
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  %0 = "ttnn.add"(%x, %s) : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  "ttnn.copy"(%0, %s) : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> ()
  "ttnn.end_trace_capture"(%d, %t) <{cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  return %s : tensor<32x32xf32, #l>
}
