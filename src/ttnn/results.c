/* results.c: how types of results follow from operands and attributes, one list of rules
 * for each operation (ir/rules/rules.h describes the language).
 *
 * Facts: the shapes and default data types that ttnn's functions return,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ttnn/api.html */
#include "ttnn/results.h"

#include "ttcore/shared_rules.h"
#include "ttnn/build.h"
#include "ttnn/ttnn.h"

/* ---- shapes that rules cannot express ------------------------------------------------ */

static bool infer_like(ir_op *op, const int64_t *dims, size_t rank, chk_types *out)
{
    ir_type element = op->operands[0].value->type->element;
    out->at[out->n++] = ir_tensor_type(element, dims, rank, NULL);
    out->known = true;
    return true;
}

/* One dimension may be -1: what remains. */
static bool infer_reshape(ir_op *op, chk_types *out)
{
    int64_t dims[TTNN_MAX_RANK], known = 1, free = -1;
    const ir_type input = op->operands[0].value->type;
    const size_t rank = tnb_ints(op, "shape", dims, TTNN_MAX_RANK);
    const int64_t count = ir_type_num_elements(input);
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] == -1 && free < 0)
            free = (int64_t)i;
        else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known))
            return ir_op_error(op,
                               "has a shape whose dimension %zu is %lld; sizes are 0 or "
                               "more, and at most one is -1",
                               i, (long long)dims[i]);
    }
    if (free >= 0)
        dims[free] = known > 0 ? count / known : 0;
    if (known * (free >= 0 ? dims[free] : 1) != count)
        return ir_op_error(op, "cannot give %lld elements another shape of %lld",
                           (long long)count,
                           (long long)(known * (free >= 0 ? dims[free] : 1)));
    return infer_like(op, dims, rank, out);
}

static bool infer_slice(ir_op *op, chk_types *out)
{
    int64_t begins[TTNN_MAX_RANK], ends[TTNN_MAX_RANK], steps[TTNN_MAX_RANK];
    int64_t dims[TTNN_MAX_RANK];
    const ir_type input = op->operands[0].value->type;
    const size_t n = tnb_ints(op, "begins", begins, TTNN_MAX_RANK);
    if (n != input->count || tnb_ints(op, "ends", ends, TTNN_MAX_RANK) != n ||
        tnb_ints(op, "step", steps, TTNN_MAX_RANK) != n)
        return ir_op_error(op,
                           "needs a begin, an end and a step for each of the %u "
                           "dimensions of its operand",
                           input->count);
    for (size_t i = 0; i < n; i++) {
        const int64_t size = input->dims[i], step = steps[i];
        const int64_t from = begins[i] < 0 ? begins[i] + size : begins[i];
        const int64_t to = ends[i] < 0 ? ends[i] + size : ends[i];
        const int64_t span = step < 0 ? from - to : to - from, by = step < 0 ? -step : step;
        dims[i] = by && span > 0 ? (span + by - 1) / by : 0;
    }
    return infer_like(op, dims, n, out);
}

static bool infer_repeat(ir_op *op, chk_types *out)
{
    int64_t times[TTNN_MAX_RANK], dims[TTNN_MAX_RANK];
    const ir_type input = op->operands[0].value->type;
    ir_attr shape = ir_op_attr(op, "repeat_dims");
    const int64_t n = shape ? ir_attr_ints(shape->params[0], times, TTNN_MAX_RANK) : 0;
    if (n != input->count)
        return ir_op_error(op,
                           "has %lld repetitions for an operand of rank %u; it needs one "
                           "for each dimension",
                           (long long)n, input->count);
    for (int64_t i = 0; i < n; i++)
        if (times[i] < 0 || __builtin_mul_overflow(input->dims[i], times[i], &dims[i]))
            return ir_op_error(op, "cannot repeat dimension %lld %lld times", (long long)i,
                               (long long)times[i]);
    return infer_like(op, dims, (size_t)n, out);
}

static bool infer_transpose(ir_op *op, chk_types *out)
{
    int64_t dims[TTNN_MAX_RANK];
    const ir_type input = op->operands[0].value->type;
    const int64_t rank = input->count;
    const int64_t a = ir_op_int(op, "dim0", 0), b = ir_op_int(op, "dim1", 0);
    if (a < -rank || a >= rank || b < -rank || b >= rank)
        return ir_op_error(op,
                           "cannot swap dimensions %lld and %lld of an operand of rank "
                           "%lld",
                           (long long)a, (long long)b, (long long)rank);
    for (int64_t i = 0; i < rank; i++)
        dims[i] = input->dims[i];
    dims[a < 0 ? a + rank : a] = input->dims[b < 0 ? b + rank : b];
    dims[b < 0 ? b + rank : b] = input->dims[a < 0 ? a + rank : a];
    return infer_like(op, dims, (size_t)rank, out);
}

/* ---- rules --------------------------------------------------------------------------- */

/* clang-format off */
#define LIKE(x) CHK_RULES({"infer tensor(shape(" #x "), elt(" #x "))"})
#define NOTHING CHK_RULES({"let nothing = 0"})
#define REDUCED(dim, keep) CHK_RULES({"infer tensor(reduced(shape(input), " dim ", " keep "), elt(input))"})
#define SHAPED(dims, element) {"infer tensor(" dims ", " element ")"}

#define TT_UNARY_RESULT LIKE(input)
#define TT_CLAMP_SCALAR_RESULT LIKE(input)
#define TT_LEAKY_RELU_RESULT LIKE(input)
#define TT_POW_SCALAR_RESULT LIKE(lhs)
#define MEET(x, y)                                                                           \
    {"not broadcast(" x ", " y ")",                                                          \
     "has operands of shapes ({" x "}) and ({" y "}), which do not broadcast: from the last " \
     "dimension on, sizes must be equal or 1"}
#define TT_BINARY_RESULT                                                                     \
    CHK_RULES(MEET("shape(lhs)", "shape(rhs)"), SHAPED("broadcast(shape(lhs), shape(rhs))", "elt(lhs)"))
#define TT_GELU_BW_RESULT TT_BINARY_RESULT
#define THREE(a, b, c, element)                                                              \
    CHK_RULES(MEET("shape(" a ")", "shape(" b ")"), {"let both = broadcast(shape(" a "), shape(" b "))"}, \
              MEET("both", "shape(" c ")"), SHAPED("broadcast(both, shape(" c "))", element))
#define TT_WHERE_RESULT THREE("first", "second", "third", "elt(second)")
#define TT_CLAMP_TENSOR_RESULT THREE("input", "min", "max", "elt(input)")

/* Windows of a pool or convolution: `p` and `q` are all rows and columns of padding. */
#define WINDOWS(h, w, top)                                                                   \
    {"let k = {dilation[0] * (kernel_size[0] - 1) + 1, dilation[1] * (kernel_size[1] - 1) + 1}"}, \
    {"let p = |padding| == 4 ? " top " : 2 * padding[0]"},                                   \
    {"let q = |padding| == 4 ? padding[0] + padding[1] + padding[2] + padding[3] - p : 2 * padding[1]"}, \
    {"let y = " h " + p - k[0]"},                                                            \
    {"let x = " w " + q - k[1]"},                                                            \
    {"y < 0 or x < 0",                                                                       \
     "has windows of {k[0]}x{k[1]} for padded inputs of {y + k[0]}x{x + k[1]}"},             \
    {"stride[0] < 1 or stride[1] < 1", "has strides of {stride}; they must be 1 or more"}
#define POOLED                                                                               \
    {"|kernel_size| != 2 or |stride| != 2 or |dilation| != 2 or |padding| not in {2, 4}",    \
     "needs two sizes of the kernel, two strides, two dilations and two or four paddings"},  \
    WINDOWS("input_height", "input_width", "padding[0] + padding[2]"),                       \
    {"let more = ceil_mode ? 1 : 0"},                                                        \
    {"let r = (y + more * (stride[0] - 1)) / stride[0] + 1"},                                \
    {"let c = (x + more * (stride[1] - 1)) / stride[1] + 1"},                                \
    /* a window that begins behind the input does not count */                               \
    {"let rows = ceil_mode and (r - 1) * stride[0] >= input_height + padding[0] ? r - 1 : r"}, \
    {"let columns = ceil_mode and (c - 1) * stride[1] >= input_width + padding[1] ? c - 1 : c"}
#define POOL_SHAPE "{1, 1, batch_size * rows * columns, channels}"
#define FLAT_CONV "{1, 1, batch_size * rows * columns, out_channels}"

static const chk_rules rules[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, form, ...) [TTNN_##ttnn] = TT_##form##_RESULT,
#include "ttnn/elementwise.def"
#define TT_RESULTS(id, ...) [TTNN_##id] = CHK_RULES(__VA_ARGS__),
#include "ttcore/shared_rules.def"

    [TTNN_adamw] = NOTHING,
    [TTNN_all_gather] = LIKE(input),
    [TTNN_all_reduce] = LIKE(input),
    [TTNN_all_reduce_async] = LIKE(input),
    [TTNN_all_to_all_combine] = CHK_RULES(
        {"rank(input_tensor) != 4", "has an operand of rank {rank(input_tensor)}; it must be [experts, batch, sequence, features]"},
        {"num_devices < 1", "has {num_devices} devices; it must be 1 or more"},
        {"let x = shape(input_tensor)"},
        SHAPED("output_shard_dim == 1 ? {num_experts_per_tok, x[1] / num_devices, x[2], x[3]} : {num_experts_per_tok, x[1], x[2] / num_devices, x[3]}",
               "elt(input_tensor)")),
    [TTNN_all_to_all_dispatch] = CHK_RULES(
        {"rank(input_tensor) != 4 or rank(expert_indices) != 4", "needs operands of rank 4"},
        {"let x = shape(input_tensor)"},
        {"let batch = x[0] * num_devices"},
        SHAPED("{1, batch, x[1] * x[2], x[3]}", "elt(input_tensor)"),
        SHAPED("{1, batch, x[1] * x[2], dim(expert_indices, 3)}", "elt(expert_indices)")),
    [TTNN_all_to_all_dispatch_metadata] = CHK_RULES(
        {"rank(input_tensor) != 4 or rank(expert_indices) != 4 or rank(expert_scores) != 4", "needs operands of rank 4"},
        {"let tokens = dim(input_tensor, 2) * num_devices"},
        SHAPED("{1, tokens, dim(input_tensor, 3)}", "elt(input_tensor)"),
        SHAPED("{1, tokens, dim(expert_indices, 3)}", "elt(expert_indices)"),
        SHAPED("{1, tokens, dim(expert_scores, 3)}", "elt(expert_scores)")),
    [TTNN_arange] = CHK_RULES(
        {"step == 0", "has a step of 0"},
        {"let span = step < 0 ? start - end : end - start"},
        {"let by = abs(step)"},
        SHAPED("{span > 0 ? (span + by - 1) / by : 0}", "unsigned(32)")),
    [TTNN_argmax] = CHK_RULES(
        {"given dim : dim < -rank(input) or dim >= rank(input)",
         "has dimension {dim}, which an operand of rank {rank(input)} does not have"},
        SHAPED("reduced(shape(input), dim, keep_dim)", "unsigned(32)")),
    [TTNN_assign] = LIKE(input),
    [TTNN_avg_pool2d] = CHK_RULES(POOLED, SHAPED(POOL_SHAPE, "elt(input)")),
    [TTNN_batch_norm_inference] = LIKE(input),
    [TTNN_batch_norm_training] = LIKE(input),
    [TTNN_bitcast_convert] = LIKE(input),
    [TTNN_chunked_scaled_dot_product_attention] = LIKE(query),
    [TTNN_concat] = CHK_RULES(
        {"|inputs| == 0", "has no tensors to join"},
        {"let first = inputs[0]"},
        {"dim < -rank(first) or dim >= rank(first)",
         "has dimension {dim}, which a tensor of rank {rank(first)} does not have"},
        SHAPED("with(shape(first), dim, sum_dim(inputs, dim))", "elt(first)")),
    [TTNN_concatenate_heads] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [batch, heads, positions, features]"},
        SHAPED("{dim(input, 0), dim(input, 2), dim(input, 1) * dim(input, 3)}", "elt(input)")),
    [TTNN_conv1d] = CHK_RULES(
        {"|padding| != 2 or stride < 1", "needs two paddings and a stride of 1 or more"},
        {"let rows = (input_length + padding[0] + padding[1] - dilation * (kernel_size - 1) - 1) / stride + 1"},
        SHAPED("{1, 1, batch_size * rows, out_channels}", "elt(input)")),
    [TTNN_conv2d] = CHK_RULES(
        {"|kernel_size| != 2 or |stride| != 2 or |dilation| != 2 or |padding| not in {2, 4}",
         "needs two sizes of the kernel, two strides, two dilations and two or four paddings"},
        WINDOWS("input_height", "input_width", "padding[0] + padding[1]"),
        {"let rows = y / stride[0] + 1"},
        {"let columns = x / stride[1] + 1"},
        SHAPED(FLAT_CONV, "elt(input)")),
    [TTNN_conv3d] = CHK_RULES(
        {"rank(input) != 5 or |kernel_size| != 3 or |stride| != 3 or |padding| != 3",
         "needs an operand of rank 5, and three sizes of the kernel, strides and paddings"},
        {"each v in stride : v < 1", "has strides of {stride}; they must be 1 or more"},
        SHAPED("cat({dim(input, 0), (dim(input, 1) + 2 * padding[0] - kernel_size[0]) / stride[0] + 1}, "
               "{(dim(input, 2) + 2 * padding[1] - kernel_size[1]) / stride[1] + 1, "
               "(dim(input, 3) + 2 * padding[2] - kernel_size[2]) / stride[2] + 1, out_channels})", "elt(input)")),
    [TTNN_conv_transpose2d] = CHK_RULES(
        {"|kernel_size| != 2 or |stride| != 2 or |dilation| != 2 or |output_padding| != 2 or |padding| not in {2, 4}",
         "needs two sizes of the kernel, strides, dilations and output paddings, and two or four paddings"},
        {"let p = |padding| == 4 ? padding[0] + padding[1] : 2 * padding[0]"},
        {"let q = |padding| == 4 ? padding[2] + padding[3] : 2 * padding[1]"},
        {"let rows = (input_height - 1) * stride[0] - p + dilation[0] * (kernel_size[0] - 1) + output_padding[0] + 1"},
        {"let columns = (input_width - 1) * stride[1] - q + dilation[1] * (kernel_size[1] - 1) + output_padding[1] + 1"},
        {"rows < 1 or columns < 1", "has no result: {rows} rows and {columns} columns"},
        SHAPED(FLAT_CONV, "elt(input)")),
    [TTNN_copy] = NOTHING,
    [TTNN_cumprod] = LIKE(input),
    [TTNN_cumsum] = LIKE(input),
    [TTNN_dequantize] = CHK_RULES(SHAPED("shape(input)", "elt(scale)")),
    [TTNN_distributed_layer_norm] = LIKE(input),
    [TTNN_distributed_rms_norm] = LIKE(input),
    [TTNN_dit_rms_norm_unary_fused] = LIKE(input),
    [TTNN_dropout] = LIKE(input),
    [TTNN_dump_tensor] = NOTHING,
    [TTNN_embedding] = CHK_RULES(
        {"rank(weight) < 2", "has a table of rank {rank(weight)}; it must be [entries, features]"},
        SHAPED("cat(shape(input), {dim(weight, -1)})", "elt(weight)")),
    [TTNN_embedding_bw] = CHK_RULES(
        {"rank(weight) < 2", "has a table of rank {rank(weight)}; it must be [entries, features]"},
        SHAPED("{1, 1, dim(weight, -2), dim(weight, -1)}", "elt(in_gradient)")),
    [TTNN_fill_cache] = NOTHING,
    [TTNN_flash_mla_prefill] = CHK_RULES(SHAPED("with(shape(query), -1, head_dim_v)", "elt(query)")),
    [TTNN_from_device] = LIKE(input),
    [TTNN_gather] = CHK_RULES(SHAPED("shape(index)", "elt(input)")),
    [TTNN_global_avg_pool2d] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [batch, height, width, channels]"},
        SHAPED("{dim(input, 0), 1, 1, dim(input, 3)}", "elt(input)")),
    [TTNN_group_norm] = LIKE(input),
    [TTNN_indexer_score_dsa] = CHK_RULES(
        {"rank(query) != 4 or rank(key) != 4", "needs queries and keys of rank 4"},
        SHAPED("{dim(query, 0), 1, dim(query, 2), dim(key, 2)}", "elt(query)")),
    [TTNN_layer_norm] = LIKE(input),
    [TTNN_layer_norm_post_all_gather] = LIKE(input),
    [TTNN_layer_norm_pre_all_gather] = CHK_RULES(SHAPED("with(shape(input), -1, 64)", "elt(input)")),
    [TTNN_linear] = CHK_RULES(
        MULTIPLIES,
        {"let product = |expected| == 0 ? {1} : expected"},
        {"bias and not broadcast(product, shape(bias))",
         "has a bias of shape ({shape(bias)}), which does not broadcast to ({product})"},
        SHAPED("bias ? broadcast(product, shape(bias)) : product", "elt(a)")),
    [TTNN_matmul] = CHK_RULES(MULTIPLIES, SHAPED("|expected| == 0 ? {1} : expected", "elt(a)")),
    [TTNN_max] = REDUCED("dim_arg", "keep_dim"),
    [TTNN_max_pool2d] = CHK_RULES(POOLED, SHAPED(POOL_SHAPE, "elt(input)")),
    [TTNN_max_pool2d_with_indices] = CHK_RULES(POOLED, SHAPED(POOL_SHAPE, "elt(input)"),
                                               SHAPED(POOL_SHAPE, "unsigned(16)")),
    [TTNN_mean] = REDUCED("dim_arg", "keep_dim"),
    [TTNN_mesh_partition] = LIKE(input),
    [TTNN_min] = REDUCED("dim_arg", "keep_dim"),
    [TTNN_moe_expert_token_remap] = CHK_RULES(
        {"rank(topk_tensor) != 4 or rank(expert_mapping) != 4 or rank(expert_metadata) != 4",
         "needs operands of rank 4"},
        {"reduction_size < 1 or dim(expert_mapping, 3) < 1", "needs a reduction_size and devices of 1 or more"},
        {"let local = dim(expert_mapping, 2) / dim(expert_mapping, 3)"},
        {"let tokens = dim(expert_metadata, 1) * dim(expert_metadata, 2)"},
        SHAPED("{1, dim(expert_metadata, 1), dim(expert_metadata, 2), local}", "elt(topk_tensor)"),
        SHAPED("{1, 1, (tokens + reduction_size - 1) / reduction_size, local}", "unsigned(16)")),
    [TTNN_nlp_concat_heads] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [batch, heads, positions, features]"},
        SHAPED("{dim(input, 0), 1, dim(input, 2), dim(input, 1) * dim(input, 3)}", "elt(input)")),
    [TTNN_nlp_concat_heads_decode] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [1, users, heads, features]"},
        SHAPED("{1, 1, dim(input, 1), num_heads * dim(input, 3)}", "elt(input)")),
    [TTNN_nlp_create_qkv_heads_decode] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [1, 1, users, features]"},
        {"let kv = is_number(num_kv_heads) ? num_kv_heads : num_heads"},
        {"num_heads + 2 * kv < 1", "has no heads"},
        {"let d = dim(input, 3) / (num_heads + 2 * kv)"},
        SHAPED("{1, dim(input, 2), num_heads, d}", "elt(input)"),
        SHAPED("{1, dim(input, 2), kv, d}", "elt(input)"),
        SHAPED("{1, dim(input, 2), kv, d}", "elt(input)")),
    [TTNN_pad] = CHK_RULES(
        {"|padding| != 2 * rank(input)",
         "has {|padding|} paddings; an operand of rank {rank(input)} needs one before and one behind each dimension"},
        SHAPED("padded(shape(input), padding)", "elt(input)")),
    [TTNN_paged_fill_cache] = NOTHING,
    [TTNN_paged_flash_multi_latent_attention_decode] =
        CHK_RULES(SHAPED("with(shape(query), -1, head_dim_v)", "elt(query)")),
    [TTNN_paged_scaled_dot_product_attention_decode] = LIKE(query),
    [TTNN_paged_update_cache] = NOTHING,
    [TTNN_permute] = CHK_RULES(
        {"rank(input) != |permutation| or not is_permutation(permutation)",
         "has the order ({permutation}), which is no permutation of ({range(rank(input))})"},
        SHAPED("permute(shape(input), permutation)", "elt(input)")),
    [TTNN_prepare_conv2d_bias] = LIKE(bias_tensor),
    [TTNN_prepare_conv2d_weights] = CHK_RULES(
        {"rank(weight_tensor) != 4", "has weights of rank {rank(weight_tensor)}; it must be 4"},
        SHAPED("{1, 1, dim(weight_tensor, 1) * dim(weight_tensor, 2) * dim(weight_tensor, 3), dim(weight_tensor, 0)}",
               "elt(weight_tensor)")),
    [TTNN_prepare_conv_transpose2d_bias] = LIKE(bias_tensor),
    [TTNN_prepare_conv_transpose2d_weights] = CHK_RULES(
        {"rank(weight_tensor) != 4", "has weights of rank {rank(weight_tensor)}; it must be 4"},
        SHAPED("{1, 1, dim(weight_tensor, 0) * dim(weight_tensor, 2) * dim(weight_tensor, 3), dim(weight_tensor, 1)}",
               "elt(weight_tensor)")),
    [TTNN_prepare_conv3d_weights] = CHK_RULES(
        {"rank(weight_tensor) != 5 or alignment < 1", "needs weights of rank 5 and an alignment of 1 or more"},
        {"let w = shape(weight_tensor)"},
        SHAPED("{w[2] * w[3] * w[4] * ((w[1] + alignment - 1) / alignment * alignment), w[0]}", "elt(weight_tensor)")),
    [TTNN_prod] = REDUCED("dim_arg", "keep_dim"),
    [TTNN_quantize] = CHK_RULES(SHAPED("shape(input)", "signed(32)")),
    [TTNN_reduce_scatter] = LIKE(input),
    [TTNN_repeat] = CHK_RULES({.infer = infer_repeat}),
    [TTNN_repeat_interleave] = CHK_RULES(
        {"dim >= rank(input) or dim < -rank(input)",
         "has dimension {dim}, which an operand of rank {rank(input)} does not have"},
        SHAPED("with(shape(input), dim, dim(input, dim) * repeats)", "elt(input)")),
    [TTNN_requantize] = LIKE(input),
    [TTNN_reshape] = CHK_RULES({.infer = infer_reshape}),
    [TTNN_rms_norm] = LIKE(input),
    [TTNN_rms_norm_pre_all_gather] = CHK_RULES(SHAPED("with(shape(input), -1, 32)", "elt(input)")),
    [TTNN_rotary_embedding] = LIKE(input),
    [TTNN_rotary_embedding_llama] = LIKE(input),
    [TTNN_sampling] = CHK_RULES(
        {"rank(input_values) < 2", "has values of rank {rank(input_values)}; it must be [batch, candidates]"},
        {"let batch = dim(input_values, -2)"},
        SHAPED("rank(input_values) == 4 ? {1, 1, 1, batch} : {batch}", "unsigned(32)")),
    [TTNN_scaled_dot_product_attention] = LIKE(query),
    [TTNN_scaled_dot_product_attention_decode] = LIKE(query),
    [TTNN_scatter] = LIKE(input),
    [TTNN_sdpa_bw] = CHK_RULES(SHAPED("shape(query)", "elt(query)"), SHAPED("shape(key)", "elt(key)"),
                               SHAPED("shape(value)", "elt(value)")),
    [TTNN_sdpa_fw] = CHK_RULES(
        {"rank(query) != 4", "has a query of rank {rank(query)}; it must be [batch, heads, positions, features]"},
        SHAPED("shape(query)", "elt(query)"),
        {"infer return_intermediates ? tensor(with(shape(query), -1, 32), elt(query)) : 0"}),
    [TTNN_slice_static] = CHK_RULES({.infer = infer_slice}),
    [TTNN_softmax] = LIKE(input),
    [TTNN_sort] = CHK_RULES(SHAPED("shape(input)", "elt(input)"), SHAPED("shape(input)", "unsigned(16)")),
    [TTNN_sparse_matmul] = CHK_RULES(
        {"rank(a) != 4 or rank(b) != 4", "needs operands of rank 4"},
        {"let m = dim(a, 2)"},
        {"let n = dim(b, 3)"},
        SHAPED("is_input_a_sparse ? {dim(a, 0), dim(b, 1), m, n} : {dim(a, 0), dim(a, 1), 1, dim(b, 1), m, n}", "elt(a)")),
    [TTNN_split_query_key_value_and_split_heads] = CHK_RULES(
        {"rank(input_tensor) < 3", "has an operand of rank {rank(input_tensor)}; it must be [batch, positions, features]"},
        {"let kv = is_number(num_kv_heads) ? num_kv_heads : num_heads"},
        {"let parts = kv_input_tensor ? num_heads : num_heads + 2 * kv"},
        {"parts < 1", "has no heads"},
        {"let d = dim(input_tensor, -1) / parts"},
        {"let b = dim(input_tensor, 0)"},
        {"let s = dim(input_tensor, -2)"},
        SHAPED("{b, num_heads, s, d}", "elt(input_tensor)"),
        SHAPED("transpose_key ? {b, kv, d, s} : {b, kv, s, d}", "elt(input_tensor)"),
        SHAPED("{b, kv, s, d}", "elt(input_tensor)")),
    [TTNN_sum] = REDUCED("dim_arg", "keep_dim"),
    [TTNN_to_device] = LIKE(input),
    [TTNN_to_layout] = LIKE(input),
    [TTNN_to_memory_config] = LIKE(input),
    [TTNN_to_tensor_spec] = LIKE(input),
    [TTNN_topk] = CHK_RULES(
        {"dim >= rank(input_tensor) or dim < -rank(input_tensor)",
         "has dimension {dim}, which an operand of rank {rank(input_tensor)} does not have"},
        SHAPED("with(shape(input_tensor), dim, k)", "elt(input_tensor)"),
        SHAPED("with(shape(input_tensor), dim, k)", "unsigned(16)")),
    [TTNN_topk_router_gpt] = CHK_RULES(
        {"rank(input) != 2", "has an operand of rank {rank(input)}; it must be [batch, features]"},
        SHAPED("{dim(input, 0), k}", "unsigned(16)"),
        SHAPED("{dim(input, 0), k}", "elt(input)")),
    [TTNN_transpose] = CHK_RULES({.infer = infer_transpose}),
    [TTNN_typecast] = LIKE(input),
    [TTNN_update_cache] = NOTHING,
    [TTNN_upsample] = CHK_RULES(
        {"rank(input) != 4", "has an operand of rank {rank(input)}; it must be [batch, height, width, channels]"},
        {"let by = pair(scale_factor)"},
        SHAPED("{dim(input, 0), dim(input, 1) * by[0], dim(input, 2) * by[1], dim(input, 3)}", "elt(input)")),
    [TTNN_write_tensor] = NOTHING,

    [TTNN_empty] = CHK_RULES(SHAPED("shape", "unsigned(32)")),
    [TTNN_full] = CHK_RULES(SHAPED("shape", "unsigned(32)")),
    [TTNN_ones] = CHK_RULES(SHAPED("shape", "unsigned(32)")),
    [TTNN_rand] = CHK_RULES(SHAPED("size", "unsigned(32)")),
    [TTNN_zeros] = CHK_RULES(SHAPED("shape", "unsigned(32)")),
};
/* clang-format on */

chk_rules ttnn_result_rules(const ir_op_def *def)
{
    return rules[def - ttnn_ops];
}

bool ttnn_infer_results(ir_op *op, chk_types *out)
{
    const chk_rules list = ttnn_result_rules(op->def);
    out->n = 0;
    out->known = false;
    return list.count == 0 || (chk_infer(op, list, out) && (out->known = true));
}
