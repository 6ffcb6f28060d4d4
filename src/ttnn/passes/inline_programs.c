/* inline_programs.c: what a function of TTNN calls becomes part of it, for plans: results
 * of const-eval functions (ttcore.load_cached), and other functions (func.call), which the
 * programs of a binary call, too.
 *
 * A callee frees its intermediate values, never its arguments: those are the caller's. */
#include "mlir/func/func.h"
#include "mlir/passes/passes.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"

enum {
    MAX_INLINED = 1 << 20, /* operations: files of a few lines could ask for more */
    MAX_CALLS = 1000,      /* within calls: each takes stack */
};

typedef struct inliner {
    ir_mapping *states; /* function -> VISITING or DONE */
    size_t inlined;
    int depth;
} inliner;

static char visiting, done;

/* Replaces a call by a copy of the function's only block. */
static void splice(ir_op *call, ir_op *func, bool frees)
{
    ir_mapping *map = ir_mapping_create();
    ir_block *from = ir_op_body(func, 0);
    for (uint32_t i = 0; i < from->n_args && i < call->n_operands; i++)
        ir_mapping_set(map, from->args[i], call->operands[i].value);
    for (ir_op *inner = from->first; inner && inner != from->last; inner = inner->next)
        if (inner->def != TTNN_OP(deallocate) ||
            (frees && !inner->operands[0].value->is_argument))
            ir_op_insert_before(ir_op_clone(inner, map), call);
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_value *v = ir_mapping_get(map, from->last->operands[i].value);
        ir_value_replace_uses(&call->results[i], v ? v : from->last->operands[i].value);
    }
    ir_mapping_free(map);
    ir_op_erase(call);
}

static ir_op *callee_of(ir_op *op)
{
    ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
    return callee && callee->def == FUNC_OP(func) && ir_op_body(callee, 0) ? callee : NULL;
}

/* ---- const-eval functions ------------------------------------------------------------ */

static ir_walk inline_load(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def != TTCORE_OP(load_cached))
        return IR_WALK_ON;
    ir_op *callee = callee_of(op);
    if (!callee) {
        *ok = ir_op_error(op, "has no callee with a body");
        return IR_WALK_STOP;
    }
    splice(op, callee, false);
    return IR_WALK_ON;
}

bool transform_inline_cached(ir_op *func)
{
    bool ok = true;
    ir_walk_post(func, inline_load, &ok);
    return ok;
}

/* ---- functions ----------------------------------------------------------------------- */

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call);
}

/* Calls at other levels than TTNN are inlined by the pipeline that lowers them. */
static bool is_of_ttnn(const ir_op *func)
{
    const ir_type type = ir_op_attr(func, "function_type")->type;
    const ir_type *results = ir_function_results(type);
    ttnn_layout l;
    for (uint32_t i = 0; i < type->count; i++)
        if (ttnn_layout_of(type->types[i], &l))
            return true;
    for (uint32_t i = 0; i < type->results; i++)
        if (ttnn_layout_of(results[i], &l))
            return true;
    return false;
}

/* Callees first: what is inlined has no calls left, save those that cannot be. */
static bool inline_calls(inliner *in, ir_op *func)
{
    bool ok = true;
    in->depth++;
    ir_mapping_set(in->states, func, &visiting);
    ir_op_list calls = ir_ops_in(func, is_call);
    for (size_t i = 0; i < calls.n && ok; i++) {
        ir_op *call = calls.at[i], *callee = callee_of(call);
        if (!callee || callee->regions[0].first != callee->regions[0].last ||
            !is_of_ttnn(callee))
            continue;
        if (!ir_mapping_get(in->states, callee))
            ok = in->depth < MAX_CALLS
                     ? inline_calls(in, callee)
                     : ir_op_error(call,
                                   "is within %d calls, the most that a program may "
                                   "have: call fewer functions within functions",
                                   MAX_CALLS);
        if (!ok || ir_mapping_get(in->states, callee) == &visiting)
            continue;
        for (ir_op *op = ir_op_body(callee, 0)->first; op; op = op->next)
            in->inlined++;
        if (in->inlined > MAX_INLINED)
            ok = ir_op_error(call,
                             "makes the program larger than %d operations, with what "
                             "it calls in place of calls",
                             MAX_INLINED);
        else
            splice(call, callee, true);
    }
    ir_op_list_free(&calls);
    in->depth--;
    ir_mapping_set(in->states, func, &done);
    return ok;
}

bool transform_inline_programs(ir_op *func)
{
    inliner in = {.states = ir_mapping_create()};
    const bool ok = inline_calls(&in, func);
    ir_mapping_free(in.states);
    return ok;
}
