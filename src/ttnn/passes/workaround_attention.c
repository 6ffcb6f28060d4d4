/* workaround_attention.c: attention and what feeds it, on the shapes and in the memories
 * that its kernels take. */
#include "ttcore/ttcore.h"
#include "ttnn/passes/workarounds.h"

static ir_value *operand(const ir_op *op, const char *name)
{
    return ir_op_operand_named(op, name);
}

/* ---- splitting heads ---------------------------------------------------------------- */

static const int64_t heads_first[] = {0, 2, 1, 3}, keys_last[] = {0, 1, 3, 2};

typedef struct part {
    const char *slice, *reshape, *permute;
} part;

/* [batch, sequence, heads * size] -> [batch, sequence, heads, size] */
static ir_value *by_heads(ir_builder *b, ir_value *v, int64_t heads, int64_t size,
                          const part *p)
{
    int64_t dims[] = {v->type->dims[0], v->type->dims[1], heads, size};
    return tnb_reshape(b, p->reshape, v, dims, 4);
}

/* The i-th of `v`'s parts of `width` columns. */
static ir_value *columns(ir_builder *b, const char *suffix, ir_value *v, int64_t i,
                         int64_t width)
{
    int64_t begins[] = {0, 0, i * width};
    int64_t ends[] = {v->type->dims[0], v->type->dims[1], (i + 1) * width};
    return tnb_slice(b, suffix, v, begins, ends);
}

static bool split_qkv(ir_op *op, rw_rewriter *rw)
{
    static const part query = {NULL, "_reshape_query", "_permute_query"};
    static const part kv_parts[] = {{"_slice_k", "_reshape_k", "_permute_k"},
                                    {"_slice_v", "_reshape_v", "_permute_v"}};
    static const part qkv_parts[] = {{"_split_q", "_reshape_q", "_permute_q"},
                                     {"_split_k", "_reshape_k", "_permute_k"},
                                     {"_split_v", "_reshape_v", "_permute_v"}};
    ir_value *input = op->operands[0].value, *kv = operand(op, "kv_input_tensor");
    ir_attr kv_heads = ir_op_attr(op, "num_kv_heads");
    int64_t heads = ir_op_int(op, "num_heads", 1), size;
    if (op->results[0].type->count != 4 || input->type->count != 3)
        return false;
    size = op->results[0].type->dims[3];
    if (size % TTNN_TILE == 0 || (kv_heads && !kv))
        return false;
    ir_builder *b = &rw->b;
    ir_value *out[3];
    const part *parts[3];
    if (kv && kv_heads) {
        out[0] = tnb_permute(b, query.permute, by_heads(b, input, heads, size, &query),
                             heads_first);
        for (int64_t i = 0; i < 2; i++)
            out[1 + i] = columns(b, kv_parts[i].slice, kv, i, kv_heads->value * size);
        for (size_t i = 1; i < 3; i++) {
            out[i] = by_heads(b, out[i], kv_heads->value, size, &kv_parts[i - 1]);
            out[i] = tnb_permute(b, kv_parts[i - 1].permute, out[i], heads_first);
        }
    } else {
        for (int64_t i = 0; i < 3; i++) {
            parts[i] = &qkv_parts[i];
            out[i] = columns(b, parts[i]->slice, input, i, input->type->dims[2] / 3);
        }
        for (size_t i = 0; i < 3; i++)
            out[i] = by_heads(b, out[i], heads, size, parts[i]);
        for (size_t i = 0; i < 3; i++)
            out[i] = tnb_permute(b, parts[i]->permute, out[i], heads_first);
    }
    if (ir_op_bool(op, "transpose_key"))
        out[1] = tnb_permute(b, "_transpose_k", out[1], keys_last);
    rw_replace(rw, op, out, 3);
    return true;
}

/* ---- attention ---------------------------------------------------------------------- */

static ir_value *pad_last(ir_builder *b, ir_value *v, int64_t to)
{
    int64_t pairs[2 * TTNN_MAX_RANK] = {0};
    size_t last = v->type->count - 1;
    pairs[2 * last + 1] = to - v->type->dims[last];
    return tnb_pad(b, NULL, v, pairs, 0, true);
}

/* Heads are whole tiles. */
static bool attention_heads(ir_op *op, rw_rewriter *rw)
{
    ir_type q = op->operands[0].value->type;
    int64_t size = q->dims[q->count - 1], padded = tnb_round_up(size, TTNN_TILE);
    ir_value *operands[8];
    if (size == padded || op->n_operands > TW_COUNT(operands))
        return false;
    ir_builder *b = &rw->b;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        operands[i] = i < 3 ? pad_last(b, v, padded) : v;
    }
    ir_value *y = ir_op_result(tnb_clone(b, NULL, op, operands, &operands[0]->type), 0);
    int64_t zero[TTNN_MAX_RANK] = {0};
    return wa_finish(rw, op, tnb_slice(b, NULL, y, zero, op->results[0].type->dims));
}

/* [batch, heads, 1, 1] -> [heads, 32], the first column of which counts */
static bool decode_sink(ir_op *op, rw_rewriter *rw)
{
    ir_value *sink = operand(op, "attention_sink");
    if (!sink || sink->type->count != 4 || sink->type->dims[2] != 1 ||
        sink->type->dims[3] != 1)
        return false;
    ir_builder *b = &rw->b;
    int64_t heads = sink->type->dims[1], zero[4] = {0}, one[] = {1, heads, 1, 1};
    int64_t dims[] = {heads, 1};
    if (sink->type->dims[0] != 1)
        sink = tnb_slice(b, NULL, sink, zero, one);
    sink = pad_last(b, tnb_reshape(b, NULL, sink, dims, 2), TTNN_TILE);
    ir_op_set_operand_group(op, ir_op_operand_index(op->def, "attention_sink"), &sink, 1);
    rw_modified(rw, op);
    return true;
}

/* One mask for all heads is written out for each. */
static bool decode_mask(ir_op *op, rw_rewriter *rw)
{
    ir_value *mask = operand(op, "attention_mask");
    ir_type q = op->operands[0].value->type;
    if (!mask || mask->type->count != 4 || q->count != 4 || mask->type->dims[2] != 1 ||
        q->dims[2] <= 1)
        return false;
    int64_t times[] = {1, 1, q->dims[2], 1};
    mask = tnb_repeat(&rw->b, NULL, mask, times);
    ir_op_set_operand_group(op, ir_op_operand_index(op->def, "attention_mask"), &mask, 1);
    rw_modified(rw, op);
    return true;
}

static bool is_blackhole(ir_op *op)
{
    for (ir_op *at = op; at; at = ir_op_parent(at)) {
        ir_attr system = ir_op_attr(at, "ttcore.system_desc");
        ir_attr chips = system ? ir_attr_param(system, "chipDescs") : NULL;
        if (ir_attr_is(chips, IR_ATTR_ARRAY) && chips->count)
            return ir_enum_value(ir_attr_param(chips->items[0], "arch"), -1) ==
                   TTCORE_Arch_Blackhole;
    }
    return false;
}

/* The approximate exponential is not to be used there. */
static bool paged_decode_config(ir_op *op, rw_rewriter *rw)
{
    ir_context *ctx = op->ctx;
    const ir_attr_def *def = TTNN_ATTR(sdpa_program_config);
    ir_attr old = ir_op_attr(op, "program_config"), made = old;
    int64_t grid[2];
    if (!is_blackhole(op) || !ttnn_device_grid(op, false, grid))
        return false;
    if (!old) {
        ir_attr xy[] = {ir_raw_int(ctx, grid[1]), ir_raw_int(ctx, grid[0])};
        made = tnb_with(ctx, def, NULL, "compute_with_storage_grid_size",
                        ir_dialect_attr(ctx, TTNN_ATTR(core_coord), xy, 2));
        made = tnb_with(ctx, def, made, "q_chunk_size", ir_raw_int(ctx, 32));
        made = tnb_with(ctx, def, made, "k_chunk_size", ir_raw_int(ctx, 32));
        made = tnb_with(ctx, def, made, "max_cores_per_head_batch", ir_raw_int(ctx, 1));
    }
    made = tnb_with(ctx, def, made, "exp_approx_mode", ir_bool_attr(ctx, false));
    if (made == old)
        return false;
    ir_op_set_attr(op, "program_config", made);
    rw_modified(rw, op);
    return true;
}

/* ---- what must lie on cores of its own ---------------------------------------------- */

static bool concat_heads_input(ir_op *op, rw_rewriter *rw)
{
    ir_value *v = op->operands[0].value;
    ttnn_layout l;
    if (!ttnn_layout_of(v->type, &l) || v->type->count < 2 ||
        (l.buffer == TTNN_BufferType_L1 &&
         l.memory == TTNN_TensorMemoryLayout_HeightSharded))
        return false;
    l.tiled = true;
    l.buffer = TTNN_BufferType_L1;
    if (!ttnn_layout_shard(&l, op, TTNN_TensorMemoryLayout_HeightSharded, v->type->dims[1],
                           1))
        return false;
    ir_op_set_operand(op, 0, tnb_to_spec(&rw->b, NULL, v, &l));
    rw_modified(rw, op);
    return true;
}

/* Each user's row on its core; from level 2 on the optimizer decides. */
static bool paged_update_input(ir_op *op, rw_rewriter *rw)
{
    const int64_t *level = rw->user;
    ir_value *v = op->operands[1].value;
    ttnn_layout l;
    if (*level >= 2 || v->type->count < 2 || !ttnn_layout_of(v->type, &l))
        return false;
    l = ttnn_layout_dram(ttnn_dtype_of(v->type->element));
    l.buffer = TTNN_BufferType_L1;
    if (!ttnn_layout_shard(&l, op, TTNN_TensorMemoryLayout_HeightSharded, v->type->dims[1],
                           1) ||
        ttnn_tensor_with(v->type, &l) == v->type)
        return false;
    ir_op_set_operand(op, 1, tnb_to_spec(&rw->b, NULL, v, &l));
    rw_modified(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {TTNN_OP(nlp_concat_heads_decode), concat_heads_input, NULL},
    {TTNN_OP(split_query_key_value_and_split_heads), split_qkv, NULL},
    {TTNN_OP(scaled_dot_product_attention_decode), decode_sink, NULL},
    {TTNN_OP(scaled_dot_product_attention_decode), decode_mask, NULL},
    {TTNN_OP(paged_scaled_dot_product_attention_decode), paged_decode_config, NULL},
    {TTNN_OP(scaled_dot_product_attention), attention_heads, NULL},
    {TTNN_OP(paged_update_cache), paged_update_input, NULL},
};

const wa_patterns wa_attention_patterns = {patterns, TW_COUNT(patterns)};
