/* invariant.c: operations whose operands do not depend on a loop around them. */
#include "ttkernel/passes/invariant.h"
#include "ir/rewrite/effects.h"

static bool is_inside(const ir_value *v, const ir_op *loop)
{
    return ir_op_is_ancestor(loop, ir_value_block(v)->region->owner);
}

bool ttkernel_is_invariant(const ir_op *op, const ir_op *loop)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *v = ir_op_operand(op, i);
        const ir_op *def = ir_value_def(v);
        if (is_inside(v, loop) && (!def || def->n_regions || !rw_is_pure(def) ||
                                   !ttkernel_is_invariant(def, loop)))
            return false;
    }
    return true;
}

void ttkernel_move_in_front(ir_op *op, ir_op *loop, ir_op *before)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (is_inside(ir_op_operand(op, i), loop))
            ttkernel_move_in_front(ir_value_def(ir_op_operand(op, i)), loop, loop);
    ir_op_remove(op);
    ir_op_insert_before(op, before);
    op->loc = loop->loc;
}
