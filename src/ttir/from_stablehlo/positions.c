/* positions.c: general gather, scatter and dynamic_update_slice by flat positions.
 *
 * The operand is flattened to a row of elements (or of rows of the trailing dimensions
 * that are taken whole).  An index vector becomes the position of its window's first
 * element; other elements of a window are at constant offsets from it.  Gather then is an
 * embedding, scatter a scatter along one dimension. */
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <stdlib.h>

enum { CAPACITY = 16 };

typedef struct windows {
    ir_value *index;
    int64_t vector; /* index vector dimension; the rank of the indices if there is none */
    int64_t rank, dims[CAPACITY], size[CAPACITY],
        stride[CAPACITY]; /* of operand, window; steps */
    int64_t n_map, map[CAPACITY];
    int64_t n_batching, batching[CAPACITY], index_batching[CAPACITY];
    int64_t n_drop, drop[CAPACITY]; /* dimensions of size 1 dropped from windows */
    int64_t inner;                  /* elements of a row: trailing dimensions taken whole */
    int64_t rows, count, width;     /* rows of the operand, windows, rows of a window */
} windows;

static bool holds(const int64_t *list, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i] == d)
            return true;
    return false;
}

/* Computes strides in rows, and counts.  Constant tables must have a reasonable size. */
static bool measure(windows *w, bool whole_rows)
{
    int64_t full = w->rank, step = 1;
    w->inner = w->rows = w->count = w->width = 1;
    while (whole_rows && full > 0 && w->size[full - 1] == w->dims[full - 1] &&
           !holds(w->batching, w->n_batching, full - 1) &&
           !holds(w->drop, w->n_drop, full - 1))
        w->inner *= w->dims[--full];
    for (int64_t d = w->rank - 1; d >= 0; d--) {
        w->stride[d] = d < full ? step : 0;
        if (d < full) {
            step *= w->dims[d];
            w->width *= w->size[d];
        }
    }
    w->rows = step;
    for (int64_t i = 0; i < (int64_t)w->index->type->count; i++)
        if (i != w->vector)
            w->count *= w->index->type->dims[i];
    return w->rows < INT32_MAX && w->count * w->width < (1 << 26) && w->inner > 0 &&
           w->count > 0 && w->width > 0;
}

static ir_value *i32_constant(ir_builder *b, const int64_t *values, int64_t n0, int64_t n1)
{
    int64_t dims[] = {n0, n1};
    ir_type t = ir_tensor_type(ir_integer_type(b->ctx, 32, IR_SIGNLESS), dims, 2, NULL);
    return ir_build1(b, TTIR_OP(constant), t, NULL, 0,
                     IR_ATTRS({"value", ir_dense_i64(t, values, (size_t)(n0 * n1))}));
}

/* Offsets of a window's rows from its first: [1, width]. */
static ir_value *offsets(ir_builder *b, const windows *w)
{
    int64_t *at = tw_xmalloc((size_t)w->width * sizeof *at);
    for (int64_t i = 0; i < w->width; i++) {
        int64_t left = i;
        at[i] = 0;
        for (int64_t d = w->rank - 1; d >= 0; d--)
            if (w->stride[d]) {
                at[i] += left % w->size[d] * w->stride[d];
                left /= w->size[d];
            }
    }
    ir_value *v = i32_constant(b, at, 1, w->width);
    free(at);
    return v;
}

/* Offset of each window due to batching dimensions: [count, 1]. */
static ir_value *batch_offsets(ir_builder *b, const windows *w)
{
    int64_t *at = tw_xmalloc((size_t)w->count * sizeof *at);
    for (int64_t i = 0; i < w->count; i++) {
        int64_t left = i;
        at[i] = 0;
        for (int64_t d = (int64_t)w->index->type->count - 1; d >= 0; d--) {
            if (d == w->vector)
                continue;
            int64_t c = left % w->index->type->dims[d];
            left /= w->index->type->dims[d];
            for (int64_t k = 0; k < w->n_batching; k++)
                if (w->index_batching[k] == d)
                    at[i] += c * w->stride[w->batching[k]];
        }
    }
    ir_value *v = i32_constant(b, at, w->count, 1);
    free(at);
    return v;
}

static ir_value *binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return x ? ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0) : y;
}

ir_value *s2t_index_as_i32(ir_builder *b, ir_value *v)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS), from = ir_type_element(v->type);
    if (from == i32)
        return v;
    if (from->sign == IR_UNSIGNED && from->width >= 32)
        v = binary(b, TTIR_OP(minimum), v, s2t_splat(b, v->type, INT32_MAX));
    return ir_build1(b, TTIR_OP(typecast), ir_type_with_element(v->type, i32), IR_VALUES(v),
                     NULL, 0);
}

ir_value *s2t_within(ir_builder *b, ir_value *inside, ir_value *v, int64_t high)
{
    ir_type i1 = ir_type_with_element(v->type, ir_integer_type(b->ctx, 1, IR_SIGNLESS));
    ir_value *last = s2t_splat(b, v->type, (double)high);
    ir_value *ge =
        ir_build1(b, TTIR_OP(ge), i1, IR_VALUES(v, s2t_splat(b, v->type, 0)), NULL, 0);
    ir_value *le = ir_build1(b, TTIR_OP(le), i1, IR_VALUES(v, last), NULL, 0);
    return binary(b, TTIR_OP(logical_and), inside, binary(b, TTIR_OP(logical_and), ge, le));
}

/* Index vectors as [count, n_map] of i32. */
static ir_value *index_table(ir_builder *b, const windows *w)
{
    ir_value *v = w->index;
    int64_t order[CAPACITY], table[] = {w->count, w->n_map}, rank = v->type->count;
    if (w->vector < rank - 1) {
        int64_t at = 0;
        for (int64_t i = 0; i < rank; i++)
            if (i != w->vector)
                order[at++] = i;
        order[at] = w->vector;
        v = s2t_permute(b, v, order, (size_t)rank);
    }
    return s2t_index_as_i32(b, s2t_reshape(b, v, table, 2));
}

/* Row positions of all windows, [count, width].  Starts are clamped so that windows fit,
 * or with `drop` windows out of bounds get the row after the last. */
static ir_value *positions(ir_builder *b, const windows *w, bool drop)
{
    ir_value *table = w->n_map ? index_table(b, w) : NULL, *sum = NULL, *inside = NULL;
    int64_t shape[] = {w->count, w->width};
    for (int64_t k = 0; k < w->n_map; k++) {
        int64_t d = w->map[k], begins[] = {0, k}, ends[] = {w->count, k + 1};
        ir_value *part = w->n_map == 1 ? table : s2t_slice(b, table, begins, ends, NULL);
        if (drop) {
            inside = s2t_within(b, inside, part, w->dims[d] - w->size[d]);
        } else {
            ir_value *low = s2t_splat(b, part->type, 0);
            ir_value *high = s2t_splat(b, part->type, (double)(w->dims[d] - w->size[d]));
            part = ir_build1(b, TTIR_OP(clamp_tensor), part->type,
                             IR_VALUES(part, low, high), NULL, 0);
        }
        if (w->stride[d] == 0)
            continue; /* taken whole: starts at 0 */
        if (w->stride[d] != 1)
            part = binary(b, TTIR_OP(multiply), part,
                          s2t_splat(b, part->type, (double)w->stride[d]));
        sum = binary(b, TTIR_OP(add), sum, part);
    }
    if (w->n_batching)
        sum = binary(b, TTIR_OP(add), sum, batch_offsets(b, w));
    ir_value *relative = s2t_broadcast(b, offsets(b, w), shape, 2);
    if (sum)
        relative = binary(b, TTIR_OP(add), s2t_broadcast(b, sum, shape, 2), relative);
    if (!inside)
        return relative;
    ir_value *last = s2t_splat(b, relative->type, (double)w->rows);
    return ir_build1(b, TTIR_OP(where), relative->type,
                     IR_VALUES(s2t_broadcast(b, inside, shape, 2), relative, last), NULL,
                     0);
}

static bool read_operand(windows *w, ir_type t)
{
    w->rank = t->count;
    if (w->rank > CAPACITY || w->index->type->count > CAPACITY)
        return false;
    for (int64_t d = 0; d < w->rank; d++)
        w->dims[d] = t->dims[d];
    return true;
}

static bool read_list(ir_attr d, const char *name, int64_t *out, int64_t *n)
{
    *n = ir_attr_ints(ir_attr_param(d, name), out, CAPACITY);
    return *n >= 0;
}

/* ---- gather ------------------------------------------------------------------------- */

ir_value *s2t_take_rows(ir_builder *b, ir_value *table, ir_value *ids)
{
    const int64_t n = ir_type_num_elements(ids->type), inner = table->type->dims[1];
    int64_t flat[] = {1, n}, column[] = {n, 1}, each[] = {n, inner}, out[] = {1, n, inner};
    ir_type element = ir_type_element(table->type);
    if (element->kind != IR_TYPE_INTEGER || element->width == 1)
        return ir_build1(b, TTIR_OP(embedding), ir_type_with_shape(table->type, out, 3),
                         IR_VALUES(s2t_reshape(b, ids, flat, 2), table), NULL, 0);
    ir_value *at = s2t_broadcast(b, s2t_reshape(b, ids, column, 2), each, 2);
    return ir_build1(b, TTIR_OP(gather), ir_type_with_shape(table->type, each, 2),
                     IR_VALUES(table, at), IR_ATTRS({"dim", ir_i32_attr(b->ctx, 0)}));
}

bool s2t_gather_any(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value;
    windows w = {.index = op->operands[1].value};
    int64_t offset[CAPACITY], n_offset, n_index_batching;
    w.vector = ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0);
    if (!read_operand(&w, x->type) || !read_list(d, "offsetDims", offset, &n_offset) ||
        !read_list(d, "collapsedSliceDims", w.drop, &w.n_drop) ||
        !read_list(d, "startIndexMap", w.map, &w.n_map) ||
        !read_list(d, "operandBatchingDims", w.batching, &w.n_batching) ||
        !read_list(d, "startIndicesBatchingDims", w.index_batching, &n_index_batching) ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), w.size, CAPACITY) != w.rank ||
        !measure(&w, true) || w.n_map + w.n_batching == 0)
        return false;
    int64_t table[] = {w.rows, w.inner}, dims[2 * CAPACITY], order[2 * CAPACITY];
    ir_value *at = positions(b, &w, false);
    ir_value *rows = s2t_take_rows(b, s2t_reshape(b, x, table, 2), at);
    /* order of windows: the dimensions of the indices, then the offset dimensions */
    int64_t n = 0, n_batch = 0, next = 0;
    for (int64_t i = 0; i < (int64_t)w.index->type->count; i++)
        if (i != w.vector)
            dims[n++] = w.index->type->dims[i];
    n_batch = n;
    for (int64_t i = 0; i < w.rank; i++)
        if (!holds(w.drop, w.n_drop, i) && !holds(w.batching, w.n_batching, i))
            dims[n++] = w.size[i];
    rows = s2t_reshape(b, rows, dims, (size_t)n);
    bool identity = true;
    for (int64_t i = 0, window = n_batch; i < n; i++) {
        order[i] = holds(offset, n_offset, i) ? window++ : next++;
        identity &= order[i] == i;
    }
    return s2t_done(op, identity ? rows : s2t_permute(b, rows, order, (size_t)n));
}

/* ---- scatter ------------------------------------------------------------------------ */

/* Writes updates to x at the positions; the row after the last collects dropped ones. */
static ir_value *write_rows(ir_builder *b, const windows *w, ir_value *x, ir_value *at,
                            ir_value *updates, ir_attr reduce, bool spare)
{
    int64_t flat[] = {w->rows}, n[] = {w->count * w->width}, zero = 0;
    ir_type type = x->type;
    x = s2t_reshape(b, x, flat, 1);
    if (spare) {
        int64_t more[] = {w->rows + 1}, pads[] = {0, 1};
        x = ir_build1(b, TTIR_OP(pad), ir_type_with_shape(type, more, 1), IR_VALUES(x),
                      IR_ATTRS({"padding", s2t_d32(b->ctx, pads, 2)},
                               {"value", ir_f32_attr(b->ctx, 0)}));
    }
    ir_value *y = ir_build1(
        b, TTIR_OP(scatter), x->type,
        IR_VALUES(x, s2t_reshape(b, at, n, 1), s2t_reshape(b, updates, n, 1)),
        IR_ATTRS({"dim", ir_i32_attr(b->ctx, 0)}, {"scatter_reduce_type", reduce}));
    if (spare)
        y = s2t_slice(b, y, &zero, flat, NULL);
    return s2t_reshape(b, y, type->dims, type->count);
}

bool s2t_scatter_any(ir_op *op, ir_builder *b, ir_attr reduce)
{
    ir_attr d = ir_op_attr(op, "scatter_dimension_numbers");
    windows w = {.index = op->operands[1].value};
    ir_value *x = op->operands[0].value, *updates = op->operands[2].value;
    int64_t shown[CAPACITY], n_shown, n_index_batching, order[CAPACITY];
    int64_t rank = updates->type->count, at = 0, k = 0;
    w.vector = ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0);
    if (op->n_operands != 3 || rank > CAPACITY || !read_operand(&w, x->type) ||
        !read_list(d, "updateWindowDims", shown, &n_shown) ||
        !read_list(d, "insertedWindowDims", w.drop, &w.n_drop) ||
        !read_list(d, "scatterDimsToOperandDims", w.map, &w.n_map) ||
        !read_list(d, "inputBatchingDims", w.batching, &w.n_batching) ||
        !read_list(d, "scatterIndicesBatchingDims", w.index_batching, &n_index_batching))
        return false;
    for (int64_t i = 0; i < w.rank; i++) {
        bool hidden = holds(w.drop, w.n_drop, i) || holds(w.batching, w.n_batching, i);
        if (!hidden && k == n_shown)
            return false;
        w.size[i] = hidden ? 1 : updates->type->dims[shown[k++]];
    }
    if (!measure(&w, false))
        return false;
    if (w.n_map == 0 && updates->type == x->type && w.n_batching == 0 &&
        ir_enum_value(reduce, -1) == TTCORE_ReduceType_Invalid)
        return s2t_done(op, updates); /* the window covers everything */
    for (int64_t i = 0; i < rank; i++)
        if (!holds(shown, n_shown, i))
            order[at++] = i;
    bool identity = true;
    for (int64_t i = 0; i < n_shown; i++)
        order[at++] = shown[i];
    for (int64_t i = 0; i < rank; i++)
        identity &= order[i] == i;
    if (!identity)
        updates = s2t_permute(b, updates, order, (size_t)rank);
    return s2t_done(op,
                    write_rows(b, &w, x, positions(b, &w, true), updates, reduce, true));
}

/* ---- dynamic_update_slice ----------------------------------------------------------- */

bool s2t_dynamic_update_slice(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *update = op->operands[1].value, *parts[CAPACITY];
    int64_t rank = x->type->count, one = 1;
    if (rank == 0 || update->type->count == 0 || rank > CAPACITY)
        return s2t_done(op, update);
    if (ir_type_num_elements(update->type) == 0)
        return s2t_done(op, x);
    if (update->type == x->type) /* it can only start at 0 */
        return s2t_done(op, update);
    for (int64_t i = 0; i < rank; i++)
        parts[i] = s2t_reshape(b, op->operands[2 + i].value, &one, 1);
    ir_type vector = ir_tensor_type(ir_type_element(parts[0]->type), &rank, 1, NULL);
    windows w = {.n_map = rank, .vector = 0};
    w.index = rank == 1 ? parts[0]
                        : ir_build1(b, TTIR_OP(concat), vector, parts, (size_t)rank,
                                    IR_ATTRS({"dim", ir_si32_attr(b->ctx, 0)}));
    if (!read_operand(&w, x->type))
        return false;
    for (int64_t i = 0; i < rank; i++) {
        w.map[i] = i;
        w.size[i] = update->type->dims[i];
    }
    if (!measure(&w, false))
        return false;
    ir_attr set = ir_enum_attr(b->ctx, TTCORE_ATTR(reduce_type), TTCORE_ReduceType_Invalid);
    return s2t_done(op, write_rows(b, &w, x, positions(b, &w, false), update, set, false));
}
