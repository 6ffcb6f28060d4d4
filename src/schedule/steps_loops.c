/* steps_loops.c: loop transformations (transform.loop.*, transform.scf.*). */
#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"

#include <stdlib.h>

static bool is_for(const ir_op *op)
{
    return op->def == SCF_OP(for) || op->def == AFFINE_OP(for);
}

static tf_outcome wrong_kind(tf_interpreter *t, ir_op *step, ir_op *target)
{
    tf_outcome failed =
        tf_silenceable(t, step->loc, "transform applied to the wrong op kind");
    return tf_note(t, failed, target->loc, "when applied to this op");
}

/* ---- one loop after the other ------------------------------------------------------- */

static tf_outcome unroll_one(tf_interpreter *t, ir_op *step, ir_op *loop, ir_op **results)
{
    (void)results;
    if (!is_for(loop))
        return tf_silenceable(t, step->loc, "failed to unroll, incorrect type of payload");
    return loop_unroll(loop, (uint64_t)ir_op_int(step, "factor", 1))
               ? TF_DONE
               : tf_silenceable(t, step->loc, "failed to unroll");
}

static tf_outcome jam_one(tf_interpreter *t, ir_op *step, ir_op *loop, ir_op **results)
{
    (void)results;
    return loop_unroll_jam(loop, (uint64_t)ir_op_int(step, "factor", 1))
               ? TF_DONE
               : tf_silenceable(t, step->loc, "failed to unroll and jam");
}

static tf_outcome coalesce_one(tf_interpreter *t, ir_op *step, ir_op *loop, ir_op **results)
{
    results[0] = loop;
    return loop_coalesce(loop) ? TF_DONE
                               : tf_silenceable(t, step->loc, "failed to coalesce");
}

static tf_outcome peel_one(tf_interpreter *t, ir_op *step, ir_op *loop, ir_op **results)
{
    bool front = ir_op_bool(step, "peel_front");
    ir_op *other = front ? loop_peel_first(loop) : loop_peel_last(loop);
    if (!other)
        return tf_definite(t, step->loc, "failed to peel the %s iteration",
                           front ? "first" : "last");
    results[0] = loop;
    results[1] = other;
    return TF_DONE;
}

static tf_outcome promote_one(tf_interpreter *t, ir_op *step, ir_op *loop, ir_op **results)
{
    (void)results;
    if (!loop->def->interfaces || !ir_def_has(loop->def, "LoopLikeOpInterface"))
        return wrong_kind(t, step, loop);
    loop_promote(loop);
    return TF_DONE;
}

static tf_outcome branch_one(tf_interpreter *t, ir_op *step, ir_op *op, ir_op **results)
{
    bool other = ir_op_attr(step, "take_else_branch");
    ir_block *side = ir_op_body(op, other);
    (void)results;
    if (!side || side->next)
        return tf_definite(t, step->loc,
                           "requires an scf.if op with a single-block `%s` region",
                           other ? "else" : "then");
    ir_op *yield = side->last;
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_operand(yield, i));
    if (yield->prev)
        ir_block_splice(op->block, op, side, side->first, yield->prev);
    ir_op_erase(op);
    return TF_DONE;
}

static const struct {
    const ir_op_def *step;
    tf_each_fn *change;
    const ir_op_def *wanted;
} each[] = {
    {TRANSFORM_OP(loop_unroll), unroll_one, NULL},
    {TRANSFORM_OP(loop_unroll_and_jam), jam_one, NULL},
    {TRANSFORM_OP(loop_coalesce), coalesce_one, NULL},
    {TRANSFORM_OP(loop_peel), peel_one, SCF_OP(for)},
    {TRANSFORM_OP(loop_promote_if_one_iteration), promote_one, NULL},
    {TRANSFORM_OP(scf_take_assumed_branch), branch_one, SCF_OP(if)},
};

static tf_outcome apply_to_each(tf_interpreter *t, ir_op *step)
{
    for (size_t i = 0; i < TW_COUNT(each); i++)
        if (each[i].step == step->def)
            return tf_each(t, step, each[i].wanted, each[i].change);
    return TF_DEFINITE;
}

/* ---- all at once -------------------------------------------------------------------- */

static tf_outcome outline(tf_interpreter *t, ir_op *step)
{
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    tw_str name = ir_attr_str(ir_op_attr(step, "func_name"));
    ir_op **functions = tw_xmalloc((h->count + 1) * sizeof *functions);
    ir_op **calls = tw_xmalloc((h->count + 1) * sizeof *calls);
    tf_outcome outcome = TF_DONE;
    size_t n = 0;
    for (; n < h->count && outcome == TF_DONE; n++)
        if (!loop_outline(h->ops[n], name, &functions[n], &calls[n])) {
            outcome = tf_silenceable(t, step->loc, "failed to outline");
            tf_note(t, outcome, h->ops[n]->loc, "target op");
        }
    if (outcome == TF_DONE)
        outcome = tf_set_result(t, step, 0, functions, n);
    if (outcome == TF_DONE)
        outcome = tf_set_result(t, step, 1, calls, n);
    free(functions);
    free(calls);
    return outcome;
}

/* The only operation of a step's handle; NULL after recording the failure. */
static ir_op *only_target(tf_interpreter *t, ir_op *step, const ir_op_def *wanted,
                          tf_outcome *outcome)
{
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    if (h->count != 1) {
        *outcome = tf_silenceable(t, step->loc, "expected a single payload op");
        return NULL;
    }
    if (h->ops[0]->def == wanted)
        return h->ops[0];
    *outcome = tf_silenceable(t, step->loc, "expected the payload to be %s", wanted->name);
    tf_note(t, *outcome, h->ops[0]->loc, "payload op");
    return NULL;
}

static tf_outcome check_forall(tf_interpreter *t, ir_op *step, ir_op *forall)
{
    size_t dims = ir_op_body(forall, 0)->n_args - forall->n_results;
    if (forall->n_results)
        return tf_silenceable(t, step->loc,
                              "unsupported shared outputs (didn't bufferize?)");
    return dims && dims <= LOOP_CAPACITY
               ? TF_DONE
               : tf_silenceable(t, step->loc,
                                "is not implemented for %zu induction variables", dims);
}

static tf_outcome one_result(tf_interpreter *t, ir_op *step, ir_op *payload)
{
    if (step->n_results == 1)
        return TF_DONE;
    tf_outcome failed =
        tf_silenceable(t, step->loc, "op expects one result, given %u", step->n_results);
    return tf_note(t, failed, payload->loc, "payload op");
}

static tf_outcome forall_to_for(tf_interpreter *t, ir_op *step)
{
    ir_op *made[LOOP_CAPACITY];
    tf_outcome outcome = TF_DONE;
    ir_op *forall = only_target(t, step, SCF_OP(forall), &outcome);
    if (forall)
        outcome = check_forall(t, step, forall);
    if (outcome != TF_DONE)
        return outcome;
    uint32_t dims = ir_op_body(forall, 0)->n_args;
    if (dims != step->n_results) {
        outcome = tf_silenceable(
            t, step->loc,
            "op expects as many results (%u) as payload has induction variables (%u)",
            step->n_results, dims);
        return tf_note(t, outcome, forall->loc, "payload op");
    }
    loop_forall_to_for(forall, made);
    for (uint32_t i = 0; i < dims && outcome == TF_DONE; i++)
        outcome = tf_set_result(t, step, i, &made[i], 1);
    return outcome;
}

static tf_outcome forall_to_parallel(tf_interpreter *t, ir_op *step)
{
    tf_outcome outcome = TF_DONE;
    ir_op *forall = only_target(t, step, SCF_OP(forall), &outcome);
    if (forall)
        outcome = check_forall(t, step, forall);
    if (outcome == TF_DONE)
        outcome = one_result(t, step, forall);
    if (outcome != TF_DONE)
        return outcome;
    ir_op *made = loop_forall_to_parallel(forall);
    return tf_set_result(t, step, 0, &made, 1);
}

static tf_outcome parallel_to_for(tf_interpreter *t, ir_op *step)
{
    tf_outcome outcome = TF_DONE;
    ir_op *parallel = only_target(t, step, SCF_OP(parallel), &outcome);
    if (parallel)
        outcome = one_result(t, step, parallel);
    if (outcome != TF_DONE)
        return outcome;
    ir_loc at = parallel->loc;
    ir_op *made = loop_parallel_to_for(parallel);
    if (!made) {
        outcome = tf_silenceable(t, step->loc,
                                 "failed to convert a loop that reduces to nested fors");
        return tf_note(t, outcome, at, "payload op");
    }
    return tf_set_result(t, step, 0, &made, 1);
}

/* ---- fuse_sibling ------------------------------------------------------------------- */

/* The ancestor of `op` in the block, or `op` itself. */
static ir_op *in_block(ir_op *op, const ir_block *block)
{
    while (op && op->block != block)
        op = ir_op_parent(op);
    return op;
}

/* True if all values used by the loop, and by ops nested in it, are defined before
 * `source`. */
static bool reads_before(ir_op *loop, ir_op *source, bool inside)
{
    ir_op_list all = ir_ops_in(loop, NULL);
    bool fine = true;
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t k = 0; k < all.at[i]->n_operands; k++) {
            ir_op *producer = ir_value_def(ir_op_operand(all.at[i], k));
            ir_op *here = producer ? in_block(producer, loop->block) : NULL;
            if ((all.at[i] != loop) == inside && here && here != loop &&
                !ir_op_before(here, source))
                fine = false;
        }
    ir_op_list_free(&all);
    return fine;
}

/* Records why the loops cannot be fused at the position of the source. */
static tf_outcome check_siblings(tf_interpreter *t, ir_op *target, ir_op *source)
{
    if (target == source)
        return tf_silenceable(t, source->loc,
                              "target and source need to be different loops");
    if (target->block != source->block)
        return tf_silenceable(t, source->loc,
                              "target and source are not in the same block");
    if (ir_op_before(target, source)) {
        for (uint32_t i = 0; i < target->n_results; i++)
            for (ir_operand *use = target->results[i].uses; use; use = use->next_use) {
                ir_op *user = in_block(use->owner, source->block);
                if (user == source || !ir_op_before(source, user))
                    return tf_silenceable(t, target->loc,
                                          "user of results of target should be properly "
                                          "dominated by source");
            }
        return TF_DONE;
    }
    if (!reads_before(target, source, false))
        return tf_silenceable(t, target->loc,
                              "operands of target should be properly dominated by source");
    if (!reads_before(target, source, true))
        return tf_silenceable(t, target->loc,
                              "values used inside regions of target should be properly "
                              "dominated by source");
    return TF_DONE;
}

static tf_outcome fuse(tf_interpreter *t, ir_op *step)
{
    const tf_handle *targets = tf_ops(t, ir_op_operand(step, 0));
    const tf_handle *sources = tf_ops(t, ir_op_operand(step, 1));
    if (targets->count != 1 || sources->count != 1)
        return tf_definite(t, step->loc,
                           "requires exactly one target handle (got %zu) and exactly one "
                           "source handle (got %zu)",
                           targets->count, sources->count);
    ir_op *target = targets->ops[0], *source = sources->ops[0];
    tf_outcome outcome = check_siblings(t, target, source);
    if (outcome != TF_DONE)
        return outcome;
    ir_loc at = target->loc;
    ir_op *made = loop_fuse(target, source);
    if (!made)
        return tf_silenceable(t, at, "operations cannot be fused");
    return tf_set_result(t, step, 0, &made, 1);
}

/* ---- tile --------------------------------------------------------------------------- */

/* True if the loop is nested in a loop that was tiled already, or in one of the
 * handle's. */
static bool is_within(ir_op *const *done, size_t n, const ir_op *loop)
{
    for (size_t i = 0; i < n; i++)
        if (done[i] && ir_op_is_ancestor(done[i], loop))
            return true;
    return false;
}

/* Tiles each outermost loop of the handle together with its nested ones. */
static tf_outcome tile(tf_interpreter *t, ir_op *step)
{
    int64_t sizes[LOOP_CAPACITY];
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    int64_t n = ir_attr_ints(ir_op_attr(step, "tile_sizes"), sizes, LOOP_CAPACITY);
    ir_op **made = tw_xmalloc((h->count + 1) * sizeof *made);
    size_t n_made = 0;
    tf_outcome outcome = TF_DONE;
    for (size_t i = 0; i < h->count && outcome == TF_DONE; i++) {
        ir_op *loop = h->ops[i], *tiled = NULL;
        if (!loop || is_within(made, n_made, loop))
            continue;
        bool inner = false;
        for (size_t k = 0; k < h->count; k++)
            inner |= k != i && h->ops[k] && ir_op_is_ancestor(h->ops[k], loop);
        if (inner)
            continue;
        if (!is_for(loop))
            outcome = wrong_kind(t, step, loop);
        else if (!(tiled = loop_tile(loop, sizes, (size_t)n))) {
            outcome = tf_silenceable(t, step->loc, "failed to tile");
            tf_note(t, outcome, loop->loc, "when applied to this op");
        }
        made[n_made++] = tiled;
    }
    if (outcome == TF_DONE)
        outcome = tf_set_result(t, step, 0, made, n_made);
    free(made);
    return outcome;
}

static const tf_step steps[] = {
    {TRANSFORM_OP(loop_coalesce), apply_to_each},
    {TRANSFORM_OP(loop_forall_to_for), forall_to_for},
    {TRANSFORM_OP(loop_forall_to_parallel), forall_to_parallel},
    {TRANSFORM_OP(loop_fuse_sibling), fuse},
    {TRANSFORM_OP(loop_outline), outline},
    {TRANSFORM_OP(loop_parallel_for_to_nested_fors), parallel_to_for},
    {TRANSFORM_OP(loop_peel), apply_to_each},
    {TRANSFORM_OP(loop_promote_if_one_iteration), apply_to_each},
    {TRANSFORM_OP(loop_tile), tile},
    {TRANSFORM_OP(loop_unroll), apply_to_each},
    {TRANSFORM_OP(loop_unroll_and_jam), apply_to_each},
    {TRANSFORM_OP(scf_take_assumed_branch), apply_to_each},
};
const tf_step_table tf_loop_steps = {steps, TW_COUNT(steps)};
