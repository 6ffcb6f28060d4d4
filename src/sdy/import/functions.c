/* functions.c: see functions.h. */
#include "sdy/import/functions.h"

#include "mlir/func/func.h"
#include "sdy/propagation/shardings.h"

#include <stdio.h>

static bool is_taken(ir_op *module, tw_str name, const ir_op *but)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op != but && tw_str_equal(ir_symbol_name(op), name))
            return true;
    return false;
}

void sdy_make_unique(ir_op *module, ir_op *symbol, unsigned *counter)
{
    tw_str name = ir_symbol_name(symbol);
    tw_strbuf text = {0};
    if (!is_taken(module, name, symbol))
        return;
    do {
        tw_strbuf_free(&text);
        text = (tw_strbuf){0};
        tw_strbuf_printf(&text, "%.*s_%u", (int)name.size, name.data, (*counter)++);
    } while (is_taken(module, tw_str_from(tw_strbuf_text(&text)), symbol));
    ir_op_set_attr(symbol, "sym_name",
                   ir_string_attr(module->ctx, tw_str_from(tw_strbuf_text(&text))));
    tw_strbuf_free(&text);
}

ir_attr sdy_original_name(const ir_op *func)
{
    ir_attr own = ir_op_attr(func, SDY_ORIGINAL_NAME);
    return ir_attr_is(own, IR_ATTR_STRING) ? own : ir_op_attr(func, "sym_name");
}

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call);
}

/* Clones of callees are appended first. */
ir_op *sdy_clone_function(ir_op *module, ir_op *func, unsigned *counter)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *made = ir_op_clone(func, map);
    ir_mapping_free(map);
    ir_op_set_attr(made, SDY_ORIGINAL_NAME, sdy_original_name(func));
    ir_op_list calls = ir_ops_in_post(func, is_call);
    ir_op_list copies = ir_ops_in_post(made, is_call);
    for (size_t i = 0; i < copies.n && i < calls.n; i++) {
        ir_op *callee = sdy_callee(calls.at[i]);
        if (!callee)
            continue;
        ir_op *copy = sdy_clone_function(module, callee, counter);
        ir_op_set_attr(copies.at[i], "callee",
                       ir_symbol_ref(module->ctx, ir_symbol_name(copy)));
    }
    ir_block_append(ir_op_body(module, 0), made);
    sdy_make_unique(module, made, counter);
    ir_op_list_free(&calls);
    ir_op_list_free(&copies);
    return made;
}

/* ---- order -------------------------------------------------------------------------- */

static bool contains(const ir_op_list *list, const ir_op *func)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == func)
            return true;
    return false;
}

typedef struct order {
    ir_op_list open; /* the functions on the current path, outermost first */
    ir_op_list done;
} order;

static bool visit(order *order, ir_op *func)
{
    if (contains(&order->done, func))
        return true;
    TW_PUSH(order->open.at, order->open.n, order->open.capacity, func);
    ir_op_list calls = ir_ops_in(func, is_call);
    bool ok = true;
    for (size_t i = 0; ok && i < calls.n; i++) {
        ir_op *callee = sdy_callee(calls.at[i]);
        if (callee && contains(&order->open, callee))
            ok =
                ir_op_error(calls.at[i], "calls a function recursively, which shardings do "
                                         "not support; inline the recursion or use a loop");
        else if (callee)
            ok = visit(order, callee);
    }
    ir_op_list_free(&calls);
    order->open.n--;
    TW_PUSH(order->done.at, order->done.n, order->done.capacity, func);
    return ok;
}

bool sdy_functions_in_order(ir_op *module, ir_op_list *out)
{
    order order = {.open = {.n = 0}, .done = {.n = 0}};
    bool ok = true;
    for (ir_op *op = ir_op_body(module, 0)->first; ok && op; op = op->next)
        if (op->def == FUNC_OP(func) && ir_op_body(op, 0) && !ir_symbol_is_private(op))
            ok = visit(&order, op);
    ir_op_list_free(&order.open);
    *out = order.done;
    return ok;
}

bool sdy_calls_in_order(ir_op *module, ir_op_list *out)
{
    ir_op_list functions;
    *out = (ir_op_list){.n = 0};
    bool ok = sdy_functions_in_order(module, &functions);
    for (size_t i = 0; ok && i < functions.n; i++) {
        ir_op_list calls = ir_ops_in_post(functions.at[i], is_call);
        for (size_t k = 0; k < calls.n; k++)
            TW_PUSH(out->at, out->n, out->capacity, calls.at[k]);
        ir_op_list_free(&calls);
    }
    ir_op_list_free(&functions);
    return ok;
}
