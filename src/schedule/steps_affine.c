/* steps_affine.c: simplifies affine.min and affine.max of values with bounds given by the
 * sequence or by enclosing loops (transform.affine.*). */
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/loops/bounded.h"
#include "mlir/loops/loops.h"
#include "mlir/passes/canonical.h"
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"

static bool is_loop(const ir_op *op)
{
    return op->def->interfaces && ir_def_has(op->def, "LoopLikeOpInterface");
}

/* The operations to simplify, including those created meanwhile. */
typedef struct simplification {
    ir_mapping *targets;
    const bounded *known; /* NULL: only the surroundings of each op */
    bool inside;          /* loops only: their bounds hold, too */
} simplification;

static bool narrow(ir_op *op, rw_rewriter *rw, const simplification *s)
{
    bounded bounds;
    affine_mapping m;
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    if (s->known)
        bounds = *s->known;
    else
        bounded_begin(&bounds, op->ctx);
    if (!s->known || s->inside)
        bounded_add_surroundings(&bounds, op);
    if (!bounded_narrow(&bounds, op, s->known != NULL, &m))
        return false;
    ir_value *made =
        m.n_results == 1
            ? loop_affine_value(&rw->b, &m)
            : ir_build1(
                  &rw->b, op->def, op->results[0].type, values,
                  affine_mapping_values(&m, values),
                  IR_ATTRS({"map", ir_affine_map_attr(op->ctx, affine_mapping_map(&m))}));
    if (m.n_results > 1)
        ir_mapping_set(s->targets, ir_value_def(made), op);
    rw_replace1(rw, op, made);
    return true;
}

/* Applies the bounds, then canonicalizes; only targets. */
static bool simplify(ir_op *op, rw_rewriter *rw)
{
    const simplification *s = rw->user;
    if (!ir_mapping_get(s->targets, op))
        return false;
    if (narrow(op, rw, s))
        return true;
    for (size_t i = 0; i < canonicalize_affine.count; i++)
        if (canonicalize_affine.at[i].root == op->def)
            return canonicalize_affine.at[i].apply(op, rw);
    return false;
}

/* Adds the affine.min and affine.max operations nested in a loop. */
static void add_inner(ir_op *loop, ir_mapping *out)
{
    ir_op_list all = ir_ops_in(loop, NULL);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i]->def == AFFINE_OP(min) || all.at[i]->def == AFFINE_OP(max))
            ir_mapping_set(out, all.at[i], all.at[i]);
    ir_op_list_free(&all);
}

/* Collects the targets of a step, which must be affine.min or affine.max, or loops that
 * contain them. */
static tf_outcome collect_targets(tf_interpreter *t, ir_op *step, const bounded *known,
                                  ir_mapping *out)
{
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    for (size_t i = 0; i < h->count; i++) {
        ir_op *op = h->ops[i];
        if (is_loop(op)) {
            add_inner(op, out);
            continue;
        }
        if (op->def != AFFINE_OP(min) && op->def != AFFINE_OP(max)) {
            tf_outcome failed =
                tf_definite(t, step->loc, "target must be affine.min or affine.max");
            return tf_note(t, failed, op->loc, "target op");
        }
        for (size_t k = 0; known && k < known->n; k++)
            if (known->values[k] == &op->results[0]) {
                tf_outcome failed =
                    tf_definite(t, step->loc, "target op result must not be constrainted");
                return tf_note(t, failed, op->loc, "target/constrained op");
            }
        ir_mapping_set(out, op, op);
    }
    return TF_DONE;
}

static tf_outcome simplify_targets(tf_interpreter *t, ir_op *step, const bounded *known)
{
    static const rw_pattern patterns[] = {
        {AFFINE_OP(min), simplify, NULL},
        {AFFINE_OP(max), simplify, NULL},
    };
    simplification s = {.targets = ir_mapping_create(), .known = known};
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 0));
    s.inside = h->count && is_loop(h->ops[0]);
    rw_options options = {.no_fold = true,
                          .no_dce = true,
                          .no_constant_cse = true,
                          .regions = RW_REGIONS_DISABLED,
                          .user = &s};
    tf_outcome outcome = collect_targets(t, step, known, s.targets);
    if (outcome == TF_DONE)
        rw_greedy(t->module, patterns, TW_COUNT(patterns), &options);
    ir_mapping_free(s.targets);
    return outcome;
}

static tf_outcome add_bounds(tf_interpreter *t, ir_op *step, uint32_t i, bounded *known)
{
    const tf_handle *h = tf_ops(t, ir_op_operand(step, 1 + i));
    int64_t low = ir_dense_array_int(ir_op_attr(step, "lower_bounds"), i);
    int64_t high = ir_dense_array_int(ir_op_attr(step, "upper_bounds"), i);
    for (size_t k = 0; k < h->count; k++) {
        ir_op *op = h->ops[k];
        if (op->n_results != 1 || op->results[0].type->kind != IR_TYPE_INDEX) {
            tf_outcome failed =
                tf_definite(t, step->loc,
                            "expected bounded value handle to point to one or multiple "
                            "single-result index-typed ops");
            return tf_note(t, failed, op->loc, "multiple/non-index result");
        }
        if (high > INT64_MIN) /* the upper one is exclusive */
            bounded_add_range(known, &op->results[0], low, high - 1);
    }
    return TF_DONE;
}

static tf_outcome simplify_bounded(tf_interpreter *t, ir_op *step)
{
    bounded known;
    tf_outcome outcome = TF_DONE;
    bounded_begin(&known, step->ctx);
    for (uint32_t i = 0; i + 1 < step->n_operands && outcome == TF_DONE; i++)
        outcome = add_bounds(t, step, i, &known);
    return outcome == TF_DONE ? simplify_targets(t, step, &known) : outcome;
}

static tf_outcome simplify_min_max(tf_interpreter *t, ir_op *step)
{
    return simplify_targets(t, step, NULL);
}

static const tf_step steps[] = {
    {TRANSFORM_OP(affine_simplify_bounded_affine_ops), simplify_bounded},
    {TRANSFORM_OP(affine_simplify_min_max_affine_ops), simplify_min_max},
};
const tf_step_table tf_affine_steps = {steps, TW_COUNT(steps)};
