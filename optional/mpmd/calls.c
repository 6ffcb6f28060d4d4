/* calls.c: mpmd.call: inlining, numbering and removal of unused arguments; and unrolling
 * of loops. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "stablehlo/build.h"

static bool is_call(const ir_op *op)
{
    return op->def == MPMD_OP(call);
}

/* ---- inlining ----------------------------------------------------------------------- */

static ir_walk mark(ir_op *op, void *user)
{
    ir_op *call = user;
    if (!mpmd_is_fragment(op) && op->def != MPMD_OP(fragment_call))
        return IR_WALK_ON;
    for (uint32_t i = 0; call->attrs && i < call->attrs->count; i++)
        ir_op_set_attr(op, call->attrs->entries[i].name->text,
                       call->attrs->entries[i].value);
    return IR_WALK_ON;
}

/* Sets the call's attributes on the inlined fragments. */
static void inline_call(ir_op *call, ir_op *callee)
{
    ir_block *body = ir_op_body(callee, 0);
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], call->operands[i].value);
    for (ir_op *op = body->first; op != body->last; op = op->next) {
        ir_op *copy = ir_op_clone(op, map);
        ir_walk_pre(copy, mark, call);
        ir_op_insert_before(copy, call);
    }
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_value *v = body->last->operands[i].value, *made = ir_mapping_get(map, v);
        ir_value_replace_uses(&call->results[i], made ? made : v);
    }
    ir_mapping_free(map);
    ir_op_erase(call);
}

bool mpmd_call_inline(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list calls = ir_ops_in_post(module, is_call);
    bool ok = true;
    for (size_t i = 0; ok && i < calls.n; i++) {
        ir_op *callee = mpmd_callee(calls.at[i]);
        if (!callee || mpmd_end(callee)->n_operands != calls.at[i]->n_results ||
            ir_op_body(callee, 0)->n_args != calls.at[i]->n_operands)
            ok = ir_op_error(calls.at[i], "calls no function with a body and this many "
                                          "arguments and results, so it cannot be inlined");
        else if (ir_op_is_ancestor(callee, calls.at[i]))
            ok = ir_op_error(calls.at[i], "calls the function that it is in, so it cannot "
                                          "be inlined");
        else
            inline_call(calls.at[i], callee);
    }
    ir_op_list_free(&calls);
    return ok;
}

/* ---- counters ----------------------------------------------------------------------- */

bool mpmd_from_unroll_to_call_counter(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list calls = ir_ops_in(func, is_call);
    for (size_t i = 0; i < calls.n; i++) {
        ir_attr counter = ir_op_attr(calls.at[i], MPMD_UNROLL_COUNTER);
        if (!ir_attr_is(counter, IR_ATTR_INTEGER))
            continue;
        ir_op_set_attr(calls.at[i], MPMD_CALL_COUNTER, counter);
        ir_op_set_attr(calls.at[i], MPMD_UNROLL_COUNTER, NULL);
    }
    ir_op_list_free(&calls);
    return true;
}

/* ---- arguments that are returned unchanged ------------------------------------------ */

static bool only_returned(const ir_value *arg, const ir_op *end)
{
    for (ir_operand *use = arg->uses; use; use = use->next_use)
        if (use->owner != end)
            return false;
    return true;
}

static void erase_function_results(ir_op *func, const bool *erased)
{
    ir_op *end = mpmd_end(func);
    ir_attr attrs = ir_op_attr(func, "res_attrs");
    ir_attr *items = tw_xmalloc((end->n_operands + 1u) * sizeof *items);
    uint32_t n = end->n_operands, kept = 0;
    for (uint32_t i = 0; ir_attr_is(attrs, IR_ATTR_ARRAY) && i < n; i++)
        if (!erased[i])
            items[kept++] = attrs->items[i];
    for (uint32_t i = n; i-- > 0;)
        if (erased[i])
            ir_op_splice_operands(end, i, 1, NULL, 0);
    func_refresh_type(func);
    if (attrs)
        ir_op_set_attr(func, "res_attrs", ir_array_attr(func->ctx, items, kept));
    free(items);
}

/* Replaces call results by the operands passed, so that both can be erased. */
static void bypass(ir_op *call, ir_op *func, const bool *args, const bool *results)
{
    ir_op *end = mpmd_end(func);
    for (uint32_t i = 0; i < end->n_operands; i++)
        if (results[i])
            ir_value_replace_uses(&call->results[i],
                                  call->operands[end->operands[i].value->index].value);
    call = mpmd_erase_results(call, results);
    mpmd_erase_operands(call, args);
    if (!call->n_results)
        ir_op_erase(call);
}

static void erase_unused_arguments(ir_op *func)
{
    ir_op_list calls = mpmd_calls_of(func);
    ir_block *body = ir_op_body(func, 0);
    ir_op *end = body->last;
    bool *args = tw_xcalloc(body->n_args + 1u, sizeof *args), any = false, all = true;
    uint32_t max = end->n_operands;
    for (size_t i = 0; i < calls.n; i++)
        max = TW_MAX(max, calls.at[i]->n_results);
    bool *results = tw_xcalloc(max + 1u, sizeof *results);
    for (uint32_t i = 0; calls.n && i < body->n_args; i++)
        any |= args[i] = only_returned(body->args[i], end);
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        results[i] = any && v->is_argument && args[v->index];
        all &= results[i];
    }
    for (size_t i = 0; any && i < calls.n; i++)
        bypass(calls.at[i], func, args, results);
    if (any && all) {
        ir_op_erase(func);
    } else if (any) {
        erase_function_results(func, results);
        for (uint32_t i = body->n_args; i-- > 0;)
            if (args[i])
                func_erase_arg(func, i);
    }
    free(args);
    free(results);
    ir_op_list_free(&calls);
}

bool mpmd_erase_unused_callee_block_arguments(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first, *next; op; op = next) {
        next = op->next;
        if (mpmd_is_function(op) && !mpmd_is_entry(op))
            erase_unused_arguments(op);
    }
    return true;
}

/* ---- loops -------------------------------------------------------------------------- */

static bool is_loop(const ir_op *op)
{
    return op->def == MPMD_OP(for);
}

/* Emits one iteration before the loop; the loop's operands become its results. */
static void unroll_iteration(ir_op *loop, int64_t iteration, int64_t counter)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_mapping *map = ir_mapping_create();
    ir_builder b = ir_builder_before(loop);
    ir_value *index =
        hlo_constant(&b, ir_dense_splat_int(body->args[body->n_args - 1]->type, iteration));
    mpmd_set_counter(ir_value_def(index), MPMD_UNROLL_COUNTER, counter);
    for (uint32_t i = 0; i + 1 < body->n_args; i++)
        ir_mapping_set(map, body->args[i], loop->operands[i].value);
    ir_mapping_set(map, body->args[body->n_args - 1], index);
    for (ir_op *op = body->first; op != body->last; op = op->next) {
        ir_op *copy = ir_op_clone(op, map);
        mpmd_set_counter(copy, MPMD_UNROLL_COUNTER, counter);
        ir_op_insert_before(copy, loop);
    }
    for (uint32_t i = 0; i < loop->n_operands; i++) {
        ir_value *v = body->last->operands[i].value, *made = ir_mapping_get(map, v);
        ir_op_set_operand(loop, i, made ? made : v);
    }
    ir_mapping_free(map);
}

bool mpmd_unroll_for_loops(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_distributed(func))
        return true;
    ir_op_list loops = ir_ops_in(func, is_loop);
    int64_t counter = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < loops.n; i++) {
        ir_op *loop = loops.at[i];
        int64_t iterations = ir_op_int(loop, "iterations", 0);
        if (is_loop(ir_op_parent(loop)))
            ok = ir_error_at_op(loop, "Nested fori loops aren't supported. Please contact "
                                      "OWNERs if you need this feature.");
        else if (ir_op_int(loop, "unroll_factor", -1) != iterations)
            ok = ir_error_at_op(loop, "The unroll factor is required to be the same as the "
                                      "number of iterations.");
    }
    for (size_t i = 0; ok && i < loops.n; i++) {
        ir_op *loop = loops.at[i];
        int64_t iterations = ir_op_int(loop, "iterations", 0);
        for (int64_t r = 0; r < iterations; r++)
            unroll_iteration(loop, r, counter++);
        for (uint32_t k = 0; k < loop->n_results; k++)
            ir_value_replace_uses(&loop->results[k], loop->operands[k].value);
        ir_op_erase(loop);
    }
    ir_op_list_free(&loops);
    return ok;
}
