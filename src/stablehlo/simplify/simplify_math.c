/* simplify_math.c: simplifies arithmetic, comparisons, selects, complex values and
 * tuples. */
#include "stablehlo/simplify/simplify.h"

#include "stablehlo/eval/eval.h"

/* ---- arithmetic --------------------------------------------------------------------- */

bool hs_constant_right(ir_op *op, rw_rewriter *rw)
{
    ir_value *a = hs_operand(op, 0), *b = hs_operand(op, 1);
    if (!hlo_dense_of(a) || hlo_dense_of(b))
        return false;
    ir_op_set_operand(op, 0, b);
    ir_op_set_operand(op, 1, a);
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_add(ir_op *op, rw_rewriter *rw)
{
    if (hs_constant_right(op, rw))
        return true;
    return hs_is_all(hs_operand(op, 1), 0) && hs_replace(op, rw, hs_operand(op, 0));
}

bool hs_simplify_subtract(ir_op *op, rw_rewriter *rw)
{
    if (hs_operand(op, 0) == hs_operand(op, 1) && hs_is_integer(op->results[0].type))
        return hs_replace_by_integer(op, rw, 0);
    return hs_is_all(hs_operand(op, 1), 0) && hs_replace(op, rw, hs_operand(op, 0));
}

bool hs_simplify_multiply(ir_op *op, rw_rewriter *rw)
{
    if (hs_constant_right(op, rw))
        return true;
    if (hs_is_all(hs_operand(op, 1), 1))
        return hs_replace(op, rw, hs_operand(op, 0));
    return hs_is_all(hs_operand(op, 1), 0) && hs_is_integer(op->results[0].type) &&
           hs_replace(op, rw, hs_operand(op, 1));
}

bool hs_simplify_and(ir_op *op, rw_rewriter *rw)
{
    if (hs_constant_right(op, rw))
        return true;
    if (hs_is_all(hs_operand(op, 1), 0))
        return hs_replace(op, rw, hs_operand(op, 1));
    return (hs_is_all(hs_operand(op, 1), -1) || hs_operand(op, 0) == hs_operand(op, 1)) &&
           hs_replace(op, rw, hs_operand(op, 0));
}

bool hs_simplify_or(ir_op *op, rw_rewriter *rw)
{
    if (hs_constant_right(op, rw))
        return true;
    if (hs_is_all(hs_operand(op, 1), -1))
        return hs_replace(op, rw, hs_operand(op, 1));
    return (hs_is_all(hs_operand(op, 1), 0) || hs_operand(op, 0) == hs_operand(op, 1)) &&
           hs_replace(op, rw, hs_operand(op, 0));
}

bool hs_simplify_xor(ir_op *op, rw_rewriter *rw)
{
    if (hs_constant_right(op, rw))
        return true;
    if (hs_operand(op, 0) == hs_operand(op, 1))
        return hs_replace_by_integer(op, rw, 0);
    return hs_is_all(hs_operand(op, 1), 0) && hs_replace(op, rw, hs_operand(op, 0));
}

/* ---- comparisons and selects -------------------------------------------------------- */

/* The direction with swapped operands. */
static int64_t swapped_direction(int64_t direction)
{
    switch (direction) {
    case STABLEHLO_ComparisonDirection_GE:
        return STABLEHLO_ComparisonDirection_LE;
    case STABLEHLO_ComparisonDirection_GT:
        return STABLEHLO_ComparisonDirection_LT;
    case STABLEHLO_ComparisonDirection_LE:
        return STABLEHLO_ComparisonDirection_GE;
    case STABLEHLO_ComparisonDirection_LT:
        return STABLEHLO_ComparisonDirection_GT;
    default:
        return direction;
    }
}

bool hs_simplify_compare(ir_op *op, rw_rewriter *rw)
{
    ir_value *a = hs_operand(op, 0), *b = hs_operand(op, 1);
    int64_t how = ir_enum_value(ir_op_attr(op, "comparison_direction"), -1);
    bool equal = how == STABLEHLO_ComparisonDirection_EQ;
    bool unequal = how == STABLEHLO_ComparisonDirection_NE;
    if (a == b && hs_is_integer(a->type))
        return hs_replace_by_integer(op, rw,
                                     equal || how == STABLEHLO_ComparisonDirection_GE ||
                                         how == STABLEHLO_ComparisonDirection_LE);
    if (hs_constant_right(op, rw)) {
        ir_op_set_attr(op, "comparison_direction",
                       ir_enum_attr(op->ctx, STABLEHLO_ATTR(comparison_direction),
                                    swapped_direction(how)));
        return true;
    }
    return ir_type_is_integer(a->type->element, 1) &&
           ((unequal && hs_is_all(b, 0)) || (equal && hs_is_all(b, 1))) &&
           hs_replace(op, rw, a);
}

/* select(not p, a, b) is select(p, b, a). */
static bool swap_select(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(hs_operand(op, 0));
    ir_value *which = NULL;
    if (hs_is(def, STABLEHLO_not)) {
        which = hs_operand(def, 0);
    } else if (hs_is(def, STABLEHLO_broadcast_in_dim)) {
        ir_op *inner = ir_value_def(hs_operand(def, 0));
        if (!hs_is(inner, STABLEHLO_not))
            return false;
        which = ir_build1(
            &rw->b, STABLEHLO_OP(broadcast_in_dim), def->results[0].type,
            IR_VALUES(hs_operand(inner, 0)),
            IR_ATTRS({"broadcast_dimensions", ir_op_attr(def, "broadcast_dimensions")}));
        ir_value_def(which)->attrs = def->attrs;
    }
    if (!which)
        return false;
    ir_value *yes = hs_operand(op, 1), *no = hs_operand(op, 2);
    ir_op_set_operand(op, 0, which);
    ir_op_set_operand(op, 1, no);
    ir_op_set_operand(op, 2, yes);
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_select(ir_op *op, rw_rewriter *rw)
{
    if (hs_operand(op, 1) == hs_operand(op, 2) || hs_is_all(hs_operand(op, 0), 1))
        return hs_replace(op, rw, hs_operand(op, 1));
    if (hs_is_all(hs_operand(op, 0), 0))
        return hs_replace(op, rw, hs_operand(op, 2));
    ir_attr all[3];
    for (size_t i = 0; i < 3; i++)
        if (!(all[i] = hlo_dense_of(hs_operand(op, i))))
            return swap_select(op, rw);
    ir_attr folded = hs_is_static(op->results[0].type) &&
                             ir_type_num_elements(op->results[0].type) <= hs_fold_limit(rw)
                         ? hlo_eval_constant(op, all, false)
                         : NULL;
    return folded && hs_put_constant(op, rw, folded);
}

/* ---- complex values and tuples */

bool hs_simplify_complex(ir_op *op, rw_rewriter *rw)
{
    ir_op *re = ir_value_def(hs_operand(op, 0)), *im = ir_value_def(hs_operand(op, 1));
    return hs_is(re, STABLEHLO_real) && hs_is(im, STABLEHLO_imag) &&
           hs_operand(re, 0) == hs_operand(im, 0) && hs_replace(op, rw, hs_operand(re, 0));
}

bool hs_simplify_part(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(hs_operand(op, 0));
    return hs_is(def, STABLEHLO_complex) &&
           hs_replace(op, rw, hs_operand(def, hs_is(op, STABLEHLO_imag)));
}

bool hs_simplify_member(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(hs_operand(op, 0));
    int64_t i = ir_op_int(op, "index", 0);
    return hs_is(def, STABLEHLO_tuple) && i >= 0 && i < def->n_operands &&
           hs_replace(op, rw, hs_operand(def, (size_t)i));
}

bool hs_simplify_tuple(ir_op *op, rw_rewriter *rw)
{
    ir_value *whole = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(hs_operand(op, i));
        if (!hs_is(def, STABLEHLO_get_tuple_element) || ir_op_int(def, "index", -1) != i ||
            (whole && hs_operand(def, 0) != whole))
            return false;
        whole = hs_operand(def, 0);
    }
    return whole && hs_replace(op, rw, whole);
}
