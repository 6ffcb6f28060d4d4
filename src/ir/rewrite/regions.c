/* regions.c: simplification of control flow between iterations of rewriting.
 *
 * Unreachable blocks are removed.  In regions of several blocks liveness is then traced
 * from operations with effects through block arguments, so that values that only feed
 * themselves around a loop are removed too.  Single-block regions are left to the driver's
 * own removal of dead operations. */
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"

#include <stdlib.h>

typedef struct tracer {
    ir_mapping *live; /* values and operations */
    ir_value **list;
    size_t count, capacity;
} tracer;

/* ---- reachability ------------------------------------------------------------------- */

static void number_blocks(ir_region *region)
{
    for (ir_block *b = region->first; b; b = b->next)
        b->order = 0;
}

static void reach(ir_block *b)
{
    b->order = 1;
    if (b->last)
        for (uint16_t i = 0; i < b->last->n_successors; i++)
            if (!b->last->successors[i]->order)
                reach(b->last->successors[i]);
}

static bool erase_unreachable(ir_region *region, ir_context *ctx)
{
    bool changed = false;
    if (!region->first || region->first == region->last)
        return false;
    number_blocks(region);
    reach(region->first);
    /* Drop the uses first: unreachable blocks may use each other's values in any order. */
    for (ir_block *b = region->first; b; b = b->next)
        while (!b->order && b->last) {
            ir_op *op = b->last;
            for (uint32_t i = 0; i < op->n_results; i++)
                while (op->results[i].uses)
                    ir_op_splice_operands(op->results[i].uses->owner,
                                          ir_operand_number(op->results[i].uses), 1, NULL,
                                          0);
            ir_op_erase(op);
        }
    for (ir_block *b = region->first, *next; b; b = next) {
        next = b->next;
        if (!b->order) {
            ir_block_erase(ctx, b);
            changed = true;
        }
    }
    return changed;
}

/* ---- liveness ----------------------------------------------------------------------- */

static void mark(tracer *t, ir_value *v)
{
    if (ir_mapping_get(t->live, v))
        return;
    ir_mapping_set(t->live, v, v);
    TW_PUSH(t->list, t->count, t->capacity, v);
}

static void mark_op(tracer *t, ir_op *op);

/* Everything inside a live operation's regions that leaves the region is live. */
static void mark_nested(tracer *t, ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                mark_op(t, o);
}

static void mark_op(tracer *t, ir_op *op)
{
    if (ir_mapping_get(t->live, op))
        return;
    ir_mapping_set(t->live, op, op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        mark(t, op->operands[i].value);
    mark_nested(t, op);
}

bool rw_successor_operands(const ir_op *op, uint16_t successor, size_t *start,
                           size_t *count)
{
    size_t groups = op->def->operands.count;
    if (groups < op->n_successors || op->n_successors == 0)
        return false;
    return ir_op_operand_group(op, groups - op->n_successors + successor, start, count) &&
           *count == op->successors[successor]->n_args;
}

static bool is_handled(const ir_op *op)
{
    size_t start, count;
    if (strcmp(op->def->name, "cf.br") != 0 && strcmp(op->def->name, "cf.cond_br") != 0)
        return false;
    for (uint16_t i = 0; i < op->n_successors; i++)
        if (!rw_successor_operands(op, i, &start, &count))
            return false;
    return true;
}

static void mark_predecessors(tracer *t, ir_value *arg)
{
    ir_block *block = arg->owner;
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++) {
            size_t start, count;
            if (b->last->successors[i] == block &&
                rw_successor_operands(b->last, i, &start, &count))
                mark(t, b->last->operands[start + arg->index].value);
        }
}

static void trace(tracer *t, ir_region *region)
{
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next) {
            if (op == b->last && op->n_successors) {
                size_t start, count;
                rw_successor_operands(op, 0, &start, &count);
                for (size_t i = 0; i < start; i++)
                    mark(t, op->operands[i].value);
            } else if (!rw_would_be_dead(op)) {
                mark_op(t, op);
            }
        }
    while (t->count) {
        ir_value *v = t->list[--t->count];
        ir_op *def = ir_value_def(v);
        if (def)
            mark_op(t, def);
        else if (((ir_block *)v->owner)->region == region &&
                 v->owner != (void *)region->first)
            mark_predecessors(t, v);
    }
}

static void drop_argument(ir_block *block, uint32_t index)
{
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++) {
            ir_op *branch = b->last;
            size_t group = branch->def->operands.count - branch->n_successors + i;
            size_t start, count, n = 0;
            if (branch->successors[i] != block ||
                !ir_op_operand_group(branch, group, &start, &count))
                continue;
            ir_value **kept = tw_xmalloc(count * sizeof *kept);
            for (size_t k = 0; k < count; k++)
                if (k != index)
                    kept[n++] = branch->operands[start + k].value;
            ir_op_set_operand_group(branch, group, kept, n);
            free(kept);
        }
    ir_block_erase_arg(block, index);
}

static ir_walk cut(ir_op *op, void *user)
{
    (void)user;
    if (op->n_operands)
        ir_op_splice_operands(op, 0, op->n_operands, NULL, 0);
    return IR_WALK_ON;
}

static bool is_dead(const tracer *t, const ir_op *op)
{
    return !ir_mapping_get(t->live, op) && !(op == op->block->last && op->n_successors);
}

static bool sweep(tracer *t, ir_region *region)
{
    bool changed = false, again = true;
    /* Dead operations and arguments may use each other cyclically: drop uses, then
     * erase. */
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            if (is_dead(t, op))
                ir_walk_pre(op, cut, NULL);
    while (again) {
        again = false;
        for (ir_block *b = region->first->next; b; b = b->next)
            for (uint32_t i = b->n_args; i-- > 0;)
                if (!ir_mapping_get(t->live, b->args[i]) && !b->args[i]->uses) {
                    drop_argument(b, i);
                    again = changed = true;
                }
    }
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->last, *prev; op; op = prev) {
            prev = op->prev;
            if (is_dead(t, op)) {
                ir_op_erase(op);
                changed = true;
            }
        }
    return changed;
}

static bool trim_arguments(ir_region *region)
{
    if (!region->first || region->first == region->last)
        return false;
    for (ir_block *b = region->first; b; b = b->next)
        if (b->last && b->last->n_successors && !is_handled(b->last))
            return false;
    tracer t = {.live = ir_mapping_create()};
    trace(&t, region);
    bool changed = sweep(&t, region);
    free(t.list);
    ir_mapping_free(t.live);
    return changed;
}

bool rw_simplify_regions(ir_op *root)
{
    bool changed = false;
    for (uint16_t r = 0; r < root->n_regions; r++) {
        ir_region *region = &root->regions[r];
        changed |= erase_unreachable(region, root->ctx);
        changed |= trim_arguments(region);
        for (ir_block *b = region->first; b; b = b->next)
            for (ir_op *op = b->first; op; op = op->next)
                if (op->n_regions)
                    changed |= rw_simplify_regions(op);
    }
    return changed;
}
