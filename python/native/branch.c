/* branch.c: operations whose successors may be freed before them.
 *
 * Blocks and their branches are normally freed together with their region. Where Python has
 * created, removed or moved one of them, a branch may outlive its block: the library keeps
 * no list of a block's predecessors. Such operations are recorded; when a block that they
 * name is freed, a placeholder block that is never freed replaces it, and reading that
 * successor raises. */
#include "pyir.h"

#include <stdlib.h>

void py_branch_moved(py_context *c, const ir_op *op)
{
    if (!op->n_successors)
        return;
    if (!c->gone)
        c->gone = ir_block_create(c->ctx);
    py_map_set(&c->branches, op, (void *)op);
    for (uint16_t i = 0; i < op->n_successors; i++)
        py_map_set(&c->targets, op->successors[i], op->successors[i]);
}

void py_branch_blocks_move(py_context *c, const ir_region *region)
{
    for (const ir_block *b = region->first; b; b = b->next)
        for (const ir_op *op = b->first; op; op = op->next)
            py_branch_moved(c, op);
}

static void note_inside(py_context *c, const ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (const ir_block *b = op->regions[r].first; b; b = b->next)
            for (const ir_op *o = b->first; o; o = o->next) {
                py_branch_moved(c, o);
                note_inside(c, o);
            }
}

void py_branch_copied(py_context *c, ir_op *op)
{
    py_branch_moved(c, op);
    if (c->branches.count) /* nested operations may have been moved in from elsewhere */
        note_inside(c, op);
}

void py_branch_freed(py_context *c, const void *thing)
{
    if (!c->branches.count)
        return;
    py_map_take(&c->branches, thing);
    if (!py_map_take(&c->targets, thing))
        return;
    for (size_t k = 0; c->branches.slots && k <= c->branches.mask; k++) {
        ir_op *op = c->branches.slots[k].value;
        for (uint16_t i = 0; op && i < op->n_successors; i++)
            if (op->successors[i] == thing)
                op->successors[i] = c->gone;
    }
}

void py_branch_end(py_context *c)
{
    if (c->gone)
        ir_block_erase(c->ctx, c->gone);
    free(c->branches.slots);
    free(c->targets.slots);
}
