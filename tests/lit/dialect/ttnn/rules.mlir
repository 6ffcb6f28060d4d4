// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Errors of the verifiers of ttnn's operations: each kind of rule once violated, once satisfied.

func.func @sum(%x: tensor<6x4xbf16>) -> (tensor<6xbf16>, tensor<4xbf16>) {
  %0 = "ttnn.sum"(%x) <{dim_arg = [-1 : i32], keep_dim = false}> : (tensor<6x4xbf16>) -> tensor<6xbf16>
  // expected-error @+1 {{'ttnn.sum' op Expected output shape (6), got (4)}}
  %1 = "ttnn.sum"(%x) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<6x4xbf16>) -> tensor<4xbf16>
  return %0, %1 : tensor<6xbf16>, tensor<4xbf16>
}

// -----

func.func @product(%a: tensor<2x3x5xf32>, %b: tensor<5x7xf32>) -> tensor<2x3x7xf32> {
  %0 = "ttnn.matmul"(%a, %b) : (tensor<2x3x5xf32>, tensor<5x7xf32>) -> tensor<2x3x7xf32>
  // expected-error @+1 {{'ttnn.matmul' op Input A[-1](5) and B[-2](7) must have matching inner dimensions}}
  %1 = "ttnn.matmul"(%a, %b) <{transpose_b = true}> : (tensor<2x3x5xf32>, tensor<5x7xf32>) -> tensor<2x3x7xf32>
  return %1 : tensor<2x3x7xf32>
}

// -----

func.func @bias(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7xf32>, %d: tensor<6xf32>) -> tensor<3x7xf32> {
  %0 = "ttnn.linear"(%a, %b, %c) : (tensor<3x5xf32>, tensor<5x7xf32>, tensor<7xf32>) -> tensor<3x7xf32>
  // expected-error @+1 {{'ttnn.linear' op Bias shape(6) is not broadcast compatible with the matmul output shape(3,7)}}
  %1 = "ttnn.linear"(%a, %b, %d) : (tensor<3x5xf32>, tensor<5x7xf32>, tensor<6xf32>) -> tensor<3x7xf32>
  return %1 : tensor<3x7xf32>
}

// -----

func.func @order(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = "ttnn.permute"(%x) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // expected-error @+1 {{'ttnn.permute' op Expected a permutation of (0, 1, 2), got (2, 0, 2)}}
  %1 = "ttnn.permute"(%x) <{permutation = array<i64: 2, 0, 2>}> : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

func.func @joined(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %0 = "ttnn.concat"(%x, %y) <{dim = 1 : si32}> : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  // expected-error @+1 {{'ttnn.concat' op All input tensors must have the same dimensions, except for dimension 0 (operand 0 shape 2, 3, operand 1 shape 2, 5 differ at dim 1: 3 vs 5).}}
  %1 = "ttnn.concat"(%x, %y) <{dim = 0 : si32}> : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<4x3xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @around(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = "ttnn.pad"(%x) <{padding = array<i32: 1, 1, 0, 0>, use_multicore = true, value = 0.0 : f32}> : (tensor<2x3xf32>) -> tensor<4x3xf32>
  // expected-error @+1 {{'ttnn.pad' op Output tensor shape (4,3) must match the inferred shape: (3,3)}}
  %1 = "ttnn.pad"(%x) <{padding = array<i32: 0, 1, 0, 0>, use_multicore = true, value = 0.0 : f32}> : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @rows(%i: tensor<2x9xui32>, %w: tensor<50x8xbf16>) -> tensor<2x9x8xbf16> {
  %0 = "ttnn.embedding"(%i, %w) : (tensor<2x9xui32>, tensor<50x8xbf16>) -> tensor<2x9x8xbf16>
  // expected-error @+1 {{'ttnn.embedding' op expected output shape of (2, 9, 8) but got (2, 9, 50)}}
  %1 = "ttnn.embedding"(%i, %w) : (tensor<2x9xui32>, tensor<50x8xbf16>) -> tensor<2x9x50xbf16>
  return %0 : tensor<2x9x8xbf16>
}

// -----

#dram = #ttnn.buffer_type<dram>
// expected-error @+1 {{expected (1, 1) grid shape for dram buffer type with interleaved memory layout, got (2, 3)}}
#wide = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x3>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @grid(%x: tensor<32x32xbf16, #wide>) {
  return
}

// -----

#l1 = #ttnn.buffer_type<l1>
// expected-error @+1 {{Memory layout is required for non-SystemMemory buffer type.}}
#bare = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>>
func.func @where(%x: tensor<32x32xbf16, #bare>) {
  return
}

// -----

#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @tiles(%x: tensor<32x32xbf16, #tiles>) -> tensor<32x32xf32, #tiles> {
  // an element type that differs from the layout's is no error; a tile as element is
  %0 = "ttnn.abs"(%x) : (tensor<32x32xbf16, #tiles>) -> tensor<32x32xf32, #tiles>
  // expected-error @+1 {{'ttnn.abs' op Output element type must match the scalar element type from encoding. Element type: '!ttcore.tile<32x32, bf16>', Scalar element type: 'bf16'.}}
  %1 = "ttnn.abs"(%x) : (tensor<32x32xbf16, #tiles>) -> tensor<1x1x!ttcore.tile<32x32, bf16>, #tiles>
  return %0 : tensor<32x32xf32, #tiles>
}

// -----

// Buffers are given all or none.
func.func @buffers(%x: tensor<1x1x32x64xbf16>, %i: tensor<1x1x32x4xui16>, %s: tensor<1x1x32x4xbf16>, %m: tensor<2x8xui16>,
                   %b: tensor<1x64x64xbf16>, %c: tensor<1x64x4xui16>, %d: tensor<1x64x4xbf16>) {
  %0:3 = "ttnn.all_to_all_dispatch_metadata"(%x, %i, %s, %m) <{num_devices = 2 : i64, cluster_axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<1x1x32x64xbf16>, tensor<1x1x32x4xui16>, tensor<1x1x32x4xbf16>, tensor<2x8xui16>) -> (tensor<1x64x64xbf16>, tensor<1x64x4xui16>, tensor<1x64x4xbf16>)
  %1:3 = "ttnn.all_to_all_dispatch_metadata"(%x, %i, %s, %m, %b, %c, %d) <{num_devices = 2 : i64, cluster_axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0>}> : (tensor<1x1x32x64xbf16>, tensor<1x1x32x4xui16>, tensor<1x1x32x4xbf16>, tensor<2x8xui16>, tensor<1x64x64xbf16>, tensor<1x64x4xui16>, tensor<1x64x4xbf16>) -> (tensor<1x64x64xbf16>, tensor<1x64x4xui16>, tensor<1x64x4xbf16>)
  // expected-error @+1 {{'ttnn.all_to_all_dispatch_metadata' op dispatched_buffer, indices_buffer and scores_buffer must be all bound or all unbound}}
  %2:3 = "ttnn.all_to_all_dispatch_metadata"(%x, %i, %s, %m, %b, %d) <{num_devices = 2 : i64, cluster_axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (tensor<1x1x32x64xbf16>, tensor<1x1x32x4xui16>, tensor<1x1x32x4xbf16>, tensor<2x8xui16>, tensor<1x64x64xbf16>, tensor<1x64x4xbf16>) -> (tensor<1x64x64xbf16>, tensor<1x64x4xui16>, tensor<1x64x4xbf16>)
  return
}

// -----

!dram = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>
!host = tensor<32x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #ttnn.buffer_type<system_memory>>>>
func.func @files(%d: !ttnn.device) {
  %0 = "ttnn.load_tensor"(%d) <{file_path = "a.tensorbin"}> : (!ttnn.device) -> !dram
  %1 = "ttnn.load_tensor"() <{file_path = "a.tensorbin"}> : () -> !host
  // expected-error @+1 {{'ttnn.load_tensor' op file a.npy must end with .tensorbin extension}}
  %2 = "ttnn.load_tensor"() <{file_path = "a.npy"}> : () -> !host
  // expected-error @+1 {{'ttnn.load_tensor' op device operand must be null for system memory buffer type}}
  %3 = "ttnn.load_tensor"(%d) <{file_path = "a.tensorbin"}> : (!ttnn.device) -> !host
  // expected-error @+1 {{'ttnn.load_tensor' op device operand must be specified for device memory buffer type}}
  %4 = "ttnn.load_tensor"() <{file_path = "a.tensorbin"}> : () -> !dram
  // expected-error @+1 {{'ttnn.dump_tensor' op file a must end with .tensorbin extension}}
  "ttnn.dump_tensor"(%0) <{file_path = "a"}> : (!dram) -> ()
  return
}

// -----

func.func @placed(%d: !ttnn.device) -> tensor<2x2xf32> {
  // expected-error @+1 {{'ttnn.zeros' op Output tensor type missing layout attribute}}
  %0 = "ttnn.zeros"(%d) <{shape = #ttnn.shape<2x2>}> : (!ttnn.device) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @gathered(%x: tensor<4x4xf32>, %i: tensor<2x4xui8>) -> tensor<2x4xf32> {
  // expected-error @+1 {{'ttnn.gather' op Index tensor element type must be one of ui16, ui32, si32 or i32, got 'ui8'}}
  %0 = "ttnn.gather"(%x, %i) <{dim = 0 : si32}> : (tensor<4x4xf32>, tensor<2x4xui8>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @heads(%x: tensor<1x1x8x96xf32>) {
  %0:3 = "ttnn.nlp_create_qkv_heads_decode"(%x) <{num_heads = 4 : ui32, num_kv_heads = 1 : ui32, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<1x1x8x96xf32>) -> (tensor<1x8x4x16xf32>, tensor<1x8x1x16xf32>, tensor<1x8x1x16xf32>)
  // expected-error @+1 {{'ttnn.nlp_create_qkv_heads_decode' op expected key shape (1, 8, 1, 16), got (1, 8, 4, 16)}}
  %1:3 = "ttnn.nlp_create_qkv_heads_decode"(%x) <{num_heads = 4 : ui32, num_kv_heads = 1 : ui32, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<1x1x8x96xf32>) -> (tensor<1x8x4x16xf32>, tensor<1x8x4x16xf32>, tensor<1x8x1x16xf32>)
  return
}

// -----

// A bias that one row of tiles holds is added without widening the product.
func.func @biased(%a: tensor<1x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>, %d: tensor<64x7xf32>) {
  %0 = "ttnn.linear"(%a, %b, %c) : (tensor<1x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = "ttnn.linear"(%a, %b, %c) : (tensor<1x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>) -> tensor<1x7xf32>
  // expected-error @+1 {{'ttnn.linear' op Output shape(1,7) must match the broadcasted shape(64,7)}}
  %2 = "ttnn.linear"(%a, %b, %d) : (tensor<1x5xf32>, tensor<5x7xf32>, tensor<64x7xf32>) -> tensor<1x7xf32>
  return
}
