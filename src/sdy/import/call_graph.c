/* call_graph.c: passes on functions and calls: ordering, a clone per call, conversion
 * between calls and named computations, shardings at function boundaries. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/import/functions.h"
#include "sdy/propagation/shardings.h"

#include <stdlib.h>

static ir_op *body_of(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    return body ? body->last : NULL;
}

/* The first mesh of a function's arguments or results that is not a single device. */
static ir_attr boundary_mesh(ir_op *func, const char *attr, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ir_attr s = sdy_site_get(&(sdy_site){func, attr, i});
        ir_attr mesh = s ? sdy_mesh_of(func, s) : NULL;
        if (mesh && !sdy_mesh_is_maximal(mesh))
            return s->params[SDY_MESH];
    }
    return NULL;
}

/* The shardings of all arguments or results, open ones where missing; NULL if all are. */
static ir_attr boundary(ir_op *func, const char *attr)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    bool args = attr[0] == 'a';
    uint32_t n = args ? type->count : type->results;
    const ir_type *types = args ? type->types : ir_function_results(type);
    ir_attr mesh = boundary_mesh(func, attr, n);
    if (!mesh)
        return NULL;
    ir_attr *items = tw_xmalloc((n + 1u) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = sdy_site_get(&(sdy_site){func, attr, i});
        if (!items[i])
            items[i] = sdy_replicated(func->ctx, mesh, sdy_rank(types[i]), false);
    }
    ir_attr all = sdy_per_value(func->ctx, items, n);
    free(items);
    return all;
}

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call) || op->def == SDY_OP(named_computation);
}

/* ---- order and boundaries ----------------------------------------------------------- */

static bool run_order(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list;
    bool ok = sdy_functions_in_order(module, &list);
    for (size_t i = list.n; ok && i > 0; i--) {
        ir_op_remove(list.at[i - 1]);
        ir_block_append(ir_op_body(module, 0), list.at[i - 1]);
    }
    ir_op_list_free(&list);
    return ok;
}

static bool run_to_calls(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list = ir_ops_in_post(module, is_call);
    for (size_t i = 0; i < list.n; i++) {
        ir_op *callee = sdy_callee(list.at[i]);
        ir_attr all =
            callee && !sdy_shardings_of(list.at[i]) ? boundary(callee, "res_attrs") : NULL;
        if (all)
            ir_op_set_attr(list.at[i], "sdy.sharding", all);
    }
    ir_op_list_free(&list);
    return true;
}

static bool run_to_results(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op *main = sdy_main(module);
    if (!main)
        return false;
    for (ir_op *func = ir_op_body(module, 0)->first; func; func = func->next) {
        ir_op *end = func->def == FUNC_OP(func) && func != main ? body_of(func) : NULL;
        for (uint32_t i = 0; ir_op_is(end, FUNC_OP(return )) && i < end->n_operands; i++)
            sdy_set_result_sharding(func, i, sdy_get(end->operands[i].value));
    }
    return true;
}

static void reshard_result(ir_value *v, ir_attr from)
{
    ir_op *call = ir_value_def(v);
    ir_attr own = sdy_get(v);
    if (sdy_shardings_equal(from, own, false))
        return;
    if (!own)
        own = sdy_replicated(call->ctx, from->params[SDY_MESH], sdy_rank(v->type), true);
    ir_builder b = ir_builder_after(call);
    b.loc = call->loc;
    ir_value *made =
        ir_build1(&b, SDY_OP(reshard), v->type, IR_VALUES(v), IR_ATTRS({"sharding", own}));
    ir_value_replace_uses(v, made);
    ir_op_set_operand(ir_value_def(made), 0, v);
}

static bool run_call_reshards(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list = ir_ops_in_post(module, is_call);
    for (size_t i = 0; i < list.n; i++) {
        ir_op *call = list.at[i], *callee = sdy_callee(call);
        ir_attr own = sdy_shardings_of(call);
        ir_attr all = callee ? boundary(callee, "res_attrs") : NULL;
        if (!callee || (!all && !own))
            continue;
        ir_attr *items = tw_xmalloc((call->n_results + 1u) * sizeof *items);
        for (uint32_t k = 0; k < call->n_results; k++)
            items[k] = all ? all->params[0]->items[k]
                           : sdy_replicated(module->ctx,
                                            own->params[0]->items[k]->params[SDY_MESH],
                                            sdy_rank(call->results[k].type), true);
        for (uint32_t k = 0; k < call->n_results; k++)
            reshard_result(&call->results[k], items[k]);
        ir_op_set_attr(call, "sdy.sharding",
                       sdy_per_value(module->ctx, items, call->n_results));
        free(items);
    }
    ir_op_list_free(&list);
    return true;
}

/* ---- clones ------------------------------------------------------------------------- */

static bool run_flatten(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list calls, seen = {.n = 0};
    unsigned counter = 0;
    bool ok = sdy_calls_in_order(module, &calls);
    for (size_t i = 0; i < calls.n; i++) {
        ir_op *callee = sdy_callee(calls.at[i]);
        bool again = false;
        for (size_t k = 0; k < seen.n; k++)
            again |= seen.at[k] == callee;
        if (!callee)
            continue;
        if (!again) {
            TW_PUSH(seen.at, seen.n, seen.capacity, callee);
            continue;
        }
        ir_op *copy = sdy_clone_function(module, callee, &counter);
        ir_op_set_attr(calls.at[i], "callee",
                       ir_symbol_ref(module->ctx, ir_symbol_name(copy)));
    }
    ir_op_list_free(&calls);
    ir_op_list_free(&seen);
    return ok;
}

/* Clones of a function are equal if all of this is. */
typedef struct copy_key {
    ir_op *func;
    ir_attr name, manual_axes, in, out;
} copy_key;

static copy_key key_of(ir_op *func)
{
    return (copy_key){.func = func,
                      .name = sdy_original_name(func),
                      .manual_axes = ir_op_attr(func, SDY_FUNC_MANUAL_AXES),
                      .in = boundary(func, "arg_attrs"),
                      .out = boundary(func, "res_attrs")};
}

static bool same_copy(const copy_key *a, const copy_key *b, bool any_sharding)
{
    return a->name == b->name && a->manual_axes == b->manual_axes &&
           (any_sharding || (a->in == b->in && a->out == b->out));
}

/* Counts the calls of this clone among the first `n`. */
static size_t calls_of(const copy_key *keys, size_t n, const copy_key *copy)
{
    size_t calls = 0;
    for (size_t k = 0; k < n; k++)
        calls += same_copy(&keys[k], copy, false);
    return calls;
}

/* The representative of equal clones: the first, or of those first called most often. */
static ir_op *best_copy(const copy_key *keys, size_t n, size_t i, bool fully)
{
    const copy_key *best = NULL;
    for (size_t k = 0; k < n; k++) {
        if (!same_copy(&keys[k], &keys[i], fully))
            continue;
        if (!best ||
            (fully && calls_of(keys, k + 1, &keys[k]) > calls_of(keys, k + 1, best)))
            best = &keys[k];
    }
    return best->func;
}

static bool run_unflatten(ir_op *module, pass_run *run)
{
    bool fully = pass_option_bool(run, "dedup-functions-fully");
    ir_op_list list = ir_ops_in_post(module, is_call);
    copy_key *keys = tw_xmalloc((list.n + 1) * sizeof *keys);
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++) {
        ir_op *callee = sdy_callee(list.at[i]);
        if (!callee)
            continue;
        list.at[n] = list.at[i];
        keys[n++] = key_of(callee);
    }
    for (size_t i = 0; i < n; i++)
        ir_op_set_attr(
            list.at[i], "callee",
            ir_symbol_ref(module->ctx, ir_symbol_name(best_copy(keys, n, i, fully))));
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func)) {
            ir_op_set_attr(op, SDY_ORIGINAL_NAME, NULL);
            ir_op_set_attr(op, SDY_FUNC_MANUAL_AXES, NULL);
        }
    free(keys);
    ir_op_list_free(&list);
    return true;
}

/* ---- named computations ------------------------------------------------------------- */

static void end_with(ir_op *owner, const ir_op_def *def)
{
    ir_block *body = ir_op_body(owner, 0);
    ir_op *old = body->last;
    ir_value **values = tw_xmalloc((old->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 0; i < old->n_operands; i++)
        values[i] = old->operands[i].value;
    ir_builder b = ir_builder_before(old);
    ir_op *made = ir_build_op(&b, def, NULL, 0, values, old->n_operands, NULL, 0, 0);
    made->attrs = old->attrs;
    free(values);
    ir_op_erase(old);
}

static void copy_body(ir_op *to, ir_op *from)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(from, map);
    ir_mapping_free(map);
    ir_region_take(&to->regions[0], &copy->regions[0]);
    ir_op_erase(copy);
}

static ir_attr without(ir_context *ctx, ir_attr dict, const char *name)
{
    return dict && ir_dict_get(dict, tw_str_from(name))
               ? ir_dict_set(ctx, dict, ir_ident_from(ctx, name), NULL)
               : dict;
}

static ir_op *make_computation(ir_op *call, ir_op *func)
{
    ir_builder b = ir_builder_before(call);
    size_t n = TW_MAX(call->n_operands, call->n_results);
    ir_value **operands = tw_xmalloc((n + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < call->n_operands; i++)
        operands[i] = call->operands[i].value;
    for (uint32_t i = 0; i < call->n_results; i++)
        types[i] = call->results[i].type;
    ir_op *made = ir_build_op(&b, SDY_OP(named_computation), types, call->n_results,
                              operands, call->n_operands,
                              IR_ATTRS({"name", sdy_original_name(func)},
                                       {"in_shardings", boundary(func, "arg_attrs")},
                                       {"out_shardings", sdy_shardings_of(call)}),
                              1);
    free(operands);
    free(types);
    made->attrs = without(call->ctx, call->attrs, "sdy.sharding");
    ir_attr thread = ir_op_attr(func, SDY_EXECUTION_THREAD);
    if (thread)
        ir_op_set_attr(made, SDY_EXECUTION_THREAD, thread);
    return made;
}

static ir_walk add_edges(ir_op *op, void *user)
{
    (void)user;
    if (op->def == SDY_OP(named_computation))
        sdy_add_edges(op);
    return IR_WALK_ON;
}

static bool run_import(ir_op *module, pass_run *run)
{
    ir_op_list calls, erased = {.n = 0};
    ir_op_list homes = {.n = 0}; /* of bodies that were outlined */
    bool warned = false;         /* clones: warn only for the first */
    bool ok = sdy_calls_in_order(module, &calls);
    for (size_t i = 0; i < calls.n; i++) {
        ir_op *call = calls.at[i], *home = NULL;
        ir_op *func = ir_symbol_resolve(call, ir_op_attr(call, "callee"));
        for (size_t k = 0; k < erased.n; k++)
            if (erased.at[k] == func)
                home = homes.at[k];
        if (!ir_op_is(func, FUNC_OP(func)) || (!home && !ir_op_body(func, 0)))
            continue;
        ir_op *made = make_computation(call, func);
        tw_str name = ir_symbol_name(func);
        if (home && !warned)
            ir_warning(call->ctx, call->loc,
                       "function @%.*s has multiple call ops, we need to clone the "
                       "function body for each call",
                       (int)name.size, name.data);
        warned |= home != NULL;
        if (home) {
            copy_body(made, home);
        } else {
            ir_region_take(&made->regions[0], &func->regions[0]);
            end_with(made, SDY_OP(return ));
            TW_PUSH(erased.at, erased.n, erased.capacity, func);
            TW_PUSH(homes.at, homes.n, homes.capacity, made);
        }
        for (uint32_t k = 0; k < call->n_results; k++)
            ir_value_replace_uses(&call->results[k], &made->results[k]);
        ir_op_erase(call);
    }
    for (size_t i = 0; i < erased.n; i++)
        ir_op_erase(erased.at[i]);
    if (pass_option_bool(run, "add-data-flow-edges-on-named-computations"))
        ir_walk_post(module, add_edges, NULL);
    ir_op_list_free(&calls);
    ir_op_list_free(&erased);
    ir_op_list_free(&homes);
    return ok;
}

/* Erases edges after values; returns their shardings, NULL if none has any. */
static ir_attr erase_edges(ir_context *ctx, ir_value *const *values, size_t n)
{
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items), mesh = NULL;
    for (size_t i = 0; i < n; i++) {
        ir_op *edge = sdy_edge_to(values[i]);
        items[i] = edge ? ir_op_attr(edge, "sharding") : NULL;
        mesh = mesh || !items[i] ? mesh : items[i]->params[SDY_MESH];
    }
    for (size_t i = 0; i < n && mesh; i++)
        if (!items[i])
            items[i] = sdy_replicated(ctx, mesh, sdy_rank(values[i]->type), false);
    for (size_t i = 0; i < n; i++) {
        ir_op *edge = sdy_edge_to(values[i]);
        if (!edge)
            continue;
        ir_value_replace_uses(&edge->results[0], values[i]);
        ir_op_erase(edge);
    }
    ir_attr all = mesh ? sdy_per_value(ctx, items, n) : NULL;
    free(items);
    return all;
}

static ir_op *make_function(ir_op *module, ir_op *op, ir_attr in, unsigned *counter)
{
    ir_context *ctx = module->ctx;
    ir_block *body = ir_op_body(op, 0);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), op->loc);
    size_t n = (size_t)body->n_args + op->n_results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < body->n_args; i++)
        types[i] = body->args[i]->type;
    for (uint32_t i = 0; i < op->n_results; i++)
        types[body->n_args + i] = op->results[i].type;
    ir_type type =
        ir_function_type(ctx, types, body->n_args, types + body->n_args, op->n_results);
    free(types);
    ir_op *func = func_create(&b, ir_op_attr(op, "name"), type, true);
    ir_op_set_attr(func, SDY_ORIGINAL_NAME, ir_op_attr(op, "name"));
    ir_op_set_attr(func, SDY_EXECUTION_THREAD, ir_op_attr(op, SDY_EXECUTION_THREAD));
    ir_region_take(&func->regions[0], &op->regions[0]);
    end_with(func, FUNC_OP(return ));
    for (uint32_t i = 0; in && i < type->count; i++)
        sdy_site_set(&(sdy_site){func, "arg_attrs", i}, in->params[0]->items[i]);
    sdy_make_unique(module, func, counter);
    return func;
}

static void export_one(ir_op *module, ir_op *op, unsigned *counter)
{
    ir_block *body = ir_op_body(op, 0);
    ir_value **values = tw_xmalloc((op->n_results + 1u) * sizeof *values);
    ir_value **operands = tw_xmalloc((op->n_operands + 1u) * sizeof *operands);
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++) {
        values[i] = &op->results[i];
        types[i] = op->results[i].type;
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_attr in = erase_edges(op->ctx, body->args, body->n_args);
    ir_attr out = erase_edges(op->ctx, values, op->n_results);
    in = in ? in : ir_op_attr(op, "in_shardings");
    out = out ? out : ir_op_attr(op, "out_shardings");
    ir_op *func = make_function(module, op, in, counter);
    ir_builder b = ir_builder_before(op);
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), types, op->n_results, operands, op->n_operands,
                    IR_ATTRS({"callee", ir_symbol_ref(op->ctx, ir_symbol_name(func))}), 0);
    call->attrs = without(op->ctx, op->attrs, SDY_EXECUTION_THREAD);
    if (out)
        ir_op_set_attr(call, "sdy.sharding", out);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &call->results[i]);
    ir_op_erase(op);
    free(values);
    free(operands);
    free(types);
}

static bool run_export(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list;
    unsigned counter = 0;
    list = ir_ops_in_post(module, is_call);
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i]->def == SDY_OP(named_computation))
            export_one(module, list.at[i], &counter);
    ir_op_list_free(&list);
    return true;
}

/* ---- the rows ----------------------------------------------------------------------- */

const pass_def sdy_pre_order_funcs_pass = {
    .name = "sdy-pre-order-funcs",
    .title = "PreOrderFuncsPass",
    .summary = "Sorts functions, callers before callees.",
    .anchor = "builtin.module",
    .run = run_order,
};

const pass_def sdy_propagate_sharding_from_func_to_call_pass = {
    .name = "sdy-propagate-sharding-from-func-to-call",
    .title = "PropagateShardingFromFuncToCallPass",
    .summary = "Copies shardings of function results to calls.",
    .anchor = "builtin.module",
    .run = run_to_calls,
};

const pass_def sdy_propagate_to_func_results_pass = {
    .name = "sdy-propagate-to-func-results",
    .title = "PropagateToFuncResultsPass",
    .summary = "Copies shardings of returned values to function results.",
    .anchor = "builtin.module",
    .run = run_to_results,
};

const pass_def sdy_insert_func_call_reshards_pass = {
    .name = "sdy-insert-func-call-reshards",
    .title = "InsertFuncCallReshardsPass",
    .summary = "Reshards call results from the shardings of the functions' results.",
    .anchor = "builtin.module",
    .run = run_call_reshards,
};

const pass_def sdy_flatten_call_graph_pass = {
    .name = "sdy-flatten-call-graph",
    .title = "FlattenCallGraphPass",
    .summary = "Clones functions so that each has one call.",
    .anchor = "builtin.module",
    .run = run_flatten,
};

const pass_def sdy_unflatten_call_graph_pass = {
    .name = "sdy-unflatten-call-graph",
    .title = "UnflattenCallGraphPass",
    .summary = "Merges function clones with equal shardings.",
    .anchor = "builtin.module",
    .run = run_unflatten,
    .options = IR_LIST(pass_option_def, {"dedup-functions-fully", PASS_BOOL, "false",
                                         "Merge all clones, whatever their shardings"}),
};

const pass_def sdy_import_func_calls_pass = {
    .name = "sdy-import-func-calls",
    .title = "ImportFuncCallsPass",
    .summary = "Replaces calls by named computations.",
    .anchor = "builtin.module",
    .run = run_import,
    .options = IR_LIST(pass_option_def,
                       {"add-data-flow-edges-on-named-computations", PASS_BOOL, "true",
                        "Add data flow edges after their arguments and results"}),
};

const pass_def sdy_export_named_computations_pass = {
    .name = "sdy-export-named-computations",
    .title = "ExportNamedComputationsPass",
    .summary = "Outlines named computations into functions.",
    .anchor = "builtin.module",
    .run = run_export,
};
