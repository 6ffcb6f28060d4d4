/* call_graph.c: see call_graph.h. */
#include "mlir/passes/call_graph.h"

#include "mlir/func/func.h"
#include "mlir/passes/symbol_refs.h"

#include <stdlib.h>

called_function *call_graph_find(const call_graph *g, const ir_op *function)
{
    uintptr_t at = function ? (uintptr_t)ir_mapping_get(g->functions, function) : 0;
    return at ? &g->list[at - 1] : NULL;
}

called_function *call_graph_callee(const call_graph *g, ir_op *call)
{
    return call->def == FUNC_OP(call)
               ? call_graph_find(g, ir_symbol_resolve(call, ir_op_attr(call, "callee")))
               : NULL;
}

static ir_walk add_function(ir_op *op, void *user)
{
    call_graph *g = user;
    if (op->def == FUNC_OP(func) && op->regions[0].first) {
        called_function f = {.op = op, .escapes = !ir_symbol_is_private(op)};
        TW_PUSH(g->list, g->count, g->capacity, f);
        ir_mapping_set(g->functions, op, (void *)(uintptr_t)g->count);
    }
    return IR_WALK_ON;
}

static void add_use(ir_op *op, ir_attr ref, void *user)
{
    called_function *f = call_graph_find(user, ir_symbol_resolve(op, ref));
    if (!f)
        return;
    if (op->def == FUNC_OP(call))
        TW_PUSH(f->calls, f->count, f->capacity, op);
    else
        f->escapes = true;
}

static ir_walk add_uses(ir_op *op, void *user)
{
    symbol_refs_of(op, add_use, user);
    return IR_WALK_ON;
}

call_graph call_graph_of(ir_op *root)
{
    call_graph g = {.functions = ir_mapping_create()};
    ir_walk_pre(root, add_function, &g);
    ir_walk_pre(root, add_uses, &g);
    return g;
}

void call_graph_free(call_graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->list[i].calls);
    free(g->list);
    ir_mapping_free(g->functions);
}
