/* fold_full_to_scalar.c: ttir-fold-full-to-scalar: a filled tensor that only feeds
 * operations that broadcast needs one element.  Where the tensor gave a user its shape, the
 * user's result is broadcast instead. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

static bool all_broadcast(const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!(use->owner->def->traits & IR_BROADCASTABLE) || use->owner->n_results != 1)
            return false;
    return v->uses != NULL;
}

/* Gives the user the shape that its operands have now, and its users the old one. */
static void mend(ir_op *user, rw_rewriter *rw)
{
    ir_value *result = &user->results[0];
    ir_type was = result->type, now = ttir_implied_type(user);
    if (now == was)
        return;
    result->type = now;
    int64_t factors[TTIR_MAX_DIMS];
    for (uint32_t d = 0; d < was->count; d++)
        factors[d] = was->dims[d] == now->dims[d] ? 1 : was->dims[d];
    ir_builder b = ir_builder_after(user);
    ir_op *broadcast = ir_build_op(
        &b, TTIR_OP(broadcast), &was, 1, NULL, 0,
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b.ctx, factors, was->count)}),
        0);
    rw_replace_uses(rw, result, ir_op_result(broadcast, 0));
    ir_op_splice_operands(broadcast, 0, 0, &result, 1);
    rw_modified(rw, user);
}

static bool fold(ir_op *op, rw_rewriter *rw)
{
    ir_value *v = &op->results[0];
    int64_t ones[TTIR_MAX_DIMS];
    uint32_t rank = v->type->count;
    if (rank > TTIR_MAX_DIMS || ir_type_num_elements(v->type) <= 1 || !all_broadcast(v))
        return false;
    for (uint32_t d = 0; d < rank; d++)
        ones[d] = 1;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner->results[0].type->count > TTIR_MAX_DIMS)
            return false;
    ir_value *one = ir_build1(
        &rw->b, op->def, ir_type_with_shape(v->type, ones, rank), NULL, 0,
        IR_ATTRS({"shape", ir_dense_i32_array(op->ctx, ones, rank)},
                 {"fill_value",
                  op->def == TTIR_OP(full) ? ir_op_attr(op, "fill_value") : NULL}));
    rw_replace1(rw, op, one);
    for (ir_operand *use = one->uses, *next; use; use = next) {
        next = use->next_use;
        mend(use->owner, rw);
    }
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{TTIR_OP(full), fold, NULL},
                                   {TTIR_OP(ones), fold, NULL},
                                   {TTIR_OP(zeros), fold, NULL}};
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    return true;
}

const pass_def ttir_fold_full_to_scalar_pass = {
    .name = "ttir-fold-full-to-scalar",
    .summary = "Let filled tensors that are broadcast have one element",
    .anchor = "builtin.module",
    .run = run,
};
