/* inline.c: replaces calls by the bodies of the functions they name.
 *
 * Functions are inlined bottom-up where they have one block and are not recursive; a
 * private function without callers is erased afterwards.  stablehlo.composite with a
 * decomposition function counts as a call. */
#include "dialect/func/func.h"
#include "dialect/stablehlo/stablehlo.h"
#include "transform/transform.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 64 }; /* deeper chains of calls are taken for recursion */

static ir_op *callee_of(ir_op *call)
{
    const char *attr = call->def == FUNC_OP(call)                ? "callee"
                       : call->def == STABLEHLO_OP(composite) ? "decomposition"
                                                              : NULL;
    if (!attr)
        return NULL;
    ir_attr ref = ir_op_attr(call, attr);
    ir_op *callee = ref ? ir_symbol_resolve(call, ref) : NULL;
    return callee && callee->def == FUNC_OP(func) ? callee : NULL;
}

static ir_walk find_call(ir_op *op, void *user)
{
    bool *found = user;
    *found |= callee_of(op) != NULL;
    return *found ? IR_WALK_STOP : IR_WALK_ON;
}

static bool has_calls(ir_op *func)
{
    bool found = false;
    ir_walk_pre(func, find_call, &found);
    return found;
}

static bool inline_call(ir_op *call, ir_op *callee)
{
    ir_block *body = ir_op_body(callee, 0);
    if (!body || body->next || body->n_args != call->n_operands || has_calls(callee))
        return false;
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], call->operands[i].value);
    for (ir_op *op = body->first; op; op = op->next) {
        if (op->def == FUNC_OP(return)) {
            for (uint32_t i = 0; i < call->n_results; i++) {
                ir_value *v = ir_mapping_get(map, op->operands[i].value);
                ir_value_replace_uses(&call->results[i], v ? v : op->operands[i].value);
            }
            break;
        }
        ir_op *copy = ir_op_clone(op, map);
        if (call->loc.bits)
            copy->loc = op->loc.bits
                            ? ir_loc_from_attr(ir_loc_callsite_attr(call->ctx,
                                                                    ir_loc_attr(call->ctx, op->loc),
                                                                    ir_loc_attr(call->ctx, call->loc)))
                            : call->loc;
        ir_op_insert_before(copy, call);
    }
    ir_mapping_free(map);
    ir_op_erase(call);
    return true;
}

typedef struct calls {
    ir_op **at;
    size_t count, capacity;
} calls;

static ir_walk collect(ir_op *op, void *user)
{
    calls *c = user;
    if (callee_of(op))
        TW_PUSH(c->at, c->count, c->capacity, op);
    return IR_WALK_ON;
}

static ir_walk note_symbol(ir_op *op, void *user)
{
    ir_mapping *used = user;
    for (size_t i = 0, n = ir_def_n_props(op->def); i < n; i++)
        if (ir_attr_is(op->props[i], IR_ATTR_SYMBOL_REF))
            ir_mapping_set(used, op->props[i]->items[0]->ident, op);
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++)
        if (ir_attr_is(op->attrs->entries[i].value, IR_ATTR_SYMBOL_REF))
            ir_mapping_set(used, op->attrs->entries[i].value->items[0]->ident, op);
    return IR_WALK_ON;
}

/* Private functions that nothing names any more. */
static void drop_unused(ir_op *module)
{
    ir_mapping *used = ir_mapping_create();
    ir_walk_pre(module, note_symbol, used);
    for (ir_block *b = module->regions[0].first; b; b = b->next)
        for (ir_op *op = b->first, *next; op; op = next) {
            next = op->next;
            ir_attr visibility = ir_op_attr(op, "sym_visibility"), name = ir_op_attr(op, "sym_name");
            if (op->def == FUNC_OP(func) && visibility &&
                tw_str_is(ir_attr_str(visibility), "private") &&
                !ir_mapping_get(used, name->ident))
                ir_op_erase(op);
        }
    ir_mapping_free(used);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    calls c = {0};
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        c.count = 0;
        ir_walk_pre(module, collect, &c);
        for (size_t i = 0; i < c.count; i++)
            changed |= inline_call(c.at[i], callee_of(c.at[i]));
        if (!changed)
            break;
    }
    free(c.at);
    drop_unused(module);
    return true;
}

const pass_def inline_pass = {
    .name = "inline",
    .summary = "Inline function calls",
    .anchor = "builtin.module",
    .run = run,
};
