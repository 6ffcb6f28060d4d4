/* bufferize.c: what threads share becomes memory.
 *
 *   !ttl.block<tensor<...>, cb>      !ttl.block<memref<..., L1>, cb>: pages of its buffer
 *
 * Values between computations stay tensors: they live in DST, not in memory.  The tensors
 * of the host stay too; accessors find their pages.  A block that is bufferized and one
 * that is not are the same to the passes that follow. */
#include "ir/pass/pass.h"
#include "ttl/ttl_info.h"

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = ttl_block_in_memory(op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = ttl_block_in_memory(b->args[i]->type);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def ttl_bufferize_pass = {
    .name = "ttl-bufferize",
    .summary = "Make blocks of circular buffers memory",
    .anchor = "builtin.module",
    .run = run,
};
