/* commute_reduce.c: permutes and reshapes are exchanged with operations that treat
 * some dimensions differently from others: reductions, softmax, norms. */
#include "ttir/passes/commute.h"

int64_t ttir_matching_dim(ir_type from, ir_type to, int64_t dim)
{
    int64_t behind = 1, stride = 1;
    if (dim < 0 || dim >= from->count)
        return -1;
    for (uint32_t i = from->count; i-- > (uint32_t)dim + 1;)
        behind *= from->dims[i];
    for (int64_t i = (int64_t)to->count - 1; i >= 0 && stride <= behind; i--) {
        if (stride == behind && to->dims[i] == from->dims[dim])
            return i;
        stride *= to->dims[i];
    }
    return -1;
}

/* The reduction `op` of other dimensions of `x`; keep_dim as it was. */
static ir_value *reduce(ir_op *op, ir_builder *b, ir_value *x, const int64_t *dims,
                        size_t n)
{
    bool keep = ir_op_bool(op, "keep_dim");
    int64_t shape[TTIR_MAX_DIMS];
    size_t rank = 0;
    for (uint32_t i = 0; i < x->type->count; i++) {
        bool reduced = false;
        for (size_t k = 0; k < n; k++)
            reduced |= dims[k] == i;
        if (!reduced || keep)
            shape[rank++] = reduced ? 1 : x->type->dims[i];
    }
    ir_type type = ttir_type_in_shape(op->results[0].type, shape, rank);
    return ir_build1(b, op->def, type, IR_VALUES(x),
                     IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                              {"dim_arg", ir_i32_array_attr(b->ctx, dims, n)}));
}

static bool contains(const int64_t *dims, size_t n, int64_t d)
{
    for (size_t i = 0; i < n; i++)
        if (dims[i] == d)
            return true;
    return false;
}

/* The order of the reduction's result, as an order of its operand that leaves the reduced
 * dimensions where they are. */
static void expand(const int64_t *small, const int64_t *reduced, size_t n, uint32_t rank,
                   int64_t *out)
{
    int64_t kept[TTIR_MAX_DIMS], count = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!contains(reduced, n, i))
            kept[count++] = i;
    for (uint32_t i = 0, at = 0; i < rank; i++)
        out[i] = contains(reduced, n, i) ? i : kept[small[at++]];
}

/* The order of the operand, as an order of what is left of it. */
static void contract(const int64_t *order, const int64_t *reduced, size_t n, uint32_t rank,
                     int64_t *out)
{
    size_t at = 0;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t before = 0;
        if (contains(reduced, n, i))
            continue;
        for (uint32_t k = 0; k < rank; k++)
            before += !contains(reduced, n, k) && order[k] < order[i];
        out[at++] = before;
    }
}

ir_value *ttir_permute_above_reduction(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t given[TTIR_MAX_DIMS], order[TTIR_MAX_DIMS], dims[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    uint32_t rank = x->type->count;
    if (rank > TTIR_MAX_DIMS)
        return NULL;
    size_t n = ttir_reduced_dims(op, dims);
    ttir_numbers(mover, "permutation", given);
    if (ir_op_bool(op, "keep_dim"))
        memcpy(order, given, rank * sizeof *order);
    else
        expand(given, dims, n, rank, order);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rank; k++)
            if (order[k] == dims[i]) {
                dims[i] = k;
                break;
            }
    return reduce(op, b, ttir_build_permute(b, x, order), dims, n);
}

ir_value *ttir_permute_below_reduction(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS], dims[TTIR_MAX_DIMS], moved[TTIR_MAX_DIMS];
    ir_value *x = mover->operands[0].value;
    uint32_t rank = x->type->count;
    if (rank > TTIR_MAX_DIMS)
        return NULL;
    size_t n = ttir_reduced_dims(op, dims);
    ttir_numbers(mover, "permutation", order);
    for (size_t i = 0; i < n; i++)
        moved[i] = order[dims[i]];
    ir_value *y = reduce(op, b, x, moved, n);
    if (!ir_op_bool(op, "keep_dim")) {
        int64_t left[TTIR_MAX_DIMS];
        contract(order, dims, n, rank, left);
        memcpy(order, left, sizeof left);
    }
    return ttir_build_permute(b, y, order);
}

/* The reduced dimensions on the other side of the reshape; 0 if one has no match there, or
 * two of size 1 have the same. */
static size_t match_dims(ir_op *op, ir_type from, ir_type to, int64_t *out)
{
    int64_t dims[TTIR_MAX_DIMS];
    size_t n = 0;
    if (from->count > TTIR_MAX_DIMS || to->count > TTIR_MAX_DIMS)
        return 0;
    if (!ir_op_attr(op, "dim_arg")) {
        for (; n < to->count; n++)
            out[n] = (int64_t)n;
        return n;
    }
    size_t count = ttir_reduced_dims(op, dims);
    for (size_t i = 0; i < count; i++) {
        int64_t d = ttir_matching_dim(from, to, dims[i]);
        if (d < 0 || contains(out, n, d))
            return 0;
        out[n++] = d;
    }
    return n;
}

/* Only where the reduction changes neither shape nor size. */
ir_value *ttir_reshape_above_reduction(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t dims[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type to = mover->results[0].type;
    if (!ir_op_bool(op, "keep_dim") || !ttir_same_shape(x->type, op->results[0].type))
        return NULL;
    size_t n = match_dims(op, x->type, to, dims);
    return n ? reduce(op, b, ttir_build_reshape(b, x, to->dims, to->count), dims, n) : NULL;
}

ir_value *ttir_reshape_below_reduction(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t dims[TTIR_MAX_DIMS];
    ir_value *x = mover->operands[0].value;
    ir_type to = op->results[0].type;
    size_t n = match_dims(op, mover->results[0].type, x->type, dims);
    return n ? ttir_build_reshape(b, reduce(op, b, x, dims, n), to->dims, to->count) : NULL;
}

/* ---- softmax, norms ----------------------------------------------------------------- */

static ir_value *softmax(ir_op *op, ir_builder *b, ir_value *x, int64_t dim)
{
    ir_type type = ttir_type_in_shape(op->results[0].type, x->type->dims, x->type->count);
    return ir_build1(b, op->def, type, IR_VALUES(x),
                     IR_ATTRS({"dimension", ir_si32_attr(b->ctx, dim)},
                              {"numericStable", ir_op_attr(op, "numericStable")}));
}

static int64_t softmax_dim(const ir_op *op)
{
    return ttir_dim(ir_op_int(op, "dimension", 0), op->results[0].type->count);
}

ir_value *ttir_reshape_above_softmax(ir_op *op, ir_op *mover, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type to = mover->results[0].type;
    int64_t dim = ttir_matching_dim(x->type, to, softmax_dim(op));
    return dim < 0 ? NULL
                   : softmax(op, b, ttir_build_reshape(b, x, to->dims, to->count), dim);
}

ir_value *ttir_reshape_below_softmax(ir_op *op, ir_op *mover, ir_builder *b)
{
    ir_value *x = mover->operands[0].value;
    ir_type to = op->results[0].type;
    int64_t dim = ttir_matching_dim(mover->results[0].type, x->type, softmax_dim(op));
    return dim < 0 ? NULL
                   : ttir_build_reshape(b, softmax(op, b, x, dim), to->dims, to->count);
}

/* The last dimension must stay the last one; a residual is reshaped like the input. */
ir_value *ttir_reshape_above_rms_norm(ir_op *op, ir_op *mover, ir_builder *b)
{
    enum { MAX_OPERANDS = 8 };
    ir_value *operands[MAX_OPERANDS];
    ir_type from = op->operands[0].value->type, to = mover->results[0].type;
    if (op->n_operands > MAX_OPERANDS || from->count == 0 || to->count == 0 ||
        ttir_matching_dim(from, to, from->count - 1) < 0 ||
        from->dims[from->count - 1] != to->dims[to->count - 1])
        return NULL;
    size_t residual = ir_op_operand_index(op->def, "residual"), start = 0, count = 0;
    if (residual == SIZE_MAX || !ir_op_operand_group(op, residual, &start, &count))
        count = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        bool moves = i == 0 || (i >= start && i < start + count);
        ir_value *v = op->operands[i].value;
        operands[i] = moves ? ttir_build_reshape(b, v, to->dims, to->count) : v;
    }
    return ir_op_result(ttir_build_like(b, op, operands, to), 0);
}
