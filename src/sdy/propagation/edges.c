/* edges.c: passes that insert data flow edges before propagation, and afterwards move
 * their shardings to the values they represent. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/propagation/shardings.h"
#include "support/arena.h"

#include <stdlib.h>

static bool is_flow(const ir_op *op)
{
    return sdy_is_flow_op(op);
}

static bool run_add(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list = ir_ops_in_post(module, is_flow);
    for (size_t i = 0; i < list.n; i++)
        sdy_add_edges(list.at[i]);
    free(list.at);
    return true;
}

/* ---- functions ---------------------------------------------------------------------- */

static ir_op *add_function_edge(ir_builder *b, ir_value *v)
{
    ir_attr sharding = sdy_get(v);
    if (!sdy_is_static(v->type))
        return NULL;
    ir_value *made =
        ir_build1(b, SDY_OP(func_data_flow_edge), v->type, IR_VALUES(v), NULL, 0);
    ir_value_replace_uses(v, made);
    ir_op *edge = ir_value_def(made);
    ir_op_set_operand(edge, 0, v);
    if (sharding)
        ir_op_set_attr(edge, "sdy.sharding", sdy_per_value(b->ctx, &sharding, 1));
    return edge;
}

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call);
}

static bool run_add_function_edges(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op *main = sdy_main(module);
    ir_op_list calls;
    if (!main)
        return false;
    for (ir_op *func = ir_op_body(module, 0)->first; func; func = func->next) {
        ir_block *body = func->def == FUNC_OP(func) ? ir_op_body(func, 0) : NULL;
        if (!body || func == main)
            continue;
        ir_builder b = ir_builder_at_start(module->ctx, body, func->loc);
        for (uint32_t i = 0; i < body->n_args; i++)
            add_function_edge(&b, body->args[i]);
    }
    calls = ir_ops_in(module, is_call);
    for (size_t i = 0; i < calls.n; i++) {
        ir_builder b = ir_builder_after(calls.at[i]);
        b.loc = calls.at[i]->loc;
        for (uint32_t k = 0; k < calls.at[i]->n_results; k++)
            add_function_edge(&b, &calls.at[i]->results[k]);
    }
    free(calls.at);
    return true;
}

/* ---- sinking ------------------------------------------------------------------------ */

/* Shardings of the edges after values, open ones where missing; false if all are. */
static bool edge_shardings(ir_value *const *owners, size_t n, ir_attr *out)
{
    ir_attr mesh = NULL;
    for (size_t i = 0; i < n; i++) {
        ir_op *edge = sdy_edge_to(owners[i]);
        out[i] = edge ? ir_op_attr(edge, "sharding") : NULL;
        mesh = out[i] && !mesh ? out[i]->params[SDY_MESH] : mesh;
    }
    for (size_t i = 0; i < n && mesh; i++)
        if (!out[i])
            out[i] = sdy_replicated(owners[i]->type->ctx, mesh, sdy_rank(owners[i]->type),
                                    false);
    return mesh != NULL;
}

static void sink(ir_op *op)
{
    bool manual = op->def == SDY_OP(manual_computation);
    ir_value **args;
    size_t n = sdy_arg_owners(op, &args), max = TW_MAX(n, (size_t)op->n_results);
    ir_attr *shardings = tw_xmalloc((max + 1) * sizeof *shardings);
    ir_value **results = tw_xmalloc((op->n_results + 1u) * sizeof *results);
    ir_attr in = ir_op_attr(op, "in_shardings");
    if (edge_shardings(args, n, shardings)) {
        for (size_t i = 0; i < n && manual; i++)
            shardings[i] = sdy_with_free_axes(in->params[0]->items[i], shardings[i],
                                              ir_op_attr(op, "manual_axes"));
        ir_op_set_attr(op, "in_shardings", sdy_per_value(op->ctx, shardings, n));
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = &op->results[i];
    if (edge_shardings(results, op->n_results, shardings))
        ir_op_set_attr(op, sdy_keeps_shardings(op) ? "out_shardings" : "sdy.sharding",
                       sdy_per_value(op->ctx, shardings, op->n_results));
    free(results);
    free(shardings);
}

static bool is_edge(const ir_op *op)
{
    return op->def == SDY_OP(data_flow_edge) || op->def == SDY_OP(func_data_flow_edge);
}

static bool run_sink(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list flow = {.n = 0}, edges = {.n = 0};
    flow = ir_ops_in(func, is_flow);
    edges = ir_ops_in(func, is_edge);
    for (size_t i = 0; i < flow.n; i++)
        sink(flow.at[i]);
    for (size_t i = 0; i < edges.n; i++)
        if (edges.at[i]->def == SDY_OP(data_flow_edge)) {
            ir_value_replace_uses(&edges.at[i]->results[0], edges.at[i]->operands[0].value);
            ir_op_erase(edges.at[i]);
        }
    free(flow.at);
    free(edges.at);
    return true;
}

static bool run_sink_function_edges(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list edges = ir_ops_in(func, is_edge);
    for (size_t i = 0; i < edges.n; i++) {
        ir_op *edge = edges.at[i];
        if (edge->def != SDY_OP(func_data_flow_edge))
            continue;
        ir_value *inner = edge->operands[0].value;
        ir_attr sharding = sdy_get(&edge->results[0]), old = sdy_get(inner);
        if (!sharding && old)
            sharding = sdy_replicated(func->ctx, old->params[SDY_MESH],
                                      sdy_rank(inner->type), false);
        if (sharding)
            sdy_set(inner, sharding);
        ir_value_replace_uses(&edge->results[0], inner);
        ir_op_erase(edge);
    }
    free(edges.at);
    return true;
}

const pass_def sdy_add_data_flow_edges_pass = {
    .name = "sdy-add-data-flow-edges",
    .title = "AddDataFlowEdgesPass",
    .summary = "Adds data flow edges after values that regions forward.",
    .anchor = "builtin.module",
    .run = run_add,
};

const pass_def sdy_add_func_data_flow_edges_pass = {
    .name = "sdy-add-func-data-flow-edges",
    .title = "AddFuncDataFlowEdgesPass",
    .summary = "Adds data flow edges after function arguments and call results.",
    .anchor = "builtin.module",
    .run = run_add_function_edges,
};

const pass_def sdy_sink_data_flow_edges_pass = {
    .name = "sdy-sink-data-flow-edges",
    .title = "SinkDataFlowEdgesPass",
    .summary = "Moves the shardings of edges to the operations that own them.",
    .anchor = "func.func",
    .run = run_sink,
    .options = IR_LIST(pass_option_def, SDY_ORIGIN_OPTIONS("sink-", "Keep recorded")),
};

const pass_def sdy_sink_func_data_flow_edges_pass = {
    .name = "sdy-sink-func-data-flow-edges",
    .title = "SinkFuncDataFlowEdgesPass",
    .summary = "Moves the shardings of function edges to arguments and calls.",
    .anchor = "func.func",
    .run = run_sink_function_edges,
};
