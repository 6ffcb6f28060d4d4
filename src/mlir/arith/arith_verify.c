/* arith_verify.c: verifies types of casts, and constants. */
#include "mlir/arith/arith.h"
#include "mlir/arith/arith_syntax.h"

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
    {ARITH_OP(scaling_extf), WIDER},
    {ARITH_OP(scaling_truncf), NARROWER},
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

/* The second operand, if any, is the scale of the first. */
static bool cast_error(ir_op *op, ir_type in, ir_type out)
{
    bool scaled = op->n_operands == 2;
    return ir_op_error(
        op, "operand type%s '%s'%s%s%s and result type '%s' are cast incompatible",
        scaled ? "s" : "", ir_type_text(op->ctx, in), scaled ? ", '" : "",
        scaled ? ir_type_text(op->ctx, ir_op_operand(op, 1)->type) : "", scaled ? "'" : "",
        ir_type_text(op->ctx, out));
}

/* True for two vectors of one shape, two tensors, or two scalars. */
static bool same_container(ir_type a, ir_type b)
{
    if (a->kind != b->kind)
        return !ir_type_is_shaped(a) && !ir_type_is_shaped(b);
    return a->kind != IR_TYPE_VECTOR ||
           (a->count == b->count &&
            (!a->count || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0));
}

/* Types of other dialects are not checked here.  Shapes are checked first, but after scaled
 * casts. */
bool arith_cast_verify(ir_op *op)
{
    bool scaled = op->n_operands == 2;
    if (!scaled && !ir_check_shape_traits(op))
        return false;
    ir_type in = ir_op_operand(op, 0)->type, out = op->results[0].type;
    ir_type from = ir_type_element(in), to = ir_type_element(out);
    for (size_t i = 0; i < TW_COUNT(casts); i++)
        if (casts[i].def == op->def && from->kind != IR_TYPE_DIALECT &&
            to->kind != IR_TYPE_DIALECT && !fits(casts[i].rule, from, to))
            return cast_error(op, in, out);
    return !scaled || ((same_container(in, out) || cast_error(op, in, out)) &&
                       ir_check_shape_traits(op));
}

bool arith_constant_verify(ir_op *op)
{
    ir_type type = op->results[0].type;
    ir_attr value = ir_op_attr(op, "value");
    if (type->kind == IR_TYPE_INTEGER && type->sign != IR_SIGNLESS)
        return ir_op_error(op, "integer return type must be signless");
    return !ir_attr_is(value, IR_ATTR_STRING) ||
           ir_op_error(op, "value must be an integer, float, or elements attribute");
}
