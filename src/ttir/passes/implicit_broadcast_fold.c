/* implicit_broadcast_fold.c: ttir-implicit-broadcast-fold: element-wise operations
 * broadcast by themselves, so they read what a ttir.broadcast repeats.  Where nothing gives
 * the result its shape any more, the result is broadcast instead. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

/* TTNN repeats in the last six dimensions only. */
static bool is_supported(ir_op *broadcast)
{
    int64_t factors[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(broadcast, "broadcast_dimensions", factors);
    for (size_t i = 0; i + 6 < n; i++)
        if (factors[i] != 1)
            return false;
    return n > 0;
}

/* Gives the operation the shape that its operands have now, and its users the old one. */
static void mend(ir_op *op, rw_rewriter *rw)
{
    ir_type was = op->results[0].type, now = ttir_implied_type(op);
    if (now == was)
        return;
    ir_value *operands[4];
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_value *small = ir_op_result(ttir_build_like(&rw->b, op, operands, now), 0);
    rw_replace1(rw, op, ttir_build_broadcast_to(&rw->b, small, was->dims));
}

static bool fold(ir_op *op, rw_rewriter *rw)
{
    bool changed = false;
    if (!(op->def->traits & IR_BROADCASTABLE) || op->n_results != 1 || op->n_operands > 4 ||
        !ir_type_is_tensor(op->results[0].type) ||
        op->results[0].type->count > TTIR_MAX_DIMS)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ttir_producer(op->operands[i].value, TTIR_OP(broadcast));
        if (!def || !is_supported(def))
            continue;
        ir_op_set_operand(op, i, def->operands[0].value);
        changed = true;
    }
    if (!changed)
        return false;
    rw_modified(rw, op);
    mend(op, rw);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{NULL, fold, NULL}};
    rw_greedy(module, patterns, 1, NULL);
    return true;
}

const pass_def ttir_implicit_broadcast_fold_pass = {
    .name = "ttir-implicit-broadcast-fold",
    .summary = "Fold broadcasts into operations that broadcast implicitly",
    .anchor = "builtin.module",
    .run = run,
};
