/* arith_verify.c: which types a cast goes between. */
#include "dialect/arith/arith.h"
#include "dialect/arith/arith_syntax.h"

enum { WIDER, NARROWER, SAME_WIDTH, TO_OR_FROM_INDEX };

static const struct {
    const ir_op_def *def;
    int rule;
} casts[] = {
    {ARITH_OP(bitcast), SAME_WIDTH},
    {ARITH_OP(extf), WIDER},
    {ARITH_OP(extsi), WIDER},
    {ARITH_OP(extui), WIDER},
    {ARITH_OP(index_cast), TO_OR_FROM_INDEX},
    {ARITH_OP(index_castui), TO_OR_FROM_INDEX},
    {ARITH_OP(truncf), NARROWER},
    {ARITH_OP(trunci), NARROWER},
};

static bool fits(int rule, ir_type in, ir_type out)
{
    if (rule == TO_OR_FROM_INDEX)
        return (in->kind == IR_TYPE_INDEX) != (out->kind == IR_TYPE_INDEX);
    return rule == WIDER      ? in->width < out->width
           : rule == NARROWER ? in->width > out->width
                              : in->width == out->width;
}

/* Types of other dialects are their own affair. */
bool arith_cast_verify(ir_op *op)
{
    ir_type in = ir_op_operand(op, 0)->type, out = op->results[0].type;
    ir_type from = ir_type_element(in), to = ir_type_element(out);
    for (size_t i = 0; i < TW_COUNT(casts); i++)
        if (casts[i].def == op->def && from->kind != IR_TYPE_DIALECT &&
            to->kind != IR_TYPE_DIALECT && !fits(casts[i].rule, from, to))
            return ir_op_error(op,
                               "operand type '%s' and result type '%s' are cast "
                               "incompatible",
                               ir_type_text(op->ctx, in), ir_type_text(op->ctx, out));
    return true;
}
