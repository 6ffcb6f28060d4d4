// RUN: not tilewright run %s --entry outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tilewright run %s --entry open 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not tilewright run %s --entry twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tilewright run %s --entry endless 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not tilewright run %s --entry returned 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not tilewright run %s --entry unending 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not tilewright run %s --entry large 2>&1 | FileCheck %s --check-prefix=LARGE

// OUTSIDE: :[[#@LINE+11]]:3: error: 'ttnn.execute_trace' op names a trace that its function does not capture; run the function that captures it
// OPEN: error: 'ttnn.execute_trace' op runs a trace while one is still captured; end it first with ttnn.end_trace_capture
// TWICE: error: 'ttnn.begin_trace_capture' op begins while another trace is captured; end that one first with ttnn.end_trace_capture
// ENDLESS: error: 'ttnn.begin_trace_capture' op has no ttnn.end_trace_capture
// RETURNED: error: 'ttnn.begin_trace_capture' op the trace's number is used by 'func.return', which is no operation of traces
// RECURSIVE: 'func.call' of function 'unending', which calls itself
// LARGE: error: 'func.call' op makes the program larger than 1048576 operations, with what it calls in place of calls
#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
func.func @outside(%t: tensor<ui32, #ttnn.trace_id>) attributes {tt.function_type = "trace_execute"} {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  return
}
func.func private @unending(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %0 = call @unending(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %0 : tensor<32x32xf32, #l>
}
func.func @open() {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  return
}
func.func @twice() {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  %u = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  return
}
func.func @endless() {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  return
}
func.func @returned() -> tensor<ui32, #ttnn.trace_id> {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  "ttnn.end_trace_capture"(%d, %t) <{cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  return %t : tensor<ui32, #ttnn.trace_id>
}
func.func private @l1(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %v1 = "ttnn.exp"(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v2 = "ttnn.exp"(%v1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v3 = "ttnn.exp"(%v2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v4 = "ttnn.exp"(%v3) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v5 = "ttnn.exp"(%v4) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v6 = "ttnn.exp"(%v5) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v7 = "ttnn.exp"(%v6) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v8 = "ttnn.exp"(%v7) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v9 = "ttnn.exp"(%v8) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v10 = "ttnn.exp"(%v9) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v11 = "ttnn.exp"(%v10) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v12 = "ttnn.exp"(%v11) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v13 = "ttnn.exp"(%v12) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v14 = "ttnn.exp"(%v13) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v15 = "ttnn.exp"(%v14) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v16 = "ttnn.exp"(%v15) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %v16 : tensor<32x32xf32, #l>
}
func.func private @l2(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %v1 = call @l1(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v2 = call @l1(%v1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v3 = call @l1(%v2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v4 = call @l1(%v3) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v5 = call @l1(%v4) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v6 = call @l1(%v5) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v7 = call @l1(%v6) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v8 = call @l1(%v7) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v9 = call @l1(%v8) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v10 = call @l1(%v9) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v11 = call @l1(%v10) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v12 = call @l1(%v11) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v13 = call @l1(%v12) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v14 = call @l1(%v13) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v15 = call @l1(%v14) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v16 = call @l1(%v15) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %v16 : tensor<32x32xf32, #l>
}
func.func private @l3(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %v1 = call @l2(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v2 = call @l2(%v1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v3 = call @l2(%v2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v4 = call @l2(%v3) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v5 = call @l2(%v4) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v6 = call @l2(%v5) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v7 = call @l2(%v6) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v8 = call @l2(%v7) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v9 = call @l2(%v8) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v10 = call @l2(%v9) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v11 = call @l2(%v10) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v12 = call @l2(%v11) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v13 = call @l2(%v12) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v14 = call @l2(%v13) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v15 = call @l2(%v14) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v16 = call @l2(%v15) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %v16 : tensor<32x32xf32, #l>
}
func.func private @l4(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %v1 = call @l3(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v2 = call @l3(%v1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v3 = call @l3(%v2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v4 = call @l3(%v3) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v5 = call @l3(%v4) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v6 = call @l3(%v5) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v7 = call @l3(%v6) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v8 = call @l3(%v7) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v9 = call @l3(%v8) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v10 = call @l3(%v9) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v11 = call @l3(%v10) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v12 = call @l3(%v11) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v13 = call @l3(%v12) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v14 = call @l3(%v13) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v15 = call @l3(%v14) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v16 = call @l3(%v15) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %v16 : tensor<32x32xf32, #l>
}
func.func @large(%x: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
  %v1 = call @l4(%x) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v2 = call @l4(%v1) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v3 = call @l4(%v2) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v4 = call @l4(%v3) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v5 = call @l4(%v4) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v6 = call @l4(%v5) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v7 = call @l4(%v6) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v8 = call @l4(%v7) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v9 = call @l4(%v8) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v10 = call @l4(%v9) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v11 = call @l4(%v10) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v12 = call @l4(%v11) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v13 = call @l4(%v12) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v14 = call @l4(%v13) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v15 = call @l4(%v14) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  %v16 = call @l4(%v15) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
  return %v16 : tensor<32x32xf32, #l>
}
