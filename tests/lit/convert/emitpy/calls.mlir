// RUN: ttmlir-opt --convert-ttnn-to-emitpy --emitpy-name-vars %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-python %t.mlir -o %t.py
// RUN: FileCheck %s --input-file=%t.py
// RUN: python3 -m py_compile %t.py

#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#host = #ttnn.buffer_type<system_memory>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#near = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <interleaved>>
#two = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#wide = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,1)>]>>
#ints = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #host>>
!t = tensor<32x32xf32, #tiles>

// CHECK-LABEL: def unary(arg):
func.func @unary(%a: !t) -> tensor<32x32xf32, #near> {
  // CHECK-NEXT: ttnn_exp_0 = ttnn.exp(arg, fast_and_approximate_mode=False, memory_config={{.*}}DRAM, None))
  %0 = "ttnn.exp"(%a) : (!t) -> !t
  // CHECK-NEXT: ttnn_leaky_relu_0 = ttnn.leaky_relu(ttnn_exp_0, 0.01, memory_config=
  %1 = "ttnn.leaky_relu"(%0) <{parameter = 1.000000e-02 : f32}> : (!t) -> !t
  // CHECK-NEXT: ttnn_clamp_0 = ttnn.clamp(ttnn_leaky_relu_0, -1.0, float('inf'), memory_config=
  %2 = "ttnn.clamp_scalar"(%1) <{min = -1.000000e+00 : f32, max = 0x7F800000 : f32}> : (!t) -> !t
  // CHECK-NEXT: ttnn_to_memory_config_0 = ttnn.to_memory_config(ttnn_clamp_0, ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.L1, None))
  %3 = "ttnn.to_memory_config"(%2) : (!t) -> tensor<32x32xf32, #near>
  return %3 : tensor<32x32xf32, #near>
}

// A list of operands, lists of integers, negative ones, strings of cases.
// CHECK-LABEL: def shapes(arg_0, arg_1, arg_2):
func.func @shapes(%a: !t, %b: !t, %i: tensor<32x32xsi32, #ints>) -> (tensor<64x32xf32, #two>, !t) {
  // CHECK-NEXT: util_create_list_0 = [arg_0, arg_1]
  // CHECK-NEXT: ttnn_concat_0 = ttnn.concat(util_create_list_0, 0, memory_config=
  %0 = "ttnn.concat"(%a, %b) <{dim = 0 : si32}> : (!t, !t) -> tensor<64x32xf32, #two>
  // CHECK-NEXT: ttnn_slice_0 = ttnn.slice(ttnn_concat_0, [16, 0], [48, 32], [1, 1], memory_config=
  %1 = "ttnn.slice_static"(%0) <{begins = [16 : i32, 0 : i32], ends = [48 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<64x32xf32, #two>) -> !t
  // CHECK-NEXT: ttnn_permute_0 = ttnn.permute(ttnn_slice_0, [1, 0], memory_config={{.*}}, pad_value=0.0)
  %2 = "ttnn.permute"(%1) <{permutation = array<i64: 1, 0>}> : (!t) -> !t
  // CHECK-NEXT: ttnn_scatter_0 = ttnn.scatter(input=ttnn_permute_0, dim=-1, index=arg_2, src=arg_1, memory_config={{.*}}, reduce="add")
  %3 = "ttnn.scatter"(%2, %i, %b) <{dim = -1 : si32, scatter_reduce_type = #ttcore.reduce_type<sum>}> : (!t, tensor<32x32xsi32, #ints>, !t) -> !t
  // CHECK-NEXT: return ttnn_concat_0, ttnn_scatter_0
  return %0, %3 : tensor<64x32xf32, #two>, !t
}

// Tensors in the host's memory have no memory configuration.
// CHECK-LABEL: def devices(arg):
func.func @devices(%a: tensor<32x32xf32, #rows>) -> !t {
  // CHECK-NEXT: [[D:[a-zA-Z_0-9]+]] = utils.DeviceGetter.get_device((1, 2))
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
  // CHECK-NEXT: ttnn_zeros_0 = ttnn.zeros(shape=[32, 32], dtype=ttnn.DataType.FLOAT32, layout=ttnn.Layout.ROW_MAJOR, device=None, memory_config=None)
  %0 = "ttnn.zeros"() <{shape = #ttnn.shape<32x32>}> : () -> tensor<32x32xf32, #rows>
  // CHECK-NEXT: ttnn_full_0 = ttnn.full(shape=[32, 32], fill_value=0.5, dtype=ttnn.DataType.FLOAT32, layout=ttnn.Layout.TILE, device=[[D]], memory_config=
  %1 = "ttnn.full"(%d) <{shape = #ttnn.shape<32x32>, fill_value = 5.000000e-01 : f32}> : (!ttnn.device) -> !t
  return %1 : !t
}

#long = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// CHECK-LABEL: def padded(arg):
func.func @padded(%a: !t) -> tensor<34x32xf32, #long> {
  // CHECK-NEXT: ttnn_pad_0 = ttnn.pad(arg, {{\[}}[1, 1], [0, 0]], float('-inf'), use_multicore=True, memory_config=
  %0 = "ttnn.pad"(%a) <{padding = array<i32: 1, 1, 0, 0>, value = 0xFF800000 : f32, use_multicore = true}> : (!t) -> tensor<34x32xf32, #long>
  return %0 : tensor<34x32xf32, #long>
}

// Cores of a sharded tensor, and what each holds.
// CHECK-LABEL: def sharded(arg):
func.func @sharded(%a: !t) -> tensor<64x32xf32, #wide> {
  // CHECK: = ttnn.concat({{.*}}, 0, memory_config=ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 1))]), [32, 32], ttnn.ShardOrientation.ROW_MAJOR)))
  %0 = "ttnn.concat"(%a, %a) <{dim = 0 : si32}> : (!t, !t) -> tensor<64x32xf32, #wide>
  return %0 : tensor<64x32xf32, #wide>
}
