/* rule_sums.c: detects reductions that partial results would compute wrongly: a rule marks
 * a factor as reduced, and partial results are added up; this is correct only if every
 * shard starts from the neutral value, and indices are relative to the shard. */
#include "sdy/propagation/projection.h"
#include "sdy/propagation/rules.h"
#include "sdy/sdy.h"
#include "stablehlo/stablehlo.h"

#include <math.h>

/* True if a constant is neutral for the only operation of a reduction's body. */
static bool is_neutral(ir_value *init, const ir_op *body)
{
    ir_op *from = ir_value_def(init);
    ir_attr value =
        from && (from->def == STABLEHLO_OP(constant) || from->def == SDY_OP(constant))
            ? ir_op_attr(from, "value")
            : NULL;
    if (!ir_attr_is(value, IR_ATTR_DENSE) || !value->splat || value->splat & 2)
        return false;
    ir_type element = value->type->element;
    bool real = element->kind == IR_TYPE_FLOAT, whole = element->kind == IR_TYPE_INTEGER;
    double x = real ? ir_dense_real(value, 0) : 0;
    int64_t n = whole ? ir_dense_int(value, 0) : 0;
    uint32_t bits = whole ? element->width : 0;
    bool sign = whole && bits > 1 && element->sign != IR_UNSIGNED;
    int64_t min = sign ? -(int64_t)(UINT64_C(1) << (bits - 1)) : 0;
    int64_t max = !whole ? 0
                  : sign ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1)
                         : (int64_t)(bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
    if (body->def == STABLEHLO_OP(add) || body->def == STABLEHLO_OP(or))
        return (real && x == 0) || (whole && n == 0);
    if (body->def == STABLEHLO_OP(multiply))
        return (real && x == 1) || (whole && n == 1);
    if (body->def == STABLEHLO_OP(maximum))
        return (real && x == -(double)INFINITY) || (whole && n == min);
    if (body->def == STABLEHLO_OP(minimum))
        return (real && x == (double)INFINITY) || (whole && n == max);
    return body->def == STABLEHLO_OP(and) && whole && (n == max || n == -1 || bits == 1) &&
           n;
}

static bool begins_with_nothing(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *made = body ? body->first : NULL;
    if (!made || made->next != body->last || op->n_operands != 2)
        return false;
    return is_neutral(op->operands[1].value, made);
}

bool sdy_sums_wrongly(ir_op *op, uint32_t operand, const bool *split)
{
    if (op->def != STABLEHLO_OP(reduce) && op->def != STABLEHLO_OP(gather) &&
        op->def != STABLEHLO_OP(scatter))
        return false;
    ir_attr rule = sdy_rule_of(op, false, false);
    ir_attr in = rule ? rule->params[SDY_RULE_OPERANDS] : NULL;
    ir_attr dims = operand < sdy_length(in) ? in->items[operand]->params[0] : NULL;
    bool summed = false;
    for (uint32_t d = 0; d < sdy_length(dims); d++) {
        ir_attr factors = dims->items[d]->params[0];
        for (uint32_t i = 0; i < sdy_length(factors); i++)
            summed |= split[d] && sdy_rule_lists(rule, SDY_RULE_REDUCTION,
                                                 ir_attr_int(factors->items[i], -1));
    }
    return summed && (op->def != STABLEHLO_OP(reduce) || !begins_with_nothing(op));
}
