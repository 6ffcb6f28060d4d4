/* decomposition.c: ttir-to-ttir-decomposition: operations that the next level lacks,
 * in terms of others.
 *
 * The option config says what the next level is: ttnn, ttmetal or the host's cpu-fallback,
 * which has fewer operations and takes others as they are.  Layers of networks and
 * quantization are in decompose_nn.c. */
#include "ir/pass/pass.h"
#include "ttir/passes/decompose.h"

#include <stdlib.h>

static int64_t product(const ir_type t, const int64_t *dims, size_t count)
{
    int64_t n = 1;
    for (size_t i = 0; i < count; i++)
        n *= t->dims[dims[i]];
    return n;
}

static bool contains(const int64_t *dims, size_t count, int64_t d)
{
    for (size_t i = 0; i < count; i++)
        if (dims[i] == d)
            return true;
    return false;
}

static void inverse(const int64_t *order, size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[order[i]] = (int64_t)i;
}

/* ---- products ----------------------------------------------------------------------- */

/* Whether both lists together name dimensions of a tensor, each one once. */
static bool are_dims(ir_type t, const int64_t *batch, size_t n_batch,
                     const int64_t *contract, size_t n_contract)
{
    int64_t all[2 * TTIR_MAX_DIMS];
    memcpy(all, batch, n_batch * sizeof *all);
    memcpy(all + n_batch, contract, n_contract * sizeof *all);
    return ttir_are_dims(all, n_batch + n_contract, t->count);
}

/* One side as [batch..., rows, columns]: rows and columns flattened. */
static ir_value *arrange(rw_rewriter *rw, ir_value *v, const int64_t *batch, size_t n_batch,
                         const int64_t *contract, size_t n_contract, bool contract_last)
{
    int64_t order[TTIR_MAX_DIMS], free_dims[TTIR_MAX_DIMS], dims[TTIR_MAX_DIMS];
    size_t at = 0, n_free = 0;
    ir_type t = v->type;
    for (int64_t d = 0; d < t->count; d++)
        if (!contains(batch, n_batch, d) && !contains(contract, n_contract, d))
            free_dims[n_free++] = d;
    for (size_t i = 0; i < n_batch; i++)
        order[at++] = batch[i];
    for (size_t i = 0; contract_last && i < n_free; i++)
        order[at++] = free_dims[i];
    for (size_t i = 0; i < n_contract; i++)
        order[at++] = contract[i];
    for (size_t i = 0; !contract_last && i < n_free; i++)
        order[at++] = free_dims[i];
    for (size_t i = 0; i < n_batch; i++)
        dims[i] = t->dims[batch[i]];
    int64_t rows = product(t, free_dims, n_free), inner = product(t, contract, n_contract);
    dims[n_batch] = contract_last ? rows : inner;
    dims[n_batch + 1] = contract_last ? inner : rows;
    return ttir_build_reshape(&rw->b, ttir_build_permute(&rw->b, v, order), dims,
                              n_batch + 2);
}

/* Operands are brought to batch, free, contracted (left) and batch, contracted, free
 * (right) order; the result takes the declared shape again.  With one contracted element
 * the product is an element-wise one, rounded once. */
static bool dot_general(ir_op *op, rw_rewriter *rw)
{
    int64_t lb[TTIR_MAX_DIMS], rb[TTIR_MAX_DIMS], lc[TTIR_MAX_DIMS], rc[TTIR_MAX_DIMS];
    int64_t dims[TTIR_MAX_DIMS];
    ir_type lt = op->operands[0].value->type, rt = op->operands[1].value->type;
    size_t n_batch = ttir_numbers(op, "batch_dims_lhs", lb);
    size_t n_contract = ttir_numbers(op, "contract_dims_lhs", lc);
    if (lt->count > TTIR_MAX_DIMS - 2 || rt->count > TTIR_MAX_DIMS - 2 ||
        ttir_numbers(op, "batch_dims_rhs", rb) != n_batch ||
        ttir_numbers(op, "contract_dims_rhs", rc) != n_contract ||
        !are_dims(lt, lb, n_batch, lc, n_contract) ||
        !are_dims(rt, rb, n_batch, rc, n_contract))
        return false;
    ir_value *a = arrange(rw, op->operands[0].value, lb, n_batch, lc, n_contract, true);
    ir_value *b = arrange(rw, op->operands[1].value, rb, n_batch, rc, n_contract, false);
    for (size_t i = 0; i <= n_batch; i++)
        dims[i] = a->type->dims[i];
    dims[n_batch + 1] = b->type->dims[n_batch + 1];
    ir_type to = op->results[0].type, type = ir_type_with_shape(to, dims, n_batch + 2);
    bool outer = a->type->dims[n_batch + 1] == 1;
    ir_value *v = ir_build1(&rw->b, outer ? TTIR_OP(multiply) : TTIR_OP(matmul), type,
                            IR_VALUES(a, b), NULL, 0);
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, v, to->dims, to->count));
    return true;
}

/* ---- moving ------------------------------------------------------------------------- */

/* The reversed dimensions, brought to the front and joined, are rows taken from the last to
 * the first. */
static bool reverse(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS], order[TTIR_MAX_DIMS], back[TTIR_MAX_DIMS];
    int64_t front[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(op, "dimensions", dims), at = 0;
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    if (n < 1 || t->count > TTIR_MAX_DIMS)
        return false;
    for (int64_t d = 0; d < t->count; d++)
        if (contains(dims, n, d))
            order[at++] = d;
    for (int64_t d = 0; d < t->count; d++)
        if (!contains(dims, n, d))
            order[at++] = d;
    inverse(order, t->count, back);
    for (uint32_t d = 0; d < t->count; d++)
        front[d] = t->dims[order[d]];
    int64_t rows = product(t, order, n);
    int64_t table[] = {rows, rows ? ir_type_num_elements(t) / rows : 0};
    if (rows == 0 || table[1] == 0)
        return false;
    x = ttir_build_reshape(&rw->b, ttir_build_permute(&rw->b, x, order), table, 2);
    ir_type index = ir_tensor_type(ir_integer_type(op->ctx, 32, IR_SIGNED), table, 1, NULL);
    int64_t *from = tw_xmalloc((size_t)rows * sizeof *from);
    for (int64_t i = 0; i < rows; i++)
        from[i] = rows - 1 - i;
    ir_value *ids = ir_build1(&rw->b, TTIR_OP(constant), index, NULL, 0,
                              IR_ATTRS({"value", ir_dense_i64(index, from, (size_t)rows)}));
    free(from);
    x = ir_build1(&rw->b, TTIR_OP(embedding), x->type, IR_VALUES(ids, x), NULL, 0);
    x = ttir_build_reshape(&rw->b, x, front, t->count);
    rw_replace1(rw, op, ttir_build_permute(&rw->b, x, back));
    return true;
}

/* begin, end and step of one dimension */
static bool index_to_slice(ir_op *op, rw_rewriter *rw)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    int64_t dim = ttir_dim(ir_op_int(op, "dim", 0), t->count);
    if (t->count > TTIR_MAX_DIMS || dim < 0 || dim >= t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        begins[i] = i == dim ? ttir_dim(ir_op_int(op, "begin", 0), t->dims[i]) : 0;
        ends[i] = i == dim ? ttir_dim(ir_op_int(op, "end", 0), t->dims[i]) : t->dims[i];
        steps[i] = i == dim ? ir_op_int(op, "step", 1) : 1;
        if (steps[i] < 1)
            return false;
    }
    return rw_replace_if_kept(rw, op, ttir_build_slice(&rw->b, x, begins, ends, steps));
}

/* `length` elements from every `stride`-th position on. */
static bool index_select(ir_op *op, rw_rewriter *rw)
{
    enum { MAX_PARTS = 256 };
    ir_value *x = op->operands[0].value, *parts[MAX_PARTS];
    ir_type t = x->type;
    int64_t dim = ttir_dim(ir_op_int(op, "dim", 0), t->count), n = 0;
    int64_t length = ir_op_int(op, "length", 0), stride = ir_op_int(op, "stride", 0);
    if (t->count > TTIR_MAX_DIMS || dim < 0 || dim >= t->count || length < 1)
        return false;
    int64_t size = t->dims[dim], most = op->results[0].type->dims[dim] / length;
    stride = stride ? stride : size;
    if (stride < 1 || most > MAX_PARTS)
        return false;
    for (int64_t at = ir_op_int(op, "begin", 0); at < size && n < most; at += stride)
        parts[n++] = ttir_build_slice_dim(&rw->b, x, dim, at, TW_MIN(at + length, size));
    if (n == 0)
        return false;
    rw_replace1(rw, op,
                n == 1 ? parts[0] : ttir_build_concat(&rw->b, parts, (size_t)n, dim));
    return true;
}

/* Negative amounts are a slice before the padding, or after it where they take away more
 * than there is before. */
static bool negative_pad(ir_op *op, rw_rewriter *rw)
{
    int64_t amounts[2 * TTIR_MAX_DIMS], begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS];
    int64_t steps[TTIR_MAX_DIMS], padded[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type result = op->results[0].type;
    uint32_t rank = x->type->count;
    bool negative = false, positive = false, first = false;
    if (rank > TTIR_MAX_DIMS ||
        ir_attr_ints(ir_op_attr(op, "padding"), amounts, TW_COUNT(amounts)) != 2 * rank)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t *pair = &amounts[2 * i];
        begins[i] = TW_MAX(-pair[0], 0);
        ends[i] = x->type->dims[i] - TW_MAX(-pair[1], 0);
        padded[i] = x->type->dims[i] + TW_MAX(pair[0], 0) + TW_MAX(pair[1], 0);
        first |= begins[i] > ends[i];
        steps[i] = 1;
    }
    for (uint32_t i = 0; first && i < rank; i++)
        ends[i] = begins[i] + result->dims[i];
    for (uint32_t i = 0; i < 2 * rank; i++) {
        negative |= amounts[i] < 0;
        positive |= amounts[i] > 0;
        amounts[i] = TW_MAX(amounts[i], 0);
    }
    if (!negative)
        return false;
    if (!first)
        x = ttir_build_slice(&rw->b, x, begins, ends, steps);
    if (positive)
        x = ir_build1(&rw->b, op->def,
                      first ? ir_type_with_shape(result, padded, rank) : result,
                      IR_VALUES(x),
                      IR_ATTRS({"padding", ir_dense_i32_array(op->ctx, amounts, 2 * rank)},
                               {"value", ir_op_attr(op, "value")}));
    if (first)
        x = ttir_build_slice(&rw->b, x, begins, ends, steps);
    rw_replace1(rw, op, x);
    return true;
}

/* Numbers along one dimension: along the only one, then reshaped and repeated. */
static bool arange(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS], dim = ir_op_int(op, "arange_dimension", 0);
    ir_type t = op->results[0].type;
    if ((dim == 0 && t->count == 1) || dim < 0 || dim >= t->count ||
        t->count > TTIR_MAX_DIMS)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        dims[i] = i == dim ? t->dims[i] : 1;
    ir_value *x =
        ir_build1(&rw->b, op->def, ir_type_with_shape(t, &t->dims[dim], 1), NULL, 0,
                  IR_ATTRS({"start", ir_op_attr(op, "start")},
                           {"end", ir_op_attr(op, "end")}, {"step", ir_op_attr(op, "step")},
                           {"arange_dimension", ir_i64_attr(op->ctx, 0)}));
    x = ttir_build_reshape(&rw->b, x, dims, t->count);
    rw_replace1(rw, op, ttir_build_broadcast_to(&rw->b, x, t->dims));
    return true;
}

/* A pool of one value is that value. */
static bool pool_of_full(ir_op *op, rw_rewriter *rw)
{
    ir_op *full = ttir_producer(op->operands[0].value, TTIR_OP(full));
    ir_type t = op->results[0].type;
    if (!full)
        return false;
    ir_attr shape = ir_dense_i32_array(op->ctx, t->dims, t->count);
    rw_replace1(rw, op,
                ir_build1(&rw->b, full->def, t, NULL, 0,
                          IR_ATTRS({"shape", shape},
                                   {"fill_value", ir_op_attr(full, "fill_value")})));
    return true;
}

static bool dimension_size(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->operands[0].value->type;
    int64_t dim = ir_op_int(op, "dimension", -1);
    if (dim < 0 || dim >= t->count || t->dims[dim] == IR_DYNAMIC)
        return false;
    rw_replace1(rw, op, ttir_build_full(&rw->b, op->results[0].type, (double)t->dims[dim]));
    return true;
}

/* ---- reductions --------------------------------------------------------------------- */

static ir_value *reduce_as(ir_op *op, rw_rewriter *rw, const ir_op_def *def)
{
    return ir_build1(&rw->b, def, op->results[0].type, IR_VALUES(op->operands[0].value),
                     IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                              {"dim_arg", ir_op_attr(op, "dim_arg")}));
}

static bool is_boolean(const ir_op *op)
{
    return ir_type_is_integer(ir_type_element(op->operands[0].value->type), 1);
}

/* Booleans are ones and zeros.  Where they are bits, a product or sum has no room. */
static bool reduce_and(ir_op *op, rw_rewriter *rw)
{
    rw_replace1(rw, op, reduce_as(op, rw, is_boolean(op) ? TTIR_OP(min) : TTIR_OP(prod)));
    return true;
}

static bool reduce_or(ir_op *op, rw_rewriter *rw)
{
    rw_replace1(rw, op, reduce_as(op, rw, is_boolean(op) ? TTIR_OP(max) : TTIR_OP(sum)));
    return true;
}

/* The host compares the sum with zero. */
static bool reduce_or_on_host(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    ir_value *sum = reduce_as(op, rw, TTIR_OP(sum));
    ir_value *zero = ir_build1(&rw->b, TTIR_OP(constant), t, NULL, 0,
                               IR_ATTRS({"value", ir_dense_splat(t, 0)}));
    ir_value *ne = ttir_build_binary(&rw->b, TTIR_OP(ne), sum, zero);
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, TTIR_OP(typecast), t, IR_VALUES(ne),
                  IR_ATTRS({"conservative_folding", ir_bool_attr(op->ctx, false)})));
    return true;
}

/* 1 where an element is not 0, else 0, in the element type. */
static ir_value *not_zero(rw_rewriter *rw, ir_value *x)
{
    return ttir_build_binary(&rw->b, TTIR_OP(ne), x, ttir_build_full(&rw->b, x->type, 0));
}

/* Of values that need not be 0 or 1: any other than 0 is true. */
static bool exact_reduce(ir_op *op, rw_rewriter *rw)
{
    if (is_boolean(op))
        return false;
    const bool all = op->def == TTIR_OP(reduce_and);
    ir_op_set_operand(op, 0, not_zero(rw, op->operands[0].value));
    ir_value *reduced = reduce_as(op, rw, all ? TTIR_OP(prod) : TTIR_OP(sum));
    rw_replace1(rw, op, all ? reduced : not_zero(rw, reduced));
    return true;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* One dimension at a time, the last one first. */
static bool prod_of_several(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS], shape[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    uint32_t rank = x->type->count;
    if (rank > TTIR_MAX_DIMS || !ir_op_attr(op, "dim_arg"))
        return false;
    size_t n = ttir_reduced_dims(op, dims), left = rank;
    bool keep = ir_op_bool(op, "keep_dim");
    if (n < 2 || n == rank)
        return false;
    qsort(dims, n, sizeof *dims, descending);
    memcpy(shape, x->type->dims, rank * sizeof *shape);
    for (size_t i = 0; i < n; i++) {
        if (keep)
            shape[dims[i]] = 1;
        else
            memmove(&shape[dims[i]], &shape[dims[i] + 1],
                    (--left - (size_t)dims[i]) * sizeof *shape);
        x = ir_build1(&rw->b, op->def, ir_type_with_shape(op->results[0].type, shape, left),
                      IR_VALUES(x),
                      IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                               {"dim_arg", ir_i32_array_attr(op->ctx, &dims[i], 1)}));
    }
    rw_replace1(rw, op, x);
    return true;
}

/* The dimensions to search, brought to the end, become one. */
static bool argmax_of_several(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS], order[TTIR_MAX_DIMS], shape[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type t = x->type, to = op->results[0].type;
    if (t->count > TTIR_MAX_DIMS || !ir_op_attr(op, "dim_arg"))
        return false;
    size_t n = ttir_reduced_dims(op, dims), at = 0, kept;
    if (n < 2)
        return false;
    for (int64_t d = 0; d < t->count; d++)
        if (!contains(dims, n, d)) {
            shape[at] = t->dims[d];
            order[at++] = d;
        }
    kept = at;
    for (int64_t d = 0; d < t->count; d++)
        if (contains(dims, n, d))
            order[at++] = d;
    shape[kept] = product(t, dims, n);
    x = ttir_build_reshape(&rw->b, ttir_build_permute(&rw->b, x, order), shape, kept + 1);
    bool keep = ir_op_bool(op, "keep_dim");
    shape[kept] = 1;
    int64_t last = (int64_t)kept;
    x = ir_build1(&rw->b, op->def, ir_type_with_shape(to, shape, kept + keep), IR_VALUES(x),
                  IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                           {"dim_arg", ir_i32_array_attr(op->ctx, &last, 1)}));
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, x, to->dims, to->count));
    return true;
}

/* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), where gelu is marked as that. */
static bool gelu_by_tanh(ir_op *op, rw_rewriter *rw)
{
    ir_attr form = ir_op_attr(op, "approximate");
    ir_builder *b = &rw->b;
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    if (!ir_attr_is(form, IR_ATTR_STRING) || !tw_str_is(ir_attr_str(form), "tanh") ||
        t != op->results[0].type)
        return false;
    ir_value *v = ttir_build_binary(b, TTIR_OP(multiply), x, x);
    v = ttir_build_binary(b, TTIR_OP(multiply), v, x);
    v = ttir_build_binary(b, TTIR_OP(multiply), v, ttir_build_full(b, t, 0.044715));
    v = ttir_build_binary(b, TTIR_OP(add), x, v);
    v = ttir_build_binary(b, TTIR_OP(multiply), v, ttir_build_full(b, t, 0.7978845608));
    v = ttir_build_unary(b, TTIR_OP(tanh), v);
    v = ttir_build_binary(b, TTIR_OP(add), v, ttir_build_full(b, t, 1));
    ir_value *half = ttir_build_binary(b, TTIR_OP(multiply), x, ttir_build_full(b, t, 0.5));
    rw_replace1(rw, op, ttir_build_binary(b, TTIR_OP(multiply), half, v));
    return true;
}

/* ---- the tables --------------------------------------------------------------------- */

#define EVERYWHERE                                                                         \
    {TTIR_OP(dot_general), dot_general, NULL}, {TTIR_OP(arange), arange, NULL},            \
        {TTIR_OP(batch_norm_inference), ttir_decompose_batch_norm, NULL},                  \
        {TTIR_OP(batch_norm_training), ttir_decompose_batch_norm, NULL},                   \
        {TTIR_OP(adamw), ttir_decompose_to_rank_four, NULL},                               \
        {TTIR_OP(sdpa_fw), ttir_decompose_to_rank_four, NULL},                             \
        {TTIR_OP(sdpa_bw), ttir_decompose_to_rank_four, NULL},                             \
        {TTIR_OP(prod), prod_of_several, NULL}, {TTIR_OP(max_pool2d), pool_of_full, NULL}, \
        {TTIR_OP(avg_pool2d), pool_of_full, NULL},                                         \
        {TTIR_OP(argmax), argmax_of_several, NULL}, {TTIR_OP(pad), negative_pad, NULL},    \
        {TTIR_OP(gelu), gelu_by_tanh, NULL},                                               \
    {                                                                                      \
        TTIR_OP(reduce_and), reduce_and, NULL                                              \
    }

static const rw_pattern for_device[] = {
    EVERYWHERE,
    {TTIR_OP(reduce_or), reduce_or, NULL},
    {TTIR_OP(get_dimension_size), dimension_size, NULL},
    {TTIR_OP(index), index_to_slice, NULL},
    {TTIR_OP(index_select), index_select, NULL},
    {TTIR_OP(reverse), reverse, NULL},
    {TTIR_OP(quantize), ttir_decompose_quantize, NULL},
    {TTIR_OP(dequantize), ttir_decompose_quantize, NULL},
    {TTIR_OP(requantize), ttir_decompose_requantize, NULL},
    {TTIR_OP(conv2d), ttir_decompose_conv, NULL},
    {TTIR_OP(conv_transpose2d), ttir_decompose_conv, NULL},
    {TTIR_OP(conv3d), ttir_decompose_conv, NULL},
};

static const rw_pattern for_host[] = {
    EVERYWHERE,
    {TTIR_OP(reduce_or), reduce_or_on_host, NULL},
    {TTIR_OP(split_query_key_value_and_split_heads), ttir_decompose_split_heads, NULL},
};

static bool run(ir_op *module, pass_run *run)
{
    /* Nothing is tidied: what is written out here is seen as such. */
    const rw_options options = {.no_fold = true,
                                .no_dce = true,
                                .no_constant_cse = true,
                                .regions = RW_REGIONS_DISABLED};
    static const rw_pattern exact[] = {{TTIR_OP(reduce_and), exact_reduce, NULL},
                                       {TTIR_OP(reduce_or), exact_reduce, NULL}};
    if (pass_option_bool(run, "exact"))
        rw_greedy(module, exact, TW_COUNT(exact), &options);
    tw_str config = pass_option_str(run, "config");
    if (tw_str_is(config, "cpu-fallback"))
        rw_greedy(module, for_host, TW_COUNT(for_host), &options);
    else if (tw_str_is(config, "ttnn") || tw_str_is(config, "ttmetal"))
        rw_greedy(module, for_device, TW_COUNT(for_device), &options);
    else
        return ir_error(module->ctx, module->loc,
                        "ttir-to-ttir-decomposition: unknown config '%.*s'; "
                        "it is ttnn, ttmetal or cpu-fallback",
                        (int)config.size, config.data);
    return true;
}

const pass_def ttir_decomposition_pass = {
    .name = "ttir-to-ttir-decomposition",
    .summary = "Decompose TTIR operations into simpler ones",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"config", PASS_STRING, "ttnn", "What comes next: ttnn, ttmetal, cpu-fallback"},
        {"exact", PASS_BOOL, "false",
         "reduce_and and reduce_or of any values, not of 0 and 1 only"}),
};
