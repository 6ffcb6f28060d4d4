/* emitc_syntax.c: hand-written type syntax of emitc. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "mlir/emitc/emitc.h"

/* "<" { int "x" } element ">", all sizes static, at least one */
ir_type emitc_parse_array(ir_parser *p, const ir_type_def *def)
{
    ir_dims dims = {0};
    if (!ir_expect_punct(p, '<') || !ir_parse_dims(p, &dims, false, true))
        return NULL;
    ir_type element = ir_parse_a_type(p);
    if (!element || !ir_expect_punct(p, '>'))
        return NULL;
    ir_attr *shape = ir_scratch(p, dims.count * sizeof *shape);
    for (uint32_t i = 0; i < dims.count; i++)
        shape[i] = ir_raw_int(p->ctx, dims.at[i]);
    ir_attr params[] = {ir_array_attr(p->ctx, shape, dims.count), ir_type_attr(element)};
    return ir_dialect_type(p->ctx, def, params, TW_COUNT(params));
}

void emitc_print_array(ir_printer *p, ir_type type)
{
    ir_attr shape = type->params[0];
    ir_putc(p, '<');
    for (uint32_t i = 0; i < shape->count; i++)
        ir_putf(p, "%lldx", (long long)shape->items[i]->value);
    ir_put_type(p, type->params[1]->type);
    ir_putc(p, '>');
}
