/* outline.c: outlines a loop into a function of the values it uses, and calls it. */
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

typedef struct captures {
    const ir_op *loop;
    ir_value **at;
    size_t n, capacity;
} captures;

static void capture(captures *c, ir_value *v)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i] == v)
            return;
    TW_PUSH(c->at, c->n, c->capacity, v);
}

/* Captured values, in the order of their first use. */
static ir_walk note_captures(ir_op *op, void *user)
{
    captures *c = user;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        const ir_op *producer = ir_value_def(v);
        const ir_op *around = producer ? producer : ir_value_block(v)->region->owner;
        if (!ir_op_is_ancestor(c->loop, around))
            capture(c, v);
    }
    return IR_WALK_ON;
}

/* A free symbol name: the name, name_0, name_1, ... */
static ir_attr free_name(ir_op *table, tw_str name)
{
    tw_strbuf text = {0};
    tw_strbuf_str(&text, name);
    ir_attr found = ir_symbol_free_name(table, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return found;
}

static ir_op *make_function(ir_op *loop, ir_op *around, ir_attr name, const captures *c)
{
    ir_context *ctx = loop->ctx;
    ir_type *types = tw_xmalloc((c->n + loop->n_results + 1) * sizeof *types);
    for (size_t i = 0; i < c->n; i++)
        types[i] = c->at[i]->type;
    for (uint32_t i = 0; i < loop->n_results; i++)
        types[c->n + i] = loop->results[i].type;
    ir_type type = ir_function_type(ctx, types, c->n, types + c->n, loop->n_results);
    free(types);
    ir_builder b = ir_builder_before(around);
    b.loc = loop->loc;
    ir_op *func =
        ir_build_op(&b, FUNC_OP(func), NULL, 0, NULL, 0,
                    IR_ATTRS({"sym_name", name}, {"function_type", ir_type_attr(type)}), 1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&func->regions[0], body);
    for (size_t i = 0; i < c->n; i++)
        ir_block_add_arg(ctx, body, c->at[i]->type, loop->loc);
    return func;
}

/* The call in an scf.execute_region that replaces the loop. */
static ir_op *make_call(ir_op *loop, ir_attr name, const captures *c)
{
    ir_context *ctx = loop->ctx;
    ir_type *types = tw_xmalloc((loop->n_results + 1u) * sizeof *types);
    ir_value **values = tw_xmalloc((loop->n_results + 1u) * sizeof *values);
    for (uint32_t i = 0; i < loop->n_results; i++)
        types[i] = loop->results[i].type;
    ir_builder b = ir_builder_before(loop);
    ir_op *region = ir_build_op(&b, SCF_OP(execute_region), types, loop->n_results, NULL, 0,
                                NULL, 0, 1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&region->regions[0], body);
    ir_builder in = ir_builder_at_end(ctx, body, loop->loc);
    ir_op *call =
        ir_build_op(&in, FUNC_OP(call), types, loop->n_results, c->at, c->n,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_attr_str(name))}), 0);
    for (uint32_t i = 0; i < loop->n_results; i++) {
        values[i] = &call->results[i];
        ir_value_replace_uses(&loop->results[i], &region->results[i]);
    }
    ir_build_op(&in, SCF_OP(yield), NULL, 0, values, loop->n_results, NULL, 0, 0);
    free(types);
    free(values);
    return call;
}

/* Moves the loop into the function; constants are recreated there. */
static void fill_function(ir_op *func, ir_op *loop, const captures *c)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op_remove(loop);
    ir_block_append(body, loop);
    for (size_t i = 0; i < c->n; i++) {
        ir_value *own = body->args[i];
        ir_op *producer = ir_value_def(c->at[i]);
        if (ir_op_is(producer, ARITH_OP(constant)) &&
            c->at[i]->type->kind == IR_TYPE_INDEX) {
            ir_op *copy = ir_op_clone(producer, NULL);
            ir_block_prepend(body, copy);
            own = &copy->results[0];
        }
        for (ir_operand *use = c->at[i]->uses, *next; use; use = next) {
            next = use->next_use;
            if (ir_op_is_ancestor(func, use->owner))
                ir_op_set_operand(use->owner, ir_operand_number(use), own);
        }
    }
    ir_value **values = tw_xmalloc((loop->n_results + 1u) * sizeof *values);
    for (uint32_t i = 0; i < loop->n_results; i++)
        values[i] = &loop->results[i];
    ir_builder b = ir_builder_at_end(func->ctx, body, loop->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, values, loop->n_results, NULL, 0, 0);
    free(values);
}

bool loop_outline(ir_op *loop, tw_str name, ir_op **func, ir_op **call)
{
    ir_op *around = ir_op_parent(loop), *table = ir_nearest_symbol_table(loop);
    while (around && around->def != FUNC_OP(func))
        around = ir_op_parent(around);
    if (loop->n_regions != 1 || !around || !table || !name.size)
        return false;
    captures c = {.loop = loop};
    ir_walk_post(loop, note_captures, &c);
    ir_attr own = free_name(table, name);
    *func = make_function(loop, around, own, &c);
    *call = make_call(loop, own, &c);
    fill_function(*func, loop, &c);
    free(c.at);
    return true;
}
