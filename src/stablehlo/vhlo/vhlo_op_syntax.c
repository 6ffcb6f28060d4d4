/* vhlo_op_syntax.c: the text of vhlo.func_v1.
 *
 *   vhlo.func_v1 = @name "(" args ")" "->" "(" types ")" region [dict]
 *
 * Unlike func.func, all attributes but the name and the type stand in the dictionary. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "stablehlo/vhlo/vhlo.h"

static ir_attr type_list(ir_parser *p, const ir_type *types, uint32_t count)
{
    ir_attr *items = ir_scratch(p, (count + 1) * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = ir_type_attr(types[i]);
    return ir_array_attr(p->ctx, items, count);
}

static ir_attr wrapped(ir_context *ctx, const ir_attr_def *def, ir_attr param)
{
    return ir_dialect_attr(ctx, def, &param, 1);
}

void vhlo_func_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr name;
    ir_arg_list args = {0};
    ir_type_list inputs = {0}, results = {0};
    if (!ir_parse_symbol_name(p, &name) || !ir_parse_arg_list(p, &args) ||
        !ir_parse_arrow_types(p, &results) ||
        !ir_parse_op_region(p, op, args.at, args.count) || !ir_parse_op_attr_dict(p, op))
        return;
    for (uint32_t i = 0; i < args.count; i++)
        ir_type_list_add(p, &inputs, args.at[i].type);
    ir_attr lists[] = {type_list(p, inputs.at, inputs.count),
                       type_list(p, results.at, results.count)};
    ir_type type = ir_dialect_type(p->ctx, VHLO_TYPE(func_v1), lists, TW_COUNT(lists));
    ir_add_attr(p, op, "sym_name", wrapped(p->ctx, VHLO_ATTR(string_v1), name));
    ir_add_attr(p, op, "function_type",
                wrapped(p->ctx, VHLO_ATTR(type_v1), ir_type_attr(type)));
}

void vhlo_func_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name", "function_type"};
    ir_attr name = ir_op_attr(op, "sym_name");
    ir_attr results = ir_op_attr(op, "function_type")->params[0]->type->params[1];
    ir_block *entry = ir_op_body(op, 0);
    ir_putc(p, ' ');
    ir_put_symbol(p, ir_attr_str(name->params[0]));
    ir_putc(p, '(');
    for (uint32_t i = 0; entry && i < entry->n_args; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_arg(p, entry->args[i], NULL, true);
    }
    ir_put(p, ") -> (");
    for (uint32_t i = 0; i < results->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, results->items[i]->type);
    }
    ir_put(p, ") ");
    ir_put_region(p, &op->regions[0], false, true);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

static bool is_of(ir_attr attr, const ir_attr_def *def)
{
    return ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def == def;
}

/* The syntax requires the attributes for name and function type to have these names. */
bool vhlo_func_verify(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "sym_name"), type = ir_op_attr(op, "function_type");
    if (!is_of(name, VHLO_ATTR(string_v1)))
        return ir_op_error(op, "expects 'sym_name' to be a vhlo string");
    if (!is_of(type, VHLO_ATTR(type_v1)) ||
        type->params[0]->type->kind != IR_TYPE_DIALECT ||
        type->params[0]->type->def != VHLO_TYPE(func_v1))
        return ir_op_error(op, "expects 'function_type' to be a vhlo function type");
    return true;
}
