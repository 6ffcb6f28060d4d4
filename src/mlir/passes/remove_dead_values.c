/* remove_dead_values.c: deletes values that no effect and no public result depends on.
 *
 * Live are the operands of operations with effects and of public functions' returns, and
 * everything they depend on.  A private function that is only called keeps the arguments
 * that its body needs and the results that some call needs; calls are changed
 * accordingly. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "mlir/passes/call_graph.h"

#include <stdlib.h>

typedef struct liveness {
    ir_mapping *live; /* values and operations */
    call_graph calls;
    ir_value **todo;
    size_t n_todo, todo_capacity;
} liveness;

/* ---- functions referenced only by calls --------------------------------------------- */

typedef called_function function;

static function *find(const liveness *l, const ir_op *f)
{
    function *found = call_graph_find(&l->calls, f);
    return found && !found->escapes ? found : NULL;
}

static function *called(const liveness *l, ir_op *op)
{
    function *found = call_graph_callee(&l->calls, op);
    return found && !found->escapes ? found : NULL;
}

/* ---- liveness ----------------------------------------------------------------------- */

static bool is_live(const liveness *l, const void *p)
{
    return ir_mapping_get(l->live, p) != NULL;
}

static void mark(liveness *l, ir_value *v)
{
    if (is_live(l, v))
        return;
    ir_mapping_set(l->live, v, v);
    TW_PUSH(l->todo, l->n_todo, l->todo_capacity, v);
}

static void visit_op(liveness *l, ir_op *op);

static void make_live(liveness *l, ir_op *op)
{
    if (is_live(l, op))
        return;
    ir_mapping_set(l->live, op, op);
    bool waits =
        called(l, op) || (op->def == FUNC_OP(return ) && find(l, ir_op_parent(op)));
    for (uint32_t i = 0; i < op->n_operands && !waits; i++)
        mark(l, op->operands[i].value);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                visit_op(l, o);
}

/* Operations without effects become live through their results.  Reads and allocations
 * count as effects here, as in mlir-opt. */
static void visit_op(liveness *l, ir_op *op)
{
    if (rw_effects(op) != 0 || !rw_would_be_dead(op))
        make_live(l, op);
}

static void mark_returns(liveness *l, function *f, uint32_t index)
{
    for (ir_block *b = f->op->regions[0].first; b; b = b->next)
        if (b->last && b->last->def == FUNC_OP(return ))
            mark(l, b->last->operands[index].value);
}

static void trace(liveness *l)
{
    while (l->n_todo) {
        ir_value *v = l->todo[--l->n_todo];
        ir_op *def = ir_value_def(v);
        function *f = def ? called(l, def) : NULL;
        if (f) {
            mark_returns(l, f, v->index);
        } else if (def) {
            make_live(l, def);
        } else {
            ir_block *b = v->owner;
            f = b->region ? find(l, b->region->owner) : NULL;
            if (f && b == f->op->regions[0].first)
                for (size_t i = 0; i < f->count; i++)
                    mark(l, f->calls[i]->operands[v->index].value);
        }
    }
}

/* ---- removal ------------------------------------------------------------------------ */

/* The entries of an array attribute that are kept. */
static ir_attr kept_items(ir_context *ctx, ir_attr array, const bool *keep)
{
    if (!ir_attr_is(array, IR_ATTR_ARRAY))
        return array;
    ir_attr *items = tw_xmalloc(array->count * sizeof *items);
    size_t n = 0;
    for (uint32_t i = 0; i < array->count; i++)
        if (keep[i])
            items[n++] = array->items[i];
    ir_attr result = n ? ir_array_attr(ctx, items, n) : NULL;
    free(items);
    return result;
}

static void drop_operands(ir_op *op, const bool *keep)
{
    for (uint32_t i = op->n_operands; i-- > 0;)
        if (!keep[i])
            ir_op_splice_operands(op, i, 1, NULL, 0);
}

/* Recreates the call with the kept results. */
static void drop_results(ir_op *call, const bool *keep)
{
    ir_type *types = tw_xmalloc(call->n_results * sizeof *types);
    ir_value **operands = tw_xmalloc(call->n_operands * sizeof *operands);
    size_t n = 0;
    for (uint32_t i = 0; i < call->n_results; i++)
        if (keep[i])
            types[n++] = call->results[i].type;
    for (uint32_t i = 0; i < call->n_operands; i++)
        operands[i] = call->operands[i].value;
    ir_op *copy = ir_op_create(call->ctx, &(ir_op_state){.def = call->def,
                                                         .loc = call->loc,
                                                         .operands = operands,
                                                         .n_operands = call->n_operands,
                                                         .results = types,
                                                         .n_results = n,
                                                         .no_defaults = true});
    copy->attrs = call->attrs;
    memcpy(copy->props, call->props, ir_def_n_props(call->def) * sizeof *call->props);
    ir_op_insert_before(copy, call);
    for (uint32_t i = 0, k = 0; i < call->n_results; i++)
        if (keep[i])
            ir_value_replace_uses(&call->results[i], &copy->results[k++]);
    ir_op_erase(call);
    free(types);
    free(operands);
}

/* Removes dropped arguments and results from the function's type. */
static void set_signature(ir_op *f, const bool *args, const bool *results)
{
    ir_type old = ir_op_attr(f, "function_type")->type;
    ir_type *types = tw_xmalloc((old->count + old->results) * sizeof *types);
    size_t n_in = 0, n_out = 0;
    for (uint32_t i = 0; i < old->count; i++)
        if (args[i])
            types[n_in++] = old->types[i];
    for (uint32_t i = 0; i < old->results; i++)
        if (results[i])
            types[n_in + n_out++] = old->types[old->count + i];
    ir_op_set_attr(
        f, "function_type",
        ir_type_attr(ir_function_type(f->ctx, types, n_in, types + n_in, n_out)));
    ir_op_set_attr(f, "arg_attrs", kept_items(f->ctx, ir_op_attr(f, "arg_attrs"), args));
    ir_op_set_attr(f, "res_attrs", kept_items(f->ctx, ir_op_attr(f, "res_attrs"), results));
    free(types);
}

static bool any_call_uses(const liveness *l, const function *f, uint32_t result)
{
    for (size_t i = 0; i < f->count; i++)
        if (is_live(l, &f->calls[i]->results[result]))
            return true;
    return false;
}

/* Determines which arguments and results are kept; false if all are. */
static bool choose(const liveness *l, const function *f, bool *args, bool *results)
{
    ir_type type = ir_op_attr(f->op, "function_type")->type;
    bool all = true;
    for (uint32_t i = 0; i < type->count; i++)
        all &= args[i] = is_live(l, f->op->regions[0].first->args[i]);
    for (uint32_t i = 0; i < type->results; i++)
        all &= results[i] = any_call_uses(l, f, i);
    return !all;
}

static void shrink(const function *f, const bool *args, const bool *results)
{
    ir_block *entry = f->op->regions[0].first;
    for (ir_block *b = entry; b; b = b->next)
        if (b->last && b->last->def == FUNC_OP(return ))
            drop_operands(b->last, results);
    for (size_t i = 0; i < f->count; i++) {
        drop_operands(f->calls[i], args);
        drop_results(f->calls[i], results);
    }
    for (uint32_t i = entry->n_args; i-- > 0;)
        if (!args[i])
            ir_block_erase_arg(entry, i);
    set_signature(f->op, args, results);
}

static ir_walk cut(ir_op *op, void *user)
{
    (void)user;
    if (op->n_operands)
        ir_op_splice_operands(op, 0, op->n_operands, NULL, 0);
    return IR_WALK_ON;
}

/* Dead operations drop their operands first, then signatures shrink, then they are
 * erased. */
static void collect_dead(const liveness *l, ir_op *parent, ir_op ***dead, size_t *n,
                         size_t *cap)
{
    for (uint16_t r = 0; r < parent->n_regions; r++)
        for (ir_block *b = parent->regions[r].first; b; b = b->next)
            for (ir_op *op = b->first; op; op = op->next) {
                if (is_live(l, op)) {
                    collect_dead(l, op, dead, n, cap);
                    continue;
                }
                ir_walk_pre(op, cut, NULL);
                TW_PUSH(*dead, *n, *cap, op);
            }
}

static void sweep(liveness *l, ir_op *root)
{
    ir_op **dead = NULL;
    size_t n = 0, capacity = 0, widest = 1;
    collect_dead(l, root, &dead, &n, &capacity);
    for (size_t i = 0; i < l->calls.count; i++) {
        ir_type t = ir_op_attr(l->calls.list[i].op, "function_type")->type;
        widest = TW_MAX(widest, (size_t)t->count + t->results);
    }
    bool *args = tw_xmalloc(widest), *results = tw_xmalloc(widest);
    /* Decide everything before calls are recreated. */
    bool **chosen = tw_xcalloc(l->calls.count + 1, sizeof *chosen);
    for (size_t i = 0; i < l->calls.count; i++) {
        const function *f = &l->calls.list[i];
        if (f->escapes || !choose(l, f, args, results))
            continue;
        chosen[i] = tw_xmalloc(2 * widest);
        memcpy(chosen[i], args, widest);
        memcpy(chosen[i] + widest, results, widest);
    }
    for (size_t i = 0; i < l->calls.count; i++)
        if (chosen[i]) {
            /* A recursive call's operands are dropped when its own function is
             * processed. */
            shrink(&l->calls.list[i], chosen[i], chosen[i] + widest);
            free(chosen[i]);
        }
    for (size_t i = n; i-- > 0;)
        ir_op_erase(dead[i]);
    free(chosen);
    free(args);
    free(results);
    free(dead);
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    liveness l = {.live = ir_mapping_create(), .calls = call_graph_of(op)};
    make_live(&l, op);
    trace(&l);
    sweep(&l, op);
    call_graph_free(&l.calls);
    free(l.todo);
    ir_mapping_free(l.live);
    return true;
}

const pass_def remove_dead_values_pass = {
    .name = "remove-dead-values",
    .title = "RemoveDeadValues",
    .summary = "Remove dead values",
    .run = run,
};
