/* pdl_syntax.c: the text of !pdl.range<...>, whose element type is written without its
 * prefix. */
#include "mlir/pdl/pdl.h"
#include "mlir/pdl/pdl_hooks.h"

/* "<" ( name | "range" "<" ... ">" ) ">" */
ir_type pdl_range_parse(ir_parser *p, const ir_type_def *def)
{
    tw_str name;
    if (!ir_expect_punct(p, '<'))
        return NULL;
    const char *at = p->tok.at;
    ir_type element = NULL;
    if (!ir_parse_keyword(p, &name))
        return NULL;
    for (size_t i = 0; i < PDL_TYPE_COUNT; i++)
        if (tw_str_is(name, pdl_types[i].mnemonic + 4))
            element = &pdl_types[i] == def
                          ? pdl_range_parse(p, def)
                          : ir_dialect_type(p->ctx, &pdl_types[i], NULL, 0);
    if (p->failed)
        return NULL;
    if (!element) {
        ir_fail(p, at, "invalid 'pdl' type: `%.*s'", (int)name.size, name.data);
        return NULL;
    }
    if (!ir_expect_punct(p, '>'))
        return NULL;
    if (pdl_is_range(element)) {
        ir_fail(p, at, "element of pdl.range cannot be another range, but got'%s'",
                ir_type_text(p->ctx, element));
        return NULL;
    }
    ir_attr param = ir_type_attr(element);
    return ir_dialect_type(p->ctx, def, &param, 1);
}

void pdl_range_print(ir_printer *p, ir_type type)
{
    ir_type element = pdl_element_type(type);
    ir_putc(p, '<');
    if (element->kind == IR_TYPE_DIALECT)
        ir_put(p, element->def->mnemonic + 4);
    else
        ir_put_type(p, element); /* only used in a message */
    ir_putc(p, '>');
}

bool pdl_range_verify(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_type element = pdl_element_type(type);
    bool known = element->kind == IR_TYPE_DIALECT && element->def >= pdl_types &&
                 element->def < pdl_types + PDL_TYPE_COUNT;
    return (known && !pdl_is_range(element)) ||
           ir_error(ctx, loc,
                    "expected element of pdl.range to be one of [!pdl.attribute, "
                    "!pdl.operation, !pdl.type, !pdl.value], but got '%s'",
                    ir_type_text(ctx, element));
}
