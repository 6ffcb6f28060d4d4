"""What the rows of operations cannot know about builder methods: orders and defaults of arguments, other names, element
types of results.

A signature is a list of arguments: `name`, `name=default`, `name:row_name` where the row calls it otherwise, `@name` for
what is no part of the operation (its shape, its element type). An operation that is not listed has its row's operands, then
its attributes; in0, in1, ... are other names of the operands."""

SIGNATURES = {
    "ttir.all_reduce": "input cluster_axis reduce_type", "ttir.all_reduce_async": "input cluster_axis reduce_type",
    "ttir.to_layout": "input @output_type", "ttir.typecast": "input @output_type",
    "ttir.arange": "@shape @dtype start end step arange_dimension", "ttir.ones": "shape @dtype", "ttir.zeros": "shape @dtype",
    "ttir.empty": "@shape @dtype", "ttir.rand": "size @dtype low=0.0 high=1.0 seed=0",
    "ttir.dropout": "input prob=0.0 scale=1.0 seed=0 use_per_device_seed=True", "ttir.full": "output_shape:shape @output_type fill_value",
    "ttir.selu": "input scale=1.0507009873390196 alpha=1.6732635498046875", "ttir.sort": "input dim=-1 descending=False stable=False",
    "ttir.scatter": "input index source dim scatter_reduce_type='invalid'", "ttir.concat": "ins:inputs dim=0",
    "ttir.clamp_tensor": "input min_tensor:min max_tensor:max", "ttir.clamp_scalar": "input min_arg:min max_arg:max",
    "ttir.reduce_and": "input keep_dim dim_arg=None",
    **{f"{d}.{name}": f"input dim_arg=None keep_dim={keep}" for d in ("ttir", "ttnn")
       for name, keep in (("sum", True), ("max", True), ("min", True), ("mean", True), ("prod", False), ("reduce_or", True))},
    "ttir.argmax": "input dim_arg=None keep_dim=False",
    "ttir.adamw": "param grad exp_avg exp_avg_sq max_exp_avg_sq=None lr=0.001 beta1=0.9 beta2=0.999 beta1_pow=0.9 beta2_pow=0.999 "
                  "epsilon=1e-8 weight_decay=0.0 stochastic_rounding=False",
    "ttir.sdpa_fw": "query key value attention_mask=None mask_type='causal' dropout_probability=0.0 return_intermediates=False",
    "ttir.sdpa_bw": "grad_output attn_output query key value intermediates attention_mask=None mask_type='arbitrary' dropout_probability=0.0",
    "ttir.batch_norm_inference": "operand scale offset mean variance epsilon=1e-5 dimension=1",
    "ttir.batch_norm_training": "operand scale offset running_mean running_variance epsilon=1e-5 dimension=1 momentum=0.1",
    "ttir.constant": "tensor:value", "ttir.pad": "input padding value=0.0", "ttir.slice_static": "input begins ends step=None",
    "ttir.get_dimension_size": "operand dimension=0", "ttir.gelu_bw": "grad:lhs input:rhs approximate='none'",
    "ttir.leaky_relu": "input parameter=0.01", "ttir.softmax": "input dimension=1 numeric_stable=False",
    "ttir.transpose": "input dim0=0 dim1=1", "ttir.fill_cache": "cache input batch_offset=0",
    "ttir.update_cache": "cache input update_index batch_offset=0",
    "ttir.paged_update_cache": "cache input update_index share_cache=False page_table=None",
    "ttir.paged_scaled_dot_product_attention_decode": "query key value page_table output is_causal=True attention_mask=None "
                                                      "cur_pos_tensor=None attention_sink=None scale=None sliding_window_size=None",
    "ttir.chunked_scaled_dot_product_attention": "query key value page_table chunk_start_idx output scale=None",
    "ttir.conv1d": "input weight bias stride padding dilation groups", "ttir.conv2d": "input weight bias stride padding dilation groups",
    "ttir.conv_transpose2d": "input weight bias stride padding output_padding dilation groups",
    "ttir.conv3d": "input weight bias stride padding groups padding_mode='zeros'",
    "ttir.max_pool2d_with_indices": "input kernel stride dilation padding ceil_mode",
    "ttir.avg_pool2d": "input kernel stride dilation padding ceil_mode count_include_pad=True",
    "ttir.index_select": "input dim=0 begin=0 length=2 stride=2", "ttir.squeeze": "input dim=0", "ttir.unsqueeze": "input dim=0",
    "ttir.linear": "a b bias=None transpose_a=False transpose_b=False", "ttir.matmul": "a b transpose_a=False transpose_b=False",
    "ttir.scaled_dot_product_attention": "query key value attention_mask=None is_causal=True scale=None sliding_window_size=None attention_sink=None",
    "ttir.scaled_dot_product_attention_decode": "query key value cur_pos_tensor=None attention_mask=None is_causal=True scale=None attention_sink=None",
    "ttir.sparse_matmul": "a b sparsity is_input_a_sparse=False is_input_b_sparse=True nnz=0",
    "ttir.all_to_all_dispatch": "input_tensor expert_indices expert_mapping num_devices=2 cluster_axis=0 @dispatched_shape=None "
                                "@dispatched_type=None @metadata_shape=None @metadata_type=None",
    "ttir.all_to_all_dispatch_metadata": "input_tensor expert_indices expert_scores expert_mapping num_devices=2 cluster_axis=0 "
                                         "@dispatched_shape=None @dispatched_type=None @indices_shape=None @indices_type=None "
                                         "@scores_shape=None @scores_type=None",
    "ttir.all_to_all_combine": "input_tensor expert_metadata expert_mapping num_devices=2 cluster_axis=0 num_experts_per_tok=4 "
                               "output_shard_dim=2 @output_shape=None",
    "ttir.moe_expert_token_remap": "topk_tensor expert_mapping expert_metadata reduction_size=32 @mapping_shape=None "
                                   "@mapping_type=None @reduced_shape=None @reduced_type=None",
    "ttir.moe_gpt": "input_tensor expert_indices expert_scores expert_mapping w0_w1_tensor w2_tensor output_height_shard_dim=4 "
                    "output_width_shard_dim=3 hidden_size=2880 cluster_axis=None @token_counts_shape=None @token_counts_type=None "
                    "@activation_records_shape=None @activation_records_type=None @token_indices_shape=None @token_indices_type=None "
                    "@tilize_out_shape=None @tilize_out_type=None @tilize_out_rm_shape=None @tilize_out_rm_type=None",
    "ttir.moe_compute": "tilize_input_tensor tilize_expert_indices_tensor tilize_expert_scores_tensor tilize_expert_mapping_tensor w0 w1 w2 "
                        "layer_id output_height_shard_dim intermediate_size cluster_axis @output_shape @output_type bias_0=None bias_1=None "
                        "bias_2=None activation_function='silu'",
    "ttir.upsample2d": "input @like scale_factor mode='nearest'", "ttir.quantize": "input @scale @zero_point @dtype",
    "ttir.dequantize": "input @scale @zero_point @dtype", "ttir.requantize": "input @scale @zero_point @dtype",
    "ttir.rms_norm": "input normalized_shape weight=None bias=None epsilon=1e-5",
    "ttir.layer_norm": "input normalized_shape weight=None bias=None epsilon=1e-5",
    "ttir.split_query_key_value_and_split_heads": "input_tensor num_heads transpose_key=False kv_input_tensor=None num_kv_heads=None",
    "ttir.distributed_rms_norm": "input cluster_axis weight=None residual=None epsilon=1e-5",
    "ttir.distributed_layer_norm": "input cluster_axis weight=None bias=None residual=None epsilon=1e-5",
    "ttir.topk": "input_tensor k dim=-1 largest=True sorted=True", "ttir.topk_router_gpt": "input weight bias k num_experts=128",
    "ttir.paged_flash_multi_latent_attention_decode": "query key value head_dim_v page_table is_causal=True attention_mask=None "
                                                      "cur_pos_tensor=None attention_sink=None scale=None",
    "ttir.group_norm": "input input_mask=None weight=None bias=None num_groups=1 epsilon=1e-5 channel_dim=None",
    "ttnn.clamp_tensor": "input min_tensor:min max_tensor:max", "ttnn.clamp_scalar": "input min_arg:min max_arg:max",
    "ttnn.concat": "ins:inputs dim", "ttnn.matmul": "a b transpose_a=False transpose_b=False",
    "ttnn.linear": "a b bias=None transpose_a=False transpose_b=False", "ttnn.full": "shape fill_value device=None @layout=None @buffer_type=None",
    "ttnn.zeros": "shape device=None @layout=None @buffer_type=None", "ttnn.ones": "shape device=None @layout=None @buffer_type=None",
    "ttnn.empty": "shape device @layout=None @buffer_type=None", "ttnn.constant": "value device=None @layout=None @buffer_type=None",
    "ttnn.rand": "size device low=0.0 high=1.0 seed=0", "ttnn.leaky_relu": "input parameter", "ttnn.rms_norm": "input_tensor:input weight=None bias=None epsilon=1e-5",
    "ttnn.arange": "@shape @dtype start end step device=None", "ttnn.to_layout": "input @layout=None", "ttnn.typecast": "input @output_type",
    "ttnn.to_memory_config": "input @layout=None @buffer_type=None @tensor_memory_layout=None @grid_shape=None @core_range_set=None",
    "ttnn.to_tensor_spec": "input @layout=None @buffer_type=None @tensor_memory_layout=None @grid_shape=None @core_range_set=None",
    "ttnn.deallocate": "input force=False", "ttnn.distribute_tensor": "input device:mesh_device @shard_dims", "ttnn.moe_expert_token_remap":
        "topk_tensor expert_mapping expert_metadata reduction_size=32 @mapping_shape=None @mapping_type=None @reduced_shape=None @reduced_type=None",
    "ttnn.aggregate_tensor": "input device:mesh_device @shard_dims", "ttnn.layer_norm_post_all_gather": "input stats weight=None bias=None epsilon=1e-12",
    "stablehlo.reduce_scatter": "input:operand scatter_dimension replica_groups",
    "stablehlo.all_gather": "input:operands all_gather_dim replica_groups", "stablehlo.all_reduce": "input:operands replica_groups",
    "stablehlo.all_to_all": "input:operands split_dim:split_dimension concat_dim:concat_dimension split_count replica_groups",
    "stablehlo.collective_broadcast": "input:operands replica_groups", "stablehlo.collective_permute": "input:operand source_target_pairs",
    "stablehlo.get_dimension_size": "operand dimension=0", "stablehlo.broadcast_in_dim": "operand broadcast_dimensions @output_shape",
    "stablehlo.convert": "operand @output_type", "stablehlo.bitcast_convert": "operand @output_type @shape=None",
    "stablehlo.slice": "operand start_indices limit_indices strides=None",
    "stablehlo.reshape": "operand @shape", "stablehlo.compare": "lhs rhs comparison_direction compare_type=None",
    "stablehlo.concatenate": "inputs dim:dimension", "stablehlo.iota": "@output iota_dimension",
    "stablehlo.dynamic_iota": "@output output_shape iota_dimension", "stablehlo.dynamic_reshape": "operand output_shape @shape",
    "stablehlo.dynamic_broadcast_in_dim": "operand output_dimensions broadcast_dimensions @shape", "stablehlo.pad": "operand padding_value @padding",
    "stablehlo.rng": "a b shape rng_distribution='UNIFORM' @output_shape=None", "stablehlo.custom_call": "inputs call_target_name @result_types",
    "stablehlo.uniform_quantize": "operand @output_type", "sdy.sharding_constraint": "input tensor_sharding_attr:sharding",
    "stablehlo.reduce_precision": "operand exponent_bits mantissa_bits",
    "sdy.reshard": "input tensor_sharding_attr:sharding", "sdy.all_gather": "input:tensor gathering_axes out_sharding",
    "d2m.to_layout": "input output=None", "d2m.mask": "input logical_shape fill_value output=None",
    "d2m.view_layout": "input @output_type remapping=None reinterpret_layout=False", "d2m.create_global_semaphore": "input value",
}

# Other names of methods.
METHODS = {
    "ttir": {"slice": "slice_static", "gelu_backward": "gelu_bw", "is_finite": "isfinite", "select": "index_select", "tilize": "to_layout",
             "untilize": "to_layout"},
    "ttnn": {"slice": "slice_static"},
    "stablehlo": {"exp": "exponential", "neg": "negate", "log1p": "log_plus_one", "expm1": "exponential_minus_one", "max": "maximum",
                  "min": "minimum", "mul": "multiply", "pow": "power", "not_": "not", "or_": "or", "and_": "and", "if_": "if", "while_": "while",
                  "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "logical_not": "not", "cross_replica_sum": "cross-replica-sum"},
}

# Element types of results where they are not that of the first operand: a type's name, "operand:i" for that of another operand,
# None for the first's (and output_type's).
RESULT_TYPES = {
    "ttir.argmax": ("i32",), "ttir.sort": (None, "i64"), "ttir.topk": (None, "i64"), "ttir.max_pool2d_with_indices": (None, "i64"),
    "ttir.topk_router_gpt": ("ui16", None), "ttir.sdpa_fw": (None, "f32"), "ttir.get_dimension_size": ("i32",), "ttir.sampling": ("i32",),
    "ttir.where": ("operand:1",), "ttir.embedding": ("operand:1",), "ttir.embedding_backward": ("operand:1",),
    "ttir.sdpa_bw": ("operand:2", "operand:3", "operand:4"), "ttir.quantize_unrolled": ("i32",), "ttir.requantize_unrolled": ("i32",),
    "ttir.dequantize_unrolled": ("f32",), "ttir.moe_compute": ("bf16",), "ttir.all_to_all_dispatch": (None, "operand:1"),
    "ttir.all_to_all_dispatch_metadata": (None, "operand:1", "operand:2"),
    "ttnn.argmax": ("ui32",), "ttnn.sort": (None, "ui16"), "ttnn.topk": (None, "ui16"), "ttnn.max_pool2d_with_indices": (None, "si32"),
    "ttnn.topk_router_gpt": ("ui16", None), "ttnn.sdpa_fw": (None, "f32"), "ttnn.sampling": ("ui32",), "ttnn.where": ("operand:1",),
    "ttnn.embedding": ("operand:1",), "ttnn.embedding_bw": ("operand:1",), "ttnn.sdpa_bw": ("operand:2", "operand:3", "operand:4"),
    "ttnn.quantize": ("si32",), "ttnn.requantize": ("si32",), "ttnn.dequantize": ("f32",), "ttnn.full": ("f32",), "ttnn.zeros": ("f32",),
    "ttnn.ones": ("f32",), "ttnn.empty": ("f32",), "ttnn.arange": ("f32",), "ttnn.rand": ("f32",),
    "ttnn.rms_norm_pre_all_gather": (None,), "stablehlo.fft": (None,),
}

# Methods that return one of several results; the method `topk_indices` gives the other.
FIRST_RESULT = ("ttir.topk",)

# Operations without a result whose method returns the operand that they write.
WRITES = {"fill_cache": "cache", "update_cache": "cache", "paged_update_cache": "cache", "paged_fill_cache": "cache", "copy": "dst"}

# Element-wise operations whose result has the broadcast shape of all operands.
BROADCASTS = frozenset("""add subtract multiply div divide remainder maximum minimum pow pow_tensor atan2 eq ne lt le gt ge logical_and
    logical_or logical_xor bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift right_shift gelu_bw where
    clamp_tensor""".split())
# Operations whose result has the first operand's shape.
SAME_SHAPE = frozenset("""abs neg sign ceil floor trunc frac exp exp2 expm1 log log1p sqrt rsqrt square cbrt reciprocal sin cos tan asin
    acos atan asinh tanh erf erfc sigmoid hardsigmoid relu relu6 gelu silu mish softsign isfinite signbit logical_not bitwise_not selu
    leaky_relu clamp_scalar typecast dropout softmax cumsum cumprod reverse to_layout layer_norm rms_norm group_norm
    batch_norm_inference collective_permute collective_broadcast all_reduce all_reduce_async distributed_rms_norm distributed_layer_norm
    to_device from_device to_memory_config to_tensor_spec assign pow_scalar convert scaled_dot_product_attention
    scaled_dot_product_attention_decode chunked_scaled_dot_product_attention quantize dequantize requantize quantize_unrolled
    dequantize_unrolled requantize_unrolled rotary_embedding rotary_embedding_llama point_to_point""".split())

# Operands that must have one element type, as in torch: other operations convert.
_CONVOLVED = ("input", "weight", "bias")
ONE_TYPE = {f"{dialect}.{name}": operands for dialect in ("ttir", "ttnn") for name, operands in {
    "matmul": ("a", "b"), "linear": ("a", "b"), "dot_general": ("lhs", "rhs"), "concat": ("inputs",), "conv1d": _CONVOLVED,
    "conv2d": _CONVOLVED, "conv3d": _CONVOLVED, "conv_transpose2d": _CONVOLVED,
    "scaled_dot_product_attention": ("query", "key", "value")}.items()}
ONE_TYPE |= {f"stablehlo.{name}": ("lhs", "rhs") for name in (
    "add", "and", "atan2", "compare", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder", "shift_left", "shift_right_arithmetic",
    "shift_right_logical", "subtract", "xor")} | {"stablehlo.select": ("on_true", "on_false"), "stablehlo.concatenate": ("inputs",)}
# Operations on the bits of integers.
ON_BITS = frozenset(f"{dialect}.{name}" for dialect in ("ttir", "ttnn") for name in (
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_left_shift", "logical_right_shift"))
# Ranks of operands, with what their dimensions are.
_ROWS, _IMAGE, _VOLUME = "batch, length, channels", "batch, height, width, channels", "batch, depth, height, width, channels"
RANKS = {f"ttir.{name}": operands for name, operands in {
    "conv1d": {"input": _ROWS, "weight": "output channels, input channels, length"},
    "conv2d": {"input": _IMAGE, "weight": "output channels, input channels, height, width"},
    "conv3d": {"input": _VOLUME, "weight": "output channels, input channels, depth, height, width"},
    "conv_transpose2d": {"input": _IMAGE, "weight": "input channels, output channels, height, width"},
    **dict.fromkeys(("max_pool2d", "max_pool2d_with_indices", "avg_pool2d", "global_avg_pool2d", "upsample2d"), {"input": _IMAGE}),
    "scaled_dot_product_attention": dict.fromkeys(("query", "key", "value"), "batch, heads, sequence, size of a head")}.items()}
