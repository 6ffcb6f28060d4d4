/* simplify_dynamic.c: simplifies operations with shape operands. */
#include "stablehlo/simplify/simplify.h"

#include "mlir/arith/arith.h"
#include "mlir/shape/shape.h"
#include "stablehlo/build.h"

/* ---- shape operands ----------------------------------------------------------------- */

static bool is_shape_of(const ir_value *shape, const ir_value *v)
{
    ir_op *def = ir_value_def(shape);
    return def && def->def == SHAPE_OP(shape_of) && hs_operand(def, 0) == v;
}

static bool broadcast_static(ir_op *op, rw_rewriter *rw)
{
    hs_integers shape;
    ir_value *x = hs_operand(op, 0);
    ir_type to = op->results[0].type, known = to;
    if (!hs_is_static(x->type))
        return false;
    if (!hs_is_static(to)) {
        if (!hs_read(hs_operand(op, 1), &shape) || shape.n != to->count)
            return false;
        known = ir_tensor_type(to->element, shape.at, to->count, NULL);
    }
    ir_value *v = ir_build1(
        &rw->b, STABLEHLO_OP(broadcast_in_dim), known, IR_VALUES(x),
        IR_ATTRS({"broadcast_dimensions", ir_op_attr(op, "broadcast_dimensions")}));
    ir_value_def(v)->attrs = op->attrs;
    if (known != to)
        v = ir_build1(&rw->b, STABLEHLO_OP(convert), to, IR_VALUES(v), NULL, 0);
    rw_replace1(rw, op, v);
    return true;
}

bool hs_simplify_dynamic_broadcast(ir_op *op, rw_rewriter *rw)
{
    hs_integers dims, inner, kept;
    ir_value *x = hs_operand(op, 0), *shape = hs_operand(op, 1);
    ir_op *def = ir_value_def(x);
    ir_type to = op->results[0].type;
    if (!hs_list(op, "broadcast_dimensions", &dims))
        return false;
    if (broadcast_static(op, rw))
        return true;
    bool straight = hs_is_iota(&dims) && dims.n == to->count;
    if (straight && (is_shape_of(shape, x) || (hs_is(def, STABLEHLO_dynamic_reshape) &&
                                               hs_operand(def, 1) == shape)))
        return hs_replace(op, rw, x);
    if (straight && hs_list(op, "known_nonexpanding_dimensions", &kept) &&
        kept.n == to->count)
        return x->type == to ? hs_replace(op, rw, x)
                             : hs_replace_new(op, rw,
                                              ir_build1(&rw->b, STABLEHLO_OP(convert), to,
                                                        IR_VALUES(x), NULL, 0));
    if (!hs_is(def, STABLEHLO_dynamic_broadcast_in_dim) ||
        !hs_list(def, "broadcast_dimensions", &inner) ||
        ir_op_attr(op, "known_expanding_dimensions") ||
        ir_op_attr(op, "known_nonexpanding_dimensions"))
        return false;
    for (int64_t i = 0; i < inner.n; i++)
        inner.at[i] = dims.at[inner.at[i]];
    ir_op_set_operand(op, 0, hs_operand(def, 0));
    ir_op_set_attr(op, "broadcast_dimensions", hs_array(rw, &inner));
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_dynamic_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = hs_operand(op, 0);
    ir_type to = op->results[0].type;
    ir_op *def = ir_value_def(x);
    if (hs_is_static(to))
        return hs_replace_new(
            op, rw, ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(x), NULL, 0));
    if (def && (def->def->traits & IR_ELEMENTWISE) && x->type == to && def->n_operands) {
        bool same = true;
        for (uint32_t i = 0; same && i < def->n_operands; i++) {
            ir_op *shaped = ir_value_def(hs_operand(def, i));
            same = hs_is(shaped, STABLEHLO_dynamic_reshape) &&
                   hs_operand(shaped, 1) == hs_operand(op, 1);
        }
        if (same)
            return hs_replace(op, rw, x);
    }
    if (!hs_is(def, STABLEHLO_dynamic_reshape))
        return false;
    ir_op_set_operand(op, 0, hs_operand(def, 0));
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_shape_of(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(hs_operand(op, 0));
    return hs_is(def, STABLEHLO_dynamic_reshape) && hs_replace(op, rw, hs_operand(def, 1));
}

/* An iota along one dimension whose size is in the shape operand. */
static ir_value *count_up(ir_op *op, rw_rewriter *rw, int64_t dim)
{
    ir_value *shape = hs_operand(op, 0);
    ir_type i64 = ir_integer_type(op->ctx, 64, IR_SIGNLESS), t = shape->type;
    if (t->element != i64)
        shape = ir_build1(&rw->b,
                          t->element->kind == IR_TYPE_INDEX ? ARITH_OP(index_cast)
                                                            : STABLEHLO_OP(convert),
                          ir_tensor_type(i64, t->dims, t->count, NULL), IR_VALUES(shape),
                          NULL, 0);
    int64_t next = dim + 1, one = 1;
    ir_value *size = hlo_slice(&rw->b, shape, &dim, &next, &one);
    ir_type element = op->results[0].type->element;
    return ir_build1(&rw->b, STABLEHLO_OP(dynamic_iota),
                     hlo_vector_type(element, IR_DYNAMIC), IR_VALUES(size),
                     IR_ATTRS({"iota_dimension", ir_i64_attr(op->ctx, 0)}));
}

bool hs_simplify_dynamic_iota(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (hs_is_static(t))
        return hs_replace_new(op, rw, hlo_iota(&rw->b, t, dim));
    if (dim < 0 || dim >= t->count || t->count < 2)
        return false;
    ir_value *line = t->dims[dim] == IR_DYNAMIC
                         ? count_up(op, rw, dim)
                         : hlo_iota(&rw->b, hlo_vector_type(t->element, t->dims[dim]), 0);
    return hs_replace_new(op, rw,
                          ir_build1(&rw->b, STABLEHLO_OP(dynamic_broadcast_in_dim), t,
                                    IR_VALUES(line, hs_operand(op, 0)),
                                    IR_ATTRS({"broadcast_dimensions",
                                              ir_dense_i64_array(op->ctx, &dim, 1)})));
}
