/* func.c: the tables of the func dialect. */
#include "mlir/func/func.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/func/func_hooks.h"
#include "mlir/shared/value_names.h"

#include <stdlib.h>

#define IR_DIALECT func
#define IR_ROWS "mlir/func/func.def"
#define IR_CONSTRAINTS "mlir/func/func_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_func;

const ir_dialect func_dialect = {
    .name = "func",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_func),
    .uses_properties = true,
    .allow_inline = true,
};

static ir_attr attr_of(const ir_op *func, const char *group, size_t i, const char *name)
{
    ir_attr list = ir_op_attr(func, group);
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || i >= list->count)
        return NULL;
    return ir_dict_get(list->items[i], tw_str_from(name));
}

static void set_attr_of(ir_op *func, const char *group, size_t n, size_t i,
                        const char *name, ir_attr value)
{
    ir_context *ctx = func->ctx;
    ir_attr old = ir_op_attr(func, group);
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t k = 0; k < n; k++)
        items[k] = ir_attr_is(old, IR_ATTR_ARRAY) && k < old->count
                       ? old->items[k]
                       : ir_dict_attr(ctx, NULL, 0);
    items[i] = ir_dict_set(ctx, items[i], ir_ident_from(ctx, name), value);
    if (!items[i])
        items[i] = ir_dict_attr(ctx, NULL, 0);
    ir_op_set_attr(func, group, ir_array_attr(ctx, items, n));
    free(items);
}

ir_attr func_arg_attr(const ir_op *func, size_t arg, const char *name)
{
    return attr_of(func, "arg_attrs", arg, name);
}

void func_set_arg_attr(ir_op *func, size_t arg, const char *name, ir_attr value)
{
    set_attr_of(func, "arg_attrs", ir_op_attr(func, "function_type")->type->count, arg,
                name, value);
}

ir_attr func_result_attr(const ir_op *func, size_t result, const char *name)
{
    return attr_of(func, "res_attrs", result, name);
}

void func_set_result_attr(ir_op *func, size_t result, const char *name, ir_attr value)
{
    set_attr_of(func, "res_attrs", ir_op_attr(func, "function_type")->type->results, result,
                name, value);
}

void func_erase_arg(ir_op *func, size_t arg)
{
    ir_type old = ir_op_attr(func, "function_type")->type;
    ir_attr list = ir_op_attr(func, "arg_attrs");
    ir_type *types = tw_xmalloc((old->count + old->results + 1u) * sizeof *types);
    ir_attr *items = tw_xmalloc((old->count + 1u) * sizeof *items);
    size_t n = 0;
    for (uint32_t i = 0; i < old->count + old->results; i++)
        if (i != arg)
            types[n++] = old->types[i];
    ir_type made = ir_function_type(func->ctx, types, old->count - 1u,
                                    types + old->count - 1u, old->results);
    ir_op_set_attr(func, "function_type", ir_type_attr(made));
    n = 0;
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++)
        if (i != arg)
            items[n++] = list->items[i];
    if (list)
        ir_op_set_attr(func, "arg_attrs", n ? ir_array_attr(func->ctx, items, n) : NULL);
    if (ir_op_body(func, 0))
        ir_block_erase_arg(ir_op_body(func, 0), arg);
    free(types);
    free(items);
}

ir_op *func_create(ir_builder *b, ir_attr name, ir_type type, bool is_private)
{
    ir_attr visibility = is_private ? ir_string_attr(b->ctx, TW_STR("private")) : NULL;
    return ir_build_op(b, FUNC_OP(func), NULL, 0, NULL, 0,
                       IR_ATTRS({"sym_name", name}, {"function_type", ir_type_attr(type)},
                                {"sym_visibility", visibility}),
                       1);
}

ir_block *func_add_body(ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_block *body = ir_block_create(func->ctx);
    ir_region_append(&func->regions[0], body);
    for (uint32_t i = 0; i < type->count; i++)
        ir_block_add_arg(func->ctx, body, type->types[i], func->loc);
    return body;
}

void func_convert_types(ir_op *func, ir_type (*convert)(ir_type t, void *user), void *user)
{
    ir_type old = ir_op_attr(func, "function_type")->type;
    size_t n = (size_t)old->count + old->results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (size_t i = 0; i < n; i++)
        types[i] = convert(old->types[i], user);
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, old->count,
                                                 types + old->count, old->results)));
    free(types);
}

static ir_op *first_return(ir_op *func)
{
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        if (b->last && b->last->def == FUNC_OP(return ))
            return b->last;
    return NULL;
}

void func_refresh_type(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    ir_type old = ir_op_attr(func, "function_type")->type;
    ir_op *ret = first_return(func);
    if (!entry)
        return;
    size_t results = ret ? ret->n_operands : old->results, n = entry->n_args + results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < entry->n_args; i++)
        types[i] = entry->args[i]->type;
    for (size_t i = 0; i < results; i++)
        types[entry->n_args + i] =
            ret ? ret->operands[i].value->type : ir_function_results(old)[i];
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, entry->n_args,
                                                 types + entry->n_args, results)));
    free(types);
}
