/* total_order.c: sorts and compares floats by total order as integers.
 *
 * In total order negative NaNs come first, -0 before +0, positive NaNs last; torch's
 * order, which the device has, puts all NaNs after all other values.  The bits of a
 * float, with all but the sign inverted if it is negative, are an integer with the same
 * order.  This covers chlo.top_k, stablehlo.sort whose comparator compares one float
 * operand directly, and stablehlo.compare of whole tensors; narrow floats are converted
 * to f32 for it.
 *
 * Sorts of 16-bit floats use unsigned integers of 16 bits instead, the widest that chips
 * sort: all bits are inverted of negative ones, the sign of others.  With
 * `sorts=false`, as in programs for hardware, f32 is sorted in the device's order. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/stablehlo.h"

static ir_value *cast(ir_builder *b, const ir_op_def *def, ir_value *v, ir_type element)
{
    ir_type t = ir_type_with_element(v->type, element);
    return v->type == t ? v : ir_build1(b, def, t, IR_VALUES(v), NULL, 0);
}

static ir_value *constant(ir_builder *b, ir_type t, int64_t value)
{
    return hlo_constant(b, ir_dense_splat_int(t, value));
}

/* x, with the bits other than the sign inverted if it is negative: its own inverse. */
static ir_value *fold_negative(ir_builder *b, ir_value *x)
{
    ir_attr less = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction),
                                STABLEHLO_ComparisonDirection_LT);
    ir_value *negative = ir_build1(b, STABLEHLO_OP(compare), ir_type_i1_like(x->type),
                                   IR_VALUES(x, constant(b, x->type, 0)),
                                   IR_ATTRS({"comparison_direction", less}));
    ir_value *turned = ir_build1(b, STABLEHLO_OP(xor), x->type,
                                 IR_VALUES(x, constant(b, x->type, INT32_MAX)), NULL, 0);
    return ir_build1(b, STABLEHLO_OP(select), x->type, IR_VALUES(negative, turned, x), NULL,
                     0);
}

/* The bits of 16-bit floats as keys, or keys as bits, both unsigned: where x compares so
 * with 0x8000 all bits are inverted, elsewhere the highest. */
static ir_value *turn_short(ir_builder *b, ir_value *x, int64_t compared_so)
{
    enum { HIGHEST = 0x8000, ALL = 0xFFFF };
    ir_attr direction =
        ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction), compared_so);
    ir_value *highest = constant(b, x->type, HIGHEST), *all = constant(b, x->type, ALL);
    ir_value *test =
        ir_build1(b, STABLEHLO_OP(compare), ir_type_i1_like(x->type), IR_VALUES(x, highest),
                  IR_ATTRS({"comparison_direction", direction}));
    ir_value *of_all = ir_build1(b, STABLEHLO_OP(xor), x->type, IR_VALUES(x, all), NULL, 0);
    ir_value *of_highest =
        ir_build1(b, STABLEHLO_OP(xor), x->type, IR_VALUES(x, highest), NULL, 0);
    return ir_build1(b, STABLEHLO_OP(select), x->type, IR_VALUES(test, of_all, of_highest),
                     NULL, 0);
}

static ir_type short_key(ir_context *ctx)
{
    return ir_integer_type(ctx, 16, IR_UNSIGNED);
}

static ir_value *key_of(ir_builder *b, ir_value *x)
{
    x = cast(b, STABLEHLO_OP(convert), x, ir_float_type(b->ctx, IR_F32));
    x = cast(b, STABLEHLO_OP(bitcast_convert), x, ir_integer_type(b->ctx, 32, IR_SIGNLESS));
    return fold_negative(b, x);
}

static ir_value *float_at(ir_builder *b, ir_value *key, ir_type element)
{
    key = fold_negative(b, key);
    key = cast(b, STABLEHLO_OP(bitcast_convert), key, ir_float_type(b->ctx, IR_F32));
    return cast(b, STABLEHLO_OP(convert), key, element);
}

static bool is_narrow_float(ir_type t)
{
    ir_type e = ir_type_is_tensor(t) && ir_type_has_static_shape(t) ? t->element : NULL;
    return e && e->kind == IR_TYPE_FLOAT &&
           (e->sign == IR_F32 || e->sign == IR_BF16 || e->sign == IR_F16);
}

/* Makes a sort or top_k use integers of that type, of 32 or 16 bits, for operand and
 * result `which`. */
static void order_integers(ir_op *op, uint32_t which, ir_type integer)
{
    ir_builder b = ir_builder_before(op);
    ir_type element = op->results[which].type->element;
    const bool half = integer == short_key(op->ctx);
    ir_value *x = op->operands[which].value;
    x = half ? turn_short(&b, cast(&b, STABLEHLO_OP(bitcast_convert), x, integer),
                          STABLEHLO_ComparisonDirection_GE)
             : key_of(&b, x);
    ir_op_set_operand(op, which, x);
    op->results[which].type = ir_type_with_element(op->results[which].type, integer);
    b = ir_builder_after(op);
    ir_value *now = &op->results[which];
    ir_value *out =
        half ? cast(&b, STABLEHLO_OP(bitcast_convert),
                    turn_short(&b, now, STABLEHLO_ComparisonDirection_LT), element)
             : float_at(&b, now, element);
    ir_value_replace_uses(now, out);
    /* the conversion back must use the result itself */
    for (ir_op *made = op->next; made && made != ir_value_def(out)->next; made = made->next)
        for (uint32_t i = 0; i < made->n_operands; i++)
            if (made->operands[i].value == out)
                ir_op_set_operand(made, i, now);
}

static bool is_total(const ir_op *op)
{
    return op->def == STABLEHLO_OP(compare) &&
           ir_enum_value(ir_op_attr(op, "compare_type"), -1) ==
               STABLEHLO_ComparisonType_TOTALORDER;
}

static void compare_as(ir_op *test, int64_t type)
{
    ir_op_set_attr(test, "compare_type",
                   ir_enum_attr(test->ctx, STABLEHLO_ATTR(comparison_type), type));
}

/* Compares the integers of both operands; for comparisons outside of regions. */
static void compare_integers(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    for (uint32_t i = 0; i < 2; i++)
        ir_op_set_operand(op, i, key_of(&b, op->operands[i].value));
    compare_as(op, STABLEHLO_ComparisonType_SIGNED);
}

/* The comparison that the comparator returns. */
static ir_op *test_of(const ir_op *sort)
{
    ir_block *body = ir_op_body(sort, 0);
    ir_op *test = body ? ir_value_def(body->last->operands[0].value) : NULL;
    return test && test->block == body ? test : NULL;
}

/* The operand that the comparator compares directly by total order, and that nothing else
 * in it reads; -1 otherwise. */
static int compared(const ir_op *sort)
{
    ir_op *test = test_of(sort);
    if (!test || !is_total(test))
        return -1;
    const ir_value *x = test->operands[0].value, *y = test->operands[1].value;
    if (!x->is_argument || !y->is_argument || x->owner != test->block ||
        y->owner != test->block || x->index / 2 != y->index / 2 || x == y ||
        !ir_value_has_one_use(x) || !ir_value_has_one_use(y))
        return -1;
    uint32_t which = x->index / 2;
    return which < sort->n_operands && is_narrow_float(sort->operands[which].value->type)
               ? (int)which
               : -1;
}

static bool is_half(const ir_op *sort, uint32_t which)
{
    return sort->results[which].type->element->sign != IR_F32;
}

static void sort_integers(ir_op *op, uint32_t which)
{
    ir_block *body = ir_op_body(op, 0);
    const bool half = is_half(op, which);
    ir_type integer = half ? short_key(op->ctx) : ir_integer_type(op->ctx, 32, IR_SIGNLESS);
    ir_type scalar = hlo_scalar_type(integer);
    order_integers(op, which, integer);
    body->args[2 * which]->type = body->args[2 * which + 1]->type = scalar;
    compare_as(test_of(op),
               half ? STABLEHLO_ComparisonType_UNSIGNED : STABLEHLO_ComparisonType_SIGNED);
}

/* Without integers of 32 bits in sorts, as on hardware. */
static void sort_as_the_device(ir_op *op)
{
    compare_as(test_of(op), STABLEHLO_ComparisonType_FLOAT);
    ir_op_warning(op,
                  "sorts floats in the device's order, not in total order: zeros of both "
                  "signs are equal, and NaNs of both signs come after all numbers");
}

typedef struct wanted {
    bool sorts, top_k;
} wanted;

static ir_walk visit(ir_op *op, void *user)
{
    const wanted *w = user;
    int which = op->def == STABLEHLO_OP(sort) ? compared(op) : -1;
    if (which >= 0 && (w->sorts || is_half(op, (uint32_t)which)))
        sort_integers(op, (uint32_t)which);
    else if (which >= 0)
        sort_as_the_device(op);
    if (w->top_k && op->def == CHLO_OP(top_k) &&
        is_narrow_float(op->operands[0].value->type) &&
        ir_type_has_static_shape(op->results[0].type))
        order_integers(op, 0, ir_integer_type(op->ctx, 32, IR_SIGNLESS));
    if (is_total(op) && ir_op_parent(op)->def == FUNC_OP(func) &&
        is_narrow_float(op->operands[0].value->type))
        compare_integers(op);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    wanted w = {pass_option_bool(run, "sorts"), pass_option_bool(run, "top-k")};
    ir_walk_pre(module, visit, &w);
    return true;
}

const pass_def stablehlo_total_order_pass = {
    .name = "stablehlo-total-order-to-integers",
    .summary = "Sort and compare floats by total order as integers",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"top-k", PASS_BOOL, "true", "Also let chlo.top_k see integers"},
                       {"sorts", PASS_BOOL, "true",
                        "Sort f32 as integers of 32 bits; else in the device's "
                        "order, with a warning"}),
};
