/* reconcile_unrealized_casts.c: cancels unrealized casts back to the original type; erases
 * unused ones. */
#include "ir/pass/pass.h"
#include "mlir/builtin/builtin.h"

static bool is_cast(const ir_op *op)
{
    return op && op->def == BUILTIN_OP(unrealized_conversion_cast);
}

/* The cast whose results, in order, are exactly this one's operands, or NULL. */
static ir_op *feeding_cast(const ir_op *cast)
{
    ir_op *from = cast->n_operands ? ir_value_def(cast->operands[0].value) : NULL;
    if (!is_cast(from) || from->n_results != cast->n_operands)
        return NULL;
    for (uint32_t i = 0; i < cast->n_operands; i++)
        if (cast->operands[i].value != &from->results[i])
            return NULL;
    return from;
}

static bool same_types(const ir_op *from, const ir_op *to)
{
    if (from->n_operands != to->n_results)
        return false;
    for (uint32_t i = 0; i < to->n_results; i++)
        if (from->operands[i].value->type != to->results[i].type)
            return false;
    return true;
}

static ir_walk reconcile(ir_op *op, void *user)
{
    (void)user;
    if (!is_cast(op))
        return IR_WALK_ON;
    for (ir_op *from = op; from; from = feeding_cast(from))
        if (same_types(from, op)) {
            for (uint32_t i = 0; i < op->n_results; i++)
                ir_value_replace_uses(&op->results[i], from->operands[i].value);
            break;
        }
    return IR_WALK_ON;
}

/* Backwards, so that a chain is erased in one pass. */
static void erase_unused(ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].last; b; b = b->prev)
            for (ir_op *o = b->last, *prev; o; o = prev) {
                prev = o->prev;
                if (is_cast(o) && ir_op_is_unused(o))
                    ir_op_erase(o);
                else if (o->n_regions)
                    erase_unused(o);
            }
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    ir_walk_pre(op, reconcile, NULL);
    erase_unused(op);
    return true;
}

const pass_def reconcile_unrealized_casts_pass = {
    .name = "reconcile-unrealized-casts",
    .title = "ReconcileUnrealizedCasts",
    .summary = "Simplify and eliminate unrealized conversion casts",
    .run = run,
};
