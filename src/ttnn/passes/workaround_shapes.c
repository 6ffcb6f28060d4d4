/* workaround_shapes.c: operations that do not run on every shape are rewritten on shapes on
 * which they do: reshaped, padded, permuted or split. */
#include "support/number.h"
#include "ttcore/ttcore.h"
#include "ttnn/passes/workarounds.h"

#include <math.h>
#include <stdio.h>

enum { MAX_PRODUCT = 16 };

static ir_value *operand(const ir_op *op, size_t i)
{
    return op->operands[i].value;
}

static void copy_dims(int64_t *to, ir_type t)
{
    memcpy(to, t->dims, t->count * sizeof *to);
}

/* dims with `lead` ones in front; returns the rank. */
static size_t with_leading_ones(int64_t *to, ir_type t, size_t lead)
{
    for (size_t i = 0; i < lead; i++)
        to[i] = 1;
    memcpy(to + lead, t->dims, t->count * sizeof *to);
    return lead + t->count;
}

/* Pads the end of one dimension with zeros. */
static ir_value *pad_end(ir_builder *b, const char *suffix, ir_value *v, size_t dim,
                         int64_t amount, bool multicore)
{
    int64_t pairs[2 * TTNN_MAX_RANK] = {0};
    pairs[2 * dim + 1] = amount;
    return tnb_pad(b, suffix, v, pairs, 0, multicore);
}

/* The part of `v` that has the shape of `t`, from the start. */
static ir_value *cut_to(ir_builder *b, const char *suffix, ir_value *v, ir_type t)
{
    int64_t zero[TTNN_MAX_RANK] = {0};
    return tnb_slice(b, suffix, v, zero, t->dims);
}

static ir_value *unary_clone(ir_builder *b, const char *suffix, ir_op *op, ir_value *input,
                             ir_type result)
{
    ir_value *operands[WA_MAX_OPERANDS];
    for (uint32_t i = 0; i < op->n_operands && i < WA_MAX_OPERANDS; i++)
        operands[i] = i ? operand(op, i) : input;
    return ir_op_result(tnb_clone(b, suffix, op, operands, &result), 0);
}

/* ---- gather ------------------------------------------------------------------------- */

/* Indices below zero give NaN (or the smallest integer); the others are unsigned. */
static bool gather_signed(ir_op *op, rw_rewriter *rw)
{
    ir_value *index = operand(op, 1);
    ir_type result = op->results[0].type;
    ttnn_layout l, of_result;
    if (!ttnn_layout_of(index->type, &l) || l.dtype != TTCORE_DataType_Int32 ||
        !ttnn_layout_of(result, &of_result))
        return false;
    ir_context *ctx = op->ctx;
    ir_builder *b = &rw->b;
    ir_value *device = tnb_device(b, op);
    ir_type mask_type = ttnn_tensor_retyped(index->type, of_result.dtype);
    ir_value *zero = tnb_full(b, "_zero", index->type, ir_i32_attr(ctx, 0), device);
    ir_value *mask =
        tnb_op(b, "_idx_lt_zero", TTNN_OP(lt), mask_type, IR_VALUES(index, zero), NULL, 0);
    ir_value *safe =
        tnb_op(b, "_clamp", TTNN_OP(maximum), index->type, IR_VALUES(index, zero), NULL, 0);
    l.dtype = TTCORE_DataType_UInt32;
    safe = tnb_to_spec(b, "_to_u32", safe, &l);
    ir_value *raw = ir_op_result(
        tnb_clone(b, "_safe_gather", op, (ir_value *[]){operand(op, 0), safe}, &result), 0);
    ir_attr value =
        tnb_is_float(result) ? ir_f32_attr(ctx, (double)NAN) : ir_i32_attr(ctx, INT32_MIN);
    ir_value *fill = tnb_full(b, "_fill", result, value, device);
    rw_replace1(
        rw, op,
        tnb_op(b, NULL, TTNN_OP(where), result, IR_VALUES(mask, fill, raw), NULL, 0));
    return true;
}

static bool gather_vector(ir_op *op, rw_rewriter *rw)
{
    ir_value *input = operand(op, 0), *index = operand(op, 1);
    ir_type result = op->results[0].type;
    int64_t dims[2];
    if (input->type->count != 1)
        return false;
    ir_builder *b = &rw->b;
    input = tnb_reshape(b, "_input_reshape", input, dims,
                        with_leading_ones(dims, input->type, 1));
    index = tnb_reshape(b, "_index_reshape", index, dims,
                        with_leading_ones(dims, index->type, 1));
    size_t rank = with_leading_ones(dims, result, 1);
    ir_type wide = ttnn_tensor_reshaped(result, dims, rank);
    int64_t dim = ir_op_int(op, "dim", 0);
    ir_value *v = tnb_op(b, "_gather", TTNN_OP(gather), wide, IR_VALUES(input, index),
                         IR_ATTRS({"dim", ir_si32_attr(op->ctx, dim < 0 ? dim : dim + 1)}));
    return wa_finish(rw, op, tnb_reshape(b, NULL, v, result->dims, result->count));
}

/* ---- collectives, sampling, embedding ----------------------------------------------- */

static bool sampling_matrix(ir_op *op, rw_rewriter *rw)
{
    ir_type t = operand(op, 0)->type, result = op->results[0].type;
    int64_t dims[4], out[] = {1, 1, 1, t->count ? t->dims[0] : 1};
    if (t->count != 2)
        return false;
    ir_builder *b = &rw->b;
    size_t rank = with_leading_ones(dims, t, 2);
    ir_value *operands[] = {tnb_reshape(b, "_values_reshape", operand(op, 0), dims, rank),
                            tnb_reshape(b, "_indices_reshape", operand(op, 1), dims, rank),
                            operand(op, 2), operand(op, 3), operand(op, 4)};
    ir_type wide = ttnn_tensor_reshaped(result, out, 4);
    ir_value *v = ir_op_result(tnb_clone(b, "_sampling", op, operands, &wide), 0);
    return wa_finish(rw, op, tnb_reshape(b, NULL, v, result->dims, result->count));
}

/* A collective on a tensor of low rank goes through a higher one. */
static bool widen_collective(ir_op *op, rw_rewriter *rw, size_t to, const char *in,
                             const char *self, const char *dim_name)
{
    ir_type t = operand(op, 0)->type, result = op->results[0].type;
    int64_t dims[4];
    size_t lead = to - t->count;
    ir_builder *b = &rw->b;
    ir_value *v =
        tnb_reshape(b, in, operand(op, 0), dims, with_leading_ones(dims, t, lead));
    size_t rank = with_leading_ones(dims, result, lead);
    v = unary_clone(b, self, op, v, ttnn_tensor_reshaped(result, dims, rank));
    if (dim_name) {
        ir_attr dim = ir_op_attr(op, dim_name);
        ir_op_set_attr(ir_value_def(v), dim_name,
                       ir_integer_attr(dim->type, dim->value + (int64_t)lead));
    }
    return wa_finish(rw, op,
                     tnb_reshape(b, "_reshape_back", v, result->dims, result->count));
}

static bool all_reduce_low_rank(ir_op *op, rw_rewriter *rw)
{
    return operand(op, 0)->type->count < 4 &&
           widen_collective(op, rw, 4, "_reshape_to_4d", "_all_reduce_4d", NULL);
}

static bool reduce_scatter_low_rank(ir_op *op, rw_rewriter *rw)
{
    return operand(op, 0)->type->count < 4 &&
           widen_collective(op, rw, 4, "_reshape_to_4d", "_reduce_scatter_4d",
                            "scatter_dim");
}

static bool all_gather_vector(ir_op *op, rw_rewriter *rw)
{
    return operand(op, 0)->type->count == 1 &&
           widen_collective(op, rw, 2, "_reshape_to_2d", "_all_gather_2d",
                            "all_gather_dim");
}

static bool embedding_weight(ir_op *op, rw_rewriter *rw)
{
    ir_value *weight = operand(op, 1);
    uint32_t rank = weight->type->count;
    if (rank <= 4)
        return false;
    int64_t dims[] = {1, 1, weight->type->dims[rank - 2], weight->type->dims[rank - 1]};
    ir_op_set_operand(op, 1, tnb_reshape(&rw->b, "_reshape", weight, dims, 4));
    rw_modified(rw, op);
    return true;
}

/* ---- norms -------------------------------------------------------------------------- */

static bool is_vector_or_absent(const ir_value *v)
{
    return !v || v->type->count == 1;
}

static bool group_norm_channels(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0), *weight = ir_op_operand_named(op, "weight"),
             *bias = ir_op_operand_named(op, "bias");
    int64_t groups = ir_op_int(op, "num_groups", 1);
    if (x->type->count != 4 || groups < 1 || ir_op_operand_named(op, "input_mask") ||
        !is_vector_or_absent(weight) || !is_vector_or_absent(bias))
        return false;
    int64_t channels = x->type->dims[3], each = channels / groups;
    if (channels % TTNN_TILE == 0 || each < 1)
        return false;
    int64_t padded = tnb_round_up(channels, TTNN_TILE / tw_gcd(TTNN_TILE, each) * each);
    ir_builder *b = &rw->b;
    x = pad_end(b, "_pad_input", x, 3, padded - channels, false);
    if (weight)
        weight = pad_end(b, "_pad_weight", weight, 0, padded - channels, false);
    if (bias)
        bias = pad_end(b, "_pad_bias", bias, 0, padded - channels, false);
    ir_type result = op->results[0].type;
    int64_t dims[4];
    copy_dims(dims, result);
    dims[3] = padded;
    ir_attr n = ir_op_attr(op, "num_groups");
    ir_value *y =
        tnb_op(b, NULL, TTNN_OP(group_norm), ttnn_tensor_reshaped(result, dims, 4),
               IR_VALUES(x, NULL, weight, bias),
               IR_ATTRS({"num_groups", ir_integer_attr(n->type, padded / each)},
                        {"epsilon", ir_op_attr(op, "epsilon")}));
    return wa_finish(rw, op, cut_to(b, "_slice_output", y, result));
}

static bool group_norm_affine(ir_op *op, rw_rewriter *rw)
{
    static const char *const names[] = {"weight", "bias"};
    static const char *const suffixes[] = {"_reshape_weight", "_reshape_bias"};
    bool changed = false;
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        ir_value *v = ir_op_operand_named(op, names[i]);
        if (!v || v->type->count != 1 || v->type->dims[0] % TTNN_TILE)
            continue;
        int64_t dims[] = {1, 1, v->type->dims[0] / TTNN_TILE, TTNN_TILE};
        v = tnb_reshape(&rw->b, suffixes[i], v, dims, 4);
        ir_op_set_operand_group(op, ir_op_operand_index(op->def, names[i]), &v, 1);
        changed = true;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

/* ---- padding and cutting ------------------------------------------------------------ */

/* A short product of integers is multiplied out: the kernel would use floats. */
static bool integer_product(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0);
    ir_type t = x->type, result = op->results[0].type;
    if (t->element->kind != IR_TYPE_INTEGER || !ir_op_attr(op, "dim_arg"))
        return false;
    int64_t dim = ir_op_int(op, "dim_arg", 0);
    dim += dim < 0 ? t->count : 0;
    if (dim < 0 || dim >= t->count || t->dims[dim] < 1 || t->dims[dim] > MAX_PRODUCT)
        return false;
    int64_t begins[TTNN_MAX_RANK] = {0}, ends[TTNN_MAX_RANK];
    copy_dims(ends, t);
    ir_builder *b = &rw->b;
    ir_value *running = NULL;
    for (int64_t i = 0; i < t->dims[dim]; i++) {
        char suffix[40];
        begins[dim] = i;
        ends[dim] = i + 1;
        snprintf(suffix, sizeof suffix, "_int_prod_slice_%d", (int)i);
        ir_value *part = tnb_slice(b, suffix, x, begins, ends);
        snprintf(suffix, sizeof suffix, "_int_prod_mul_%d", (int)i);
        running = running ? tnb_op(b, suffix, TTNN_OP(multiply), part->type,
                                   IR_VALUES(running, part), NULL, 0)
                          : part;
    }
    if (!ir_op_bool(op, "keep_dim"))
        running = tnb_reshape(b, "_int_prod_reshape", running, result->dims, result->count);
    return wa_finish(rw, op, running);
}

static bool upsample_bilinear(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0);
    ir_type result = op->results[0].type;
    ir_attr mode = ir_op_attr(op, "mode");
    if (!ir_attr_is(mode, IR_ATTR_STRING) || !tw_str_is(ir_attr_str(mode), "bilinear") ||
        x->type->count != 4 || x->type->dims[3] % TTNN_TILE == 0)
        return false;
    int64_t channels = x->type->dims[3], padded = tnb_round_up(channels, TTNN_TILE);
    int64_t dims[4];
    copy_dims(dims, result);
    dims[3] = padded;
    ir_builder at_input = rw->b;
    at_input.loc = ir_value_loc(x);
    x = pad_end(&at_input, "pad", x, 3, padded - channels, false);
    ir_value *y = unary_clone(&rw->b, NULL, op, x, ttnn_tensor_reshaped(result, dims, 4));
    return wa_finish(rw, op, cut_to(&rw->b, "slice", y, result));
}

/* The rotation works on whole tiles of positions; its result says so. */
static bool rotary_positions(ir_op *op, rw_rewriter *rw)
{
    ir_type result = op->results[0].type;
    if (result->count < 2 || result->dims[result->count - 2] % TTNN_TILE == 0)
        return false;
    int64_t dims[TTNN_MAX_RANK];
    copy_dims(dims, result);
    dims[result->count - 2] = tnb_round_up(dims[result->count - 2], TTNN_TILE);
    ir_value *y = unary_clone(&rw->b, NULL, op, operand(op, 0),
                              ttnn_tensor_reshaped(result, dims, result->count));
    return wa_finish(rw, op, cut_to(&rw->b, NULL, y, result));
}

/* Whole tiles are written to a cache: what is behind the input must be zeros. */
static bool fill_cache_pad(ir_op *op, rw_rewriter *rw)
{
    ir_value *cache = operand(op, 0), *input = operand(op, 1);
    ir_type t = input->type;
    if (t->count < 2)
        return false;
    size_t dim = t->count - 2;
    int64_t padded = tnb_round_up(t->dims[dim], TTNN_TILE);
    if (padded == t->dims[dim] || (op->def == TTNN_OP(fill_cache) &&
                                   padded > cache->type->dims[cache->type->count - 2]))
        return false;
    ir_op_set_operand(
        op, 1,
        pad_end(&rw->b, "_scrub_input_pad", input, dim, padded - t->dims[dim], true));
    rw_modified(rw, op);
    return true;
}

/* More than four dimensions: the padded ones move to the end, the others become one. */
static bool pad_high_rank(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0);
    ir_type t = x->type;
    int64_t padding[2 * TTNN_MAX_RANK], order[TTNN_MAX_RANK], back[TTNN_MAX_RANK];
    int64_t flat[4], flat_padding[8] = {0}, wide[TTNN_MAX_RANK];
    size_t kept = 0, padded = 0, n = tnb_ints(op, "padding", padding, TW_COUNT(padding));
    if (t->count <= 4 || n != 2 * (size_t)t->count)
        return false;
    for (size_t i = 0; i < t->count; i++)
        kept += padding[2 * i] == 0 && padding[2 * i + 1] == 0;
    size_t moved = t->count - kept, rest = 0;
    if (moved < 1 || moved > 3)
        return false;
    flat[0] = 1;
    for (size_t i = 0; i < t->count; i++) {
        if (padding[2 * i] == 0 && padding[2 * i + 1] == 0) {
            order[rest++] = (int64_t)i;
            flat[0] *= t->dims[i];
            continue;
        }
        order[kept + padded++] = (int64_t)i;
        flat[padded] = t->dims[i];
        flat_padding[2 * padded] = padding[2 * i];
        flat_padding[2 * padded + 1] = padding[2 * i + 1];
    }
    ir_builder *b = &rw->b;
    x = tnb_permute(b, "_perm_fwd", x, order);
    x = tnb_reshape(b, "_squeeze", x, flat, moved + 1);
    x = tnb_pad(b, "_pad", x, flat_padding, ir_op_real(op, "value", 0), true);
    for (size_t i = 0; i < t->count; i++) {
        wide[i] = i < kept ? t->dims[order[i]] : x->type->dims[1 + i - kept];
        back[order[i]] = (int64_t)i;
    }
    x = tnb_reshape(b, "_unsqueeze", x, wide, t->count);
    return wa_finish(rw, op, tnb_permute(b, "_perm_inv", x, back));
}

/* Two rows of the last dimension must fit into L1. */
static bool slice_long_rows(ir_op *op, rw_rewriter *rw)
{
    ir_type result = op->results[0].type;
    size_t rank = result->count;
    int64_t room =
        ttnn_chip_int(op, "l1Size", 0) - ttnn_chip_int(op, "l1UnreservedBase", 0);
    int64_t bytes = (int64_t)ir_dense_element_size(result->element);
    if (rank < 2 || room <= 0 || 2 * bytes * result->dims[rank - 1] <= room)
        return false;
    int64_t swap = (int64_t)rank - 2;
    while (swap >= 0 && 2 * bytes * result->dims[swap] > room)
        swap--;
    if (swap < 0)
        return false;
    static const char *const names[] = {"begins", "ends", "step"};
    int64_t order[TTNN_MAX_RANK], dims[TTNN_MAX_RANK], list[TTNN_MAX_RANK];
    ir_attr lists[3];
    for (size_t i = 0; i < rank; i++)
        order[i] = (int64_t)i;
    order[swap] = (int64_t)rank - 1;
    order[rank - 1] = swap;
    for (size_t k = 0; k < TW_COUNT(names); k++) {
        int64_t swapped[TTNN_MAX_RANK];
        if (tnb_ints(op, names[k], list, TTNN_MAX_RANK) != rank)
            return false;
        for (size_t i = 0; i < rank; i++)
            swapped[i] = list[order[i]];
        lists[k] = ir_i32_array_attr(op->ctx, swapped, rank);
    }
    for (size_t i = 0; i < rank; i++)
        dims[i] = result->dims[order[i]];
    ir_builder *b = &rw->b;
    ir_value *v = tnb_permute(b, "_permute", operand(op, 0), order);
    v = tnb_op(b, "_slice", TTNN_OP(slice_static), ttnn_tensor_reshaped(result, dims, rank),
               IR_VALUES(v),
               IR_ATTRS({"begins", lists[0]}, {"ends", lists[1]}, {"step", lists[2]}));
    return wa_finish(rw, op, tnb_permute(b, "_permuteInverse", v, order));
}

/* Experts come in eights. */
static bool router_experts(ir_op *op, rw_rewriter *rw)
{
    ir_attr k = ir_op_attr(op, "k");
    int64_t asked = ir_op_int(op, "k", 8), padded = tnb_round_up(asked, 8);
    if (padded == asked)
        return false;
    ir_type types[2];
    int64_t dims[TTNN_MAX_RANK];
    for (size_t i = 0; i < 2; i++) {
        ir_type t = op->results[i].type;
        copy_dims(dims, t);
        dims[t->count - 1] = padded;
        types[i] = ttnn_tensor_reshaped(t, dims, t->count);
    }
    ir_value *operands[] = {operand(op, 0), operand(op, 1), operand(op, 2)};
    ir_op *made = tnb_clone(&rw->b, NULL, op, operands, types);
    ir_op_set_attr(made, "k", ir_integer_attr(k->type, padded));
    ir_value *parts[2];
    for (size_t i = 0; i < 2; i++)
        parts[i] = cut_to(&rw->b, NULL, ir_op_result(made, i), op->results[i].type);
    rw_replace(rw, op, parts, 2);
    return true;
}

static const rw_pattern patterns[] = {
    {TTNN_OP(gather), gather_signed, NULL},
    {TTNN_OP(gather), gather_vector, NULL},
    {TTNN_OP(sampling), sampling_matrix, NULL},
    {TTNN_OP(all_reduce), all_reduce_low_rank, NULL},
    {TTNN_OP(all_gather), all_gather_vector, NULL},
    {TTNN_OP(reduce_scatter), reduce_scatter_low_rank, NULL},
    {TTNN_OP(embedding), embedding_weight, NULL},
    {TTNN_OP(group_norm), group_norm_channels, NULL},
    {TTNN_OP(group_norm), group_norm_affine, NULL},
    {TTNN_OP(prod), integer_product, NULL},
    {TTNN_OP(upsample), upsample_bilinear, NULL},
    {TTNN_OP(rotary_embedding), rotary_positions, NULL},
    {TTNN_OP(fill_cache), fill_cache_pad, NULL},
    {TTNN_OP(paged_fill_cache), fill_cache_pad, NULL},
    {TTNN_OP(pad), pad_high_rank, NULL},
    {TTNN_OP(slice_static), slice_long_rows, NULL},
    {TTNN_OP(topk_router_gpt), router_experts, NULL},
};

const wa_patterns wa_shape_patterns = {patterns, TW_COUNT(patterns)};
