/* lower_affine.c: affine.apply becomes arithmetic on index values.  Terms are evaluated
 * from the left; a multiplication by a constant keeps it on the right. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "transform/transform.h"

typedef struct point {
    ir_builder *b;
    const ir_op *op;
    uint32_t n_dims;
} point;

static ir_value *constant(ir_builder *b, int64_t value)
{
    return ir_build1(b, ARITH_OP(constant), ir_index_type(b->ctx), NULL, 0,
                     IR_ATTRS({"value", ir_index_attr(b->ctx, value)}));
}

static ir_value *binary(const point *p, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(p->b, def, ir_index_type(p->b->ctx), IR_VALUES(x, y), NULL, 0);
}

static ir_value *less(const point *p, ir_value *x, ir_value *y)
{
    ir_type i1 = ir_integer_type(p->b->ctx, 1, IR_SIGNLESS);
    return ir_build1(
        p->b, ARITH_OP(cmpi), i1, IR_VALUES(x, y),
        IR_ATTRS({"predicate", ir_i64_attr(p->b->ctx, ARITH_CmpIPredicate_slt)}));
}

static ir_value *choose(const point *p, ir_value *when, ir_value *x, ir_value *y)
{
    return ir_build1(p->b, ARITH_OP(select), x->type, IR_VALUES(when, x, y), NULL, 0);
}

/* The remainder of a positive divisor, never negative. */
static ir_value *modulo(const point *p, ir_value *x, ir_value *y)
{
    ir_value *r = binary(p, ARITH_OP(remsi), x, y);
    ir_value *negative = less(p, r, constant(p->b, 0));
    return choose(p, negative, binary(p, ARITH_OP(addi), r, y), r);
}

/* floor(x / y): for x < 0, -1 - (-1 - x) / y. */
static ir_value *floor_of(const point *p, ir_value *x, ir_value *y)
{
    ir_value *one = constant(p->b, -1);
    ir_value *negative = less(p, x, constant(p->b, 0));
    ir_value *dividend = choose(p, negative, binary(p, ARITH_OP(subi), one, x), x);
    ir_value *q = binary(p, ARITH_OP(divsi), dividend, y);
    return choose(p, negative, binary(p, ARITH_OP(subi), one, q), q);
}

/* ceil(x / y): for x <= 0, -(-x / y), else (x - 1) / y + 1. */
static ir_value *ceil_of(const point *p, ir_value *x, ir_value *y)
{
    ir_value *zero = constant(p->b, 0), *one = constant(p->b, 1);
    ir_value *positive = less(p, zero, x);
    ir_value *dividend = choose(p, positive, binary(p, ARITH_OP(subi), x, one),
                                binary(p, ARITH_OP(subi), zero, x));
    ir_value *q = binary(p, ARITH_OP(divsi), dividend, y);
    return choose(p, positive, binary(p, ARITH_OP(addi), q, one),
                  binary(p, ARITH_OP(subi), zero, q));
}

static ir_value *expand(const point *p, ir_affine e)
{
    switch (e->kind) {
    case IR_AFFINE_DIM:
        return p->op->operands[e->value].value;
    case IR_AFFINE_SYMBOL:
        return p->op->operands[p->n_dims + e->value].value;
    case IR_AFFINE_CONSTANT:
        return constant(p->b, e->value);
    default: {
        ir_value *x = expand(p, e->lhs), *y = expand(p, e->rhs);
        switch (e->kind) {
        case IR_AFFINE_ADD:
            return binary(p, ARITH_OP(addi), x, y);
        case IR_AFFINE_MUL:
            return binary(p, ARITH_OP(muli), x, y);
        case IR_AFFINE_MOD:
            return modulo(p, x, y);
        case IR_AFFINE_FLOORDIV:
            return floor_of(p, x, y);
        default:
            return ceil_of(p, x, y);
        }
    }
    }
}

static ir_walk lower(ir_op *op, void *user)
{
    (void)user;
    if (op->def != AFFINE_OP(apply))
        return IR_WALK_ON;
    ir_affine_map map = ir_op_attr(op, "map")->map;
    ir_builder b = ir_builder_before(op);
    point p = {&b, op, map->n_dims};
    ir_value_replace_uses(&op->results[0], expand(&p, map->results[0]));
    ir_op_erase(op);
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    ir_walk_post(op, lower, NULL);
    return true;
}

const pass_def lower_affine_pass = {
    .name = "lower-affine",
    .title = "LowerAffinePass",
    .summary = "Lower Affine operations to a combination of Arith and SCF operations",
    .run = run,
};
