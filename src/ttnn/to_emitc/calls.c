/* calls.c: which function of ttnn an operation calls, and with what.
 *
 * Facts: signatures of ttnn's functions in C++, by position,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ and the headers they come from */
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/ttnn.h"

#define CALLS(id, callee_, results_, args_)                                                \
    {                                                                                      \
        .def = TTNN_OP(id), .callee = callee_, .args = args_, .results = results_          \
    }
#define CALL(id, callee, args) CALLS(id, callee, CPP_TENSOR, args)
#define NONE "'::std::nullopt"
#define NO "'false"
#define YES "'true"
#define CALL_UNARY(id) CALL(id, NULL, "input, @memory")
#define CALL_FAST(id) CALL(id, NULL, "input, " NO ", @memory")
#define CALL_BINARY(id) CALL(id, NULL, "lhs, rhs, @dtype, @memory")
#define CALL_COMPOSITE(id) CALL(id, NULL, "lhs, rhs, @memory")
#define CALL_COMPOSITE_DTYPE(id) CALL(id, NULL, "lhs, rhs, " NONE ", @memory")
#define REDUCE(id) CALL(id, NULL, "input, i32s:dim_arg, keep_dim, @memory, compute_config")
#define RUNNING(id) CALL(id, NULL, "input, dim, @dtype, " NO ", " NONE ", @memory")
#define FILLED(id) CALL(id, NULL, "shape, @dtype, @layout, maybe:device, @memory")
#define QUANTIZE(id) CALL(id, NULL, "input, scale, zero_point, axis, output_dtype, @memory")
#define CONVOLUTION_SIZES                                                                  \
    "in_channels, out_channels, batch_size, input_height, input_width, u2:kernel_size, "   \
    "u2:stride, "
#define PREPARED                                                                           \
    "groups, device, input_dtype, output_dtype, conv2d_config, compute_config, "
#define POOL                                                                               \
    "input, batch_size, input_height, input_width, channels, u2:kernel_size, u2:stride, "  \
    "pool:padding, "
#define MAX_POOL(indices)                                                                  \
    POOL "u2:dilation, ceil_mode, @memory, " NONE ", applied_shard_scheme, " NO            \
         ", reallocate_halo_output, " indices                                              \
         ", @dtype, '::ttnn::Layout::ROW_MAJOR, config_tensors_in_dram"

#define CALL_MISH(id) CALL_FAST(id)
#define CALL_TANH(id) CALL(id, NULL, "input, @memory, " NONE ", " NO)
#define CALL_LEAKY_RELU(id) CALL(id, NULL, "input, parameter, @memory")
/* 4: both halves of a tile's faces */
#define CALL_SIGMOID(id)                                                                   \
    CALL(id, NULL, "input, '4, '::ttnn::operations::unary::SigmoidMode::ACCURATE, @memory")
#define CALL_CLAMP_SCALAR(id) CALL(id, "ttnn::clamp", "input, min, max, @memory")
#define CALL_CLAMP_TENSOR(id) CALL(id, "ttnn::clamp", "input, min, max, @memory")
#define CALL_GELU_BW(id)                                                                   \
    CALL(id, "ttnn::experimental::gelu_bw", "lhs, rhs, approximate, @memory")
#define CALL_POW_TENSOR(id) CALL(id, "ttnn::pow", "lhs, rhs, " NONE ", @memory")
#define CALL_POW_SCALAR(id) CALL(id, "ttnn::pow", "lhs, rhs, @memory")
#define CALL_WHERE(id) CALL(id, NULL, "first, second, third, @memory")

const ttnn_call_row cpp_calls[] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, ...) CALL_##call(ttnn),
#include "ttnn/elementwise.def"
    REDUCE(max),
    REDUCE(mean),
    REDUCE(min),
    REDUCE(sum),
    FILLED(ones),
    FILLED(zeros),
    QUANTIZE(quantize),
    QUANTIZE(dequantize),
    CALL(requantize, NULL,
         "input, in_scale, in_zero_point, out_scale, out_zero_point, axis, output_dtype, "
         "@memory"),

    CALL(matmul, NULL,
         "a, b, transpose_a, transpose_b, @memory, @dtype, " NONE
         ", activation, compute_config"),
    CALL(linear, NULL,
         "a, b, bias, transpose_a, transpose_b, @memory, @dtype, " NONE
         ", activation, compute_config"),
    CALL(sparse_matmul, NULL,
         "a, b, sparsity, program_config, nnz, is_input_a_sparse, is_input_b_sparse, "
         "@memory, @dtype, compute_config"),
    CALL(softmax, NULL, "input, dimension, @memory, compute_config, numericStable"),
    RUNNING(cumsum),
    RUNNING(cumprod),
    CALL(prod, NULL, "input, dim_arg, keep_dim, @memory"),
    CALL(argmax, NULL, "input, dim, keep_dim, " NONE ", @memory"),
    CALLS(topk, NULL, CPP_VECTOR, "input_tensor, k, dim, largest, sorted, @memory"),
    CALLS(topk_router_gpt, "ttnn::experimental::topk_router_gpt", CPP_TUPLE,
          "input, weight, bias, k, num_experts"),
    CALLS(sort, NULL, CPP_VECTOR, "input, dim, descending, stable, @memory"),
    CALL(sampling, NULL, "input_values, input_indices, k, p, temp, seed"),

    CALL(concat, NULL, "inputs, dim, @memory"),
    CALL(gather, NULL, "input, dim, index, " NO ", @memory, " NONE ", " NONE),
    CALL(pad, NULL, "input, pairs:padding, value, use_multicore, @memory"),
    CALL(permute, NULL, "input, i64s:permutation, @memory, pad_value"),
    CALL(repeat, NULL, "input, repeat_dims"),
    CALL(repeat_interleave, NULL, "input, repeats, dim, @memory"),
    CALL(reshape, NULL, "input, i32v:shape, @memory"),
    CALL(scatter, NULL, "input, dim, index, source, @memory, scatter_reduce_type, " NONE),
    CALL(slice_dynamic, "ttnn::slice", "input, begins, ends, " NONE ", @memory"),
    CALL(slice_static, "ttnn::slice", "input, span:begins, span:ends, span:step, @memory"),
    CALL(transpose, NULL, "input, dim0, dim1, @memory"),
    CALL(embedding, NULL,
         "input, weight, " NONE
         ", @layout, '::ttnn::prim::EmbeddingsType::GENERIC, @dtype, @memory"),
    CALL(embedding_bw, NULL, "input, weight, in_gradient, @dtype, @memory"),

    CALL(arange, NULL, "start, end, step, @dtype, maybe:device, @memory, @layout"),
    CALL(empty, NULL, "shape, @dtype, @layout, device, @memory"),
    CALL(full, NULL, "shape, fill_value, @dtype, @layout, maybe:device, @memory"),
    CALL(constant, "::ttnn::Tensor::from_vector", "value, @spec, device"),
    CALL(rand, NULL, "size, ref:device, @dtype, @layout, @memory, low, high, seed"),
    CALL(dropout, "ttnn::experimental::dropout",
         "input, prob, scale, seed, use_per_device_seed"),

    CALL(deallocate, NULL, "input, force"),
    CALL(load_tensor, "ttnn::loadTensor", "file_path, @layout, @dtype, device, @memory"),
    CALL(dump_tensor, "::ttnn::dump_tensor_flatbuffer", "file_path, input"),
    CALL(from_device, NULL, "input"),
    CALL(to_device, NULL, "input, device, @memory"),
    CALL(to_layout, NULL, "input, @layout, @retype, @memory"),
    CALL(to_memory_config, NULL, "input, @memory"),
    CALL(typecast, NULL, "input, @dtype, @memory"),
    CALL(assign, NULL, "input, @memory, @dtype"),
    CALL(copy, NULL, "src, dst"),
    CALL(write_tensor, "ttnn::copy_to_device", "host_tensor, device_tensor, queue:cq_id"),
    CALL(get_device, "ttnn::DeviceGetter::getInstance", ""),
    CALL(create_global_semaphore, "ttnn::global_semaphore::create_global_semaphore",
         "device, core_range_set, initial_value"),
    CALL(reset_global_semaphore, "ttnn::global_semaphore::reset_global_semaphore_value",
         "semaphore, value"),
    CALL(begin_trace_capture, "ttnn::operations::trace::begin_trace_capture",
         "device, queue:cq_id"),
    CALL(end_trace_capture, "ttnn::operations::trace::end_trace_capture",
         "device, trace_id, queue:cq_id"),
    CALL(execute_trace, "ttnn::operations::trace::execute_trace",
         "device, trace_id, queue:cq_id, blocking"),

    CALL(avg_pool2d, NULL,
         POOL "ceil_mode, count_include_pad, " NONE ", @memory, " NONE
              ", applied_shard_scheme, " NONE ", " NO ", reallocate_halo_output"),
    CALLS(max_pool2d, NULL, CPP_VECTOR, MAX_POOL(NO)),
    CALLS(max_pool2d_with_indices, "ttnn::max_pool2d", CPP_VECTOR, MAX_POOL(YES)),
    CALL(global_avg_pool2d, "ttmlir::standalone::global_avg_pool2d",
         "input, @memory, " NONE),
    CALL(upsample, NULL, "input, u12:scale_factor, mode, @memory"),
    CALLS(conv1d, NULL, CPP_FIRST,
          "input, weight, device, in_channels, out_channels, batch_size, input_length, "
          "kernel_size, stride, u2:padding, dilation, groups, @dtype, bias, "
          "conv2d_config, compute_config, @memory, conv2d_slice_config, " NO ", " NO),
    CALLS(conv2d, NULL, CPP_FIRST,
          "input, weight, device, " CONVOLUTION_SIZES
          "u24:padding, u2:dilation, groups, @dtype, bias, conv2d_config, "
          "compute_config, @memory, conv2d_slice_config"),
    CALLS(conv_transpose2d, NULL, CPP_FIRST,
          "input, weight, device, " CONVOLUTION_SIZES
          "u2:padding, u2:output_padding, u2:dilation, groups, @dtype, bias, "
          "conv2d_config, compute_config, @memory, conv2d_slice_config"),
    CALL(conv3d, "ttnn::experimental::conv3d",
         "input, weight, device, bias, conv3d:conv3d_config, @dtype, out_channels, "
         "u3:kernel_size, u3:stride, u3:padding, '::std::array<uint32_t, 3>{1, 1, 1}, "
         "padding_mode, groups, @memory, compute_config"),
    CALL(prepare_conv2d_weights, "ttnn::operations::conv::conv2d::prepare_conv_weights",
         "weight_tensor, input_memory_config, input_tensor_layout, "
         "weights_format, " CONVOLUTION_SIZES
         "u24:padding, u2:dilation, has_bias, " PREPARED "conv2d_slice_config"),
    CALL(prepare_conv2d_bias, "ttnn::operations::conv::conv2d::prepare_conv_bias",
         "bias_tensor, input_memory_config, input_tensor_layout, " CONVOLUTION_SIZES
         "u24:padding, u2:dilation, " PREPARED "conv2d_slice_config"),
    CALL(prepare_conv3d_weights,
         "ttnn::operations::experimental::conv3d::prepare_conv3d_weights",
         "weight_tensor, groups, c_in_block, alignment, device"),
    CALL(prepare_conv_transpose2d_weights,
         "ttnn::operations::conv::conv_transpose2d::prepare_conv_transpose2d_weights",
         "weight_tensor, input_memory_config, input_tensor_layout, "
         "weights_format, " CONVOLUTION_SIZES
         "u24:padding, u2:output_padding, u2:dilation, has_bias, " PREPARED
         "mirror_kernel, conv2d_slice_config"),
    CALL(prepare_conv_transpose2d_bias,
         "ttnn::operations::conv::conv_transpose2d::prepare_conv_transpose2d_bias",
         "bias_tensor, input_memory_config, input_tensor_layout, " CONVOLUTION_SIZES
         "u24:padding, u2:dilation, " PREPARED "conv2d_slice_config"),

    CALL(batch_norm_inference, "ttnn::batch_norm",
         "input, running_mean, running_var, " NO ", epsilon, '0.1f, weight, bias, " NONE
         ", @memory, compute_config"),
    CALL(batch_norm_training, "ttnn::batch_norm",
         "input, running_mean, running_var, " YES ", epsilon, momentum, weight, bias, " NONE
         ", @memory, compute_config"),
    CALL(rms_norm, NULL,
         "input, epsilon, weight, bias, " NONE ", @memory, " NONE ", compute_config"),
    CALL(rms_norm_pre_all_gather, NULL,
         "input, @dtype, residual, compute_config, program_config, @memory, "
         "use_2d_core_grid, " NO),
    CALL(dit_rms_norm_unary_fused, "::ttnn::experimental::dit_rms_norm_unary_fused",
         "input, epsilon, weight, bias, residual_input, @memory, " NONE
         ", compute_config, fused:activation"),
    CALL(distributed_rms_norm, "::ttnn::fused_rms_minimal",
         "input, program_config, cluster_axis, ref:device, semaphore, " NONE
         ", num_links, line:topology, sub:sub_device_id, " NONE
         ", compute_config, @memory, residual, epsilon, weight, stats"),
    CALL(layer_norm, NULL, "input, epsilon, weight, bias, " NONE ", @memory, " NONE),
    CALL(layer_norm_pre_all_gather, NULL,
         "input, @dtype, residual_input, compute_config, program_config, @memory, "
         "recip, " NO),
    CALL(layer_norm_post_all_gather, NULL,
         "input, stats, epsilon, weight, bias, @memory, compute_config, program_config, "
         "@dtype"),
    CALL(group_norm, NULL,
         "input, num_groups, epsilon, input_mask, weight, bias, " NONE ", @memory, " NONE
         ", " NONE ", " NONE ", " NONE ", " NONE),
    CALL(adamw, "ttml::metal::adamw",
         "param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, beta1_pow, "
         "beta2_pow, epsilon, weight_decay, rounding:stochastic_rounding"),

    CALL(fill_cache, NULL, "cache, input, batch_offset"),
    CALL(update_cache, NULL, "cache, input, scalar:update_index, batch_offset"),
    CALL(paged_update_cache, "ttnn::experimental::paged_update_cache",
         "cache, input, 'std::vector<uint32_t>(), update_index, share_cache, page_table, "
         "'0, " NONE ", " NONE),
    CALL(paged_fill_cache, "ttnn::experimental::paged_fill_cache",
         "cache, input, page_table, batch_idx_tensor, '0, " NONE ", " NONE),
    CALL(concatenate_heads, "ttnn::transformer::concatenate_heads", "input, @memory"),
    CALL(nlp_concat_heads, "ttnn::experimental::nlp_concat_heads", "input, @memory"),
    CALL(nlp_concat_heads_decode, "ttnn::experimental::nlp_concat_heads_decode",
         "input, num_heads, @memory"),
    CALLS(nlp_create_qkv_heads_decode, "ttnn::nlp_create_qkv_heads_decode_wrapper",
          CPP_TUPLE,
          "input, num_heads, num_kv_heads, overlap_qk_coregrid, batch_offset, slice_size, "
          "@memory"),
    CALLS(split_query_key_value_and_split_heads,
          "ttnn::transformer::split_query_key_value_and_split_heads", CPP_TUPLE,
          "input_tensor, kv_input_tensor, num_heads, num_kv_heads, transpose_key, @memory"),
    CALL(rotary_embedding, "ttnn::experimental::rotary_embedding",
         "input, cos_cache, sin_cache, token_index, @memory"),
    CALL(rotary_embedding_llama, "ttnn::experimental::rotary_embedding_llama",
         "input, cos_cache, sin_cache, trans_mat, is_decode_mode, @memory"),
    CALL(scaled_dot_product_attention, "ttnn::transformer::scaled_dot_product_attention",
         "query, key, value, attention_mask, is_causal, scale, sliding_window_size, "
         "@memory"),
    CALL(scaled_dot_product_attention_decode,
         "ttnn::transformer::scaled_dot_product_attention_decode",
         "query, key, value, is_causal, attention_mask, 'std::vector<uint32_t>(), "
         "cur_pos_tensor, attention_sink, scale, sliding_window_size, @memory"),
    CALL(paged_scaled_dot_product_attention_decode,
         "ttnn::transformer::paged_scaled_dot_product_attention_decode",
         "query, key, value, page_table, is_causal, attention_mask, cur_pos_tensor, "
         "attention_sink, scale, sliding_window_size, @memory, program_config, " NONE),
    CALL(chunked_scaled_dot_product_attention,
         "ttnn::transformer::chunked_scaled_dot_product_attention",
         "query, key, value, page_table, chunk_start_idx, scale, @memory, "
         "program_config, " NONE),
    CALL(paged_flash_multi_latent_attention_decode,
         "ttnn::transformer::paged_flash_multi_latent_attention_decode",
         "query, key, value, head_dim_v, page_table, is_causal, attention_mask, "
         "cur_pos_tensor, attention_sink, scale, " NONE ", @memory, " NONE ", " NONE),
    CALL(flash_mla_prefill, "ttnn::transformer::flash_mla_prefill",
         "query, key, head_dim_v, value, attention_mask, is_causal, scale, @memory"),
    CALL(indexer_score_dsa, "ttnn::experimental::indexer_score_dsa",
         "query, key, weights, chunk_start_idx, '::ttnn::operations::experimental::"
         "indexer_score::IndexerScoreProgramConfig{}, " NONE ", " NONE ", " NONE
         ", u32v:cluster_axis"),
    CALLS(sdpa_fw, "ttml::metal::sdpa_fw", CPP_OPTIONALS,
          "query, key, value, mask:mask_type, attention_mask, dropout_probability, "
          "return_intermediates"),
    CALLS(sdpa_bw, "ttml::metal::sdpa_bw", CPP_TUPLE,
          "grad_output, attn_output, query, key, value, intermediates, mask:mask_type, "
          "attention_mask, dropout_probability"),

    CALL(all_gather, NULL,
         "input, all_gather_dim, cluster_axis, @memory, " NONE ", sub:sub_device_id, " NONE
         ", num_links, topology"),
    CALL(all_reduce, NULL,
         "input, !reduce_type, cluster_axis, sub:sub_device_id, @memory, num_links, "
         "topology"),
    CALL(all_reduce_async, "ttnn::experimental::all_reduce_async",
         "input, cluster_axis, reduce_type, sub:sub_device_id, @memory, num_links, "
         "topology"),
    CALL(reduce_scatter, NULL,
         "input, !reduce_type, scatter_dim, cluster_axis, sub:sub_device_id, @memory, "
         "num_links, topology"),
    CALL(mesh_partition, NULL, "input, dim, cluster_axis, @memory"),
    CALL(point_to_point, NULL,
         "input, coord:sender_coord, coord:receiver_coord, optional_output_tensor"),
    CALLS(all_to_all_dispatch, NULL, CPP_PAIR,
          "input_tensor, expert_indices, expert_mapping, cluster_axis, " NONE ", " NONE
          ", " NONE ", @memory"),
    CALLS(all_to_all_dispatch_metadata, "ttnn::experimental::all_to_all_dispatch_metadata",
          CPP_TRIPLE,
          "input_tensor, expert_indices, expert_scores, expert_mapping, cluster_axis, " NONE
          ", " NONE ", " NONE),
    CALL(all_to_all_combine, NULL,
         "input_tensor, expert_mapping, expert_metadata, " NO ", " NONE ", " NONE
         ", @memory, cluster_axis, output_shard_dim"),
    CALLS(moe_expert_token_remap, NULL, CPP_VECTOR,
          "topk_tensor, expert_mapping, expert_metadata, @memory, " NONE ", " NONE
          ", reduction_size"),
    CALLS(moe_gpt, "ttnn::experimental::moe_gpt", CPP_VECTOR,
          "input_tensor, expert_indices, expert_scores, expert_mapping, w0_w1_tensor, "
          "w2_tensor, output_height_shard_dim, output_width_shard_dim, hidden_size, "
          "cluster_axis"),
    {.def = NULL},
};
