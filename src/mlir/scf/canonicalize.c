/* canonicalize.c: canonical forms of scf.for. */
#include "ir/rewrite/effects.h"
#include "mlir/loops/loops.h"
#include "mlir/passes/canonical.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* A loop that never runs is replaced by its initial values, one that runs once by its body;
 * one that only yields values from outside by these. */
static bool simplify_trivial_loop(ir_op *op, rw_rewriter *rw)
{
    int64_t trips = scf_for_trips(op);
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body->last;
    bool idle = trips > 1 && body->first == yield;
    for (uint32_t i = 0; idle && i < op->n_results; i++)
        idle = ir_value_block(ir_op_operand(yield, i)) != body;
    if (trips < 0 || (trips > 1 && !idle))
        return false;
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    if (trips == 1) {
        rw_replace_uses(rw, body->args[0], op->operands[0].value);
        for (uint32_t i = 0; i < op->n_results; i++)
            rw_replace_uses(rw, body->args[i + 1], op->operands[i + 3].value);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = trips ? yield->operands[i].value : op->operands[i + 3].value;
    if (trips == 1 && yield->prev)
        ir_block_splice(op->block, op, body, body->first, yield->prev);
    rw_replace(rw, op, values, op->n_results);
    free(values);
    return true;
}

/* True if carried value i never changes, or is unused. */
static bool is_idle(const ir_op *loop, uint32_t i)
{
    const ir_block *body = ir_op_body(loop, 0);
    const ir_value *arg = body->args[i + 1];
    const ir_value *next = body->last->operands[i].value;
    return next == arg || next == loop->operands[i + 3].value ||
           (!loop->results[i].uses && !arg->uses);
}

/* Removes carried values that the loop only passes through. */
static bool drop_idle_values(ir_op *op, rw_rewriter *rw)
{
    uint32_t n = op->n_results, kept = 0;
    for (uint32_t i = 0; i < n; i++)
        kept += !is_idle(op, i);
    if (kept == n)
        return false;
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body->last;
    ir_value **operands = tw_xmalloc((n + 3) * sizeof *operands);
    ir_value **yielded = tw_xmalloc((n + 1) * sizeof *yielded);
    ir_value **results = tw_xmalloc((n + 1) * sizeof *results);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    bool *idle = tw_xmalloc((n + 1) * sizeof *idle);
    uint32_t k = 0;
    for (uint32_t i = 0; i < 3; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < n; i++) {
        idle[i] = is_idle(op, i);
        if (idle[i])
            continue;
        operands[3 + k] = op->operands[3 + i].value;
        yielded[k] = yield->operands[i].value;
        types[k++] = op->results[i].type;
    }
    ir_op *loop = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = operands,
                                                  .n_operands = kept + 3,
                                                  .results = types,
                                                  .n_results = kept,
                                                  .n_regions = 1});
    loop->attrs = op->attrs;
    ir_op_set_attr(loop, "unsignedCmp", ir_op_attr(op, "unsignedCmp"));
    for (uint32_t i = 0; i < n; i++)
        if (idle[i])
            rw_replace_uses(rw, body->args[i + 1], op->operands[i + 3].value);
    ir_op_splice_operands(yield, 0, n, yielded, kept);
    k = 0;
    for (uint32_t i = 0; i < n; i++)
        results[i] = idle[i] ? op->operands[i + 3].value : &loop->results[k++];
    for (uint32_t i = n; i-- > 0;)
        if (idle[i])
            ir_block_erase_arg(body, i + 1);
    ir_region_take(&loop->regions[0], &op->regions[0]);
    rw_modified(rw, loop);
    rw_replace(rw, op, results, n);
    free(operands);
    free(yielded);
    free(results);
    free(types);
    free(idle);
    return true;
}

static const rw_pattern patterns[] = {
    {SCF_OP(for), simplify_trivial_loop, "scf.SimplifyTrivialLoops"},
    {SCF_OP(for), drop_idle_values, "scf.ForOpIterArgsFolder"},
};

const rw_pattern_table canonicalize_scf = {patterns, TW_COUNT(patterns)};
