/* constant_shapes.c: two passes on the shapes of constants.
 *
 * ttir-move-reshape-to-constant: where one operand of an element-wise operation is reshaped
 * and the other is constant, the constant is reshaped instead, and the result.
 * ttir-fold-constant-reshape-broadcast: a constant of one value needs neither reshapes nor
 * broadcasts. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"
#include "ttir/ttir_hooks.h"

/* The constant that reshapes and broadcasts bring to this value; NULL if there is none. */
static ir_attr constant_behind(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    while (ir_op_is(def, TTIR_OP(reshape)) || ir_op_is(def, TTIR_OP(broadcast))) {
        v = def->operands[0].value;
        def = ir_value_def(v);
    }
    ir_attr value = rw_constant(v);
    return ir_attr_is(value, IR_ATTR_DENSE) ? value : NULL;
}

/* The constant of one value with the type's shape; NULL where it has several, or a type
 * without such constants. */
static ir_attr spread(ir_attr value, ir_type type)
{
    if (!(value->splat & 1))
        return NULL;
    return ir_type_element(type)->kind == IR_TYPE_FLOAT
               ? ir_dense_splat(type, ir_dense_real(value, 0))
               : ir_dense_splat_int(type, ir_dense_int(value, 0));
}

/* The constant that nothing but reshapes brings to this value; NULL if there is none. */
static ir_value *behind_reshapes(ir_value *v)
{
    ir_op *def = ir_value_def(v);
    for (; ir_op_is(def, TTIR_OP(reshape)); def = ir_value_def(v))
        v = def->operands[0].value;
    return rw_constant(v) ? v : NULL;
}

/* The value, which is constant, with another shape, and without what brought it to this. */
static ir_value *reshaped(ir_builder *b, ir_value *v, const int64_t *dims, uint32_t rank)
{
    ir_type type = ttir_type_in_shape(v->type, dims, rank);
    ir_value *first = behind_reshapes(v);
    ir_attr value = constant_behind(v), same = spread(value, type);
    if (first && first->type == type)
        return first;
    if (!same && first)
        same = ir_dense_reshape(value, type);
    ir_op *op = same ? ttir_materialize(b, same, type, b->loc) : NULL;
    return op ? ir_op_result(op, 0) : ttir_build_reshape(b, v, dims, rank);
}

static bool move_reshape(ir_op *op, rw_rewriter *rw)
{
    if (!(op->def->traits & IR_BROADCASTABLE) || op->n_operands != 2 || op->n_results != 1)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *v = op->operands[i].value, *constant = op->operands[1 - i].value;
        ir_op *reshape = ttir_only_producer(v, TTIR_OP(reshape));
        if (!reshape || constant_behind(v) || !constant_behind(constant) ||
            !ttir_same_shape(constant->type, v->type))
            continue;
        ir_value *x = reshape->operands[0].value, *operands[2];
        ir_type from = x->type, to = op->results[0].type;
        operands[i] = x;
        operands[1 - i] = reshaped(&rw->b, constant, from->dims, from->count);
        ir_type type = ttir_type_in_shape(to, from->dims, from->count);
        ir_value *y = ir_op_result(ttir_build_like(&rw->b, op, operands, type), 0);
        rw_replace1(rw, op, ttir_build_reshape(&rw->b, y, to->dims, to->count));
        return true;
    }
    return false;
}

static bool run_move(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{NULL, move_reshape, NULL}};
    rw_greedy(module, patterns, 1, &(rw_options){.no_fold = true});
    return true;
}

const pass_def ttir_move_reshape_to_constant_pass = {
    .name = "ttir-move-reshape-to-constant",
    .summary = "Reshape constants instead of what they meet",
    .anchor = "builtin.module",
    .run = run_move,
};

static bool read_by_arithmetic(const ir_value *v)
{
    static const uint16_t rows[] = {TTIR_add, TTIR_subtract, TTIR_multiply,
                                    TTIR_div, TTIR_pow,      TTIR_broadcast};
    for (const ir_operand *use = v->uses; use; use = use->next_use) {
        bool found = false;
        for (size_t i = 0; i < TW_COUNT(rows); i++)
            found |= use->owner->def == &ttir_ops[rows[i]];
        if (!found)
            return false;
    }
    return v->uses != NULL;
}

static bool is_shape(const ir_op *op)
{
    return ir_op_is(op, TTIR_OP(reshape)) || ir_op_is(op, TTIR_OP(broadcast));
}

/* Whether all that reads the value is folded itself, with what is behind it. */
static bool is_inside_chain(const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!ir_op_is(use->owner, TTIR_OP(broadcast)) &&
            !(is_shape(use->owner) && read_by_arithmetic(&use->owner->results[0])))
            return false;
    return v->uses != NULL;
}

/* The end of a chain becomes a constant, a single step what creates its values. */
static bool fold_shape(ir_op *op, rw_rewriter *rw)
{
    ir_attr value = constant_behind(&op->results[0]);
    ir_type type = op->results[0].type;
    if (!value || is_inside_chain(&op->results[0]) ||
        (op->def == TTIR_OP(reshape) && !read_by_arithmetic(&op->results[0])))
        return false;
    ir_attr same = spread(value, type);
    if (!same)
        return false;
    if (is_shape(ir_value_def(op->operands[0].value)))
        rw_replace1(
            rw, op,
            ir_build1(&rw->b, TTIR_OP(constant), type, NULL, 0, IR_ATTRS({"value", same})));
    else
        rw_replace1(rw, op, ir_op_result(ttir_materialize(&rw->b, same, type, op->loc), 0));
    return true;
}

static bool run_fold(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{TTIR_OP(reshape), fold_shape, NULL},
                                   {TTIR_OP(broadcast), fold_shape, NULL}};
    rw_greedy(module, patterns, TW_COUNT(patterns), &(rw_options){.no_fold = true});
    return true;
}

const pass_def ttir_fold_constant_shapes_pass = {
    .name = "ttir-fold-constant-reshape-broadcast",
    .summary = "Give constants of one value the shape that they are brought to",
    .anchor = "builtin.module",
    .run = run_fold,
};
