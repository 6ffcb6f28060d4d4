// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

#dram = #ttnn.buffer_type<dram>
#host = #ttnn.buffer_type<system_memory>
#on = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#off = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #host>>
func.func private @slots() -> tensor<32x32xf32, #on>
func.func private @capture(tensor<32x32xf32, #off>)
func.func private @execute(tensor<ui32, #ttnn.trace_id>)
func.func @few_slots(%d: !ttnn.device, %x: tensor<32x32xf32, #off>) -> tensor<32x32xf32, #on> {
  // expected-error @+1 {{Slot allocation function 'slots' must return 2 slots (1 input slots + 1 output slots), but returns 1}}
  %0 = "ttnn.capture_or_execute_trace"(%d, %x) <{allocate_slots_callee = @slots, capture_callee = @capture, execute_callee = @execute, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ttnn.device, tensor<32x32xf32, #off>) -> tensor<32x32xf32, #on>
  return %0 : tensor<32x32xf32, #on>
}

// -----

#dram = #ttnn.buffer_type<dram>
#on = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
func.func private @slots(tensor<32x32xf32, #on>) -> (tensor<32x32xf32, #on>, tensor<32x32xf32, #on>)
func.func private @traced(tensor<32x32xf32, #on>) -> tensor<32x32xf32, #on>
func.func private @capture(%a: tensor<32x32xf32, #on>, %b: tensor<32x32xf32, #on>) -> tensor<ui32, #ttnn.trace_id> {
  %0 = call @traced(%a) : (tensor<32x32xf32, #on>) -> tensor<32x32xf32, #on>
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %1 = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32, #ttnn.trace_id>
  return %1 : tensor<ui32, #ttnn.trace_id>
}
func.func private @execute(tensor<ui32, #ttnn.trace_id>)
func.func @results(%d: !ttnn.device, %x: tensor<32x32xf32, #on>) -> tensor<32x32xf32, #on> {
  // expected-error @+1 {{Trace function 'traced' must return no results; it stores its outputs into the output slot arguments}}
  %0 = "ttnn.capture_or_execute_trace"(%d, %x) <{allocate_slots_callee = @slots, capture_callee = @capture, execute_callee = @execute, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ttnn.device, tensor<32x32xf32, #on>) -> tensor<32x32xf32, #on>
  return %0 : tensor<32x32xf32, #on>
}

// -----

func.func @roles(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`arg_roles` token must be "in" or "out", got: "inout".}}
  %0 = "ttnn.tt_lang_op"(%x, %x) <{arg_roles = "in, inout", kernel_id = "k", version_tag = "1"}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @order(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`arg_roles` must list all "in" operands before any "out" operand}}
  %0 = "ttir.tt_lang_op"(%x, %x) <{arg_roles = "out, in", kernel_id = "k", version_tag = "1"}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{sharded TTNN layout (height_sharded) must carry a core_range_set}}
func.func private @no_cores(tensor<64x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<l1>>, <height_sharded>>>)
