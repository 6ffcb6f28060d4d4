/* inline.c: inlines function bodies at their calls.
 *
 * Functions are visited callees first.  Each is canonicalized, then its calls are inlined,
 * up to `max-iterations` times; private functions without remaining uses are erased.
 * Recursive functions are not inlined, nor are calls marked no_inline and bodies with
 * operations of dialects that do not allow it. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "mlir/passes/canonical.h"
#include "mlir/passes/symbol_refs.h"

#include <stdlib.h>

typedef struct inliner {
    ir_op *root;
    ir_op **functions; /* callees first */
    size_t count, capacity;
    ir_mapping *state; /* function -> visit_state */
    const pass_run *run;
    const char *failed;
    int64_t iterations, threshold;
} inliner;

enum { VISITING = 1, DONE = 2, RECURSIVE = 3 };

static uintptr_t state_of(const inliner *in, const ir_op *f)
{
    return (uintptr_t)ir_mapping_get(in->state, f);
}

static void set_state(inliner *in, const ir_op *f, uintptr_t state)
{
    ir_mapping_set(in->state, f, (void *)state);
}

static bool has_body(const ir_op *f)
{
    return f && f->def == FUNC_OP(func) && f->regions[0].first;
}

static ir_op *callee_of(ir_op *call)
{
    if (call->def != FUNC_OP(call))
        return NULL;
    ir_op *f = ir_symbol_resolve(call, ir_op_attr(call, "callee"));
    return has_body(f) ? f : NULL;
}

/* ---- order -------------------------------------------------------------------------- */

static void visit(inliner *in, ir_op *f);

static ir_walk visit_call(ir_op *op, void *user)
{
    inliner *in = user;
    ir_op *callee = callee_of(op);
    if (callee) {
        if (state_of(in, callee) == VISITING)
            set_state(in, callee, RECURSIVE);
        else if (!state_of(in, callee))
            visit(in, callee);
    }
    return IR_WALK_ON;
}

static void visit(inliner *in, ir_op *f)
{
    set_state(in, f, VISITING);
    ir_walk_pre(f, visit_call, in);
    if (state_of(in, f) == VISITING)
        set_state(in, f, DONE);
    TW_PUSH(in->functions, in->count, in->capacity, f);
}

static ir_walk visit_function(ir_op *op, void *user)
{
    inliner *in = user;
    if (has_body(op) && !state_of(in, op))
        visit(in, op);
    return IR_WALK_ON;
}

/* ---- one call ----------------------------------------------------------------------- */

static ir_walk is_foreign(ir_op *op, void *user)
{
    const ir_dialect *d = ir_context_dialect_of(op->ctx, tw_str_from(op->def->name));
    (void)user;
    return d && d->allow_inline ? IR_WALK_ON : IR_WALK_STOP;
}

static ir_walk count_op(ir_op *op, void *user)
{
    (void)op;
    ++*(int64_t *)user;
    return IR_WALK_ON;
}

static int64_t op_count(ir_op *f)
{
    int64_t n = 0;
    ir_walk_pre(f, count_op, &n);
    return n;
}

static bool may_inline(inliner *in, ir_op *caller, ir_op *call, ir_op *callee)
{
    if (callee == caller || state_of(in, callee) == RECURSIVE ||
        ir_op_attr(call, "no_inline") || ir_op_attr(callee, "no_inline") ||
        ir_op_is_ancestor(callee, call))
        return false;
    /* Several blocks can be inlined only into a region that allows several. */
    ir_region *body = &callee->regions[0];
    if (body->first != body->last &&
        ((ir_op_parent(call)->def->traits & IR_SINGLE_BLOCK) ||
         ir_def_rule(ir_op_parent(call)->def, "SingleBlockImplicitTerminator",
                     &(tw_str){0})))
        return false;
    if (in->threshold >= 0 && !ir_symbol_is_private(callee) &&
        op_count(callee) * 100 > op_count(caller) * in->threshold)
        return false;
    return ir_walk_pre(callee, is_foreign, NULL) != IR_WALK_STOP;
}

/* loc(callsite(inner at call)) */
static ir_walk relocate(ir_op *op, void *user)
{
    ir_op *call = user;
    ir_context *ctx = op->ctx;
    op->loc = ir_loc_from_attr(
        ir_loc_callsite_attr(ctx, ir_loc_attr(ctx, op->loc), ir_loc_attr(ctx, call->loc)));
    return IR_WALK_ON;
}

static void replace_results(ir_op *call, ir_op *ret)
{
    for (uint32_t i = 0; i < call->n_results; i++)
        ir_value_replace_uses(&call->results[i], ret->operands[i].value);
}

static void inline_block(ir_op *call, ir_op *callee)
{
    ir_block *body = callee->regions[0].first;
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], call->operands[i].value);
    for (ir_op *op = body->first; op; op = op->next) {
        ir_op *copy = ir_op_clone(op, map);
        ir_walk_pre(copy, relocate, call);
        if (op == body->last) {
            replace_results(call, copy);
            ir_op_erase(copy);
        } else {
            ir_op_insert_before(copy, call);
        }
    }
    ir_mapping_free(map);
    ir_op_erase(call);
}

static const ir_op_def *branch_def(ir_context *ctx)
{
    return ir_context_op_def(ctx, TW_STR("cf.br"));
}

static ir_op *make_branch(ir_context *ctx, ir_loc loc, ir_block *to, ir_value **values,
                          size_t n)
{
    return ir_op_create(ctx, &(ir_op_state){.def = branch_def(ctx),
                                            .loc = loc,
                                            .operands = values,
                                            .n_operands = n,
                                            .successors = &to,
                                            .n_successors = 1});
}

/* Splits the caller's block after the call, inserts copies of the callee's blocks between,
 * and turns its returns into branches to the rest. */
static void inline_blocks(ir_op *call, ir_op *callee)
{
    ir_context *ctx = call->ctx;
    ir_block *home = call->block, *rest = ir_block_create(ctx);
    if (home->next)
        ir_block_insert_before(rest, home->next);
    else
        ir_region_append(home->region, rest);
    if (call->next)
        ir_block_splice(rest, NULL, home, call->next, home->last);
    for (uint32_t i = 0; i < call->n_results; i++)
        ir_value_replace_uses(
            &call->results[i],
            ir_block_add_arg(ctx, rest, call->results[i].type, call->loc));

    ir_op *copy = ir_op_clone(callee, NULL);
    ir_walk_pre(copy, relocate, call);
    ir_region *body = &copy->regions[0];
    ir_block *entry = body->first;
    for (uint32_t i = 0; i < entry->n_args; i++)
        ir_value_replace_uses(entry->args[i], call->operands[i].value);
    for (ir_block *b = body->first; b; b = b->next) {
        ir_op *ret = b->last;
        if (ret->def != FUNC_OP(return ))
            continue;
        ir_value **values = tw_xmalloc(ret->n_operands * sizeof *values);
        for (uint32_t i = 0; i < ret->n_operands; i++)
            values[i] = ret->operands[i].value;
        ir_block_append(b, make_branch(ctx, ret->loc, rest, values, ret->n_operands));
        free(values);
        ir_op_erase(ret);
    }
    ir_block_splice(home, call, entry, entry->first, entry->last);
    ir_region others = {0};
    ir_block_erase(ctx, entry);
    ir_region_take(&others, body);
    while (others.first) {
        ir_block *b = others.first;
        others.first = b->next;
        b->prev = b->next = NULL;
        ir_block_insert_before(b, rest);
    }
    ir_op_erase(copy);
    ir_op_erase(call);
}

/* ---- one function ------------------------------------------------------------------- */

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call);
}

static bool inline_calls(inliner *in, ir_op *caller)
{
    ir_op_list c = ir_ops_in(caller, is_call);
    bool any = false;
    for (size_t i = 0; i < c.n; i++) {
        ir_op *callee = callee_of(c.at[i]);
        if (!callee || !may_inline(in, caller, c.at[i], callee))
            continue;
        if (callee->regions[0].first == callee->regions[0].last)
            inline_block(c.at[i], callee);
        else if (branch_def(caller->ctx))
            inline_blocks(c.at[i], callee);
        else
            continue;
        any = true;
    }
    ir_op_list_free(&c);
    return any;
}

static bool optimize(inliner *in, ir_op *f)
{
    tw_str pipeline = pass_option_str(in->run, "default-pipeline");
    if (tw_str_is(pipeline, "canonicalize")) {
        rw_options options = {0};
        transform_canonicalize(f, &options, (tw_str){0}, (tw_str){0});
        return true;
    }
    return !pipeline.size || pass_run_nested(in->run, pipeline, f);
}

/* ---- clean-up ----------------------------------------------------------------------- */

static void note_use(ir_op *op, ir_attr ref, void *user)
{
    ir_op *target = ir_symbol_resolve(op, ref);
    if (target)
        ir_mapping_set(user, target, target);
}

static ir_walk note_uses(ir_op *op, void *user)
{
    symbol_refs_of(op, note_use, user);
    return IR_WALK_ON;
}

/* Callers come later in the list than their callees: backwards, so that a chain of dead
 * functions takes few iterations. */
static void erase_dead(inliner *in)
{
    for (bool again = true; again;) {
        again = false;
        ir_mapping *used = ir_mapping_create();
        ir_walk_pre(in->root, note_uses, used);
        for (size_t i = in->count; i-- > 0;) {
            ir_op *f = in->functions[i];
            if (f && ir_symbol_is_private(f) && !ir_mapping_get(used, f) && f != in->root) {
                ir_op_erase(f);
                in->functions[i] = NULL;
                again = true;
            }
        }
        ir_mapping_free(used);
    }
}

static bool run(ir_op *op, pass_run *run)
{
    inliner in = {.root = op,
                  .state = ir_mapping_create(),
                  .run = run,
                  .iterations = pass_option_int(run, "max-iterations"),
                  .threshold = pass_option_int(run, "inlining-threshold")};
    bool ok = true;
    ir_walk_pre(op, visit_function, &in);
    erase_dead(&in);
    for (size_t i = 0; ok && i < in.count; i++)
        for (int64_t n = 0; ok && in.functions[i] && n < TW_MAX(in.iterations, 1); n++) {
            ok = optimize(&in, in.functions[i]);
            if (!ok || !inline_calls(&in, in.functions[i]))
                break;
        }
    if (ok)
        erase_dead(&in);
    free(in.functions);
    ir_mapping_free(in.state);
    return ok;
}

const pass_def inline_pass = {
    .name = "inline",
    .title = "Inliner",
    .summary = "Inline function calls",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"default-pipeline", PASS_STRING, "canonicalize",
         "The optimizer pipeline used for callables that do not have a dedicated "
         "optimizer pipeline"},
        {"max-iterations", PASS_INT, "4",
         "Maximum number of iterations when inlining within an SCC"},
        {"inlining-threshold", PASS_INT, "-1",
         "If the ratio between the number of the operations in the callee and the "
         "number of the operations in the caller exceeds this value (in percentage), "
         "then the callee is not inlined even if it is legal to inline it"}),
};
