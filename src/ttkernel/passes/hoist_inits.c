/* hoist_inits.c: ttkernel-hoist-inits: an init that is the only one of its loops runs once,
 * in front of them. */
#include "ir/pass/pass.h"
#include "mlir/scf/scf.h"
#include "ttkernel/passes/setup.h"

#include <stdlib.h>

static ir_op *loop_around(const ir_op *op)
{
    ir_op *loop = ir_op_parent(op);
    while (loop && loop->def != SCF_OP(for))
        loop = ir_op_parent(loop);
    return loop;
}

static size_t inits_in(const ir_op_list *inits, const ir_op *loop)
{
    size_t n = 0;
    for (size_t i = 0; i < inits->n; i++)
        n += ir_op_is_ancestor(loop, inits->at[i]);
    return n;
}

/* True if all operands are defined outside the loop. */
static bool is_free_of(const ir_op *op, const ir_op *loop)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *around = ir_value_block(ir_op_operand(op, i))->region->owner;
        if (ir_op_is_ancestor(loop, around))
            return false;
    }
    return true;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list inits = ir_ops_in(func, ttkernel_is_init);
    ir_op **target = tw_xcalloc(inits.n + 1, sizeof *target);
    for (size_t i = 0; i < inits.n; i++)
        for (ir_op *loop = loop_around(inits.at[i]); loop; loop = loop_around(loop)) {
            if (inits_in(&inits, loop) != 1 || !is_free_of(inits.at[i], loop))
                break;
            target[i] = loop;
        }
    for (size_t i = 0; i < inits.n; i++)
        if (target[i]) {
            ir_op_remove(inits.at[i]);
            ir_op_insert_before(inits.at[i], target[i]);
            inits.at[i]->loc = target[i]->loc; /* its line is where the loop begins */
        }
    free(target);
    ir_op_list_free(&inits);
    return true;
}

const pass_def ttkernel_hoist_inits_pass = {
    .name = "ttkernel-hoist-inits",
    .summary = "Hoist inits out of loops that hold no other",
    .anchor = "func.func",
    .run = run,
};
