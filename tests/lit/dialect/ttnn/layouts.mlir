// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Rules on the memory and layout of operands.

#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#host = #ttnn.buffer_type<system_memory>
#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,0)>]>
!tiles = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!fast = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <interleaved>>>
!wide = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,0)>]>>>
!rows = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #host>>>
func.func @changes(%x: !tiles, %f: !fast, %h: !rows, %p: tensor<32x32xf32>) {
  // expected-error @+1 {{'ttnn.to_layout' op ttnn.to_layout cannot change buffer type from 'dram' to 'l1'; use ttnn.to_tensor_spec for memory-config or device placement changes}}
  %0 = "ttnn.to_layout"(%x) : (!tiles) -> !fast
  // expected-error @+1 {{'ttnn.to_layout' op ttnn.to_layout cannot change tensor memory layout; use ttnn.to_tensor_spec for memory-config changes}}
  %1 = "ttnn.to_layout"(%f) : (!fast) -> !wide
  // expected-error @+1 {{'ttnn.to_layout' op Input tensor type missing layout attribute}}
  %2 = "ttnn.to_layout"(%p) : (tensor<32x32xf32>) -> !tiles
  // expected-error @+1 {{'ttnn.to_layout' op Output tensor type missing layout attribute}}
  %3 = "ttnn.to_layout"(%x) : (!tiles) -> tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.to_memory_config' op Input tensor type missing layout attribute}}
  %4 = "ttnn.to_memory_config"(%p) : (tensor<32x32xf32>) -> !tiles
  // expected-error @+1 {{'ttnn.to_memory_config' op Output tensor type missing layout attribute}}
  %5 = "ttnn.to_memory_config"(%x) : (!tiles) -> tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.copy' op Source tensor must be on device memory}}
  "ttnn.copy"(%h, %x) : (!rows, !tiles) -> ()
  // expected-error @+1 {{'ttnn.copy' op Destination tensor must be on device memory}}
  "ttnn.copy"(%x, %h) : (!tiles, !rows) -> ()
  // expected-error @+1 {{'ttnn.copy' op Source and destination tensor types must match, but got}}
  "ttnn.copy"(%x, %f) : (!tiles, !fast) -> ()
  // expected-error @+1 {{'ttnn.write_tensor' op Host tensor must be on system memory}}
  "ttnn.write_tensor"(%x, %x) <{blocking = false, cq_id = 0 : ui32}> : (!tiles, !tiles) -> ()
  // expected-error @+1 {{'ttnn.write_tensor' op Device tensor must be on device memory}}
  "ttnn.write_tensor"(%h, %h) <{blocking = false, cq_id = 0 : ui32}> : (!rows, !rows) -> ()
  // expected-error @+1 {{'ttnn.write_tensor' op Invalid CQ ID 2}}
  "ttnn.write_tensor"(%h, %x) <{blocking = false, cq_id = 2 : ui32}> : (!rows, !tiles) -> ()
  return
}

// -----

#dram = #ttnn.buffer_type<dram>
#host = #ttnn.buffer_type<system_memory>
!tiles = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>>
!rows = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #host>>>
!line = tensor<8xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x8xf32, #host>>>
func.func @made(%d: !ttnn.device) {
  // expected-error @+1 {{'ttnn.alloc' op Alloc size must be non-zero}}
  %0 = "ttnn.alloc"() <{address = 4096 : i64, size = 0 : i64, buffer_type = #ttnn.buffer_type<dram>}> : () -> !tiles
  // expected-error @+1 {{'ttnn.alloc' op Input tensor layout memory space must match alloc memory space}}
  %1 = "ttnn.alloc"() <{address = 4096 : i64, size = 4096 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> !tiles
  // expected-error @+1 {{'ttnn.alloc' op Allocating from a device memory space must have address set to a non-zero value, device addresses are statically allocated}}
  %2 = "ttnn.alloc"() <{address = 0 : i64, size = 4096 : i64, buffer_type = #ttnn.buffer_type<dram>}> : () -> !tiles
  // expected-error @+1 {{'ttnn.alloc' op Allocating from system memory space must have address set to 0, implicitly allocated by the runtime}}
  %3 = "ttnn.alloc"() <{address = 4096 : i64, size = 4096 : i64, buffer_type = #ttnn.buffer_type<system_memory>}> : () -> !rows
  %4 = "ttnn.arange"() <{start = 0 : si64, end = 16 : si64, step = 2 : si64}> : () -> !line
  // expected-error @+1 {{'ttnn.arange' op Step cannot be zero.}}
  %5 = "ttnn.arange"() <{start = 0 : si64, end = 16 : si64, step = 0 : si64}> : () -> !line
  // expected-error @+1 {{'ttnn.arange' op Invalid range: start=0, end=16, step=-2}}
  %6 = "ttnn.arange"() <{start = 0 : si64, end = 16 : si64, step = -2 : si64}> : () -> !line
  // expected-error @+1 {{'ttnn.arange' op Output tensor shape must be 16, but got 8}}
  %7 = "ttnn.arange"() <{start = 0 : si64, end = 16 : si64, step = 1 : si64}> : () -> !line
  // expected-error @+1 {{'ttnn.zeros' op Output tensor shape must be 16, but got 8}}
  %8 = "ttnn.zeros"() <{shape = #ttnn.shape<16>}> : () -> !line
  // expected-error @+1 {{'ttnn.empty' op Output tensor shape must be 16, 16, but got 32, 32}}
  %9 = "ttnn.empty"(%d) <{shape = #ttnn.shape<16x16>}> : (!ttnn.device) -> !tiles
  // expected-error @+1 {{'ttnn.constant' op device operand must be specified for non-system memory buffer type}}
  %10 = "ttnn.constant"() <{value = dense<1.0> : tensor<32x32xf32>}> : () -> !tiles
  // expected-error @+1 {{'ttnn.constant' op device operand must not be specified for system memory buffer type}}
  %11 = "ttnn.constant"(%d) <{value = dense<1.0> : tensor<32x32xf32>}> : (!ttnn.device) -> !rows
  return
}

// -----

func.func @ids(%d: !ttnn.device, %a: tensor<ui32, #ttnn.trace_id>, %b: tensor<1xui32, #ttnn.trace_id>, %c: tensor<f32, #ttnn.trace_id>,
               %e: tensor<i32, #ttnn.trace_id>, %f: tensor<ui16, #ttnn.trace_id>, %g: tensor<ui32>) {
  "ttnn.execute_trace"(%d, %a) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{'ttnn.execute_trace' op Invalid CQ ID 3}}
  "ttnn.execute_trace"(%d, %a) <{blocking = false, cq_id = 3 : ui32}> : (!ttnn.device, tensor<ui32, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{Trace ID must be a scalar}}
  "ttnn.execute_trace"(%d, %b) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<1xui32, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{Trace ID must be an integer}}
  "ttnn.execute_trace"(%d, %c) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<f32, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{Trace ID must be unsigned}}
  "ttnn.execute_trace"(%d, %e) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<i32, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{Trace ID must be 32-bit}}
  "ttnn.execute_trace"(%d, %f) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui16, #ttnn.trace_id>) -> ()
  // expected-error @+1 {{Trace ID must have the TraceIdAttr encoding}}
  "ttnn.execute_trace"(%d, %g) <{blocking = false, cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32>) -> ()
  return
}

// -----

func.func @prepared(%d: !ttnn.device, %w: tensor<8x3x3x3x3xf32>) {
  %0 = "ttnn.prepare_conv3d_weights"(%w, %d) <{groups = 1 : i32, c_in_block = 0 : i32, alignment = 32 : i32}> : (tensor<8x3x3x3x3xf32>, !ttnn.device) -> tensor<864x8xf32>
  // expected-error @+1 {{'ttnn.prepare_conv3d_weights' op C_in_block (24) must divide aligned input channels (32)}}
  %1 = "ttnn.prepare_conv3d_weights"(%w, %d) <{groups = 1 : i32, c_in_block = 24 : i32, alignment = 32 : i32}> : (tensor<8x3x3x3x3xf32>, !ttnn.device) -> tensor<864x8xf32>
  // expected-error @+1 {{'ttnn.prepare_conv3d_weights' op Expected result first dimension (81) to match prepared conv3d weight flattened dimension (864)}}
  %2 = "ttnn.prepare_conv3d_weights"(%w, %d) <{groups = 1 : i32, c_in_block = 16 : i32, alignment = 32 : i32}> : (tensor<8x3x3x3x3xf32>, !ttnn.device) -> tensor<81x8xf32>
  // expected-error @+1 {{'ttnn.prepare_conv3d_weights' op Expected result second dimension (3) to match output channels (8)}}
  %3 = "ttnn.prepare_conv3d_weights"(%w, %d) <{groups = 1 : i32, c_in_block = 0 : i32, alignment = 32 : i32}> : (tensor<8x3x3x3x3xf32>, !ttnn.device) -> tensor<864x3xf32>
  return
}
