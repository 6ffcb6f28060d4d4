/* ttnn_deallocate.c: frees each tensor after its last use.  Arguments that are inputs,
 * results and what a return hands out stay. */
#include "dialect/func/func.h"
#include "dialect/ttnn/ttnn.h"
#include "transform/transform.h"

static ir_op *last_user(const ir_value *v, ir_block *block)
{
    ir_op *last = NULL;
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        while (user && user->block != block)
            user = ir_op_parent(user);
        if (user && (!last || ir_op_before(last, user)))
            last = user;
    }
    return last;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next) {
            if (op->def == TTNN_OP(deallocate) || op->def == TTNN_OP(get_device))
                continue;
            for (uint32_t i = 0; i < op->n_results; i++) {
                ir_value *v = &op->results[i];
                ir_op *last = ir_type_is_tensor(v->type) ? last_user(v, b) : NULL;
                if (!last || last->def == TTNN_OP(deallocate) ||
                    (last->def->traits & IR_TERMINATOR))
                    continue;
                ir_builder build = ir_builder_after(last);
                ir_build_op(&build, TTNN_OP(deallocate), NULL, 0, &v, 1,
                            IR_ATTRS({"force", ir_bool_attr(op->ctx, false)}), 0);
            }
        }
    return true;
}

const pass_def ttnn_deallocate_pass = {
    .name = "ttnn-deallocate",
    .summary = "Insert deallocations after last uses",
    .anchor = "func.func",
    .run = run,
};
