// Programs of TTNN as C++: what functions are called, with arguments by position.
// RUN: ttmlir-opt --convert-ttnn-to-emitc %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: c++ -std=c++20 -fsyntax-only -I %S/Inputs %t.cpp

#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#host = #ttnn.buffer_type<system_memory>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#two = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#wide = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (0,1)>]>>
#ints = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #host>>
#host_tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #host>>
#host_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #host>>
!t = tensor<32x32xf32, #tiles>

// CHECK: #include "ttnn-precompiled.hpp"
// CHECK-LABEL: ::ttnn::Tensor unary(::ttnn::Tensor v1) {
func.func @unary(%a: !t) -> !t {
  // CHECK-NEXT: v2 = ttnn::exp(v1, false, ::ttnn::MemoryConfig{::ttnn::TensorMemoryLayout::INTERLEAVED, ::ttnn::BufferType::DRAM, ::std::nullopt});
  %0 = "ttnn.exp"(%a) : (!t) -> !t
  // CHECK-NEXT: v3 = ttnn::leaky_relu(v2, 0.01f, ::ttnn::MemoryConfig{
  %1 = "ttnn.leaky_relu"(%0) <{parameter = 1.000000e-02 : f32}> : (!t) -> !t
  // CHECK-NEXT: v4 = ttnn::clamp(v3, -1.0f, ::std::numeric_limits<float>::infinity(), ::ttnn
  %2 = "ttnn.clamp_scalar"(%1) <{min = -1.000000e+00 : f32, max = 0x7F800000 : f32}> : (!t) -> !t
  // CHECK-NEXT: v5 = ttnn::sigmoid(v4, 4, ::ttnn::operations::unary::SigmoidMode::ACCURATE, ::ttnn
  %3 = "ttnn.sigmoid"(%2) : (!t) -> !t
  return %3 : !t
}

// A list of operands; vectors and spans of integers; a string for how values are combined.
// CHECK-LABEL: shapes(
func.func @shapes(%a: !t, %b: !t, %i: tensor<32x32xsi32, #ints>) -> !t {
  // CHECK: [[LIST:v[0-9]+]] = util_create_vec(v1, v2);
  // CHECK-NEXT: [[BOTH:v[0-9]+]] = ttnn::concat([[LIST]], 0, ::ttnn
  %0 = "ttnn.concat"(%a, %b) <{dim = 0 : si32}> : (!t, !t) -> tensor<64x32xf32, #two>
  // CHECK-NEXT: ::ttsl::SmallVector<int32_t> [[FROM:v[0-9]+]] = ::ttsl::SmallVector<int32_t>{16, 0};
  // CHECK-NEXT: ::ttsl::Span<const int32_t> [[BEGIN:v[0-9]+]] = ttsl::make_const_span([[FROM]]);
  // CHECK: ttnn::slice([[BOTH]], [[BEGIN]], {{v[0-9]+}}, {{v[0-9]+}}, ::ttnn
  %1 = "ttnn.slice_static"(%0) <{begins = [16 : i32, 0 : i32], ends = [48 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<64x32xf32, #two>) -> !t
  // CHECK-NEXT: ttnn::permute({{v[0-9]+}}, ::ttsl::SmallVector<int64_t>{1, 0}, ::ttnn::MemoryConfig{{.*}}, 0.0);
  %2 = "ttnn.permute"(%1) <{permutation = array<i64: 1, 0>}> : (!t) -> !t
  // CHECK-NEXT: ttnn::scatter({{v[0-9]+}}, -1, v3, v2, ::ttnn::MemoryConfig{{.*}}, "add", ::std::nullopt);
  %3 = "ttnn.scatter"(%2, %i, %b) <{dim = -1 : si32, scatter_reduce_type = #ttcore.reduce_type<sum>}> : (!t, tensor<32x32xsi32, #ints>, !t) -> !t
  // CHECK-NEXT: ttnn::pad({{v[0-9]+}}, ::ttsl::SmallVector<::std::array<uint32_t, 2>>{::std::array<uint32_t, 2>{0, 32}, ::std::array<uint32_t, 2>{0, 0}}, 1.5f, true, ::ttnn
  %4 = "ttnn.pad"(%3) <{padding = array<i32: 0, 32, 0, 0>, value = 1.500000e+00 : f32, use_multicore = true}> : (!t) -> tensor<64x32xf32, #two>
  // CHECK-NEXT: ttnn::sum({{v[0-9]+}}, ::ttsl::SmallVector<int32_t>{0}, true, {{.*}}, ::std::nullopt);
  %5 = "ttnn.sum"(%4) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<64x32xf32, #two>) -> tensor<1x32xf32, #tiles>
  // CHECK-NEXT: ttnn::reshape({{v[0-9]+}}, ::std::vector<int32_t>{32, 1}, ::ttnn
  %6 = "ttnn.reshape"(%5) <{shape = [32 : i32, 1 : i32]}> : (tensor<1x32xf32, #tiles>) -> tensor<32x1xf32, #tiles>
  // CHECK-NEXT: ttnn::repeat({{v[0-9]+}}, ::ttnn::Shape({1, 32}));
  %7 = "ttnn.repeat"(%6) <{repeat_dims = #ttnn.shape<1x32>}> : (tensor<32x1xf32, #tiles>) -> !t
  return %7 : !t
}

// Memory: of the host, sharded over cores, and elements as constants.
// CHECK-LABEL: memory(
func.func @memory() -> (tensor<64x32xf32, #wide>, !t) {
  // CHECK: [[DEVICE:v[0-9]+]] = ttnn::DeviceGetter::getInstance();
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  // CHECK-NEXT: [[MAYBE:v[0-9]+]] = *[[DEVICE]];
  // CHECK-NEXT: ttnn::full(::ttnn::Shape({64, 32}), 2.5f, ::ttnn::DataType::FLOAT32, ::ttnn::Layout::TILE, [[MAYBE]], ::ttnn
  %0 = "ttnn.full"(%d) <{shape = #ttnn.shape<64x32>, fill_value = 2.500000e+00 : f32}> : (!ttnn.device) -> tensor<64x32xf32, #two>
  // CHECK-NEXT: ttnn::to_memory_config({{v[0-9]+}}, ::ttnn::MemoryConfig{::ttnn::TensorMemoryLayout::HEIGHT_SHARDED, ::ttnn::BufferType::L1, ::ttnn::ShardSpec{::ttnn::CoreRangeSet{::std::vector<::ttnn::CoreRange>{::ttnn::CoreRange{::ttnn::CoreCoord{0, 0}, ::ttnn::CoreCoord{0, 1}}}}, ::std::array<uint32_t, 2>{32, 32}, ::ttnn::types::ShardOrientation::ROW_MAJOR}});
  %1 = "ttnn.to_memory_config"(%0) : (tensor<64x32xf32, #two>) -> tensor<64x32xf32, #wide>
  // CHECK-NEXT: ::ttnn::Tensor::from_vector(::std::vector<float>{1.0f, -0.5f}, ::ttnn::TensorSpec(::ttnn::Shape({1, 2}), ::ttnn::TensorLayout(::ttnn::DataType::FLOAT32, ::ttnn::PageConfig(::ttnn::Layout::TILE), ::ttnn::MemoryConfig{{.*}})), [[DEVICE]]);
  %2 = "ttnn.constant"(%d) <{value = dense<[[1.0, -0.5]]> : tensor<1x2xf32>}> : (!ttnn.device) -> tensor<1x2xf32, #tiles>
  // CHECK: ttnn::rand(::ttnn::Shape({32, 32}), {{v[0-9]+}}, ::ttnn::DataType::FLOAT32, ::ttnn::Layout::TILE, {{.*}}, 0.0f, 1.0f, 7);
  %3 = "ttnn.rand"(%d) <{size = #ttnn.shape<32x32>, low = 0.0 : f32, high = 1.0 : f32, seed = 7 : ui32}> : (!ttnn.device) -> !t
  // The same data type is not repeated; another one is emitted.
  // CHECK-NEXT: [[HOST:v[0-9]+]] = ttnn::from_device({{v[0-9]+}});
  %4 = "ttnn.from_device"(%3) : (!t) -> tensor<32x32xf32, #rows>
  // CHECK-NEXT: ttnn::to_layout([[HOST]], ::ttnn::Layout::TILE, ::std::nullopt, ::std::nullopt);
  %5 = "ttnn.to_layout"(%4) : (tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #host_tiles>
  // CHECK-NEXT: ttnn::to_layout([[HOST]], ::ttnn::Layout::TILE, ::ttnn::DataType::BFLOAT16, ::std::nullopt);
  %6 = "ttnn.to_layout"(%4) : (tensor<32x32xf32, #rows>) -> tensor<32x32xbf16, #host_bf16>
  return %1, %3 : tensor<64x32xf32, #wide>, !t
}

// Several results in one; a configuration by its fields.
// CHECK-LABEL: results(
func.func @results(%a: !t, %b: !t) -> (!t, !t) {
  // CHECK: ::std::vector<::ttnn::Tensor> [[SORTED:v[0-9]+]] = ttnn::sort(v1, -1, true, false, ::ttnn
  // CHECK-NEXT: ::ttnn::Tensor [[VALUES:v[0-9]+]] = [[SORTED]][0];
  %0, %1 = "ttnn.sort"(%a) <{dim = -1 : si8, descending = true, stable = false}> : (!t) -> (!t, tensor<32x32xsi32, #ints>)
  // CHECK: ttnn::matmul([[VALUES]], v2, false, true, ::ttnn::MemoryConfig{{.*}}, ::ttnn::DataType::FLOAT32, ::std::nullopt, "relu", ::ttnn::WormholeComputeKernelConfig{.math_fidelity = ::tt::tt_metal::MathFidelity::HiFi4, .fp32_dest_acc_en = true});
  %2 = "ttnn.matmul"(%0, %b) <{transpose_a = false, transpose_b = true, activation = "relu", compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>}> : (!t, !t) -> !t
  // CHECK: return std::make_tuple(
  return %2, %0 : !t, !t
}
