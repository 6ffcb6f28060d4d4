/* indexing.c: gather as rows of a matrix or elements of one dimension, and dynamic_slice.
 */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <string.h>

enum { CAPACITY = 32 };

/* Selects rows of a matrix by index: one indexed leading dimension of an operand of any
 * rank, the others whole, and indices with a trailing (or no) index vector dimension of
 * size 1. */
static bool gather_rows(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value, *index = op->operands[1].value;
    int64_t offset[CAPACITY], collapsed[CAPACITY], map[CAPACITY], sizes[CAPACITY],
        none[CAPACITY];
    int64_t n_offset = ir_attr_ints(ir_attr_param(d, "offsetDims"), offset, CAPACITY);
    int64_t n_collapsed =
        ir_attr_ints(ir_attr_param(d, "collapsedSliceDims"), collapsed, CAPACITY);
    int64_t n_map = ir_attr_ints(ir_attr_param(d, "startIndexMap"), map, CAPACITY);
    int64_t n_sizes = ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY);
    int64_t vector = ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0);
    size_t rank = x->type->count, index_rank = index->type->count;
    if (ir_attr_ints(ir_attr_param(d, "operandBatchingDims"), none, CAPACITY) > 0)
        return false;
    if (n_map != 1 || n_collapsed != 1 || collapsed[0] != map[0] ||
        n_sizes != (int64_t)rank || n_offset != (int64_t)rank - 1)
        return false;
    for (size_t i = 0; i < rank; i++)
        if (sizes[i] != ((int64_t)i == map[0] ? 1 : x->type->dims[i]))
            return false;
    bool has_vector = vector < (int64_t)index_rank;
    if (has_vector && (vector != (int64_t)index_rank - 1 || index->type->dims[vector] != 1))
        return false;
    size_t batch_rank = index_rank - has_vector;
    /* moves the indexed dimension first */
    if (map[0] != 0) {
        int64_t order[CAPACITY];
        size_t at = 1;
        order[0] = map[0];
        for (size_t i = 0; i < rank; i++)
            if ((int64_t)i != map[0])
                order[at++] = (int64_t)i;
        x = s2t_permute(b, x, order, rank);
    }
    int64_t inner = 1, dims[CAPACITY];
    for (size_t i = 1; i < rank; i++)
        inner *= x->type->dims[i];
    int64_t table[] = {x->type->dims[0], inner};
    ir_value *rows = s2t_take_rows(b, s2t_reshape(b, x, table, 2), index);
    /* batch dimensions, then the operand's others; then permuted to offset_dims */
    for (size_t i = 0; i < batch_rank; i++)
        dims[i] = index->type->dims[i];
    for (size_t i = 1; i < rank; i++)
        dims[batch_rank + i - 1] = x->type->dims[i];
    size_t out_rank = batch_rank + rank - 1;
    rows = s2t_reshape(b, rows, dims, out_rank);
    int64_t order[CAPACITY], next_batch = 0;
    bool identity = true;
    for (size_t i = 0; i < out_rank; i++) {
        order[i] = -1;
        for (int64_t k = 0; k < n_offset; k++)
            if (offset[k] == (int64_t)i)
                order[i] = (int64_t)batch_rank + k;
        if (order[i] < 0)
            order[i] = next_batch++;
        identity &= order[i] == (int64_t)i;
    }
    if (!identity)
        rows = s2t_permute(b, rows, order, out_rank);
    return s2t_done(op, rows);
}

/* Selects along one dimension behind those that operand and indices share, the dimensions
 * behind it whole: [b.., n, t..] by [b.., k] is [b.., k, t..]. */
static bool gather_batched(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value, *index = op->operands[1].value;
    int64_t ours[CAPACITY], theirs[CAPACITY], offset[CAPACITY], sizes[CAPACITY], at,
        dims[CAPACITY];
    const int64_t rank = x->type->count, index_rank = index->type->count,
                  batch =
                      ir_attr_ints(ir_attr_param(d, "operandBatchingDims"), ours, CAPACITY),
                  n_offset = ir_attr_ints(ir_attr_param(d, "offsetDims"), offset, CAPACITY);
    ir_type result = op->results[0].type;
    if (batch < 1 ||
        ir_attr_ints(ir_attr_param(d, "startIndicesBatchingDims"), theirs, CAPACITY) !=
            batch ||
        ir_attr_ints(ir_attr_param(d, "startIndexMap"), &at, 1) != 1 || at != batch ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY) != rank ||
        ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0) != index_rank - 1 ||
        index->type->dims[index_rank - 1] != 1 || index_rank > batch + 2 || sizes[at] != 1)
        return false;
    for (int64_t i = 0; i < rank; i++)
        if (i < batch ? ours[i] != i || theirs[i] != i
                      : i > at && sizes[i] != x->type->dims[i])
            return false;
    for (int64_t i = 0; i < n_offset; i++)
        if (offset[i] != (int64_t)result->count - n_offset + i)
            return false;
    memcpy(dims, index->type->dims, (size_t)(index_rank - 1) * sizeof *dims);
    index = s2t_reshape(b, index, dims, (size_t)(index_rank - 1));
    if (index_rank == batch + 1) /* one for each batch */
        dims[batch] = 1;
    for (int64_t i = at + 1; i < rank; i++)
        dims[i] = 1;
    index = s2t_index_as_i32(b, s2t_reshape(b, index, dims, (size_t)rank));
    index = ir_build1(b, TTIR_OP(clamp_scalar), index->type, IR_VALUES(index),
                      IR_ATTRS({"min", ir_i32_attr(b->ctx, 0)},
                               {"max", ir_i32_attr(b->ctx, x->type->dims[at] - 1)}));
    for (int64_t i = at + 1; i < rank; i++)
        dims[i] = x->type->dims[i];
    index = s2t_broadcast(b, index, dims, (size_t)rank);
    ir_value *y =
        ir_build1(b, TTIR_OP(gather), ir_type_with_shape(x->type, dims, (size_t)rank),
                  IR_VALUES(x, index), IR_ATTRS({"dim", ir_i32_attr(b->ctx, at)}));
    return s2t_done(op, s2t_reshape(b, y, result->dims, result->count));
}

/* Reads the integers of a constant; 0 if it is none or has more than `most`. */
static size_t constant_numbers(const ir_value *v, int64_t *out, size_t max)
{
    const ir_op *def = ir_value_def(v);
    ir_attr value = ir_op_is(def, TTIR_OP(constant)) ? ir_op_attr(def, "value") : NULL;
    int64_t n = ir_type_num_elements(v->type);
    if (!ir_attr_is(value, IR_ATTR_DENSE) || n < 1 || n > (int64_t)max ||
        ir_type_element(v->type)->kind != IR_TYPE_INTEGER)
        return 0;
    for (int64_t i = 0; i < n; i++)
        out[i] = ir_dense_int(value, value->splat & 1 ? 0 : (size_t)i);
    return (size_t)n;
}

/* Slices with a start vector; the ends are start + size. */
static ir_value *slice_from(ir_builder *b, ir_value *x, ir_value *starts,
                            const int64_t *sizes, ir_type result)
{
    ir_type vector = starts->type;
    ir_value *size =
        ir_build1(b, TTIR_OP(constant), vector, NULL, 0,
                  IR_ATTRS({"value", ir_dense_i64(vector, sizes, result->count)}));
    ir_value *ends = ir_build1(b, TTIR_OP(add), vector, IR_VALUES(starts, size), NULL, 0);
    return ir_build1(b, TTIR_OP(slice_dynamic), result, IR_VALUES(x, starts, ends), NULL,
                     0);
}

/* One window, whole and without batch dimensions: a slice.  Its start is clamped so that
 * the window is in bounds. */
static bool gather_one(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value, *index = op->operands[1].value, *parts[CAPACITY];
    int64_t map[CAPACITY], sizes[CAPACITY], given[CAPACITY], begins[CAPACITY] = {0},
                                                             ends[CAPACITY], list[CAPACITY];
    int64_t rank = x->type->count,
            n = ir_attr_ints(ir_attr_param(d, "startIndexMap"), map, CAPACITY);
    int64_t at[CAPACITY], zero = 0;
    if (ir_attr_ints(ir_attr_param(d, "collapsedSliceDims"), list, CAPACITY) > 0 ||
        ir_attr_ints(ir_attr_param(d, "operandBatchingDims"), list, CAPACITY) > 0 ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY) != rank || n < 1 ||
        index->type->count != 1 || index->type->dims[0] != n || rank > CAPACITY ||
        ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0) != 0)
        return false;
    for (int64_t i = 0; i < rank; i++)
        at[i] = -1;
    for (int64_t k = 0; k < n; k++)
        at[map[k]] = k;
    for (int64_t i = 0; i < rank; i++)
        if (at[i] < 0 && sizes[i] != x->type->dims[i])
            return false;
    if (constant_numbers(index, given, CAPACITY)) {
        for (int64_t i = 0; i < rank; i++) {
            int64_t max = x->type->dims[i] - sizes[i];
            begins[i] = at[i] < 0 ? 0 : TW_MAX(TW_MIN(given[at[i]], max), 0);
            ends[i] = begins[i] + sizes[i];
        }
        return s2t_done(op, s2t_slice(b, x, begins, ends, NULL));
    }
    ir_type element = ir_type_element(index->type), one = NULL;
    ir_value *none = NULL;
    one = ir_tensor_type(element, (int64_t[]){1}, 1, NULL);
    for (int64_t i = 0; i < rank; i++) {
        if (at[i] < 0 && !none)
            none = ir_build1(b, TTIR_OP(constant), one, NULL, 0,
                             IR_ATTRS({"value", ir_dense_i64(one, &zero, 1)}));
        int64_t from = at[i], to = from + 1;
        parts[i] = at[i] < 0 ? none
                   : n == 1  ? index
                             : s2t_slice(b, index, &from, &to, NULL);
    }
    ir_type vector = ir_tensor_type(element, &rank, 1, NULL);
    ir_value *starts = rank == 1
                           ? parts[0]
                           : ir_build1(b, TTIR_OP(concat), vector, parts, (size_t)rank,
                                       IR_ATTRS({"dim", ir_si32_attr(b->ctx, 0)}));
    return s2t_done(op, slice_from(b, x, starts, sizes, op->results[0].type));
}

static ir_value *edge(ir_builder *b, ir_value *x, int64_t dim, int64_t at, int64_t times)
{
    int64_t begins[CAPACITY] = {0}, ends[CAPACITY], factors[CAPACITY], dims[CAPACITY];
    uint32_t rank = x->type->count;
    for (uint32_t i = 0; i < rank; i++) {
        ends[i] = dims[i] = x->type->dims[i];
        factors[i] = 1;
    }
    begins[dim] = at;
    ends[dim] = at + 1;
    dims[dim] = factors[dim] = times;
    return ir_build1(
        b, TTIR_OP(repeat), ir_type_with_shape(x->type, dims, rank),
        IR_VALUES(s2t_slice(b, x, begins, ends, NULL)),
        IR_ATTRS({"repeat_dimensions", ir_dense_i64_array(b->ctx, factors, rank)}));
}

/* Rows 0, .., 0, 1, 2, .., last, .., last of a dimension: edge padding. */
static bool gather_edges(ir_op *op, ir_builder *b)
{
    enum { MAX_ROWS = 4096 };
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value, *index = op->operands[1].value, *parts[3];
    int64_t map, collapsed, offset[CAPACITY], sizes[CAPACITY], list[CAPACITY];
    int64_t rank = x->type->count, k = 0;
    if (ir_attr_ints(ir_attr_param(d, "startIndexMap"), &map, 1) != 1 ||
        ir_attr_ints(ir_attr_param(d, "collapsedSliceDims"), &collapsed, 1) != 1 ||
        collapsed != map || rank > CAPACITY ||
        ir_attr_ints(ir_attr_param(d, "operandBatchingDims"), list, CAPACITY) > 0 ||
        ir_attr_ints(ir_attr_param(d, "offsetDims"), offset, CAPACITY) != rank - 1 ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY) != rank ||
        op->results[0].type->count != (uint32_t)rank)
        return false;
    for (int64_t i = 0; i < rank; i++) {
        if (i != map && (sizes[i] != x->type->dims[i] || offset[k++] != i))
            return false;
    }
    int64_t last = x->type->dims[map] - 1, rows[MAX_ROWS], before = 0, after = 0;
    int64_t n = (int64_t)constant_numbers(index, rows, MAX_ROWS);
    if (n < last + 1)
        return false;
    while (before + 1 < n && rows[before + 1] == 0)
        before++;
    while (last > 0 && after + 1 < n && rows[n - 2 - after] == last)
        after++;
    if (before + after + last + 1 != n || before + after == 0)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (rows[i] != TW_MAX(TW_MIN(i - before, last), 0))
            return false;
    size_t n_parts = 0;
    if (before)
        parts[n_parts++] = edge(b, x, map, 0, before);
    parts[n_parts++] = x;
    if (after)
        parts[n_parts++] = edge(b, x, map, last, after);
    return s2t_done(op, ir_build1(b, TTIR_OP(concat), op->results[0].type, parts, n_parts,
                                  IR_ATTRS({"dim", ir_si32_attr(b->ctx, map)})));
}

bool s2t_gather(ir_op *op, ir_builder *b)
{
    return gather_one(op, b) || gather_edges(op, b) || gather_rows(op, b) ||
           gather_batched(op, b) || s2t_gather_any(op, b);
}

/* Builds starts and ends as vectors; the end is start + size. */
bool s2t_dynamic_slice(ir_op *op, ir_builder *b)
{
    int64_t sizes[CAPACITY], one = 1;
    uint32_t rank = op->n_operands - 1;
    if (rank == 0 || rank > CAPACITY ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY) != (int64_t)rank)
        return false;
    ir_value *parts[CAPACITY];
    ir_type scalar = op->operands[1].value->type;
    int64_t n = rank;
    for (uint32_t i = 0; i < rank; i++)
        parts[i] = s2t_reshape(b, op->operands[1 + i].value, &one, 1);
    ir_type vector = ir_tensor_type(ir_type_element(scalar), &n, 1, NULL);
    ir_value *starts = rank == 1 ? parts[0]
                                 : ir_build1(b, TTIR_OP(concat), vector, parts, rank,
                                             IR_ATTRS({"dim", ir_si32_attr(b->ctx, 0)}));
    return s2t_done(
        op, slice_from(b, op->operands[0].value, starts, sizes, op->results[0].type));
}
