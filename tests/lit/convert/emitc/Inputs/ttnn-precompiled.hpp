// What generated C++ needs of ttnn to be checked by a compiler: types with their members, and
// functions that take anything where nothing else is known of them.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace tt::tt_metal {
enum class MathFidelity { LoFi, HiFi2, HiFi3, HiFi4 };
struct SubDeviceId { int id; };
struct CoreCoord { uint64_t x, y; };
} // namespace tt::tt_metal
namespace tt::tt_fabric {
enum class Topology { Ring, Linear };
}
namespace ttsl {
template <class T> struct SmallVector : std::vector<T> { using std::vector<T>::vector; };
template <class T> struct Span {
  Span(std::initializer_list<uint32_t>) {}
  Span(const std::vector<int32_t> &) {}
};
inline Span<const int32_t> make_const_span(const SmallVector<int32_t> &v) { return v; }
} // namespace ttsl

namespace ttnn {
enum class DataType { FLOAT32, BFLOAT16, BFLOAT8_B, BFLOAT4_B, UINT32, UINT16, UINT8, INT32 };
enum class Layout { ROW_MAJOR, TILE };
enum class BufferType { DRAM, L1, L1_SMALL, TRACE };
enum class TensorMemoryLayout { INTERLEAVED, HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED };
namespace types {
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
}
struct Shape { explicit Shape(std::initializer_list<uint32_t>) {} };
using CoreCoord = tt::tt_metal::CoreCoord;
struct CoreRange { CoreCoord start, end; };
struct CoreRangeSet { std::vector<CoreRange> ranges; };
struct ShardSpec {
  CoreRangeSet grid;
  std::array<uint32_t, 2> shape;
  types::ShardOrientation orientation;
};
struct MemoryConfig {
  TensorMemoryLayout layout{};
  BufferType buffer{};
  std::optional<ShardSpec> shard;
};
struct PageConfig { explicit PageConfig(Layout) {} };
struct TensorLayout { TensorLayout(DataType, PageConfig, MemoryConfig) {} };
struct TensorSpec { TensorSpec(Shape, TensorLayout) {} };
struct QueueId { explicit QueueId(uint8_t) {} };
struct MeshCoordinate { explicit MeshCoordinate(ttsl::Span<const uint32_t>) {} };
struct GlobalSemaphore {};
struct MeshTraceId { uint32_t id; };
namespace distributed {
struct MeshDevice {
  MeshDevice(const MeshDevice &) = delete;
};
} // namespace distributed
struct Tensor {
  template <class T>
  static Tensor from_vector(const std::vector<T> &, const TensorSpec &,
                            distributed::MeshDevice * = nullptr) { return {}; }
};
struct DeviceGetter { static distributed::MeshDevice *getInstance(); };

struct WormholeComputeKernelConfig {
  tt::tt_metal::MathFidelity math_fidelity{};
  bool math_approx_mode{}, fp32_dest_acc_en{}, packer_l1_acc{}, dst_full_sync_en{};
};
struct Conv2dSliceConfig {
  enum class SliceType { DRAM_HEIGHT, DRAM_WIDTH, L1_FULL };
  SliceType slice_type;
  uint32_t num_slices;
};
namespace operations::unary {
enum class SigmoidMode { ACCURATE };
enum class UnaryOpType { RELU, GELU, SILU, RELU6 };
struct UnaryWithParam {
  explicit UnaryWithParam(UnaryOpType, std::vector<float> = {}) {}
};
namespace utils {
UnaryWithParam string_to_unary_with_param(const std::string &);
}
} // namespace operations::unary
struct Conv2dConfig {
  std::optional<DataType> weights_dtype;
  std::optional<operations::unary::UnaryWithParam> activation;
  bool deallocate_activation{}, reallocate_halo_output{};
  uint32_t act_block_h_override{}, act_block_w_div{};
  bool reshard_if_not_optimal{}, override_sharding_config{};
  std::optional<TensorMemoryLayout> shard_layout;
  std::optional<CoreRangeSet> core_grid;
  bool transpose_shards{};
  Layout output_layout{};
  bool enable_act_double_buffer{}, enable_weights_double_buffer{};
  bool enable_kernel_stride_folding{}, config_tensors_in_dram{};
};
namespace operations::transformer {
struct SDPAProgramConfig {
  CoreCoord compute_with_storage_grid_size;
  std::optional<CoreRangeSet> sub_core_grids;
  uint32_t q_chunk_size{}, k_chunk_size{};
  std::optional<bool> exp_approx_mode;
  uint32_t max_cores_per_head_batch{};
};
} // namespace operations::transformer
namespace operations::matmul {
struct MatmulMultiCoreReuseMultiCast1DProgramConfig {
  CoreCoord compute_with_storage_grid_size;
  size_t in0_block_w, out_subblock_h, out_subblock_w, out_block_h, out_block_w, per_core_M,
      per_core_N;
  bool fuse_batch;
  std::optional<operations::unary::UnaryWithParam> fused_activation;
  bool mcast_in0, gather_in0;
  size_t num_global_cb_receivers;
  bool untilize_out;
};
} // namespace operations::matmul
namespace prim {
struct LayerNormShardedMultiCoreProgramConfig {
  CoreCoord compute_with_storage_grid_size;
  size_t subblock_w, block_h, block_w;
  bool inplace;
};
enum class EmbeddingsType { GENERIC };
} // namespace prim

using Tensors = std::vector<Tensor>;
using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;
using Convolution = std::variant<Tensor, std::tuple<Tensor, uint32_t>>;

#define GIVES(type, name)                                                                  \
  template <class... A> type name(const A &...);
#define TENSOR(name) GIVES(Tensor, name)
TENSOR(abs) TENSOR(acos) TENSOR(asin) TENSOR(asinh) TENSOR(atan) TENSOR(bitwise_not)
TENSOR(cbrt) TENSOR(ceil) TENSOR(cos) TENSOR(erfc) TENSOR(expm1) TENSOR(floor)
TENSOR(hardsigmoid) TENSOR(isfinite) TENSOR(logical_not) TENSOR(mish) TENSOR(neg)
TENSOR(reciprocal) TENSOR(relu) TENSOR(relu6) TENSOR(sign) TENSOR(silu) TENSOR(sin) TENSOR(tan)
TENSOR(erf) TENSOR(exp) TENSOR(gelu) TENSOR(log) TENSOR(log1p) TENSOR(rsqrt) TENSOR(sqrt)
TENSOR(tanh) TENSOR(leaky_relu) TENSOR(sigmoid) TENSOR(clamp) TENSOR(add) TENSOR(divide)
TENSOR(eq) TENSOR(ge) TENSOR(gt) TENSOR(le) TENSOR(lt) TENSOR(logical_and) TENSOR(logical_or)
TENSOR(logical_right_shift) TENSOR(logical_xor) TENSOR(multiply) TENSOR(ne) TENSOR(subtract)
TENSOR(atan2) TENSOR(bitwise_and) TENSOR(bitwise_or) TENSOR(bitwise_xor)
TENSOR(logical_left_shift) TENSOR(maximum) TENSOR(minimum) TENSOR(remainder) TENSOR(pow)
TENSOR(where) TENSOR(quantize) TENSOR(dequantize) TENSOR(requantize) TENSOR(matmul)
TENSOR(linear) TENSOR(sparse_matmul) TENSOR(softmax) TENSOR(max) TENSOR(mean) TENSOR(min)
TENSOR(sum) TENSOR(cumsum) TENSOR(cumprod) TENSOR(prod) TENSOR(argmax) TENSOR(sampling)
TENSOR(concat) TENSOR(gather) TENSOR(pad) TENSOR(permute) TENSOR(repeat)
TENSOR(repeat_interleave) TENSOR(reshape) TENSOR(scatter) TENSOR(slice) TENSOR(transpose)
TENSOR(embedding) TENSOR(embedding_bw) TENSOR(arange) TENSOR(empty) TENSOR(full) TENSOR(ones)
TENSOR(zeros) TENSOR(rand) TENSOR(loadTensor) TENSOR(from_device) TENSOR(to_device)
TENSOR(to_layout) TENSOR(to_memory_config) TENSOR(typecast) TENSOR(assign) TENSOR(avg_pool2d)
TENSOR(upsample) TENSOR(batch_norm) TENSOR(rms_norm) TENSOR(rms_norm_pre_all_gather)
TENSOR(fused_rms_minimal) TENSOR(layer_norm) TENSOR(layer_norm_pre_all_gather)
TENSOR(layer_norm_post_all_gather) TENSOR(group_norm) TENSOR(all_gather) TENSOR(all_reduce)
TENSOR(reduce_scatter) TENSOR(mesh_partition) TENSOR(point_to_point) TENSOR(all_to_all_combine)
GIVES(void, deallocate) GIVES(void, dump_tensor_flatbuffer) GIVES(void, copy)
GIVES(void, copy_to_device) GIVES(void, fill_cache) GIVES(void, update_cache)
GIVES(int32_t, getScalarFromTensor)
GIVES(Tensors, max_pool2d) GIVES(Tensors, sort) GIVES(Tensors, topk)
GIVES(Tensors, moe_expert_token_remap)
GIVES(Convolution, conv1d) GIVES(Convolution, conv2d) GIVES(Convolution, conv_transpose2d)
GIVES(Triple, nlp_create_qkv_heads_decode_wrapper)
template <class... A> std::array<Tensor, 2> all_to_all_dispatch(const A &...);
namespace experimental {
TENSOR(gelu_bw) TENSOR(dropout) TENSOR(conv3d) TENSOR(dit_rms_norm_unary_fused)
TENSOR(nlp_concat_heads) TENSOR(nlp_concat_heads_decode) TENSOR(rotary_embedding)
TENSOR(rotary_embedding_llama) TENSOR(all_reduce_async) TENSOR(indexer_score_dsa)
GIVES(void, paged_update_cache) GIVES(void, paged_fill_cache) GIVES(Pair, topk_router_gpt)
GIVES(Tensors, moe_gpt)
template <class... A> std::array<Tensor, 3> all_to_all_dispatch_metadata(const A &...);
namespace prim {
struct Conv3dConfig {
  DataType weights_dtype;
  uint32_t T_out_block, W_out_block, H_out_block, C_out_block, C_in_block;
  CoreCoord compute_with_storage_grid_size;
};
} // namespace prim
} // namespace experimental
namespace transformer {
TENSOR(concatenate_heads) TENSOR(scaled_dot_product_attention)
TENSOR(scaled_dot_product_attention_decode) TENSOR(paged_scaled_dot_product_attention_decode)
TENSOR(chunked_scaled_dot_product_attention) TENSOR(flash_mla_prefill)
TENSOR(paged_flash_multi_latent_attention_decode)
GIVES(Triple, split_query_key_value_and_split_heads)
} // namespace transformer
namespace operations {
namespace experimental::indexer_score {
struct IndexerScoreProgramConfig {};
}
namespace conv::conv2d { TENSOR(prepare_conv_weights) TENSOR(prepare_conv_bias) }
namespace conv::conv_transpose2d {
TENSOR(prepare_conv_transpose2d_weights) TENSOR(prepare_conv_transpose2d_bias)
}
namespace experimental::conv3d { TENSOR(prepare_conv3d_weights) }
namespace trace {
GIVES(MeshTraceId, begin_trace_capture) GIVES(void, end_trace_capture)
GIVES(void, execute_trace)
} // namespace trace
} // namespace operations
namespace global_semaphore {
GIVES(GlobalSemaphore, create_global_semaphore) GIVES(void, reset_global_semaphore_value)
}
void constEvalFuncWrapper(std::function<Tensors(Tensors)>, const Tensors &, Tensors *);
void constEvalFuncWrapperZeroArg(std::function<Tensors()>, Tensors *);
} // namespace ttnn
namespace ttmlir::standalone {
template <class... A> ttnn::Tensor global_avg_pool2d(const A &...);
}
namespace ttml::metal {
enum class StochasticRounding { Disabled, Enabled };
enum class AttentionMaskType { None, Causal, Arbitrary };
template <class... A> void adamw(const A &...);
template <class... A> std::vector<std::optional<ttnn::Tensor>> sdpa_fw(const A &...);
template <class... A> ttnn::Triple sdpa_bw(const A &...);
} // namespace ttml::metal

template <class... T> ttnn::Tensors util_create_vec(T &&...t) { return {t...}; }
inline ttnn::Tensor util_get_optional_value(std::optional<ttnn::Tensor> t) { return *t; }
namespace ttir_cpu {
std::vector<ttnn::Tensor> call(const char *, const std::vector<ttnn::Tensor> &);
}
