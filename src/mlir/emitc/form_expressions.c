/* form_expressions.c: C++ expressions in emitc: form-expressions merges operations that
 * feed each other into one emitc.expression, remove-dead-emitc-expressions erases unused
 * ones. */
#include "ir/pass/pass.h"
#include "mlir/emitc/emitc.h"

#include <stdlib.h>

static bool is_c_expression(const ir_op *op)
{
    return ir_def_has(op->def, "CExpressionInterface");
}

static bool is_opaque(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == EMITC_TYPE(opaque);
}

/* Calls may have any effect, and so may operators of opaque types; reading a variable must
 * not move after a write. */
static bool has_effects(const ir_op *op)
{
    if (op->def == EMITC_OP(expression)) {
        for (const ir_op *at = ir_op_body(op, 0)->first; at; at = at->next)
            if (at->def != EMITC_OP(yield) && has_effects(at))
                return true;
        return false;
    }
    if (op->def == EMITC_OP(call) || op->def == EMITC_OP(call_opaque) ||
        op->def == EMITC_OP(load) || op->def == EMITC_OP(apply))
        return true;
    ir_attr value = op->def == EMITC_OP(constant) ? ir_op_attr(op, "value") : NULL;
    if (value && !ir_attr_is(value, IR_ATTR_INTEGER) && !ir_attr_is(value, IR_ATTR_FLOAT))
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (is_opaque(op->operands[i].value->type))
            return true;
    return false;
}

/* ---- form-expressions ---------------------------------------------------------------- */

typedef struct found {
    ir_op **at;
    size_t count, capacity;
} found;

static ir_walk collect(ir_op *op, void *user)
{
    found *f = user;
    if (op->def == EMITC_OP(expression))
        return IR_WALK_SKIP;
    if (is_c_expression(op) && op->n_results == 1)
        TW_PUSH(f->at, f->count, f->capacity, op);
    return IR_WALK_ON;
}

/* The argument inside an expression for a value from outside. */
static ir_value *argument_for(ir_op *expression, ir_value *outside)
{
    ir_block *body = ir_op_body(expression, 0);
    for (uint32_t i = 0; i < expression->n_operands; i++)
        if (expression->operands[i].value == outside)
            return body->args[i];
    ir_op_splice_operands(expression, expression->n_operands, 0, &outside, 1);
    return ir_block_add_arg(expression->ctx, body, outside->type, expression->loc);
}

/* Wraps an operation into an expression of its own. */
static ir_op *wrap(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_type type = op->results[0].type;
    ir_op *made = ir_build_op(&b, EMITC_OP(expression), &type, 1, NULL, 0, NULL, 0, 1);
    ir_block *body = ir_block_create(op->ctx);
    ir_region_append(&made->regions[0], body);
    ir_value_replace_uses(&op->results[0], &made->results[0]);
    ir_op_remove(op);
    ir_builder in = ir_builder_at_start(op->ctx, body, op->loc);
    ir_value *result = &op->results[0];
    ir_op *yield = ir_build_op(&in, EMITC_OP(yield), NULL, 0, &result, 1, NULL, 0, 0);
    ir_op_insert_before(op, yield);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_op_set_operand(op, i, argument_for(made, op->operands[i].value));
    return made;
}

/* Merges an operand's expression into this one if it has no other use. */
static bool fold_operand(ir_op *op, uint32_t i)
{
    ir_op *used = ir_value_def(op->operands[i].value);
    if (!ir_op_is(used, EMITC_OP(expression)) || ir_op_attr(used, "do_not_inline") ||
        !ir_value_has_one_use(&used->results[0]) || has_effects(used) ||
        !ir_value_has_one_use(ir_op_body(op, 0)->args[i]))
        return false;
    ir_block *body = ir_op_body(op, 0), *from = ir_op_body(used, 0);
    ir_op *yield = from->last;
    ir_value *result = yield->operands[0].value;
    for (uint32_t k = 0; k < from->n_args; k++)
        ir_value_replace_uses(from->args[k], argument_for(op, used->operands[k].value));
    if (result->is_argument) /* it was replaced as well */
        result = yield->operands[0].value;
    ir_op_erase(yield);
    if (from->first)
        ir_block_splice(body, body->first, from, from->first, from->last);
    ir_value_replace_uses(body->args[i], result);
    ir_block_erase_arg(body, i);
    ir_op_splice_operands(op, i, 1, NULL, 0);
    ir_op_erase(used);
    return true;
}

static bool run_form(ir_op *op, pass_run *run)
{
    (void)run;
    found f = {0};
    ir_walk_pre(op, collect, &f);
    for (size_t i = 0; i < f.count; i++)
        f.at[i] = wrap(f.at[i]);
    /* in order, so that operands are merged before their users */
    for (size_t i = 0; i < f.count; i++)
        for (uint32_t k = 0; k < f.at[i]->n_operands;)
            if (!fold_operand(f.at[i], k))
                k++;
    free(f.at);
    return true;
}

const pass_def form_expressions_pass = {
    .name = "form-expressions",
    .title = "FormExpressionsPass",
    .summary = "Form C-style expressions from C-operator ops",
    .run = run_form,
};

/* ---- remove-dead-emitc-expressions --------------------------------------------------- */

/* True for a variable that is only written to. */
static bool is_dead_variable(const ir_op *op)
{
    if (op->def != EMITC_OP(variable))
        return false;
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def != EMITC_OP(assign) || ir_operand_number(use) != 0)
            return false;
    return true;
}

static bool is_dead(const ir_op *op)
{
    if (is_dead_variable(op))
        return true;
    return (is_c_expression(op) || op->def == EMITC_OP(expression)) && op->n_results &&
           ir_op_is_unused(op) && !has_effects(op);
}

/* Last ones first, so that operations used only by them are erased as well. */
static bool remove_dead(ir_op *op)
{
    bool any = false;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next)
            for (ir_op *at = block->last, *before; at; at = before) {
                before = at->prev;
                if (!is_dead(at)) {
                    any |= at->def != EMITC_OP(expression) && remove_dead(at);
                    continue;
                }
                while (at->results[0].uses) {
                    if (at->results[0].uses->owner == before)
                        before = before->prev;
                    ir_op_erase(at->results[0].uses->owner);
                }
                ir_op_erase(at);
                any = true;
            }
    return any;
}

static bool run_remove(ir_op *op, pass_run *run)
{
    (void)run;
    while (remove_dead(op))
        continue;
    return true;
}

const pass_def remove_dead_emitc_expressions_pass = {
    .name = "remove-dead-emitc-expressions",
    .title = "RemoveDeadEmitCExpressions",
    .summary = "Remove dead side-effect-free EmitC expressions",
    .anchor = "func.func",
    .run = run_remove,
};
