/* dedup_inits.c: inits that set up what is set up already go. */
#include "ir/pass/pass.h"
#include "mlir/passes/equivalence.h"
#include "ttkernel/passes/setup.h"

/* Reductions of one kind, each with its init and its end, become one init, the reductions
 * and one end.  Arithmetic in between does not matter, a reduction between an end and the
 * next init does. */
static void join_reductions(ir_block *block)
{
    ir_op *open = NULL, *end = NULL;
    for (ir_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (op->def == TTKERNEL_OP(reduce_init)) {
            if (open && end && transform_equivalent(open, op)) {
                ir_op_erase(end);
                ir_op_erase(op);
            } else {
                open = op;
            }
            end = NULL;
        } else if (op->def == TTKERNEL_OP(reduce_uninit)) {
            end = op;
        } else if (op->def == TTKERNEL_OP(reduce_tile)) {
            end = NULL;
        } else if (strncmp(op->def->name, "arith.", 6) != 0) {
            open = end = NULL;
        }
    }
}

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next) {
            for (ir_op *at = block->first, *next; at; at = next) {
                next = at->next;
                if (ttkernel_is_init(at) && at->prev && transform_equivalent(at->prev, at))
                    ir_op_erase(at);
            }
            join_reductions(block);
        }
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    ir_walk_pre(op, visit, NULL);
    return true;
}

const pass_def ttkernel_dedup_inits_pass = {
    .name = "ttkernel-dedup-inits",
    .title = "TTKernelDedupInits",
    .summary = "Remove inits that repeat what is set up",
    .anchor = "func.func",
    .run = run,
};
