/* wrap_in_composite.c: wraps operations of given names in composites whose decompositions
 * contain just the operation. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

typedef struct found {
    tw_str names; /* comma-separated */
    ir_op **at;
    size_t count, capacity;
} found;

static bool is_listed(tw_str list, tw_str name)
{
    const char *c = list.data, *end = c + list.size;
    while (c < end) {
        const char *stop = memchr(c, ',', (size_t)(end - c));
        stop = stop ? stop : end;
        while (c < stop && *c == ' ')
            c++;
        tw_str item = {c, (size_t)(stop - c)};
        while (item.size && item.data[item.size - 1] == ' ')
            item.size--;
        if (tw_str_equal(item, name))
            return true;
        c = stop + 1;
    }
    return false;
}

static ir_walk find(ir_op *op, void *user)
{
    found *f = user;
    if (is_listed(f->names, tw_str_from(op->def->name)))
        TW_PUSH(f->at, f->count, f->capacity, op);
    return IR_WALK_ON;
}

/* "name.impl", with a number appended if that is taken. */
static ir_attr free_name(ir_op *module, const ir_op *op)
{
    tw_strbuf base = {0};
    tw_strbuf_printf(&base, "%s.impl", op->def->name);
    ir_attr name = ir_symbol_free_name(module, tw_strbuf_text(&base));
    tw_strbuf_free(&base);
    return name;
}

/* Appends a function with only this operation to the module. */
static ir_attr add_function(ir_op *module, ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_type *in = tw_xmalloc((op->n_operands + 1) * sizeof *in);
    ir_type *out = tw_xmalloc((op->n_results + 1) * sizeof *out);
    for (uint32_t i = 0; i < op->n_operands; i++)
        in[i] = op->operands[i].value->type;
    for (uint32_t i = 0; i < op->n_results; i++)
        out[i] = op->results[i].type;
    ir_attr name = free_name(module, op);
    ir_builder end = ir_builder_at_end(ctx, module->regions[0].first, op->loc);
    ir_type type = ir_function_type(ctx, in, op->n_operands, out, op->n_results);
    ir_block *body = func_add_body(func_create(&end, name, type, true));
    ir_mapping *map = ir_mapping_create();
    ir_op *inner = ir_op_clone(op, map);
    ir_mapping_free(map);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_op_set_operand(inner, i, body->args[i]);
    ir_block_append(body, inner);
    ir_value **results = tw_xmalloc((op->n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = &inner->results[i];
    ir_builder b = ir_builder_at_end(ctx, body, op->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, results, op->n_results, NULL, 0, 0);
    free(in);
    free(out);
    free(results);
    return name;
}

/* All attributes of the operation. */
static ir_attr attributes_of(const ir_op *op)
{
    ir_attr all = op->attrs;
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        if (op->props[i])
            all = ir_dict_set(op->ctx, all,
                              ir_ident_from(op->ctx, ir_def_prop_name(op->def, i)),
                              op->props[i]);
    return all ? all : ir_dict_attr(op->ctx, NULL, 0);
}

static void wrap(ir_op *module, ir_op *op, int64_t version)
{
    ir_context *ctx = op->ctx;
    ir_attr name = add_function(module, op);
    ir_builder b = ir_builder_before(op);
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((op->n_results + 1) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    ir_op *composite = ir_build_op(
        &b, STABLEHLO_OP(composite), types, op->n_results, operands, op->n_operands,
        IR_ATTRS({"name", ir_string_attr(ctx, tw_str_from(op->def->name))},
                 {"composite_attributes", attributes_of(op)},
                 {"decomposition", ir_symbol_ref(ctx, ir_attr_str(name))},
                 {"version", ir_i32_attr(ctx, version)}),
        0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &composite->results[i]);
    ir_op_erase(op);
    free(operands);
    free(types);
}

static bool run(ir_op *module, pass_run *run)
{
    found f = {.names = pass_option_str(run, "op-names")};
    ir_walk_post(module, find, &f);
    for (size_t i = f.count; i-- > 0;) {
        ir_op *op = f.at[i];
        while (i > 0 && ir_op_is_ancestor(op, f.at[i - 1])) /* nested ops move along */
            i--;
        wrap(module, op, pass_option_int(run, "version"));
    }
    free(f.at);
    return true;
}

const pass_def stablehlo_wrap_in_composite_pass = {
    .name = "stablehlo-wrap-in-composite",
    .title = "StablehloWrapInCompositePass",
    .summary = "Wraps a non-composite StableHLO op in a composite op.",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"op-names", PASS_LIST, "", "The names of the ops to wrap."},
                       {"version", PASS_INT, "0", "The version of the composite op."}),
};
