/* canonicalize.c: canonical forms of calls. */
#include "mlir/func/func.h"
#include "mlir/passes/canonical.h"

#include <stdlib.h>

/* Converts an indirect call of a function constant to a direct one. */
static bool call_by_name(ir_op *op, rw_rewriter *rw)
{
    ir_op *function = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(function, FUNC_OP(constant)))
        return false;
    ir_value **values = tw_xmalloc((op->n_operands + op->n_results) * sizeof *values);
    ir_type *types = tw_xmalloc((op->n_results + 1) * sizeof *types);
    for (uint32_t i = 1; i < op->n_operands; i++)
        values[i - 1] = ir_op_operand(op, i);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    ir_op *call =
        ir_build_op(&rw->b, FUNC_OP(call), types, op->n_results, values, op->n_operands - 1,
                    IR_ATTRS({"callee", ir_op_attr(function, "value")},
                             {"arg_attrs", ir_op_attr(op, "arg_attrs")},
                             {"res_attrs", ir_op_attr(op, "res_attrs")}),
                    0);
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = &call->results[i];
    rw_replace(rw, op, values, op->n_results);
    free(values);
    free(types);
    return true;
}

static const rw_pattern patterns[] = {
    {FUNC_OP(call_indirect), call_by_name, "func.SimplifyIndirectCallWithKnownCallee"},
};

const rw_pattern_table canonicalize_func = {patterns, TW_COUNT(patterns)};
