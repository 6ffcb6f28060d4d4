/* broadcasting.c: chlo.broadcast_*: broadcasts the operands to one shape and applies
 * StableHLO's operation.  If a size is neither static nor bounded, operations of the
 * shape dialect compute the result's shape, inside a shape.assuming region guarded by a
 * check of the shapes. */
#include "mlir/shape/shape.h"
#include "stablehlo/broadcast.h"
#include "stablehlo/build.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"
#include "stablehlo/stablehlo.h"

static const struct row {
    uint16_t from, to;
    bool to_chlo;
} rows[] = {
    {CHLO_broadcast_add, STABLEHLO_add, false},
    {CHLO_broadcast_and, STABLEHLO_and, false},
    {CHLO_broadcast_atan2, STABLEHLO_atan2, false},
    {CHLO_broadcast_compare, STABLEHLO_compare, false},
    {CHLO_broadcast_complex, STABLEHLO_complex, false},
    {CHLO_broadcast_divide, STABLEHLO_divide, false},
    {CHLO_broadcast_maximum, STABLEHLO_maximum, false},
    {CHLO_broadcast_minimum, STABLEHLO_minimum, false},
    {CHLO_broadcast_multiply, STABLEHLO_multiply, false},
    {CHLO_broadcast_next_after, CHLO_next_after, true},
    {CHLO_broadcast_or, STABLEHLO_or, false},
    {CHLO_broadcast_polygamma, CHLO_polygamma, true},
    {CHLO_broadcast_power, STABLEHLO_power, false},
    {CHLO_broadcast_remainder, STABLEHLO_remainder, false},
    {CHLO_broadcast_shift_left, STABLEHLO_shift_left, false},
    {CHLO_broadcast_shift_right_arithmetic, STABLEHLO_shift_right_arithmetic, false},
    {CHLO_broadcast_shift_right_logical, STABLEHLO_shift_right_logical, false},
    {CHLO_broadcast_subtract, STABLEHLO_subtract, false},
    {CHLO_broadcast_xor, STABLEHLO_xor, false},
    {CHLO_broadcast_zeta, CHLO_zeta, true},
};

/* ---- the operation itself ----------------------------------------------------------- */

/* Both dialects have the same case numbers. */
static ir_attr renamed(ir_context *ctx, const ir_attr_def *def, ir_attr attr)
{
    return attr ? ir_enum_attr(ctx, def, ir_enum_value(attr, 0)) : NULL;
}

static ir_value *compute(ir_op *op, ir_builder *b, const struct row *row,
                         ir_value *const *operands)
{
    ir_type t = op->results[0].type;
    ir_attr direction = renamed(b->ctx, STABLEHLO_ATTR(comparison_direction),
                                ir_op_attr(op, "comparison_direction"));
    ir_attr type =
        renamed(b->ctx, STABLEHLO_ATTR(comparison_type), ir_op_attr(op, "compare_type"));
    const ir_op_def *def = row->to_chlo ? &chlo_ops[row->to] : &stablehlo_ops[row->to];
    return ir_build1(b, def, t, operands, 2,
                     IR_ATTRS({"comparison_direction", direction}, {"compare_type", type}));
}

/* The new operation may be one of chlo again. */
static bool finish(ir_op *op, ir_value *value, const struct row *row)
{
    ir_op *made = ir_value_def(value);
    c2s_done(op, value);
    return !row || !row->to_chlo || c2s_convert(made);
}

/* ---- known sizes -------------------------------------------------------------------- */

/* True if the smaller operand is broadcast along trailing dimensions, the default. */
static bool is_trailing(const ir_op *op)
{
    int64_t at[HLO_MAX_DIMS];
    ir_attr attr = ir_op_attr(op, "broadcast_dimensions");
    int64_t n = ir_attr_ints(attr, at, HLO_MAX_DIMS);
    uint32_t a = op->operands[0].value->type->count, b = op->operands[1].value->type->count;
    uint32_t small = TW_MIN(a, b), large = TW_MAX(a, b);
    if (!attr)
        return true;
    if (n != small)
        return false;
    for (uint32_t i = 0; i < small; i++)
        if (at[i] != large - small + i)
            return false;
    return true;
}

/* The sizes the operands are broadcast to; false if they are incompatible. */
static bool merge(const ir_op *op, hlo_size *out, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        out[i] = (hlo_size){.size = 1};
    for (uint32_t k = 0; k < op->n_operands; k++) {
        hlo_size own[HLO_MAX_DIMS];
        size_t n = op->operands[k].value->type->count;
        if (!hlo_sizes_of(op->operands[k].value, own))
            return false;
        for (size_t i = 0; i < n; i++) {
            hlo_size *size = &out[rank - n + i];
            if (own[i].size == 1)
                continue;
            if (size->size == 1)
                *size = own[i];
            else if (size->size != own[i].size || !size->of != !own[i].of)
                return false;
        }
    }
    return true;
}

/* Broadcasts operands of static shapes, the smaller one along the operation's
 * broadcast_dimensions. */
static bool broadcast_static(ir_op *op, ir_builder *b, size_t rank, ir_value **operands)
{
    int64_t at[HLO_MAX_DIMS], dims[HLO_MAX_DIMS], all[HLO_MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), at, HLO_MAX_DIMS);
    bool first = operands[0]->type->count < operands[1]->type->count;
    ir_value **small = &operands[first ? 0 : 1], **large = &operands[first ? 1 : 0];
    ir_type t = (*small)->type, u = (*large)->type;
    if (!ir_type_has_static_shape(t) || !ir_type_has_static_shape(u) || n != t->count)
        return false;
    for (size_t i = 0; i < rank; i++) {
        all[i] = (int64_t)i;
        dims[i] = u->dims[i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (at[i] < 0 || at[i] >= (int64_t)rank || (i && at[i] <= at[i - 1]) ||
            (t->dims[i] != 1 && dims[at[i]] != 1 && t->dims[i] != dims[at[i]]))
            return false;
        if (dims[at[i]] == 1)
            dims[at[i]] = t->dims[i];
    }
    *small = hlo_broadcast(b, *small, dims, rank, at, (size_t)n);
    if (memcmp(dims, u->dims, rank * sizeof *dims) != 0)
        *large = hlo_broadcast(b, *large, dims, rank, all, rank);
    return true;
}

static size_t rank_of(const ir_op *op)
{
    size_t rank = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        rank = TW_MAX(rank, op->operands[i].value->type->count);
    return rank;
}

/* ---- dynamic sizes ------------------------------------------------------------------ */

/* Builds a `shape.assuming` on broadcastable operands and moves the builder into it. */
static ir_op *assume_shapes_fit(ir_op *op, ir_builder *b, ir_value **shapes)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        shapes[i] = hlo_shape_of(b, op->operands[i].value);
    ir_type witness = ir_dialect_type(b->ctx, SHAPE_TYPE(witness), NULL, 0);
    ir_value *fits = ir_build1(b, SHAPE_OP(cstr_broadcastable), witness, shapes,
                               op->n_operands, NULL, 0);
    ir_op *assuming =
        ir_build_op(b, SHAPE_OP(assuming), &op->results[0].type, 1, &fits, 1, NULL, 0, 1);
    b->block = hlo_add_block(assuming, 0, NULL, 0);
    b->before = NULL;
    return assuming;
}

static ir_value *broadcast_shape(ir_builder *b, ir_value *const *shapes, size_t n,
                                 size_t rank)
{
    ir_type t = hlo_vector_type(ir_index_type(b->ctx), (int64_t)rank);
    return ir_build1(b, SHAPE_OP(broadcast), t, shapes, n, NULL, 0);
}

static ir_value *broadcast_dynamic(ir_builder *b, ir_value *v, ir_value *extents,
                                   ir_type as)
{
    int64_t at[HLO_MAX_DIMS];
    for (uint32_t i = 0; i < v->type->count; i++)
        at[i] = as->count - v->type->count + i;
    ir_type t = ir_tensor_type(v->type->element, as->dims, as->count, NULL);
    return ir_build1(
        b, STABLEHLO_OP(dynamic_broadcast_in_dim), t, IR_VALUES(v, extents),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, at, v->type->count)}));
}

static bool yield(ir_op *op, ir_builder *b, ir_op *assuming, ir_value *value,
                  const struct row *row)
{
    ir_op *made = ir_value_def(value);
    ir_build_op(b, SHAPE_OP(assuming_yield), NULL, 0, &value, 1, NULL, 0, 0);
    c2s_done(op, &assuming->results[0]);
    return !row || !row->to_chlo || c2s_convert(made);
}

/* ---- entries ------------------------------------------------------------------------ */

static bool is_ranked(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ir_type_is_tensor(op->operands[i].value->type) ||
            op->operands[i].value->type->count > HLO_MAX_DIMS)
            return false;
    return ir_type_is_tensor(op->results[0].type);
}

bool c2s_broadcasting(ir_op *op, ir_builder *b)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < TW_COUNT(rows) && !row; i++)
        if (op->def == &chlo_ops[rows[i].from])
            row = &rows[i];
    if (!row || !is_ranked(op))
        return false;
    ir_value *x = op->operands[0].value, *y = op->operands[1].value, *operands[2] = {x, y};
    hlo_size sizes[HLO_MAX_DIMS];
    size_t rank = rank_of(op);
    bool known = hlo_is_bounded(x->type) && hlo_is_bounded(y->type);
    if (known && ir_type_with_element(x->type, y->type->element) == y->type)
        return finish(op, compute(op, b, row, operands), row);
    if (!is_trailing(op)) {
        if (broadcast_static(op, b, rank, operands))
            return finish(op, compute(op, b, row, operands), row);
        tw_strbuf text = {0};
        int64_t at[HLO_MAX_DIMS];
        int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), at, HLO_MAX_DIMS);
        for (int64_t i = 0; i < n; i++)
            tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)at[i]);
        ir_warning(op->ctx, op->loc,
                   "unsupported non prefix-padded dynamic rank broadcast_dimensions = %s",
                   tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        return false;
    }
    if (known && hlo_is_bounded(op->results[0].type) && merge(op, sizes, rank)) {
        for (size_t i = 0; i < 2; i++)
            operands[i] = hlo_broadcast_sizes(b, operands[i], sizes, rank);
        return finish(op, compute(op, b, row, operands), row);
    }
    ir_value *shapes[2];
    ir_builder inner = *b;
    ir_op *assuming = assume_shapes_fit(op, &inner, shapes);
    ir_value *extents = broadcast_shape(&inner, shapes, 2, rank);
    for (size_t i = 0; i < 2; i++)
        operands[i] = broadcast_dynamic(&inner, operands[i], extents, op->results[0].type);
    return yield(op, &inner, assuming, compute(op, &inner, row, operands), row);
}

/* A scalar predicate applies to all elements: select accepts it as it is. */
bool c2s_broadcast_select(ir_op *op, ir_builder *b)
{
    hlo_size sizes[HLO_MAX_DIMS];
    ir_value *operands[3], *shapes[3], *extents = NULL;
    ir_type t = op->results[0].type;
    if (!is_ranked(op))
        return false;
    size_t rank = rank_of(op);
    bool known = merge(op, sizes, rank);
    ir_builder inner = *b;
    ir_op *assuming = known ? NULL : assume_shapes_fit(op, &inner, shapes);
    if (!known)
        extents = broadcast_shape(&inner, shapes, 3, rank);
    for (uint32_t i = 0; i < 3; i++) {
        ir_value *v = op->operands[i].value;
        bool as_is = i == 0 && v->type->count == 0;
        operands[i] = as_is   ? v
                      : known ? hlo_broadcast_sizes(&inner, v, sizes, rank)
                              : broadcast_dynamic(&inner, v, extents, t);
    }
    ir_value *picked = ir_build1(&inner, STABLEHLO_OP(select), t, operands, 3, NULL, 0);
    return known ? finish(op, picked, NULL) : yield(op, &inner, assuming, picked, NULL);
}
