/* reduce_edits.c: see reduce_edits.h. */
#include "reduce_edits.h"

#include "support/arena.h"

#include <stdlib.h>

static ir_walk add_op(ir_op *op, void *user)
{
    reduce_ops *list = user;
    if (op->block && !(op->def->traits & IR_TERMINATOR))
        TW_PUSH(list->at, list->count, list->capacity, op);
    return IR_WALK_ON;
}

void reduce_list(ir_op *module, reduce_ops *list)
{
    list->count = 0;
    ir_walk_pre(module, add_op, list);
}

/* ---- functions ---------------------------------------------------------------------- */

/* The entry block of a function with a function type; else NULL. */
static ir_block *typed_entry(const ir_op *op)
{
    ir_attr type = ir_op_attr(op, "function_type");
    ir_block *entry = ir_op_body(op, 0);
    bool agree = entry && type && type->kind == IR_ATTR_TYPE &&
                 type->type->kind == IR_TYPE_FUNCTION && type->type->count == entry->n_args;
    return agree ? entry : NULL;
}

/* Sets the function's type from its entry block and its results. */
static void set_type(ir_op *op, const ir_block *entry, const ir_type *results, size_t count)
{
    ir_type *types = tw_xmalloc((entry->n_args + 1) * sizeof *types);
    for (uint32_t k = 0; k < entry->n_args; k++)
        types[k] = entry->args[k]->type;
    ir_type type = ir_function_type(op->ctx, types, entry->n_args, results, count);
    ir_op_set_attr(op, "function_type", ir_type_attr(type));
    free(types);
}

/* Updates the type after a change of arguments. */
static void set_arguments(ir_op *op, const ir_block *entry)
{
    ir_type type = ir_op_attr(op, "function_type")->type;
    set_type(op, entry, ir_function_results(type), type->results);
    ir_op_set_attr(op, "arg_attrs", NULL);
}

/* A new argument of the function around an operation; NULL outside of functions. */
static ir_value *new_argument(const ir_op *op, ir_type type)
{
    ir_op *around = ir_op_parent(op);
    while (around && !(around->def->traits & IR_ISOLATED))
        around = ir_op_parent(around);
    ir_block *entry = around ? typed_entry(around) : NULL;
    if (!entry || !(around->def->traits & IR_FUNCTION_LIKE))
        return NULL;
    ir_value *made = ir_block_add_arg(op->ctx, entry, type, op->loc);
    set_arguments(around, entry);
    return made;
}

/* ---- operations --------------------------------------------------------------------- */

/* A value of that type which dominates the operation. */
static ir_value *stand_in(const ir_op *op, ir_type type)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type == type)
            return ir_op_operand(op, i);
    int far = 64; /* keeps the search linear */
    for (const ir_op *before = op->prev; before && far > 0; before = before->prev, far--)
        for (uint32_t i = 0; i < before->n_results; i++)
            if (before->results[i].type == type)
                return ir_op_result(before, i);
    for (const ir_block *b = op->block; b;) {
        for (uint32_t i = 0; i < b->n_args; i++)
            if (b->args[i]->type == type)
                return b->args[i];
        const ir_op *parent = b->region ? b->region->owner : NULL;
        if (!parent || parent->def->traits & IR_ISOLATED)
            return NULL;
        b = parent->block;
    }
    return NULL;
}

static bool erase_op(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *result = &op->results[i];
        if (ir_value_unused(result))
            continue;
        ir_value *other = stand_in(op, result->type);
        if (!other)
            other = new_argument(op, result->type);
        if (!other)
            return false;
        ir_value_replace_uses(result, other);
    }
    ir_op_erase(op);
    return true;
}

/* Backwards, so that users are erased before definitions and nested operations before their
 * owner. */
static size_t erase_ops(const reduce_ops *list, size_t first, size_t count)
{
    size_t erased = 0;
    for (size_t i = TW_MIN(first + count, list->count); i-- > first;)
        erased += erase_op(list->at[i]);
    return erased;
}

/* Replaces a function by a declaration; backwards, since nested operations are erased with
 * it. */
static size_t empty_bodies(const reduce_ops *list, size_t first, size_t count)
{
    size_t done = 0;
    for (size_t i = TW_MIN(first + count, list->count); i-- > first;) {
        ir_op *op = list->at[i];
        if (!(op->def->traits & IR_FUNCTION_LIKE) || !op->n_regions ||
            !op->regions[0].first)
            continue;
        while (op->regions[0].first)
            ir_block_erase(op->ctx, op->regions[0].first);
        ir_op_set_attr(op, "sym_visibility", ir_string_attr(op->ctx, TW_STR("private")));
        done++;
    }
    return done;
}

static size_t drop_discardable(ir_op *op)
{
    size_t count = op->attrs ? op->attrs->count : 0;
    op->attrs = NULL;
    return count;
}

/* Also those of the module, which is in no list, with the first operation. */
static size_t drop_discardables(const reduce_ops *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++)
        dropped += drop_discardable(list->at[i]);
    if (first == 0 && list->count) {
        ir_op *top = list->at[0];
        while (ir_op_parent(top))
            top = ir_op_parent(top);
        dropped += drop_discardable(top);
    }
    return dropped;
}

/* Inherent attributes that may be absent. */
static size_t drop_optionals(const reduce_ops *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++) {
        ir_op *op = list->at[i];
        for (uint32_t k = 0; k < op->def->attrs.count; k++)
            if (op->props[k] && op->def->attrs.at[k].optional) {
                op->props[k] = NULL;
                dropped++;
            }
    }
    return dropped;
}

/* Erases unused arguments of functions that are not called. */
static size_t drop_arguments(const reduce_ops *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++) {
        ir_op *op = list->at[i];
        ir_block *entry = typed_entry(op);
        size_t before = dropped;
        for (uint32_t k = entry ? entry->n_args : 0; k-- > 0;)
            if (ir_value_unused(entry->args[k])) {
                ir_block_erase_arg(entry, k);
                dropped++;
            }
        if (dropped > before)
            set_arguments(op, entry);
    }
    return dropped;
}

/* Erases results of functions that are not called. */
static size_t drop_results(const reduce_ops *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++) {
        ir_op *op = list->at[i];
        ir_block *entry = typed_entry(op);
        size_t results = entry ? ir_op_attr(op, "function_type")->type->results : 0;
        if (!results)
            continue;
        for (ir_block *b = entry; b; b = b->next)
            if (b->last && b->last->n_operands == results && !b->last->n_successors)
                ir_op_splice_operands(b->last, 0, results, NULL, 0);
        set_type(op, entry, NULL, 0);
        ir_op_set_attr(op, "res_attrs", NULL);
        dropped++;
    }
    return dropped;
}

reduce_edit *const reduce_edits[] = {
    erase_ops,      empty_bodies, drop_discardables, drop_optionals, drop_results,
    drop_arguments, NULL};
