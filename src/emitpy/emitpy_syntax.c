/* emitpy_syntax.c: custom type syntax of emitpy. */
#include "emitpy/emitpy.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* `Any` is the opaque type "Any". */
static ir_attr parse_member(ir_parser *p, const char *what)
{
    if (ir_accept_keyword(p, "Any")) {
        ir_attr any = ir_string_attr(p->ctx, TW_STR("Any"));
        return ir_type_attr(ir_dialect_type(p->ctx, EMITPY_TYPE(opaque), &any, 1));
    }
    ir_type type = ir_accept_a_type(p);
    if (!type)
        ir_fail_here(p, "expected specified %s type or 'Any' keyword", what);
    return type ? ir_type_attr(type) : NULL;
}

/* [ "<" ( type | "Any" ) "," ( type | "Any" ) ">" ] */
ir_type emitpy_parse_dict(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[2] = {0};
    if (ir_accept_punct(p, '<') &&
        (!(params[0] = parse_member(p, "key")) || !ir_expect_punct(p, ',') ||
         !(params[1] = parse_member(p, "value")) || !ir_expect_punct(p, '>')))
        return NULL;
    return ir_dialect_type(p->ctx, def, params, TW_COUNT(params));
}

static void print_member(ir_printer *p, ir_attr member)
{
    ir_type type = member->type;
    if (type->kind == IR_TYPE_DIALECT && type->def == EMITPY_TYPE(opaque) &&
        tw_str_is(ir_attr_str(type->params[0]), "Any"))
        ir_put(p, "Any");
    else
        ir_put_type(p, type);
}

void emitpy_print_dict(ir_printer *p, ir_type type)
{
    if (!type->params[0] || !type->params[1])
        return;
    ir_putc(p, '<');
    print_member(p, type->params[0]);
    ir_put(p, ", ");
    print_member(p, type->params[1]);
    ir_putc(p, '>');
}
