/* canonicalize_while.c: canonical forms of scf.while: removes carried values that are
 * constant, unused or duplicates. */
#include "mlir/arith/arith.h"
#include "mlir/passes/canonical.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* A loop and the values it keeps: arguments of the first region (with their initial and
 * yielded values), and those of the second (with the results). */
typedef struct loop {
    ir_op *op;
    ir_block *before, *after;
    ir_op *condition, *yield;
    bool *args, *results;
} loop;

static bool begin(ir_op *op, loop *w)
{
    *w = (loop){.op = op, .before = ir_op_body(op, 0), .after = ir_op_body(op, 1)};
    if (!w->before || !w->after)
        return false;
    w->condition = w->before->last;
    w->yield = w->after->last;
    if (!ir_op_is(w->condition, SCF_OP(condition)) || !ir_op_is(w->yield, SCF_OP(yield)))
        return false;
    w->args = tw_xmalloc(op->n_operands + 1);
    w->results = tw_xmalloc(op->n_results + 1);
    memset(w->args, 1, op->n_operands + 1);
    memset(w->results, 1, op->n_results + 1);
    return true;
}

static bool is_outside(const loop *w, const ir_value *v)
{
    return !ir_op_is_ancestor(w->op, ir_value_block(v)->region->owner);
}

static ir_value *passed(const loop *w, uint32_t i)
{
    return ir_op_operand(w->condition, i + 1);
}

/* Drops the values not kept (they are unused by now); false if all are kept. */
static bool finish(rw_rewriter *rw, loop *w)
{
    ir_op *op = w->op;
    uint32_t n_args = op->n_operands, n_results = op->n_results, args = 0, results = 0;
    uint32_t capacity = n_args + n_results + 2, k;
    for (uint32_t i = 0; i < n_args; i++)
        args += w->args[i];
    for (uint32_t i = 0; i < n_results; i++)
        results += w->results[i];
    bool changes = args < n_args || results < n_results;
    if (changes) {
        ir_value **values = tw_xmalloc(capacity * sizeof *values);
        ir_type *types = tw_xmalloc(capacity * sizeof *types);
        k = 0;
        for (uint32_t i = 0; i < n_args; i++)
            if (w->args[i])
                values[k++] = ir_op_operand(op, i);
        k = 0;
        for (uint32_t i = 0; i < n_results; i++)
            if (w->results[i])
                types[k++] = op->results[i].type;
        ir_op *made = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                      .loc = op->loc,
                                                      .operands = values,
                                                      .n_operands = args,
                                                      .results = types,
                                                      .n_results = results,
                                                      .n_regions = 2});
        made->attrs = op->attrs;
        values[0] = ir_op_operand(w->condition, 0);
        k = 1;
        for (uint32_t i = 0; i < n_results; i++)
            if (w->results[i])
                values[k++] = passed(w, i);
        ir_op_splice_operands(w->condition, 0, w->condition->n_operands, values, k);
        k = 0;
        for (uint32_t i = 0; i < n_args; i++)
            if (w->args[i])
                values[k++] = ir_op_operand(w->yield, i);
        ir_op_splice_operands(w->yield, 0, w->yield->n_operands, values, k);
        for (uint32_t i = n_args; i-- > 0;)
            if (!w->args[i])
                ir_block_erase_arg(w->before, i);
        for (uint32_t i = n_results; i-- > 0;)
            if (!w->results[i])
                ir_block_erase_arg(w->after, i);
        k = 0;
        for (uint32_t i = 0; i < n_results; i++)
            if (w->results[i])
                rw_replace_uses(rw, &op->results[i], &made->results[k++]);
        ir_region_take(&made->regions[0], &op->regions[0]);
        ir_region_take(&made->regions[1], &op->regions[1]);
        rw_modified(rw, w->condition);
        rw_modified(rw, w->yield);
        rw_erase(rw, op);
        free(values);
        free(types);
    }
    free(w->args);
    free(w->results);
    return changes;
}

/* A loop-carried argument passed through unchanged equals its initial value. */
static bool drop_constant_args(ir_op *op, rw_rewriter *rw)
{
    loop w;
    if (!begin(op, &w))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *next = ir_op_operand(w.yield, i), *from = ir_op_operand(op, i);
        bool same = next == from;
        if (next->is_argument && next->owner == w.after)
            same |= passed(&w, next->index) == w.before->args[i] ||
                    passed(&w, next->index) == from;
        if (!same)
            continue;
        rw_replace_uses(rw, w.before->args[i], from);
        w.args[i] = false;
    }
    return finish(rw, &w);
}

/* A value from outside need not be passed. */
static bool drop_constant_results(ir_op *op, rw_rewriter *rw)
{
    loop w;
    if (!begin(op, &w))
        return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (!is_outside(&w, passed(&w, i)))
            continue;
        rw_replace_uses(rw, &op->results[i], passed(&w, i));
        rw_replace_uses(rw, w.after->args[i], passed(&w, i));
        w.results[i] = false;
    }
    return finish(rw, &w);
}

static bool drop_unused_results(ir_op *op, rw_rewriter *rw)
{
    loop w;
    if (!begin(op, &w))
        return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        w.results[i] = op->results[i].uses || w.after->args[i]->uses;
    return finish(rw, &w);
}

static bool drop_unused_args(ir_op *op, rw_rewriter *rw)
{
    loop w;
    if (!begin(op, &w))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        w.args[i] = w.before->args[i]->uses != NULL;
    return finish(rw, &w);
}

static bool drop_duplicate_results(ir_op *op, rw_rewriter *rw)
{
    loop w;
    if (!begin(op, &w))
        return false;
    for (uint32_t i = 1; i < op->n_results; i++)
        for (uint32_t k = 0; k < i && w.results[i]; k++)
            if (passed(&w, k) == passed(&w, i)) {
                rw_replace_uses(rw, &op->results[i], &op->results[k]);
                rw_replace_uses(rw, w.after->args[i], w.after->args[k]);
                w.results[i] = false;
            }
    return finish(rw, &w);
}

/* The condition is true in the second region. */
static bool propagate_condition(ir_op *op, rw_rewriter *rw)
{
    loop w;
    bool changed = false;
    if (!begin(op, &w))
        return false;
    ir_value *condition = ir_op_operand(w.condition, 0), *on = NULL;
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (passed(&w, i) != condition || !w.after->args[i]->uses)
            continue;
        ir_attr boolean = ir_bool_attr(op->ctx, true);
        on = on ? on
                : ir_build1(&rw->b, ARITH_OP(constant), boolean->type, NULL, 0,
                            IR_ATTRS({"value", boolean}));
        rw_replace_uses(rw, w.after->args[i], on);
        changed = true;
    }
    free(w.args);
    free(w.results);
    return changed;
}

static const rw_pattern patterns[] = {
    {SCF_OP(while), drop_constant_args, "scf.RemoveLoopInvariantArgsFromBeforeBlock"},
    {SCF_OP(while), drop_constant_results, "scf.RemoveLoopInvariantValueYielded"},
    {SCF_OP(while), propagate_condition, "scf.WhileConditionTruth"},
    {SCF_OP(while), drop_unused_results, "scf.WhileUnusedResult"},
    {SCF_OP(while), drop_duplicate_results, "scf.WhileRemoveDuplicatedResults"},
    {SCF_OP(while), drop_unused_args, "scf.WhileRemoveUnusedArgs"},
};

const rw_pattern_table canonicalize_scf_while = {patterns, TW_COUNT(patterns)};
