/* calls.c: which function of ttnn an operation calls, and with what.
 *
 * Facts: signatures of ttnn's functions,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ttnn/api.html */
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#define CALL(id, callee_, args_)                                                           \
    {                                                                                      \
        .def = TTNN_OP(id), .callee = callee_, .args = args_                               \
    }
#define CALL_UNARY(id) CALL(id, NULL, "input, memory_config=@memory")
#define CALL_FAST(id)                                                                      \
    CALL(id, NULL, "input, fast_and_approximate_mode='False, memory_config=@memory")
#define CALL_BINARY(id) CALL(id, NULL, "lhs, rhs, dtype=@dtype, memory_config=@memory")
#define CALL_COMPOSITE(id) CALL(id, NULL, "lhs, rhs, memory_config=@memory")
#define CALL_COMPOSITE_DTYPE(id)                                                           \
    CALL(id, NULL, "lhs, rhs, dtype='None, memory_config=@memory")
#define REDUCE(id)                                                                         \
    CALL(id, NULL,                                                                         \
         "input, dim_arg, keep_dim, memory_config=@memory, "                               \
         "compute_kernel_config=compute_config")
#define FILLED(id)                                                                         \
    CALL(id, NULL, "=shape, dtype=@dtype, layout=@layout, =device, memory_config=@memory")

#define CALL_MISH(id) CALL_UNARY(id)
#define CALL_TANH(id) CALL_FAST(id)
#define CALL_LEAKY_RELU(id) CALL(id, NULL, "input, parameter, memory_config=@memory")
/* 4: both halves of a tile's faces */
#define CALL_SIGMOID(id)                                                                   \
    CALL(id, NULL,                                                                         \
         "input, vector_mode='4, mode='ttnn.SigmoidMode.Accurate, memory_config=@memory")
#define CALL_CLAMP_SCALAR(id)                                                              \
    CALL(id, "ttnn.clamp", "input, min, max, memory_config=@memory")
#define CALL_CLAMP_TENSOR(id)                                                              \
    CALL(id, "ttnn.clamp", "input, min, max, memory_config=@memory")
#define CALL_GELU_BW(id)                                                                   \
    CALL(id, "ttnn.experimental.gelu_bw", "lhs, rhs, =approximate, memory_config=@memory")
#define CALL_POW_TENSOR(id)                                                                \
    CALL(id, "ttnn.pow", "lhs, rhs, dtype='None, memory_config=@memory")
#define CALL_POW_SCALAR(id) CALL(id, "ttnn.pow", "lhs, rhs, memory_config=@memory")
#define CALL_WHERE(id) CALL(id, NULL, "first, second, third, memory_config=@memory")

const ttnn_call_row py_calls[] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, ...) CALL_##call(ttnn),
#include "ttnn/elementwise.def"
    REDUCE(max),
    REDUCE(mean),
    REDUCE(min),
    REDUCE(sum),
    FILLED(ones),
    FILLED(zeros),
    CALL(matmul, NULL,
         "a, b, =transpose_a, =transpose_b, memory_config=@memory, dtype=@dtype, "
         "program_config=matmul_program_config, =activation, "
         "compute_kernel_config=compute_config"),
    CALL(linear, NULL,
         "a, b, =bias, =transpose_a, =transpose_b, memory_config=@memory, dtype=@dtype, "
         "program_config=matmul_program_config, =activation, "
         "compute_kernel_config=compute_config"),
    CALL(softmax, NULL,
         "input, dimension, memory_config=@memory, compute_kernel_config=compute_config, "
         "numeric_stable=numericStable"),
    CALL(prod, NULL, "input, dim_arg, keep_dim, memory_config=@memory"),
    CALL(argmax, NULL, "input, dim, keep_dim, sub_core_grids='None, memory_config=@memory"),
    CALL(cumsum, NULL, "input, dim, dtype=@dtype, memory_config=@memory"),
    CALL(cumprod, NULL, "input, dim, dtype=@dtype, memory_config=@memory"),
    CALL(topk, NULL, "input_tensor, k, dim, largest, sorted, memory_config=@memory"),
    CALL(sort, NULL, "input, dim, descending, stable, memory_config=@memory"),

    CALL(concat, NULL, "inputs, dim, memory_config=@memory"),
    CALL(gather, NULL, "input, dim, index, sparse_grad='False, memory_config=@memory"),
    CALL(pad, NULL, "input, #padding, value, =use_multicore, memory_config=@memory"),
    CALL(permute, NULL, "input, permutation, memory_config=@memory, =pad_value"),
    CALL(repeat, NULL, "input, repeat_dims, memory_config=@memory"),
    CALL(repeat_interleave, NULL, "input, repeats, dim, memory_config=@memory"),
    CALL(reshape, NULL, "input, shape, memory_config=@memory"),
    CALL(scatter, NULL,
         "=input, =dim, =index, src=source, memory_config=@memory, "
         "reduce=scatter_reduce_type"),
    CALL(slice_dynamic, "ttnn.slice", "input, begins, ends, step, memory_config=@memory"),
    CALL(slice_static, "ttnn.slice", "input, begins, ends, step, memory_config=@memory"),
    CALL(transpose, NULL, "input, dim0, dim1, memory_config=@memory"),
    CALL(embedding, NULL,
         "input, weight, padding_idx='None, layout=@layout, dtype=@dtype, "
         "memory_config=@memory"),

    CALL(arange, NULL,
         "start, end, step, dtype=@dtype, =device, layout=@layout, memory_config=@memory"),
    CALL(empty, NULL, "shape, @dtype, @layout, device, @memory"),
    CALL(full, NULL,
         "=shape, =fill_value, dtype=@dtype, layout=@layout, =device, "
         "memory_config=@memory"),
    CALL(constant, "ttnn.Tensor",
         "value, @shape, @dtype, @layout, device, "
         "memory_config=@memory"),

    CALL(deallocate, NULL, "input, force"),
    CALL(load_tensor, "utils.load_tensor", "file_path, @layout, @dtype, device, @memory"),
    CALL(from_device, NULL, "input"),
    CALL(to_device, NULL, "input, =device, memory_config=@memory"),
    CALL(to_layout, NULL, "input, @layout, @dtype, memory_config=@memory"),
    CALL(to_memory_config, NULL, "input, @memory"),
    CALL(typecast, NULL, "input, @dtype, memory_config=@memory"),
    CALL(create_global_semaphore, NULL,
         "mesh_device=device, cores=core_range_set, =initial_value"),
    CALL(reset_global_semaphore, "ttnn.reset_global_semaphore_value", "semaphore, =value"),

    CALL(fill_cache, NULL, "cache, input, batch_offset"),
    CALL(concatenate_heads, "ttnn.transformer.concatenate_heads",
         "input, memory_config=@memory"),
    CALL(nlp_concat_heads, "ttnn.experimental.nlp_concat_heads",
         "input, memory_config=@memory"),
    CALL(split_query_key_value_and_split_heads,
         "ttnn.transformer.split_query_key_value_and_split_heads",
         "input_tensor, kv_input_tensor, =num_heads, =num_kv_heads, "
         "transpose_key=transpose_key, memory_config=@memory"),
    CALL(assign, NULL, "input, dtype=@dtype, memory_config=@memory"),
    CALL(copy, NULL, "src, dst"),
    CALL(write_tensor, "ttnn.copy_host_to_device_tensor",
         "host_tensor, device_tensor, =cq_id"),
    CALL(upsample, NULL, "input, scale_factor, =mode, memory_config=@memory"),
    CALL(rand, NULL,
         "size, device, dtype=@dtype, layout=@layout, memory_config=@memory, =low, =high, "
         "=seed"),
    CALL(dropout, "ttnn.experimental.dropout", "input, probability=prob, =scale, =seed"),
    CALL(embedding_bw, NULL,
         "input, weight, in_gradient, dtype=@dtype, memory_config=@memory"),

    CALL(avg_pool2d, NULL,
         "input, batch_size, input_height, input_width, channels, kernel_size, stride, "
         "padding, !dilation, ceil_mode, count_include_pad, 'None, memory_config=@memory, "
         "=applied_shard_scheme, compute_kernel_config='None, =reallocate_halo_output, "
         "config_tensor_in_dram=config_tensors_in_dram"),
    CALL(max_pool2d, NULL,
         "input, batch_size, input_height, input_width, channels, kernel_size, stride, "
         "padding, dilation, =ceil_mode, memory_config=@memory, =applied_shard_scheme, "
         "=reallocate_halo_output, config_tensor_in_dram=config_tensors_in_dram"),
    CALL(global_avg_pool2d, NULL,
         "input_tensor=input, memory_config=@memory, dtype=@dtype"),
    CALL(conv2d, NULL,
         "input_tensor=input, weight_tensor=weight, =device, =in_channels, =out_channels, "
         "=batch_size, =input_height, =input_width, =kernel_size, =stride, =padding, "
         "=dilation, =groups, dtype=@dtype, bias_tensor=bias, conv_config=conv2d_config, "
         "=compute_config, slice_config=conv2d_slice_config, memory_config=@memory"),
    CALL(batch_norm_inference, "ttnn.batch_norm",
         "input, =running_mean, =running_var, training='False, eps=epsilon, momentum='0.1, "
         "=weight, =bias, memory_config=@memory, compute_kernel_config=compute_config"),
    CALL(batch_norm_training, "ttnn.batch_norm",
         "input, =running_mean, =running_var, training='True, eps=epsilon, =momentum, "
         "=weight, =bias, memory_config=@memory, compute_kernel_config=compute_config"),
    CALL(rms_norm, NULL,
         "input, =epsilon, =weight, =bias, residual_input_tensor='None, "
         "memory_config=@memory, program_config='None, "
         "compute_kernel_config=compute_config"),
    CALL(layer_norm, NULL,
         "input, =epsilon, =weight, =bias, residual_input_tensor='None, "
         "memory_config=@memory, program_config='None"),
    CALL(group_norm, NULL,
         "input, =input_mask, =weight, =bias, =num_groups, =epsilon, "
         "memory_config=@memory, core_grid='None, inplace='False, num_out_blocks='None"),

    CALL(paged_update_cache, "ttnn.experimental.paged_update_cache",
         "cache, input, update_idxs_tensor=update_index, =share_cache, =page_table"),
    CALL(paged_fill_cache, "ttnn.experimental.paged_fill_cache",
         "cache, input, page_table, =batch_idx_tensor"),
    CALL(nlp_concat_heads_decode, "ttnn.experimental.nlp_concat_heads_decode",
         "input, =num_heads, memory_config=@memory"),
    CALL(nlp_create_qkv_heads_decode, "ttnn.experimental.nlp_create_qkv_heads_decode",
         "input, =num_heads, =num_kv_heads, =overlap_qk_coregrid, =batch_offset, "
         "=slice_size, memory_config=@memory"),
    CALL(rotary_embedding, "ttnn.experimental.rotary_embedding",
         "input, cos_cache, sin_cache, token_index, memory_config=@memory, "
         "compute_kernel_config=compute_config"),
    CALL(rotary_embedding_llama, "ttnn.experimental.rotary_embedding_llama",
         "input, cos_cache, sin_cache, trans_mat, =is_decode_mode, memory_config=@memory, "
         "compute_kernel_config=compute_config"),
    CALL(scaled_dot_product_attention, "ttnn.transformer.scaled_dot_product_attention",
         "query, key, value, attn_mask=attention_mask, =is_causal, =scale, "
         "=sliding_window_size, memory_config=@memory, program_config='None, "
         "compute_kernel_config='None, =attention_sink"),
    CALL(scaled_dot_product_attention_decode,
         "ttnn.transformer.scaled_dot_product_attention_decode",
         "query, key, value, =is_causal, attn_mask=attention_mask, =cur_pos_tensor, "
         "=attention_sink, =scale, =sliding_window_size, memory_config=@memory, "
         "=program_config"),
    CALL(paged_scaled_dot_product_attention_decode,
         "ttnn.transformer.paged_scaled_dot_product_attention_decode",
         "query, key, value, page_table_tensor=page_table, =is_causal, "
         "attn_mask=attention_mask, =cur_pos_tensor, =attention_sink, =scale, "
         "=sliding_window_size, memory_config=@memory, =program_config"),
    CALL(flash_mla_prefill, "ttnn.transformer.flash_mla_prefill",
         "query, key, or:value:head_dim_v, attn_mask=attention_mask, =is_causal, =scale, "
         "memory_config=@memory"),
    CALL(indexer_score_dsa, "ttnn.experimental.indexer_score_dsa",
         "query, key, weights, =chunk_start_idx, seq_shard_axes=list:cluster_axis"),
    CALL(chunked_scaled_dot_product_attention,
         "ttnn.transformer.chunked_scaled_dot_product_attention",
         "query, key, value, page_table_tensor=page_table, "
         "chunk_start_idx_tensor=chunk_start_idx, =scale, memory_config=@memory, "
         "=program_config"),

    CALL(all_gather, NULL,
         "input_tensor=input, dim=all_gather_dim, =cluster_axis, memory_config=@memory, "
         "!sub_device_id, =num_links, =topology"),
    CALL(all_reduce, NULL,
         "input_tensor=input, !reduce_type, =cluster_axis, !sub_device_id, "
         "memory_config=@memory, =num_links, =topology"),
    CALL(reduce_scatter, NULL,
         "input_tensor=input, !reduce_type, dim=scatter_dim, =cluster_axis, "
         "!sub_device_id, memory_config=@memory, =num_links, =topology, "
         "compute_kernel_config=compute_config"),
    CALL(mesh_partition, NULL,
         "input_tensor=input, =dim, =cluster_axis, memory_config=@memory"),
    {.def = NULL},
};
