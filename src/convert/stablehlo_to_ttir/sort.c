/* sort.c: stablehlo.sort by one key. */
#include "convert/stablehlo_to_ttir/stablehlo_to_ttir.h"

/* The comparator's argument that a value stands for: itself, or chosen over a constant that
 * only tidies zeros and NaN; -1 if none. */
static int argument_of(const ir_block *body, ir_value *v)
{
    if (v->is_argument)
        return ir_value_block(v) == body ? (int)v->index : -1;
    ir_op *def = ir_value_def(v);
    if (def->def != STABLEHLO_OP(select))
        return -1;
    int no = argument_of(body, def->operands[2].value);
    return no >= 0 ? no : argument_of(body, def->operands[1].value);
}

/* Whether results come in falling order; false if the comparator is anything but an order
 * of its first pair of arguments. */
static bool read_order(const ir_op *op, bool *out_descending)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *test = ir_value_def(body->last->operands[0].value);
    if (!test || test->def != STABLEHLO_OP(compare))
        return false;
    int64_t d = ir_enum_value(ir_op_attr(test, "comparison_direction"), -1);
    int a = argument_of(body, test->operands[0].value),
        b = argument_of(body, test->operands[1].value);
    bool greater =
        d == STABLEHLO_ComparisonDirection_GT || d == STABLEHLO_ComparisonDirection_GE;
    bool less =
        d == STABLEHLO_ComparisonDirection_LT || d == STABLEHLO_ComparisonDirection_LE;
    if (!(a == 0 && b == 1) && !(a == 1 && b == 0))
        return false;
    *out_descending = a == 0 ? greater : less;
    return greater || less;
}

/* Positions along the sorted dimension, which sorting turns into the indices. */
static bool counts_up(const ir_value *v, int64_t dim)
{
    const ir_op *def = ir_value_def(v);
    return def && def->def == TTIR_OP(arange) &&
           ir_op_int(def, "arange_dimension", 0) == dim &&
           ir_op_int(def, "start", 0) == 0 && ir_op_int(def, "step", 1) == 1;
}

bool s2t_sort(ir_op *op, ir_builder *b)
{
    int64_t dim = ir_op_int(op, "dimension", -1);
    ir_type t = op->results[0].type;
    bool descending;
    if (!read_order(op, &descending))
        return false;
    if (dim < 0)
        dim += t->count;
    bool pair = op->n_operands == 2 && counts_up(op->operands[1].value, dim);
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_type types[] = {t, pair ? op->results[1].type
                               : ir_tensor_type(i32, t->dims, t->count, NULL)};
    ir_value *x = op->operands[0].value;
    ir_op *sort =
        ir_build_op(b, TTIR_OP(sort), types, 2, &x, 1,
                    IR_ATTRS({"dim", ir_si32_attr(b->ctx, dim)},
                             {"descending", ir_bool_attr(b->ctx, descending)},
                             {"stable", ir_bool_attr(b->ctx, ir_op_bool(op, "is_stable"))}),
                    0);
    ir_value_replace_uses(&op->results[0], ir_op_result(sort, 0));
    for (uint32_t i = 1; i < op->n_results; i++) {
        ir_value *moved =
            pair ? ir_op_result(sort, 1)
                 : ir_build1(b, TTIR_OP(gather), op->results[i].type,
                             IR_VALUES(op->operands[i].value, ir_op_result(sort, 1)),
                             IR_ATTRS({"dim", ir_i32_attr(b->ctx, dim)}));
        ir_value_replace_uses(&op->results[i], moved);
    }
    ir_op_erase(op);
    return true;
}
