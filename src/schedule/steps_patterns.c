/* steps_patterns.c: steps that apply passes and patterns. */
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/loops/bounded.h"
#include "mlir/loops/loops.h"
#include "mlir/passes/canonical.h"
#include "mlir/passes/passes.h"
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"
#include "support/strbuf.h"

#include <stdlib.h>

/* ---- apply_registered_pass ---------------------------------------------------------- */

static tf_outcome apply_pass(tf_interpreter *t, ir_op *step)
{
    tw_strbuf text = {0};
    tw_strbuf_str(&text, ir_attr_str(ir_op_attr(step, "pass_name")));
    /* kernel passes need the functions and the host code: run on the whole module */
    bool ok = pass_run_nested(t->run, (tw_str){text.data, text.size}, t->module);
    tw_strbuf_free(&text);
    if (!ok)
        return TF_DEFINITE;
    return step->n_results ? tf_set_result(t, step, 0, &t->module, 1) : TF_DONE;
}

/* ---- apply_cse, apply_dce, apply_licm ----------------------------------------------- */

static tf_outcome cse_one(tf_interpreter *t, ir_op *step, ir_op *target, ir_op **results)
{
    (void)step;
    (void)results;
    return pass_run_nested(t->run, TW_STR("cse"), target) ? TF_DONE : TF_DEFINITE;
}

static tf_outcome dce_one(tf_interpreter *t, ir_op *step, ir_op *target, ir_op **results)
{
    (void)t;
    (void)step;
    (void)results;
    for (bool changed = true; changed;) {
        changed = false;
        ir_op_list all = ir_ops_in_post(target, rw_is_trivially_dead);
        for (size_t i = all.n; i-- > 0;)
            if (all.at[i] != target && ir_op_is_unused(all.at[i])) {
                changed = true;
                ir_op_erase(all.at[i]);
                break; /* the list may also contain nested operations */
            }
        ir_op_list_free(&all);
    }
    return TF_DONE;
}

static tf_outcome licm_one(tf_interpreter *t, ir_op *step, ir_op *target, ir_op **results)
{
    (void)results;
    if (target->def->interfaces && ir_def_has(target->def, "LoopLikeOpInterface")) {
        transform_hoist_invariants(target);
        return TF_DONE;
    }
    tf_outcome failed =
        tf_silenceable(t, step->loc, "transform applied to the wrong op kind");
    return tf_note(t, failed, target->loc, "when applied to this op");
}

static tf_outcome cse(tf_interpreter *t, ir_op *step)
{
    return tf_each(t, step, NULL, cse_one);
}
static tf_outcome dce(tf_interpreter *t, ir_op *step)
{
    return tf_each(t, step, NULL, dce_one);
}
static tf_outcome licm(tf_interpreter *t, ir_op *step)
{
    return tf_each(t, step, NULL, licm_one);
}

/* ---- apply_patterns ----------------------------------------------------------------- */

/* Simplifies affine.min and affine.max of induction variables by the loop bounds. */
static bool narrow_in_loop(ir_op *op, rw_rewriter *rw)
{
    bounded known;
    affine_mapping m;
    bounded_begin(&known, op->ctx);
    bounded_add_surroundings(&known, op);
    if (!bounded_narrow(&known, op, true, &m))
        return false;
    rw_replace1(rw, op, loop_affine_value(&rw->b, &m));
    return true;
}

/* Adds the patterns named in the region of apply_patterns. */
static bool add_patterns(const ir_op *which, rw_pattern **all, size_t *n)
{
    enum { OTHERS = 2 };
    if (which->def == TRANSFORM_OP(apply_patterns_canonicalization)) {
        size_t count;
        rw_pattern *canonical =
            transform_canonical_patterns(which->ctx, *n + OTHERS, &count);
        memcpy(canonical + count, *all, *n * sizeof **all);
        free(*all);
        *all = canonical;
        *n += count;
        return true;
    }
    if (which->def != TRANSFORM_OP(apply_patterns_scf_for_loop_canonicalization))
        return false;
    *all = tw_xrealloc(*all, (*n + OTHERS) * sizeof **all);
    (*all)[(*n)++] = (rw_pattern){AFFINE_OP(min), narrow_in_loop, NULL};
    (*all)[(*n)++] = (rw_pattern){AFFINE_OP(max), narrow_in_loop, NULL};
    return true;
}

static tf_outcome patterns(tf_interpreter *t, ir_op *step)
{
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    rw_pattern *all = tw_xmalloc(sizeof *all);
    size_t n = 0;
    tf_outcome outcome = TF_DONE;
    ir_block *body = ir_op_body(step, 0);
    for (ir_op *op = body ? body->first : NULL; op && outcome == TF_DONE; op = op->next)
        if (!add_patterns(op, &all, &n)) {
            ir_op_error(op, "is not executed by the interpreter of transforms");
            outcome = TF_DEFINITE;
        }
    int64_t iterations = ir_op_int(step, "max_iterations", -1);
    int64_t rewrites = ir_op_int(step, "max_num_rewrites", -1);
    rw_options options = {.max_iterations = (int)TW_MIN(iterations, INT32_MAX),
                          .max_rewrites = TW_MAX(rewrites, 0)};
    for (size_t i = 0; i < h->count && outcome == TF_DONE; i++) {
        if (h->ops[i])
            rw_greedy(h->ops[i], all, n, &options);
        if (h->ops[i] && ir_op_attr(step, "apply_cse"))
            outcome = cse_one(t, step, h->ops[i], NULL);
    }
    free(all);
    return outcome;
}

static const tf_step steps[] = {
    {TRANSFORM_OP(apply_registered_pass), apply_pass},
    {TRANSFORM_OP(apply_cse), cse},
    {TRANSFORM_OP(apply_dce), dce},
    {TRANSFORM_OP(apply_licm), licm},
    {TRANSFORM_OP(apply_patterns), patterns},
};
const tf_step_table tf_pattern_steps = {steps, TW_COUNT(steps)};
