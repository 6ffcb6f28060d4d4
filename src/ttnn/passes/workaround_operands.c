/* workaround_operands.c: the forms that operands and results must have, as rows where they
 * are always the same and as functions where they depend on types or attributes. */
#include "ttcore/ttcore.h"
#include "ttnn/passes/workarounds.h"

#define DT(name) (TTCORE_DataType_##name + 1)

/* `what` names an operand or a result; "in" and "out" mean all of them. */
typedef struct row {
    uint16_t op;
    const char *what;
    wa_form form;
} row;

/* clang-format off */
#define ROW(op, what, ...) {TTNN_##op, what, {__VA_ARGS__}}
static const row rows[] = {
    ROW(all_to_all_combine, "input_tensor", WA_ROWS, DT(BFloat16)),
    ROW(all_to_all_combine, "expert_metadata", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_combine, "expert_mapping", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_combine, "out", WA_ROWS, DT(BFloat16)),
    ROW(all_to_all_dispatch, "input_tensor", WA_ROWS, DT(BFloat16)),
    ROW(all_to_all_dispatch, "expert_indices", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_dispatch, "expert_mapping", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_dispatch, "dispatched", WA_ROWS, DT(BFloat16)),
    ROW(all_to_all_dispatch, "metadata", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_dispatch_metadata, "input_tensor", WA_ROWS, DT(BFloat16), WA_L1),
    ROW(all_to_all_dispatch_metadata, "expert_indices", WA_ROWS, DT(UInt16), WA_L1),
    ROW(all_to_all_dispatch_metadata, "expert_scores", WA_ROWS, DT(BFloat16), WA_L1),
    ROW(all_to_all_dispatch_metadata, "expert_mapping", WA_ROWS, DT(UInt16)),
    ROW(all_to_all_dispatch_metadata, "dispatched", WA_ROWS, DT(BFloat16)),
    ROW(all_to_all_dispatch_metadata, "indices", WA_ROWS, DT(UInt16), WA_L1_HEIGHT),
    ROW(all_to_all_dispatch_metadata, "scores", WA_ROWS, DT(BFloat16), WA_L1_HEIGHT),
    ROW(argmax, "in", WA_ROWS),
    ROW(argmax, "out", WA_ROWS, DT(UInt32)),
    ROW(avg_pool2d, "in", WA_ROWS, DT(BFloat16)),
    ROW(avg_pool2d, "out", WA_ROWS, DT(BFloat16)),
    ROW(chunked_scaled_dot_product_attention, "page_table", WA_ROWS),
    ROW(chunked_scaled_dot_product_attention, "chunk_start_idx", WA_ROWS),
    ROW(constant, "out", WA_ROWS, 0, WA_HOST),
    ROW(conv3d, "input", WA_ROWS, DT(BFloat16)),
    ROW(conv3d, "weight", WA_ANY, DT(BFloat16)),
    ROW(conv3d, "bias", WA_TILES, DT(BFloat16)),
    ROW(conv3d, "out", WA_ANY, DT(BFloat16)),
    ROW(dropout, "in", WA_ANY, DT(BFloat16)),
    ROW(dropout, "out", WA_ANY, DT(BFloat16)),
    ROW(embedding, "input", WA_ROWS, DT(UInt32)),
    ROW(embedding, "weight", WA_ROWS, DT(BFloat16)),
    ROW(embedding, "out", WA_TILES, DT(BFloat16)),
    ROW(embedding_bw, "input", WA_ROWS, DT(UInt32)),
    ROW(embedding_bw, "weight", WA_ANY, DT(BFloat16)),
    ROW(embedding_bw, "in_gradient", WA_ANY, DT(BFloat16)),
    ROW(embedding_bw, "out", WA_ANY, DT(BFloat16)),
    ROW(gather, "in", WA_TILES),
    ROW(group_norm, "input", WA_ANY, DT(BFloat16)),
    ROW(group_norm, "weight", WA_ROWS, DT(BFloat16)),
    ROW(group_norm, "bias", WA_ROWS, DT(BFloat16)),
    ROW(group_norm, "out", WA_ANY, DT(BFloat16)),
    ROW(max_pool2d, "in", WA_ROWS, DT(BFloat16)),
    ROW(max_pool2d, "out", WA_ROWS, DT(BFloat16)),
    ROW(max_pool2d_with_indices, "in", WA_ROWS, DT(BFloat16)),
    ROW(max_pool2d_with_indices, "result", WA_ROWS, DT(BFloat16)),
    ROW(max_pool2d_with_indices, "result_indices", WA_ROWS, DT(UInt16)),
    ROW(moe_compute, "tilize_input_tensor", WA_ROWS, DT(BFloat16)),
    ROW(moe_compute, "tilize_expert_mapping_tensor", WA_ROWS, DT(UInt16)),
    ROW(moe_compute, "out", WA_ROWS, DT(BFloat16), WA_DRAM),
    ROW(moe_expert_token_remap, "topk_tensor", WA_ROWS, DT(BFloat16)),
    ROW(moe_expert_token_remap, "expert_mapping", WA_ROWS, DT(UInt16)),
    ROW(moe_expert_token_remap, "expert_metadata", WA_ROWS, DT(UInt16)),
    ROW(moe_expert_token_remap, "mapping", WA_ROWS, DT(BFloat16)),
    ROW(moe_expert_token_remap, "reduced", WA_ROWS, DT(UInt16)),
    ROW(moe_gpt, "input_tensor", WA_ROWS, 0, WA_L1),
    ROW(moe_gpt, "expert_indices", WA_ROWS, DT(UInt16), WA_L1_HEIGHT),
    ROW(moe_gpt, "expert_scores", WA_ROWS, 0, WA_L1_HEIGHT),
    ROW(moe_gpt, "expert_mapping", WA_ROWS, DT(UInt16), WA_L1, .const_eval = true),
    ROW(moe_gpt, "token_counts", WA_ROWS, DT(UInt32), WA_L1),
    ROW(moe_gpt, "activation_records", WA_ROWS, DT(UInt32), WA_L1),
    ROW(moe_gpt, "token_indices", WA_ROWS, DT(UInt32), WA_L1),
    ROW(moe_gpt, "tilize_out", WA_TILES, 0, WA_L1_HEIGHT),
    ROW(moe_gpt, "tilize_out_rm", WA_ROWS, 0, WA_L1_HEIGHT),
    ROW(paged_fill_cache, "page_table", WA_ROWS),
    ROW(paged_fill_cache, "batch_idx_tensor", WA_ROWS),
    ROW(paged_flash_multi_latent_attention_decode, "page_table", WA_ROWS, DT(Int32)),
    ROW(paged_flash_multi_latent_attention_decode, "cur_pos_tensor", WA_ROWS),
    ROW(paged_scaled_dot_product_attention_decode, "page_table", WA_ROWS),
    ROW(paged_scaled_dot_product_attention_decode, "cur_pos_tensor", WA_ROWS),
    ROW(paged_update_cache, "update_index", WA_ROWS),
    ROW(paged_update_cache, "page_table", WA_ROWS),
    ROW(prepare_conv3d_weights, "in", WA_ROWS, 0, WA_HOST),
    ROW(prepare_moe_compute_w0_w1_weights, "in", WA_ROWS),
    ROW(prepare_moe_compute_w2_weights, "in", WA_ROWS),
    ROW(prod, "in", WA_ANY, DT(BFloat16)),
    ROW(prod, "out", WA_ANY, DT(BFloat16)),
    ROW(sampling, "input_indices", WA_ROWS),
    ROW(sampling, "k", WA_ROWS, DT(UInt32)),
    ROW(sampling, "p", WA_ROWS),
    ROW(sampling, "temp", WA_ROWS),
    ROW(sampling, "out", WA_ROWS, DT(UInt32)),
    ROW(scaled_dot_product_attention, "query", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention, "key", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention, "value", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention, "attention_mask", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention, "out", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention_decode, "query", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention_decode, "key", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention_decode, "value", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention_decode, "attention_mask", WA_ANY, DT(BFloat16)),
    ROW(scaled_dot_product_attention_decode, "out", WA_ANY, DT(BFloat16)),
    ROW(sdpa_bw, "in", WA_ANY, DT(BFloat16)),
    ROW(sdpa_bw, "intermediates", WA_ANY, DT(Float32)),
    ROW(sdpa_bw, "out", WA_ANY, DT(BFloat16)),
    ROW(sdpa_fw, "in", WA_ANY, DT(BFloat16)),
    ROW(sdpa_fw, "output", WA_ANY, DT(BFloat16)),
    ROW(sdpa_fw, "intermediates", WA_ANY, DT(Float32)),
    ROW(sparse_matmul, "sparsity", WA_ROWS, DT(BFloat16)),
    ROW(tanh, "in", WA_ANY, DT(BFloat16)),
    ROW(tanh, "out", WA_ANY, DT(BFloat16)),
    ROW(topk_router_gpt, "expert_indices", WA_ROWS, DT(UInt16), WA_L1_KEPT),
    ROW(topk_router_gpt, "expert_weights", WA_ROWS, DT(BFloat16), WA_L1_KEPT),
    ROW(upsample, "in", WA_ROWS, DT(BFloat16)),
    ROW(upsample, "out", WA_ROWS, DT(BFloat16)),
};
#undef ROW
/* clang-format on */

/* ---- forms that depend on the operation --------------------------------------------- */

static ir_type input_type(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static int64_t dtype_of(ir_type t)
{
    ttnn_layout l;
    return ttnn_layout_of(t, &l) ? l.dtype : ttnn_dtype_of(t->element);
}

static bool is_tiled(ir_type t)
{
    ttnn_layout l;
    return ttnn_layout_of(t, &l) && l.tiled;
}

static bool is_integer(ir_type t)
{
    return t->element->kind == IR_TYPE_INTEGER;
}

static bool is_float_like(int64_t dtype)
{
    return dtype == TTCORE_DataType_Float32 || dtype == TTCORE_DataType_BFloat16;
}

static bool is_block_float(int64_t dtype)
{
    return dtype == TTCORE_DataType_BFP_BFloat8 || dtype == TTCORE_DataType_BFP_BFloat4;
}

static bool is_narrow_unsigned(int64_t dtype)
{
    return dtype == TTCORE_DataType_UInt8 || dtype == TTCORE_DataType_UInt16;
}

static void set_all(const ir_op *op, wa_forms *f, wa_form form)
{
    for (uint32_t i = 0; i < op->n_operands && i < WA_MAX_OPERANDS; i++)
        f->operands[i] = form;
    for (uint32_t i = 0; i < op->n_results && i < WA_MAX_OPERANDS; i++)
        f->results[i] = form;
}

/* The element that a binary operation needs where an operand has this one; 0: as it is. */
static int binary_dtype(const ir_op *op, int64_t dtype)
{
    switch ((size_t)(op->def - ttnn_ops)) {
    case TTNN_logical_left_shift:
    case TTNN_logical_right_shift:
        return dtype == TTCORE_DataType_UInt32 || dtype == TTCORE_DataType_Int32
                   ? 0
                   : DT(Int32);
    case TTNN_bitwise_and:
    case TTNN_bitwise_or:
    case TTNN_bitwise_xor:
        return dtype == TTCORE_DataType_UInt8 ? DT(UInt32) : 0;
    case TTNN_gelu_bw:
        return dtype == TTCORE_DataType_BFloat16 ? 0 : DT(BFloat16);
    case TTNN_divide:
    case TTNN_pow_tensor:
        return is_float_like(dtype) || is_block_float(dtype) ? 0 : DT(Float32);
    default:
        return dtype == TTCORE_DataType_UInt8 ? DT(Int32) : 0;
    }
}

static void binary_forms(const ir_op *op, wa_forms *f)
{
    wa_form form = {0};
    for (size_t i = 0; i < 2; i++) {
        int dtype = binary_dtype(op, dtype_of(input_type(op, i)));
        form.dtype = dtype ? dtype : form.dtype;
        if (!is_tiled(input_type(op, i)))
            form.page = WA_TILES;
    }
    set_all(op, f, form);
}

/* A predicate has the values' own type; integers are chosen between as floats. */
static void where_forms(const ir_op *op, wa_forms *f)
{
    ir_type predicate = input_type(op, 0), value = input_type(op, op->n_operands - 1);
    if (!is_integer(predicate) && dtype_of(predicate) == dtype_of(value))
        return;
    if (is_integer(value))
        set_all(op, f, (wa_form){.dtype = DT(Float32)});
    else
        f->operands[0].dtype = (int)dtype_of(value) + 1;
}

static bool goes_in_rows(ir_type t)
{
    int64_t dtype = dtype_of(t);
    return is_tiled(t) && (is_float_like(dtype) || dtype == TTCORE_DataType_Int32 ||
                           dtype == TTCORE_DataType_UInt32);
}

static void scatter_forms(const ir_op *op, wa_forms *f)
{
    wa_form rows = {.page = WA_ROWS};
    if (goes_in_rows(input_type(op, 0)) || goes_in_rows(input_type(op, 2)))
        f->operands[0] = f->operands[2] = f->results[0] = rows;
    if (goes_in_rows(input_type(op, 1)))
        f->operands[1] = rows;
}

static void slice_static_forms(const ir_op *op, wa_forms *f)
{
    int64_t step[TTNN_MAX_RANK];
    size_t n = tnb_ints(op, "step", step, TTNN_MAX_RANK);
    bool strided = false;
    for (size_t i = 0; i < n; i++)
        strided |= step[i] > 1;
    if (strided && is_narrow_unsigned(dtype_of(input_type(op, 0))))
        set_all(op, f, (wa_form){.dtype = DT(UInt32)});
}

static void slice_dynamic_forms(const ir_op *op, wa_forms *f)
{
    wa_form rows = {.page = WA_ROWS};
    if (is_narrow_unsigned(dtype_of(input_type(op, 0))))
        rows.dtype = DT(UInt32);
    f->operands[0] = f->results[0] = rows;
    f->operands[1] = f->operands[2] = (wa_form){.dtype = DT(UInt32)};
}

static void reshape_forms(const ir_op *op, wa_forms *f)
{
    if (dtype_of(input_type(op, 0)) == TTCORE_DataType_UInt8)
        set_all(op, f, (wa_form){.dtype = DT(Int32)});
}

static void update_cache_forms(const ir_op *op, wa_forms *f)
{
    if (dtype_of(input_type(op, 2)) == TTCORE_DataType_Int32)
        f->operands[2].dtype = DT(UInt32);
}

static void rotary_form(ir_type t, wa_form *form)
{
    ttnn_layout l;
    if (!ttnn_layout_of(t, &l))
        return;
    form->memory = ttnn_layout_on_host(&l) ? WA_DRAM : WA_ANYWHERE;
    form->page = l.tiled ? WA_ANY : WA_TILES;
}

static void rotary_forms(const ir_op *op, wa_forms *f)
{
    for (uint32_t i = 0; i < op->n_operands && i < WA_MAX_OPERANDS; i++)
        rotary_form(input_type(op, i), &f->operands[i]);
    rotary_form(op->results[0].type, &f->results[0]);
}

static void erf_forms(const ir_op *op, wa_forms *f)
{
    if (is_integer(input_type(op, 0)))
        set_all(op, f, (wa_form){.dtype = DT(BFloat16)});
}

static void bitwise_not_forms(const ir_op *op, wa_forms *f)
{
    int64_t dtype = dtype_of(input_type(op, 0));
    wa_form form = {.page = is_tiled(input_type(op, 0)) ? WA_ANY : WA_TILES};
    if (is_narrow_unsigned(dtype) || dtype == TTCORE_DataType_UInt32)
        form.dtype = DT(Int32);
    set_all(op, f, form);
}

static void pad_forms(const ir_op *op, wa_forms *f)
{
    int64_t padding[2 * TTNN_MAX_RANK];
    size_t n = tnb_ints(op, "padding", padding, TW_COUNT(padding));
    bool front = false;
    for (size_t i = 0; i < n; i += 2)
        front |= padding[i] != 0;
    if (front && is_tiled(input_type(op, 0)))
        set_all(op, f, (wa_form){.page = WA_ROWS});
}

static void permute_forms(const ir_op *op, wa_forms *f)
{
    if (is_integer(input_type(op, 0)) && input_type(op, 0)->element->width == 32)
        set_all(op, f, (wa_form){.dtype = DT(Float32)});
}

static void conv_forms(const ir_op *op, wa_forms *f)
{
    bool block = dtype_of(input_type(op, 0)) == TTCORE_DataType_BFP_BFloat8;
    f->operands[0] = (wa_form){.page = WA_ROWS, .dtype = block ? DT(BFloat16) : 0};
}

static void reduction_forms(const ir_op *op, wa_forms *f)
{
    int64_t dtype = dtype_of(input_type(op, 0));
    if (!is_float_like(dtype))
        set_all(op, f, (wa_form){.dtype = DT(Float32)});
}

static int64_t extent(const ir_op *op, int64_t deflt)
{
    ir_type t = input_type(op, 0);
    int64_t dim = ir_op_int(op, "dim", deflt);
    dim += dim < 0 ? t->count : 0;
    return dim >= 0 && dim < t->count ? t->dims[dim] : 1;
}

static void sort_forms(const ir_op *op, wa_forms *f)
{
    ir_type t = input_type(op, 0);
    int64_t dtype = dtype_of(t), last = t->count ? t->dims[t->count - 1] : 1, power = 1;
    wa_form values = {0};
    if (is_integer(t) && dtype != TTCORE_DataType_UInt16) {
        values.dtype = DT(UInt16);
        if (dtype != TTCORE_DataType_UInt8)
            f->warning =
                "chips sort integers of 16 bits: values below 0 or above 65535 lose "
                "their high bits and come out wrong; keep values within 16 bits or "
                "sort on the host";
    } else if (dtype == TTCORE_DataType_Float32)
        values.dtype = DT(BFloat16);
    while (power < last)
        power *= 2;
    f->operands[0] = f->results[0] = values;
    f->results[1].dtype = power < UINT16_MAX ? DT(UInt16) : DT(UInt32);
}

static void topk_forms(const ir_op *op, wa_forms *f)
{
    int64_t dtype = dtype_of(input_type(op, 0));
    bool fine = dtype == TTCORE_DataType_BFloat16 || dtype == TTCORE_DataType_BFP_BFloat8;
    f->operands[0].dtype = f->results[0].dtype = fine ? 0 : DT(BFloat16);
    f->results[1].dtype =
        tnb_round_up(extent(op, -1), TTNN_TILE) <= UINT16_MAX ? DT(UInt16) : DT(UInt32);
}

static int flash_dtype(ir_type t)
{
    int64_t dtype = dtype_of(t);
    return dtype == TTCORE_DataType_BFloat16 || is_block_float(dtype) ? 0 : DT(BFloat16);
}

static void flash_forms(const ir_op *op, wa_forms *f)
{
    for (uint32_t i = 0; i < op->n_operands && i < WA_MAX_OPERANDS; i++)
        f->operands[i].dtype = flash_dtype(input_type(op, i));
    f->results[0].dtype = flash_dtype(op->results[0].type);
}

static const struct rule {
    uint16_t op;
    void (*forms)(const ir_op *op, wa_forms *f);
} rules[] = {
    {TTNN_bitwise_not, bitwise_not_forms},
    {TTNN_conv1d, conv_forms},
    {TTNN_conv2d, conv_forms},
    {TTNN_conv_transpose2d, conv_forms},
    {TTNN_erf, erf_forms},
    {TTNN_flash_mla_prefill, flash_forms},
    {TTNN_max, reduction_forms},
    {TTNN_mean, reduction_forms},
    {TTNN_min, reduction_forms},
    {TTNN_pad, pad_forms},
    {TTNN_permute, permute_forms},
    {TTNN_reshape, reshape_forms},
    {TTNN_rotary_embedding, rotary_forms},
    {TTNN_scatter, scatter_forms},
    {TTNN_slice_dynamic, slice_dynamic_forms},
    {TTNN_slice_static, slice_static_forms},
    {TTNN_sort, sort_forms},
    {TTNN_sum, reduction_forms},
    {TTNN_topk, topk_forms},
    {TTNN_update_cache, update_cache_forms},
    {TTNN_where, where_forms},
};

/* ---- looking up --------------------------------------------------------------------- */

static void put_group(wa_form *forms, size_t start, size_t count, wa_form form)
{
    for (size_t i = start; i < start + count && i < WA_MAX_OPERANDS; i++)
        forms[i] = form;
}

static void apply_row(const ir_op *op, const row *r, wa_forms *f)
{
    size_t start, count;
    if (strcmp(r->what, "in") == 0)
        put_group(f->operands, 0, op->n_operands, r->form);
    if (strcmp(r->what, "out") == 0)
        put_group(f->results, 0, op->n_results, r->form);
    for (uint32_t g = 0; g < op->def->operands.count; g++)
        if (strcmp(op->def->operands.at[g].name, r->what) == 0 &&
            ir_op_operand_group(op, g, &start, &count))
            put_group(f->operands, start, count, r->form);
    for (uint32_t g = 0; g < op->def->results.count; g++)
        if (strcmp(op->def->results.at[g].name, r->what) == 0 &&
            ir_op_result_group(op, g, &start, &count))
            put_group(f->results, start, count, r->form);
}

static bool is_binary(const ir_op_def *def)
{
    return def->operands.count == 2 && strcmp(def->operands.at[0].name, "lhs") == 0 &&
           strcmp(def->operands.at[1].name, "rhs") == 0;
}

bool wa_forms_of(ir_op *op, wa_forms *out)
{
    size_t id = (size_t)(op->def - ttnn_ops);
    bool any = false;
    memset(out, 0, sizeof *out);
    if (id >= TTNN_OP_COUNT)
        return false;
    if (is_binary(op->def)) {
        binary_forms(op, out);
        return true;
    }
    for (size_t i = 0; i < TW_COUNT(rules); i++)
        if (rules[i].op == id) {
            rules[i].forms(op, out);
            return true;
        }
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].op == id) {
            apply_row(op, &rows[i], out);
            any = true;
        }
    return any;
}

bool wa_with_optimizer(const ir_op *op)
{
    static const uint16_t ops[] = {
        TTNN_where,
        TTNN_full,
        TTNN_embedding,
        TTNN_scatter,
        TTNN_topk,
        TTNN_flash_mla_prefill,
        TTNN_scaled_dot_product_attention,
        TTNN_scaled_dot_product_attention_decode,
        TTNN_prepare_moe_compute_w0_w1_weights,
        TTNN_prepare_moe_compute_w2_weights,
        TTNN_moe_compute,
        TTNN_conv3d,
        TTNN_sampling,
        TTNN_all_to_all_dispatch,
        TTNN_all_to_all_dispatch_metadata,
        TTNN_all_to_all_combine,
        TTNN_moe_expert_token_remap,
        TTNN_sparse_matmul,
        TTNN_sdpa_bw,
    };
    for (size_t i = 0; i < TW_COUNT(ops); i++)
        if (op->def == &ttnn_ops[ops[i]])
            return true;
    return false;
}
