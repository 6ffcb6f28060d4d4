/* canonicalize_scf.c: canonical forms of structured control flow. */
#include "dialect/scf/scf.h"
#include "rewrite/effects.h"
#include "transform/canonical.h"

#include <stdlib.h>

/* ---- scf.for ------------------------------------------------------------------------- */

static bool constant_of(const ir_value *v, int64_t *out)
{
    ir_attr a = rw_constant(v);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return false;
    *out = a->value;
    return true;
}

/* How often a loop of constant bounds runs, -1 if that is not known. */
static int64_t trip_count(const ir_op *loop)
{
    int64_t from, to, step;
    if (loop->operands[0].value == loop->operands[1].value)
        return 0;
    if (!constant_of(loop->operands[0].value, &from) ||
        !constant_of(loop->operands[1].value, &to) ||
        !constant_of(loop->operands[2].value, &step) || step <= 0)
        return -1;
    int64_t span;
    if (from >= to)
        return 0;
    if (__builtin_sub_overflow(to, from, &span))
        return -1;
    return span / step + (span % step != 0);
}

/* A loop that never runs is its initial values, one that runs once is its body. */
static bool simplify_trivial_loop(ir_op *op, rw_rewriter *rw)
{
    int64_t trips = ir_op_attr(op, "unsignedCmp") ? -1 : trip_count(op);
    if (trips < 0 || trips > 1)
        return false;
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body->last;
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

/* Whether value i that a loop carries never changes, or nobody reads it. */
static bool is_idle(const ir_op *loop, uint32_t i)
{
    const ir_block *body = ir_op_body(loop, 0);
    const ir_value *arg = body->args[i + 1];
    const ir_value *next = body->last->operands[i].value;
    return next == arg || next == loop->operands[i + 3].value ||
           (!loop->results[i].uses && !arg->uses);
}

/* Values that a loop only hands through leave it. */
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

/* ---- scf.if -------------------------------------------------------------------------- */

/* A condition that is known. */
static bool choose_side(ir_op *op, rw_rewriter *rw)
{
    int64_t condition;
    if (!constant_of(op->operands[0].value, &condition))
        return false;
    ir_block *side = ir_op_body(op, condition ? 0 : 1);
    if (!side) {
        if (op->n_results)
            return false;
        rw_erase(rw, op);
        return true;
    }
    ir_op *yield = side->last;
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = yield->operands[i].value;
    if (yield->prev)
        ir_block_splice(op->block, op, side, side->first, yield->prev);
    rw_replace(rw, op, values, op->n_results);
    free(values);
    return true;
}

static const rw_pattern patterns[] = {
    {SCF_OP(for), simplify_trivial_loop, "scf.SimplifyTrivialLoops"},
    {SCF_OP(for), drop_idle_values, "scf.ForOpIterArgsFolder"},
    {SCF_OP(if), choose_side, "scf.RemoveStaticCondition"},
};

const rw_pattern_table canonicalize_scf = {patterns, TW_COUNT(patterns)};
