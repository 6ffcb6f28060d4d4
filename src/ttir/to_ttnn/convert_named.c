/* convert_named.c: operations that are the same on both sides, up to operands that only
 * TTNN has (the device, buffers bound later) or only TTIR has (destinations). */
#include "ttir/to_ttnn/convert_impl.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { MOST_GROUPS = 16, MOST_ATTRS = 32, MOST_RESULTS = 8 };

/* Codes and the numbers that they stand for: the result's integers or floats are named. */
static const struct {
    uint16_t from, to;
} quantizing[] = {
    {TTIR_dequantize_unrolled, TTNN_dequantize},
    {TTIR_quantize_unrolled, TTNN_quantize},
    {TTIR_requantize_unrolled, TTNN_requantize},
};

static const struct {
    uint16_t from, to;
} same[] = {
    {TTIR_all_gather, TTNN_all_gather},
    {TTIR_all_reduce, TTNN_all_reduce},
    {TTIR_all_reduce_async, TTNN_all_reduce_async},
    {TTIR_all_to_all_combine, TTNN_all_to_all_combine},
    {TTIR_all_to_all_dispatch, TTNN_all_to_all_dispatch},
    {TTIR_chunked_scaled_dot_product_attention, TTNN_chunked_scaled_dot_product_attention},
    {TTIR_concatenate_heads, TTNN_concatenate_heads},
    {TTIR_distributed_layer_norm, TTNN_distributed_layer_norm},
    {TTIR_distributed_rms_norm, TTNN_distributed_rms_norm},
    {TTIR_dropout, TTNN_dropout},
    {TTIR_global_avg_pool2d, TTNN_global_avg_pool2d},
    {TTIR_mesh_partition, TTNN_mesh_partition},
    {TTIR_moe_expert_token_remap, TTNN_moe_expert_token_remap},
    {TTIR_moe_gpt, TTNN_moe_gpt},
    {TTIR_paged_fill_cache, TTNN_paged_fill_cache},
    {TTIR_paged_flash_multi_latent_attention_decode,
     TTNN_paged_flash_multi_latent_attention_decode},
    {TTIR_paged_scaled_dot_product_attention_decode,
     TTNN_paged_scaled_dot_product_attention_decode},
    {TTIR_paged_update_cache, TTNN_paged_update_cache},
    {TTIR_reduce_scatter, TTNN_reduce_scatter},
    {TTIR_repeat_interleave, TTNN_repeat_interleave},
    {TTIR_sampling, TTNN_sampling},
    {TTIR_scaled_dot_product_attention_decode, TTNN_scaled_dot_product_attention_decode},
    {TTIR_sdpa_bw, TTNN_sdpa_bw},
    {TTIR_sdpa_fw, TTNN_sdpa_fw},
    {TTIR_selective_reduce_combine, TTNN_selective_reduce_combine},
    {TTIR_split_query_key_value_and_split_heads,
     TTNN_split_query_key_value_and_split_heads},
    {TTIR_topk_router_gpt, TTNN_topk_router_gpt},
};

bool ttnn_replace_all(ir_op *op, ir_op *made)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(made, i));
    ir_op_erase(op);
    return true;
}

bool ttnn_replace_one(ir_op *op, ir_value *v)
{
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    return true;
}

bool ttnn_tuple(const ir_op *op, const char *name, int64_t *out, size_t n)
{
    ir_attr a = ir_op_attr(op, name);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return ir_attr_ints(a, out, n) == (int64_t)n;
    for (size_t i = 0; i < n; i++)
        out[i] = a->value;
    return true;
}

static bool lists(const ir_attr_by_name *attrs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(attrs[i].name, name) == 0)
            return true;
    return false;
}

ir_op *ttnn_build_named(ir_op *op, ir_builder *b, const ir_op_def *to,
                        const ir_attr_by_name *extra, size_t n_extra)
{
    ir_value *operands[MOST_GROUPS];
    ir_attr_by_name attrs[MOST_ATTRS];
    ir_type results[MOST_RESULTS];
    size_t n = 0;
    assert(to->operands.count <= MOST_GROUPS && op->n_results <= MOST_RESULTS);
    for (uint32_t g = 0; g < to->operands.count; g++) {
        const char *name = to->operands.at[g].name;
        bool known = ir_op_operand_index(op->def, name) != SIZE_MAX;
        operands[g] = known ? ir_op_operand_named(op, name)
                      : strcmp(name, "device") == 0 && to->operands.at[g].arity == IR_ONE
                          ? tnb_device(b, op)
                          : NULL;
    }
    for (size_t i = 0; i < n_extra && n < MOST_ATTRS; i++)
        attrs[n++] = extra[i];
    for (uint32_t k = 0; k < to->attrs.count && n < MOST_ATTRS; k++) {
        const char *name = to->attrs.at[k].name;
        ir_attr value = ir_def_prop_index(op->def, tw_str_from(name)) == SIZE_MAX
                            ? NULL
                            : ir_op_attr(op, name);
        if (value && !lists(extra, n_extra, name))
            attrs[n++] = (ir_attr_by_name){name, value};
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    return ir_build_op(b, to, results, op->n_results, operands, to->operands.count, attrs,
                       n, 0);
}

static ir_attr result_dtype(const ir_op *op)
{
    ttnn_layout l;
    ir_type t = op->results[0].type;
    int64_t dtype = ttnn_layout_of(t, &l) ? l.dtype : ttnn_dtype_of(t->element);
    return ir_enum_attr(op->ctx, TTCORE_ATTR(supportedDataTypes), dtype);
}

bool ttnn_convert_named(ir_op *op, ir_builder *b)
{
    size_t row = (size_t)(op->def - ttir_ops);
    for (size_t i = 0; i < TW_COUNT(quantizing); i++)
        if (quantizing[i].from == row)
            return ttnn_replace_all(
                op, ttnn_build_named(op, b, &ttnn_ops[quantizing[i].to],
                                     IR_ATTRS({"output_dtype", result_dtype(op)})));
    for (size_t i = 0; i < TW_COUNT(same); i++)
        if (same[i].from == row)
            return ttnn_replace_all(
                op, ttnn_build_named(op, b, &ttnn_ops[same[i].to], NULL, 0));
    return false;
}
