/* complex_ops.c: the attribute of a complex value; verification of constants and bit casts;
 * folds. Messages are mlir-opt's. */
#include "mlir/arith/arith_syntax.h"
#include "mlir/complex/complex.h"
#include "mlir/complex/complex_hooks.h"

/* ---- #complex.number<:f32 1.0, 2.0> ------------------------------------------------- */

/* "<" ":" type number "," number ">" [ ":" type ] */
ir_attr complex_number_parse(ir_parser *p, const ir_attr_def *def)
{
    double real, imag;
    if (!ir_expect_punct(p, '<') || !ir_expect_punct(p, ':'))
        return NULL;
    const char *at = p->tok.at;
    ir_type type = ir_parse_a_type(p);
    if (!type)
        return NULL;
    if (type->kind != IR_TYPE_FLOAT) {
        ir_fail(p, at, "complex numbers are made of floats, found '%s'",
                ir_type_text(p->ctx, type));
        return NULL;
    }
    if (!ir_parse_real(p, &real) || !ir_expect_punct(p, ',') || !ir_parse_real(p, &imag) ||
        !ir_expect_punct(p, '>'))
        return NULL;
    at = p->tok.at;
    ir_type complex_type = ir_complex_type(type);
    if (ir_accept_punct(p, ':')) {
        ir_type given = ir_parse_a_type(p);
        if (given && given != complex_type)
            ir_fail(p, at, "the type of a complex value of '%s' is '%s'",
                    ir_type_text(p->ctx, type), ir_type_text(p->ctx, complex_type));
        if (given != complex_type)
            return NULL;
    }
    ir_attr params[] = {ir_float_attr(type, real), ir_float_attr(type, imag),
                        ir_type_attr(complex_type)};
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}

void complex_number_print(ir_printer *p, ir_attr attr)
{
    ir_type complex_type = attr->params[2]->type;
    ir_put(p, "<:");
    ir_put_type(p, complex_type->element);
    ir_putc(p, ' ');
    ir_put_float(p, attr->params[0]);
    ir_put(p, ", ");
    ir_put_float(p, attr->params[1]);
    ir_putc(p, '>');
}

bool complex_number_verify(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_attr re = attr->params[0], im = attr->params[1];
    ir_attr complex_type = attr->params[2];
    ir_type type = ir_attr_is(complex_type, IR_ATTR_TYPE) ? complex_type->type : NULL;
    bool fits = ir_attr_is(re, IR_ATTR_FLOAT) && ir_attr_is(im, IR_ATTR_FLOAT) && type &&
                type->kind == IR_TYPE_COMPLEX && type->element == re->type &&
                im->type == re->type;
    return fits || ir_error(ctx, loc,
                            "a complex number is two floats of one type and the "
                            "complex type of these");
}

/* ---- verification ------------------------------------------------------------------- */

static bool is_float_attr(ir_attr a)
{
    return a->kind == IR_ATTR_FLOAT || a->kind == IR_ATTR_INTEGER;
}

bool complex_verify_constant(ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type element = op->results[0].type->element;
    if (value->count != 2)
        return ir_op_error(op, "requires 'value' to be a complex constant, represented as "
                               "array of two values");
    if (!is_float_attr(value->items[0]) || !is_float_attr(value->items[1]))
        return ir_op_error(
            op, "requires attribute's elements to be float or integer attributes");
    ir_type re = value->items[0]->type, im = value->items[1]->type;
    return (re == element && im == element) ||
           ir_op_error(
               op,
               "requires attribute's element types ('%s', '%s') to match the element "
               "type of the op's return type ('%s')",
               ir_type_text(op->ctx, re), ir_type_text(op->ctx, im),
               ir_type_text(op->ctx, element));
}

static bool is_scalar(ir_type type)
{
    return type->kind == IR_TYPE_INTEGER || type->kind == IR_TYPE_FLOAT ||
           type->kind == IR_TYPE_COMPLEX;
}

static uint32_t bits_of(ir_type type)
{
    return type->kind == IR_TYPE_COMPLEX ? 2 * type->element->width : type->width;
}

bool complex_verify_bitcast(ir_op *op)
{
    ir_type from = ir_op_operand(op, 0)->type, to = op->results[0].type;
    if (from == to)
        return true;
    if (!is_scalar(from))
        return ir_op_error(op, "operand must be int/float/complex");
    if (!is_scalar(to))
        return ir_op_error(op, "result must be int/float/complex");
    if ((from->kind == IR_TYPE_COMPLEX) == (to->kind == IR_TYPE_COMPLEX))
        return ir_op_error(op, "requires that either input or output has a complex type");
    return bits_of(from) == bits_of(to) ||
           ir_op_error(op, "casting bitwidths do not match");
}

/* ---- folds -------------------------------------------------------------------------- */

static bool give(ir_fold_result *results, ir_value *value)
{
    results[0].value = value;
    return true;
}

static ir_op *defining_op(const ir_op *op, uint32_t i, const ir_op_def *def)
{
    ir_op *producer = ir_value_def(ir_op_operand(op, i));
    return ir_op_is(producer, def) ? producer : NULL;
}

bool complex_fold_constant(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    results[0].attr = ir_op_attr(op, "value");
    return true;
}

/* re, im: of a constant, or of complex.create */
bool complex_fold_part(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    uint32_t part = op->def == COMPLEX_OP(im);
    const ir_op *producer = defining_op(op, 0, COMPLEX_OP(create));
    if (ir_attr_is(constants[0], IR_ATTR_ARRAY) && constants[0]->count == 2) {
        results[0].attr = constants[0]->items[part];
        return true;
    }
    return producer && give(results, ir_op_operand(producer, part));
}

/* complex.create of both parts of one value is that value. */
bool complex_fold_create(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    const ir_op *re = defining_op(op, 0, COMPLEX_OP(re)),
                *im = defining_op(op, 1, COMPLEX_OP(im));
    (void)constants;
    return re && im && ir_op_operand(re, 0) == ir_op_operand(im, 0) &&
           give(results, ir_op_operand(re, 0));
}

/* Cancels an inverse operation. */
bool complex_fold_inverse(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    const ir_op_def *undone = op->def == COMPLEX_OP(exp)   ? COMPLEX_OP(log)
                              : op->def == COMPLEX_OP(log) ? COMPLEX_OP(exp)
                                                           : op->def;
    const ir_op *producer = defining_op(op, 0, undone);
    (void)constants;
    return producer && give(results, ir_op_operand(producer, 0));
}

static bool is_constant(ir_attr value, double re)
{
    return ir_attr_is(value, IR_ATTR_ARRAY) && value->count == 2 &&
           ir_attr_is(value->items[0], IR_ATTR_FLOAT) &&
           ir_attr_is(value->items[1], IR_ATTR_FLOAT) &&
           ir_attr_real(value->items[0], -1) == re &&
           ir_attr_real(value->items[1], -1) == 0;
}

/* Adding or subtracting zero, multiplying or dividing by one, cancelling an inverse
 * operation. */
bool complex_fold_binary(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *a = ir_op_operand(op, 0), *b = ir_op_operand(op, 1);
    bool adds = op->def == COMPLEX_OP(add), subtracts = op->def == COMPLEX_OP(sub);
    for (uint32_t i = 0; i < 2 && (adds || (subtracts && i == 0)); i++) {
        const ir_op *producer =
            defining_op(op, i, adds ? COMPLEX_OP(sub) : COMPLEX_OP(add));
        if (producer && ir_op_operand(producer, 1) == (i ? a : b))
            return give(results, ir_op_operand(producer, 0));
    }
    return is_constant(constants[1], adds || subtracts ? 0 : 1) && give(results, a);
}

bool complex_fold_bitcast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *from = ir_op_operand(op, 0);
    const ir_op *producer = defining_op(op, 0, op->def);
    (void)constants;
    if (producer && ir_op_operand(producer, 0)->type == op->results[0].type)
        from = ir_op_operand(producer, 0);
    return from->type == op->results[0].type && give(results, from);
}

ir_op *complex_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc)
{
    ir_builder b = *(ir_builder *)builder;
    b.loc = loc;
    if (type->kind != IR_TYPE_COMPLEX || !ir_attr_is(value, IR_ATTR_ARRAY))
        return arith_materialize(builder, value, type, loc);
    return ir_value_def(
        ir_build1(&b, COMPLEX_OP(constant), type, NULL, 0, IR_ATTRS({"value", value})));
}
