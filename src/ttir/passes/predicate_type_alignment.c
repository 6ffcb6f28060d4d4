/* predicate_type_alignment.c: ttir-predicate-type-alignment: booleans take the element
 * type of what they are computed from or with, as the hardware has no bits. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

static bool is_bit(ir_type element)
{
    return ir_type_is_integer(element, 1);
}

static ir_type element(const ir_value *v)
{
    return ir_type_element(v->type);
}

static bool set_element(ir_op *op, rw_rewriter *rw, ir_type to)
{
    ir_value *result = &op->results[0];
    if (element(result) == to)
        return false;
    result->type = ir_type_with_element(result->type, to);
    rw_modified(rw, op);
    return true;
}

/* Moving elements does not change them. */
static bool align_moved(ir_op *op, rw_rewriter *rw)
{
    bool moves = op->def == TTIR_OP(broadcast) || op->def == TTIR_OP(gather) ||
                 ir_def_has(op->def, "TensorManipulation");
    if (!moves || op->n_results != 1 || op->def == TTIR_OP(typecast) ||
        (op->n_operands != 1 && op->def != TTIR_OP(gather)))
        return false;
    return set_element(op, rw, element(op->operands[0].value));
}

/* Operands and result have one type: the one that those have that are no bits. */
static bool align_binary(ir_op *op, rw_rewriter *rw)
{
    ir_type to = NULL;
    bool agree = true, changed = false;
    if (!(op->def->traits & IR_BROADCASTABLE) || op->n_operands != 2 || op->n_results != 1)
        return false;
    const ir_type all[] = {element(op->operands[0].value), element(op->operands[1].value),
                           element(&op->results[0])};
    for (int i = 0; i < 3; i++)
        if (!is_bit(all[i])) {
            agree &= !to || to == all[i];
            to = to ? to : all[i];
        }
    if (!to || (!agree && is_bit(all[2])))
        return false;
    to = agree ? to : all[2];
    for (uint32_t i = 0; i < 2; i++)
        if (all[i] != to) {
            ir_op_set_operand(op, i,
                              ttir_build_typecast(&rw->b, op->operands[i].value, to));
            changed = true;
        }
    changed |= set_element(op, rw, to);
    if (changed)
        rw_modified(rw, op);
    return changed;
}

/* A boolean computed from one tensor has its type. */
static bool align_unary(ir_op *op, rw_rewriter *rw)
{
    return is_bit(element(&op->results[0])) &&
           set_element(op, rw, element(op->operands[0].value));
}

/* Sorted values have the type of what is sorted. */
static bool align_sorted(ir_op *op, rw_rewriter *rw)
{
    return set_element(op, rw, element(op->operands[0].value));
}

static bool align_where(ir_op *op, rw_rewriter *rw)
{
    ir_value *condition = op->operands[0].value;
    ir_type to = element(op->operands[1].value);
    if (!is_bit(element(condition)) || to != element(op->operands[2].value) || is_bit(to))
        return false;
    ir_op_set_operand(op, 0, ttir_build_typecast(&rw->b, condition, to));
    rw_modified(rw, op);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {NULL, align_moved, NULL},
        {NULL, align_binary, NULL},
        {TTIR_OP(logical_not), align_unary, NULL},
        {TTIR_OP(reduce_or), align_unary, NULL},
        {TTIR_OP(sort), align_sorted, NULL},
        {TTIR_OP(where), align_where, NULL},
    };
    const rw_options options = {.no_fold = true, .no_constant_cse = true};
    rw_greedy(module, patterns, TW_COUNT(patterns), &options);
    return true;
}

const pass_def ttir_predicate_type_alignment_pass = {
    .name = "ttir-predicate-type-alignment",
    .summary = "Give booleans the element type of what they are used with",
    .anchor = "builtin.module",
    .run = run,
};
