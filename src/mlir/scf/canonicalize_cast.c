/* canonicalize_cast.c: loops carry tensors of their initial static sizes. */
#include "mlir/passes/canonical.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/casts.h"

#include <stdlib.h>

/* For an initial value that is a cast dropping sizes: the loop carries the source; the
 * casts move into its body and after it. */
static bool cast_inside(ir_op *op, uint32_t which, ir_value *from, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body->last;
    ir_value *arg = body->args[which + 1];
    ir_type old = arg->type;
    ir_builder at = rw->b;
    rw->b.block = body;
    rw->b.before = body->first;
    arg->type = from->type;
    ir_value *inside = ir_build1(&rw->b, ir_value_def(ir_op_operand(op, which + 3))->def,
                                 old, IR_VALUES(arg), NULL, 0);
    rw_replace_uses(rw, arg, inside);
    ir_op_set_operand(ir_value_def(inside), 0, arg);
    rw->b.before = yield;
    ir_op_set_operand(yield, which,
                      tensor_cast_to(rw, ir_op_operand(yield, which), from->type));
    rw_modified(rw, yield);
    rw->b = at;
    ir_op_set_operand(op, which + 3, from);
    ir_value *result = &op->results[which];
    result->type = from->type;
    rw->b.before = op->next;
    ir_value *after =
        ir_build1(&rw->b, ir_value_def(inside)->def, old, IR_VALUES(result), NULL, 0);
    rw_replace_uses(rw, result, after);
    ir_op_set_operand(ir_value_def(after), 0, result);
    rw->b = at;
    rw_modified(rw, op);
    return true;
}

static bool carry_sizes(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *from = tensor_before_cast(ir_op_operand(op, i + 3));
        if (from && from->type != op->results[i].type &&
            ir_value_has_one_use(&op->results[i]))
            return cast_inside(op, i, from, rw);
    }
    return false;
}

static const rw_pattern patterns[] = {
    {SCF_OP(for), carry_sizes, "scf.ForOpTensorCastFolder"},
};

const rw_pattern_table canonicalize_scf_cast = {patterns, TW_COUNT(patterns)};
