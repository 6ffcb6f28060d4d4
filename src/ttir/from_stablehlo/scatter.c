/* scatter.c: stablehlo.scatter as ttir.scatter along one dimension.
 *
 * With one scattered dimension the indices are broadcast to the updates' shape.  With
 * several, if all of them are inserted window dimensions (elements or whole rows are
 * written), the operand is flattened and positions are computed from the index columns. */
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 32 };

typedef struct scatter {
    int64_t window[CAPACITY], inserted[CAPACITY], map[CAPACITY];
    int64_t n_window, n_inserted, n_map, vector;
    ir_attr reduce;
    ir_value *x, *index, *updates;
} scatter;

/* The combiner from the body: its only operation, or the second argument returned. */
static ir_attr reduce_type(ir_op *op, ir_context *ctx)
{
    static const struct {
        uint16_t from;
        int64_t to;
    } table[] = {{STABLEHLO_add, TTCORE_ReduceType_Sum},
                 {STABLEHLO_multiply, TTCORE_ReduceType_Prod},
                 {STABLEHLO_maximum, TTCORE_ReduceType_Max},
                 {STABLEHLO_minimum, TTCORE_ReduceType_Min}};
    const ir_block *body = ir_op_body(op, 0);
    const ir_op *made = s2t_combiner(op, 0);
    int64_t kind = -1;
    if (body->first == body->last && body->n_args == 2 && body->last->n_operands == 1 &&
        body->last->operands[0].value == body->args[1])
        kind = TTCORE_ReduceType_Invalid;
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (made && made->def == &stablehlo_ops[table[i].from])
            kind = table[i].to;
    return kind < 0 ? NULL : ir_enum_attr(ctx, TTCORE_ATTR(reduce_type), kind);
}

static bool read_scatter(ir_op *op, ir_builder *b, scatter *s)
{
    ir_attr d = ir_op_attr(op, "scatter_dimension_numbers");
    int64_t none[CAPACITY];
    if (op->n_operands != 3 || op->n_results != 1)
        return false;
    s->reduce = reduce_type(op, b->ctx);
    s->x = op->operands[0].value;
    s->index = op->operands[1].value;
    s->updates = op->operands[2].value;
    s->n_window = ir_attr_ints(ir_attr_param(d, "updateWindowDims"), s->window, CAPACITY);
    s->n_inserted =
        ir_attr_ints(ir_attr_param(d, "insertedWindowDims"), s->inserted, CAPACITY);
    s->n_map = ir_attr_ints(ir_attr_param(d, "scatterDimsToOperandDims"), s->map, CAPACITY);
    s->vector = ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0);
    int64_t n_batching =
        ir_attr_ints(ir_attr_param(d, "inputBatchingDims"), none, CAPACITY);
    size_t rank = s->x->type->count, index_rank = s->index->type->count;
    /* the scattered dimensions are exactly those missing in updates */
    if (!s->reduce || n_batching > 0 || s->n_map < 1 || s->n_inserted != s->n_map ||
        s->n_window < 0 || s->n_window + s->n_map != (int64_t)rank)
        return false;
    for (int64_t i = 0; i < s->n_map; i++) {
        bool found = false;
        for (int64_t k = 0; k < s->n_inserted; k++)
            found |= s->inserted[k] == s->map[i];
        if (!found)
            return false;
    }
    return s->vector == (int64_t)index_rank - 1 ||
           (s->vector == (int64_t)index_rank && s->n_map == 1);
}

/* Updates as [N, window dims...] with the scatter dimensions merged in front. */
static ir_value *joined_updates(ir_builder *b, const scatter *s, int64_t *out_count)
{
    int64_t order[CAPACITY], dims[CAPACITY];
    size_t rank = s->updates->type->count, at = 0, n = 0;
    bool identity = true;
    int64_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        bool window = false;
        for (int64_t k = 0; k < s->n_window; k++)
            window |= s->window[k] == (int64_t)i;
        if (!window) {
            order[at++] = (int64_t)i;
            count *= s->updates->type->dims[i];
        }
    }
    dims[n++] = count;
    for (int64_t k = 0; k < s->n_window; k++) {
        order[at++] = s->window[k];
        dims[n++] = s->updates->type->dims[s->window[k]];
    }
    for (size_t i = 0; i < rank; i++)
        identity &= order[i] == (int64_t)i;
    ir_value *v = identity ? s->updates : s2t_permute(b, s->updates, order, rank);
    *out_count = count;
    return s2t_reshape(b, v, dims, n);
}

static ir_value *build_scatter(ir_builder *b, const scatter *s, ir_value *x,
                               ir_value *index, ir_value *updates, int64_t dim)
{
    return ir_build1(
        b, TTIR_OP(scatter), x->type, IR_VALUES(x, index, updates),
        IR_ATTRS({"dim", ir_i32_attr(b->ctx, dim)}, {"scatter_reduce_type", s->reduce}));
}

/* Updates are permuted to the operand's dimension order, with N as the scattered one. */
static bool one_dimension(ir_op *op, ir_builder *b, const scatter *s)
{
    int64_t dim = s->map[0], count, order[CAPACITY], ones[CAPACITY];
    size_t rank = s->x->type->count;
    ir_value *updates = joined_updates(b, s, &count);
    for (size_t i = 0; i < rank; i++) {
        order[i] = (int64_t)i == dim ? 0 : (int64_t)i < dim ? (int64_t)i + 1 : (int64_t)i;
        ones[i] = (int64_t)i == dim ? count : 1;
    }
    if (dim != 0)
        updates = s2t_permute(b, updates, order, rank);
    ir_value *index =
        s2t_repeat(b, s2t_reshape(b, s->index, ones, rank), updates->type->dims, rank);
    return s2t_done(op, build_scatter(b, s, s->x, index, updates, dim));
}

/* Scatters rows of updates into the operand flattened to [P, W]: P the scattered
 * dimensions in their order, W the others.  Requires the scattered ones to be leading.  A
 * row with any index out of bounds gets position P, which is dropped: its flat position
 * alone could be that of another row. */
static bool several_dimensions(ir_op *op, ir_builder *b, const scatter *s)
{
    int64_t count, extent = 1, width = 1, stride[CAPACITY];
    size_t rank = s->x->type->count, index_rank = s->index->type->count;
    for (int64_t i = (int64_t)rank - 1; i >= 0; i--) {
        stride[i] = i >= s->n_map ? 1 : extent;
        *(i >= s->n_map ? &width : &extent) *= s->x->type->dims[i];
    }
    for (int64_t i = 0; i < s->n_map; i++)
        if (s->map[i] >= s->n_map)
            return false;
    if (s->vector != (int64_t)index_rank - 1 || extent >= INT32_MAX)
        return false;
    for (int64_t k = 0; k < s->n_window; k++) /* parts of rows are no rows */
        if (s->updates->type->dims[s->window[k]] != s->x->type->dims[s->n_map + k])
            return false;
    ir_value *updates = joined_updates(b, s, &count), *position = NULL, *inside = NULL;
    int64_t table[] = {count, s->n_map}, column[] = {count, 1}, rows[] = {count, width},
            flat[] = {extent, width};
    ir_value *index = s2t_index_as_i32(b, s2t_reshape(b, s->index, table, 2));
    for (int64_t k = 0; k < s->n_map; k++) {
        int64_t begins[] = {0, k}, ends[] = {count, k + 1};
        ir_value *part = s->n_map == 1 ? index : s2t_slice(b, index, begins, ends, NULL);
        inside = s2t_within(b, inside, part, s->x->type->dims[s->map[k]] - 1);
        if (stride[s->map[k]] != 1) {
            ir_value *factor = s2t_splat(b, part->type, (double)stride[s->map[k]]);
            part = ir_build1(b, TTIR_OP(multiply), part->type, IR_VALUES(part, factor),
                             NULL, 0);
        }
        position = position ? ir_build1(b, TTIR_OP(add), part->type,
                                        IR_VALUES(position, part), NULL, 0)
                            : part;
    }
    position = ir_build1(
        b, TTIR_OP(where), position->type,
        IR_VALUES(inside, position, s2t_splat(b, position->type, (double)extent)), NULL, 0);
    position = s2t_repeat(b, s2t_reshape(b, position, column, 2), rows, 2);
    updates = s2t_reshape(b, updates, rows, 2);
    ir_value *y = build_scatter(b, s, s2t_reshape(b, s->x, flat, 2), position, updates, 0);
    return s2t_done(op, s2t_reshape(b, y, s->x->type->dims, rank));
}

bool s2t_scatter(ir_op *op, ir_builder *b)
{
    scatter s = {0};
    if (read_scatter(op, b, &s) &&
        (s.n_map == 1 ? one_dimension(op, b, &s) : several_dimensions(op, b, &s)))
        return true;
    return s.reduce && s2t_scatter_any(op, b, s.reduce);
}
