/* simplify_shape.c: simplifies operations that move elements: shapes, slices, pads,
 * concatenations. */
#include "stablehlo/simplify/simplify.h"

#include "stablehlo/build.h"
#include "stablehlo/eval/eval.h"

/* ---- shapes ------------------------------------------------------------------------- */

bool hs_simplify_same(ir_op *op, rw_rewriter *rw)
{
    return hs_replace(op, rw, hs_operand(op, 0));
}

/* True if a broadcast only adds unit dimensions and keeps the order. */
static bool is_reshape(const ir_op *op)
{
    hs_integers dims;
    ir_type from = hs_operand(op, 0)->type, to = op->results[0].type;
    return hs_list(op, "broadcast_dimensions", &dims) && hs_is_static(from) &&
           hs_is_static(to) && ir_type_num_elements(from) == ir_type_num_elements(to) &&
           hs_is_sorted(&dims) && from->count != to->count;
}

/* Merges nested broadcasts, unless the inner one is only a reshape. */
static bool merge_broadcasts(ir_op *op, rw_rewriter *rw, const hs_integers *dims)
{
    hs_integers inner;
    ir_op *def = ir_value_def(hs_operand(op, 0));
    if (!hs_is(def, STABLEHLO_broadcast_in_dim) || is_reshape(def) ||
        !hs_list(def, "broadcast_dimensions", &inner))
        return false;
    for (int64_t i = 0; i < inner.n; i++)
        inner.at[i] = dims->at[inner.at[i]];
    ir_op_set_operand(op, 0, hs_operand(def, 0));
    ir_op_set_attr(op, "broadcast_dimensions", hs_array(rw, &inner));
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_broadcast(ir_op *op, rw_rewriter *rw)
{
    hs_integers dims;
    ir_value *x = hs_operand(op, 0);
    ir_type from = x->type, to = op->results[0].type;
    if (!hs_list(op, "broadcast_dimensions", &dims))
        return false;
    if (from == to && hs_is_iota(&dims))
        return hs_replace(op, rw, x);
    if (merge_broadcasts(op, rw, &dims))
        return true;
    if (is_reshape(op))
        return hs_replace_new(
            op, rw, ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(x), NULL, 0));
    if (hs_is_static(from) && hs_is_static(to) && from->count == to->count &&
        ir_type_num_elements(from) == ir_type_num_elements(to)) {
        hs_integers order = {.n = dims.n};
        for (int64_t i = 0; i < dims.n; i++)
            order.at[dims.at[i]] = i;
        ir_value *v = ir_build1(&rw->b, STABLEHLO_OP(transpose), to, IR_VALUES(x),
                                IR_ATTRS({"permutation", hs_array(rw, &order)}));
        return hs_replace_new(op, rw, v);
    }
    return false;
}

bool hs_simplify_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(hs_operand(op, 0));
    if (hs_replace(op, rw, hs_operand(op, 0)))
        return true;
    /* a convert to the same element type only hides sizes */
    bool forgets = hs_is(def, STABLEHLO_convert) &&
                   hs_operand(def, 0)->type->element == def->results[0].type->element &&
                   hs_is_static(hs_operand(def, 0)->type);
    if (!forgets && !hs_is(def, STABLEHLO_reshape))
        return false;
    ir_op_set_operand(op, 0, hs_operand(def, 0));
    rw_modified(rw, op);
    return true;
}

/* True if only unit dimensions are moved. */
static bool keeps_order(ir_type t, const hs_integers *order)
{
    int64_t last = -1;
    for (int64_t i = 0; i < order->n; i++) {
        if (t->dims[order->at[i]] == 1)
            continue;
        if (order->at[i] < last)
            return false;
        last = order->at[i];
    }
    return true;
}

bool hs_simplify_transpose(ir_op *op, rw_rewriter *rw)
{
    hs_integers order, inner;
    ir_value *x = hs_operand(op, 0);
    ir_op *def = ir_value_def(x);
    if (!hs_list(op, "permutation", &order))
        return false;
    if (hs_is_iota(&order))
        return hs_replace(op, rw, x);
    if (hs_is(def, STABLEHLO_transpose) && hs_list(def, "permutation", &inner)) {
        for (int64_t i = 0; i < order.n; i++)
            order.at[i] = inner.at[order.at[i]];
        ir_op_set_operand(op, 0, hs_operand(def, 0));
        ir_op_set_attr(op, "permutation", hs_array(rw, &order));
        rw_modified(rw, op);
        return true;
    }
    return hs_is_static(x->type) && hs_is_static(op->results[0].type) &&
           keeps_order(x->type, &order) &&
           hs_replace_new(op, rw,
                          ir_build1(&rw->b, STABLEHLO_OP(reshape), op->results[0].type,
                                    IR_VALUES(x), NULL, 0));
}

bool hs_simplify_reverse(ir_op *op, rw_rewriter *rw)
{
    hs_integers dims;
    ir_type t = hs_operand(op, 0)->type;
    if (!hs_list(op, "dimensions", &dims) || !ir_type_is_tensor(t))
        return false;
    bool moves = false;
    for (int64_t i = 0; i < dims.n; i++)
        moves = moves || (t->dims[dims.at[i]] != 1 && !hs_has_nothing(t));
    ir_attr x = hlo_dense_of(hs_operand(op, 0));
    return (!moves || (x && x->splat)) && hs_replace(op, rw, hs_operand(op, 0));
}

bool hs_simplify_size(ir_op *op, rw_rewriter *rw)
{
    ir_type t = hs_operand(op, 0)->type;
    int64_t dim = ir_op_int(op, "dimension", 0);
    return ir_type_is_tensor(t) && dim >= 0 && dim < t->count &&
           t->dims[dim] != IR_DYNAMIC && hs_replace_by_integer(op, rw, t->dims[dim]);
}

bool hs_simplify_iota(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (!hs_is_static(t) || dim < 0 || dim >= t->count)
        return false;
    if (t->dims[dim] == 1)
        return hs_replace_by_integer(op, rw, 0);
    if (t->count < 2)
        return false;
    ir_value *line = hlo_iota(&rw->b, hlo_vector_type(t->element, t->dims[dim]), 0);
    return hs_replace_new(
        op, rw,
        ir_build1(
            &rw->b, STABLEHLO_OP(broadcast_in_dim), t, IR_VALUES(line),
            IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(op->ctx, &dim, 1)})));
}

/* ---- slices, pads and concatenations ------------------------------------------------ */

bool hs_simplify_concatenate(ir_op *op, rw_rewriter *rw)
{
    ir_value *parts[HS_CAPACITY];
    size_t n = 0;
    bool changed = false;
    int64_t dim = ir_op_int(op, "dimension", 0);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = hs_operand(op, i);
        ir_op *def = ir_value_def(v);
        size_t more = 1;
        if (hs_is(def, STABLEHLO_concatenate) && ir_op_int(def, "dimension", 0) == dim &&
            ir_value_has_one_use(v))
            more = def->n_operands;
        if (n + more > HS_CAPACITY)
            return false;
        if (hs_has_nothing(v->type) && op->n_operands > 1) {
            changed = true;
        } else if (more > 1) {
            for (size_t k = 0; k < more; k++)
                parts[n++] = hs_operand(def, k);
            changed = true;
        } else {
            parts[n++] = v;
        }
    }
    if (n == 1 && parts[0]->type == op->results[0].type)
        return hs_replace(op, rw, parts[0]);
    if (!changed || n == 0)
        return false;
    ir_op_splice_operands(op, 0, op->n_operands, parts, n);
    rw_modified(rw, op);
    return true;
}

/* A slice inside one operand of a concatenation. */
static bool slice_part(ir_op *op, rw_rewriter *rw)
{
    hs_integers start, limit, stride;
    ir_op *joined = ir_value_def(hs_operand(op, 0));
    if (!hs_is(joined, STABLEHLO_concatenate) || !hs_list(op, "start_indices", &start) ||
        !hs_list(op, "limit_indices", &limit) || !hs_list(op, "strides", &stride))
        return false;
    int64_t dim = ir_op_int(joined, "dimension", 0), at = 0;
    for (uint32_t i = 0; i < joined->n_operands; i++) {
        ir_type t = hs_operand(joined, i)->type;
        if (!hs_is_static(t))
            return false;
        if (start.at[dim] >= at && limit.at[dim] <= at + t->dims[dim]) {
            start.at[dim] -= at;
            limit.at[dim] -= at;
            return hs_replace_new(
                op, rw,
                hlo_slice(&rw->b, hs_operand(joined, i), start.at, limit.at, stride.at));
        }
        at += t->dims[dim];
    }
    return false;
}

bool hs_simplify_slice(ir_op *op, rw_rewriter *rw)
{
    return (hs_is_static(hs_operand(op, 0)->type) &&
            hs_replace(op, rw, hs_operand(op, 0))) ||
           slice_part(op, rw);
}

bool hs_simplify_dynamic_slice(ir_op *op, rw_rewriter *rw)
{
    hs_integers start = {.n = 0}, limit, one, size;
    ir_value *x = hs_operand(op, 0);
    if (!hs_is_static(x->type) || !hs_list(op, "slice_sizes", &size) ||
        op->n_operands != 1 + x->type->count || op->n_operands > HS_CAPACITY)
        return false;
    for (uint32_t i = 0; i < x->type->count; i++) {
        ir_attr at = hlo_dense_of(hs_operand(op, 1 + i));
        if (!at)
            return false;
        int64_t max = x->type->dims[i] - size.at[i], value = ir_dense_int(at, 0);
        start.at[i] = value < 0 ? 0 : value > max ? max : value;
        limit.at[i] = start.at[i] + size.at[i];
        one.at[i] = 1;
    }
    return hs_replace_new(op, rw, hlo_slice(&rw->b, x, start.at, limit.at, one.at));
}

bool hs_simplify_update(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = hs_operand(op, 0), *update = hs_operand(op, 1);
    if (hs_has_nothing(update->type))
        return hs_replace(op, rw, x);
    if (update->type != x->type || !hs_is_static(x->type))
        return false;
    for (uint32_t i = 2; i < op->n_operands; i++)
        if (!hs_is_all(hs_operand(op, i), 0))
            return false;
    return hs_replace(op, rw, update);
}

bool hs_simplify_pad(ir_op *op, rw_rewriter *rw)
{
    hs_integers low, high, inside;
    ir_value *x = hs_operand(op, 0);
    ir_type to = op->results[0].type;
    if (!hs_is_static(x->type) || !hs_is_static(to) ||
        !hs_list(op, "edge_padding_low", &low) ||
        !hs_list(op, "edge_padding_high", &high) ||
        !hs_list(op, "interior_padding", &inside))
        return false;
    if (hs_has_nothing(x->type) && !hs_has_nothing(to))
        return hs_replace_new(
            op, rw, hlo_broadcast(&rw->b, hs_operand(op, 1), to->dims, to->count, NULL, 0));
    for (int64_t i = 0; i < low.n; i++)
        if (low.at[i] || high.at[i] || inside.at[i])
            return false;
    return hs_replace(op, rw, x);
}

/* A gather of one slice at a constant index. */
bool hs_simplify_gather(ir_op *op, rw_rewriter *rw)
{
    hs_integers origin, size;
    int64_t start[HLO_MAX_RANK] = {0}, limit[HLO_MAX_RANK], one[HLO_MAX_RANK];
    int64_t map[HLO_MAX_RANK], offsets[HLO_MAX_RANK];
    ir_value *x = hs_operand(op, 0), *where = hs_operand(op, 1);
    ir_attr how = ir_op_attr(op, "dimension_numbers");
    ir_type to = op->results[0].type;
    if (!hs_is_static(x->type) || !hs_is_static(to) || !hs_is_static(where->type) ||
        where->type->count > 1 || !hs_read(where, &origin) ||
        !hs_list(op, "slice_sizes", &size) || x->type->count > HLO_MAX_RANK ||
        size.n != x->type->count)
        return false;
    size_t n_map = hlo_integers(how, "startIndexMap", map);
    size_t n_offsets = hlo_integers(how, "offsetDims", offsets);
    int64_t batched[HLO_MAX_RANK];
    if (n_map != (size_t)origin.n || n_offsets != to->count ||
        hlo_integers(how, "operandBatchingDims", batched))
        return false;
    for (size_t i = 0; i < n_map; i++) {
        int64_t d = map[i], max = x->type->dims[d] - size.at[d], value = origin.at[i];
        start[d] = value < 0 ? 0 : value > max ? max : value;
    }
    for (int64_t i = 0; i < size.n; i++) {
        limit[i] = start[i] + size.at[i];
        one[i] = 1;
    }
    ir_value *part = hlo_slice(&rw->b, x, start, limit, one);
    if (part->type != to)
        part = ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(part), NULL, 0);
    return hs_replace_new(op, rw, part);
}
