// RUN: ttmlir-opt %s --ttcore-register-device -o %t.mlir
// RUN: ttmlir-opt %t.mlir --cse --canonicalize | FileCheck %s
// RUN: ttmlir-opt %t.mlir --const-eval-hoist-transform | FileCheck %s --check-prefix=CONST
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir -o %t.ttnn
// RUN: tilewright run %t.mlir --entry read --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry read --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry through_view --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry through_view --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry permutes --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry permutes --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry calls --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry calls --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry zeros --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry zeros --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry trace --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry trace --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: tilewright run %t.mlir --entry weights --outputs %t.npz
// RUN: tilewright run %t.ttnn --entry weights --expect %t.npz | FileCheck %s --check-prefix=SAME

// TTNN's tensors are memory: what was read before a write is not what is read after it,
// whether the text is run or its binary.
// SAME: out0: pcc {{.*}}, largest difference 0: ok
// SAME: out1: pcc {{.*}}, largest difference 0: ok

#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#row = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
!t = tensor<32x32xf32, #l>
!row = tensor<1x1024xf32, #row>

// CHECK-LABEL: func.func @read
// CHECK: %[[A:.*]] = "ttnn.add"
// CHECK: "ttnn.copy"(%{{.*}}, %arg0)
// CHECK: %[[B:.*]] = "ttnn.add"
// CHECK: return %[[A]], %[[B]]
func.func @read(%x: !t, %y: !t) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  %1 = "ttnn.exp"(%0) : (!t) -> !t
  "ttnn.copy"(%1, %x) : (!t, !t) -> ()
  %2 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  return %0, %2 : !t, !t
}

// A write of another tensor is in nobody's way.
// CHECK-LABEL: func.func @other
// CHECK: %[[A:.*]] = "ttnn.add"
// CHECK-NOT: "ttnn.add"
// CHECK: return %[[A]], %[[A]]
func.func @other(%x: !t, %y: !t, %z: !t) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  "ttnn.copy"(%0, %z) : (!t, !t) -> ()
  %1 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  return %0, %1 : !t, !t
}

// CHECK-LABEL: func.func @through_view
// CHECK: %[[A:.*]] = "ttnn.add"
// CHECK: "ttnn.copy"
// CHECK: %[[B:.*]] = "ttnn.add"
// CHECK: return %[[A]], %[[B]]
func.func @through_view(%x: !t, %y: !t) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  %v = "ttnn.reshape"(%x) <{shape = [1 : i32, 1024 : i32]}> : (!t) -> !row
  %w = "ttnn.reshape"(%0) <{shape = [1 : i32, 1024 : i32]}> : (!t) -> !row
  "ttnn.copy"(%w, %v) : (!row, !row) -> ()
  %1 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  return %0, %1 : !t, !t
}

// Two permutations do not become one that reads after the write.
// CHECK-LABEL: func.func @permutes
// CHECK: %[[A:.*]] = "ttnn.permute"(%arg0)
// CHECK: "ttnn.copy"
// CHECK: "ttnn.permute"(%[[A]])
func.func @permutes(%x: !t, %y: !t) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (!t) -> !t
  "ttnn.copy"(%y, %x) : (!t, !t) -> ()
  %1 = "ttnn.permute"(%0) <{permutation = array<i64: 1, 0>}> : (!t) -> !t
  return %1, %x : !t, !t
}

// A call writes what its callee writes.
func.func private @set(%x: !t, %y: !t) attributes {tt.function_type = "forward_device"} {
  "ttnn.copy"(%x, %y) : (!t, !t) -> ()
  return
}
func.func private @look(%x: !t, %y: !t) -> !t attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.multiply"(%x, %y) : (!t, !t) -> !t
  return %0 : !t
}
// CHECK-LABEL: func.func @calls
// CHECK: %[[A:.*]] = "ttnn.add"
// CHECK: call @look
// CHECK-NOT: "ttnn.add"
// CHECK: call @set
// CHECK: %[[B:.*]] = "ttnn.add"
// CHECK: return %[[A]], %[[B]], %[[A]]
func.func @calls(%x: !t, %y: !t) -> (!t, !t, !t) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  %1 = call @look(%0, %y) : (!t, !t) -> !t
  %2 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  call @set(%1, %y) : (!t, !t) -> ()
  %3 = "ttnn.add"(%x, %y) : (!t, !t) -> !t
  return %0, %3, %2 : !t, !t, !t
}

// Equal tensors of which one is written through a view are two.
// CHECK-LABEL: func.func @zeros
// CHECK-COUNT-2: "ttnn.zeros"
// CHECK: "ttnn.copy"
func.func @zeros() -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %a = "ttnn.zeros"(%d) <{shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> !t
  %b = "ttnn.zeros"(%d) <{shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> !t
  %c = "ttnn.ones"(%d) <{shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> !t
  %v = "ttnn.reshape"(%b) <{shape = [1 : i32, 1024 : i32]}> : (!t) -> !row
  %w = "ttnn.reshape"(%c) <{shape = [1 : i32, 1024 : i32]}> : (!t) -> !row
  "ttnn.copy"(%w, %v) : (!row, !row) -> ()
  return %a, %b : !t, !t
}

// What reads a parameter that is written is not computed ahead.
// CONST: func.func private @weights_const_eval_0
// CONST: "ttnn.sin"
// CONST-LABEL: func.func @weights(
// CONST-NOT: "ttnn.sin"
// CONST: "ttnn.copy"
// CONST: "ttnn.exp"
func.func @weights(%x: !t {ttcore.argument_type = #ttcore.argument_type<input>},
                   %p: !t {ttcore.argument_type = #ttcore.argument_type<parameter>},
                   %q: !t {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  "ttnn.copy"(%x, %p) : (!t, !t) -> ()
  %0 = "ttnn.exp"(%p) : (!t) -> !t
  %1 = "ttnn.sin"(%q) : (!t) -> !t
  return %0, %1 : !t, !t
}

// A run of a trace computes what it recorded once more, and may write any tensor.
// CHECK-LABEL: func.func @trace
// CHECK: %[[A:.*]] = "ttnn.exp"(%arg0)
// CHECK: "ttnn.begin_trace_capture"
// CHECK: "ttnn.exp"(%arg0)
// CHECK: "ttnn.execute_trace"
// CHECK: %[[B:.*]] = "ttnn.exp"(%arg0)
// CHECK: return %[[A]], %[[B]]
func.func @trace(%s: !t, %x: !t) -> (!t, !t) attributes {tt.function_type = "forward_device"} {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %0 = "ttnn.exp"(%s) : (!t) -> !t
  %t = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  %1 = "ttnn.exp"(%s) : (!t) -> !t
  %2 = "ttnn.add"(%1, %x) : (!t, !t) -> !t
  "ttnn.copy"(%2, %s) : (!t, !t) -> ()
  "ttnn.end_trace_capture"(%d, %t) <{cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  "ttnn.execute_trace"(%d, %t) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  %3 = "ttnn.exp"(%s) : (!t) -> !t
  return %0, %3 : !t, !t
}

// An unused result is no reason to drop a write of another tensor.
// CHECK-LABEL: func.func @sent
// CHECK-NEXT: "ttnn.point_to_point"(%arg0, %arg1)
// CHECK-NEXT: return %arg1
func.func @sent(%x: !t, %out: !t) -> !t attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.point_to_point"(%x) <{sender_coord = array<i64: 0, 0>, receiver_coord = array<i64: 0, 1>}> : (!t) -> !t
  %1 = "ttnn.point_to_point"(%x, %out) <{sender_coord = array<i64: 0, 0>, receiver_coord = array<i64: 0, 1>}> : (!t, !t) -> !t
  return %out : !t
}
