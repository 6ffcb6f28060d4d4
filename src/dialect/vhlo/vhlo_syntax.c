/* vhlo_syntax.c: hand-written attribute syntax of vhlo.
 *
 * Numbers are written with builtin types, `#vhlo.integer_v1<7 : i32>`, and kept with the
 * vhlo type beside the builtin attribute that holds the value. */
#include "dialect/vhlo/vhlo.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include <stdio.h>
#include <stdlib.h>

static ir_type named(ir_context *ctx, const char *mnemonic)
{
    const ir_type_def *def = ir_type_def_find(ctx, tw_str_from(mnemonic));
    return def ? ir_dialect_type(ctx, def, NULL, 0) : NULL;
}

/* Scalars have the builtin name and a version: i32_v1, f8E4M3FN_v1; two are odd. */
static ir_type scalar_to_vhlo(ir_context *ctx, ir_type type)
{
    char name[64];
    tw_strbuf text = {0};
    if (ir_type_is_signless(type, 1))
        return named(ctx, "vhlo.bool_v1");
    if (ir_type_is_float(type, IR_TF32))
        return named(ctx, "vhlo.tf31_v1");
    ir_print_type(type, &text);
    int size = snprintf(name, sizeof name, "vhlo.%s_v1", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return size < (int)sizeof name ? named(ctx, name) : NULL;
}

static ir_type to_vhlo(ir_context *ctx, ir_type type)
{
    if (type->kind == IR_TYPE_COMPLEX) {
        ir_type element = to_vhlo(ctx, type->element);
        if (!element)
            return NULL;
        ir_attr param = ir_type_attr(element);
        return ir_dialect_type(ctx, VHLO_TYPE(complex_v1), &param, 1);
    }
    if (type->kind != IR_TYPE_TENSOR)
        return scalar_to_vhlo(ctx, type);
    ir_type element = to_vhlo(ctx, type->element);
    if (!element)
        return NULL;
    ir_attr *dims = tw_xmalloc((type->count + 1) * sizeof *dims);
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = ir_raw_int(ctx, type->dims[i]);
    ir_attr params[] = {ir_array_attr(ctx, dims, type->count), ir_type_attr(element),
                        type->encoding};
    free(dims);
    return ir_dialect_type(ctx, VHLO_TYPE(tensor_v1), params, TW_COUNT(params));
}

/* "<" attribute ">" of one kind; the parameters are the vhlo type and the attribute. */
static ir_attr parse_valued(ir_parser *p, const ir_attr_def *def, ir_attr_kind kind)
{
    if (!ir_expect_punct(p, '<'))
        return NULL;
    const char *at = p->tok.at;
    ir_attr value = ir_parse_an_attr(p, NULL);
    if (!value)
        return NULL;
    if (value->kind != kind) {
        ir_fail(p, at, "invalid kind of attribute specified");
        return NULL;
    }
    ir_type type = to_vhlo(p->ctx, value->type);
    if (!type) {
        ir_fail(p, at, "type '%s' has no vhlo counterpart",
                ir_type_text(p->ctx, value->type));
        return NULL;
    }
    ir_attr params[] = {ir_type_attr(type), value};
    return ir_expect_punct(p, '>') ? ir_dialect_attr(p->ctx, def, params, TW_COUNT(params))
                                   : NULL;
}

ir_attr vhlo_parse_integer(ir_parser *p, const ir_attr_def *def)
{
    return parse_valued(p, def, IR_ATTR_INTEGER);
}

ir_attr vhlo_parse_tensor(ir_parser *p, const ir_attr_def *def)
{
    return parse_valued(p, def, IR_ATTR_DENSE);
}

void vhlo_print_valued(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    ir_put_attr(p, attr->params[1]);
    ir_putc(p, '>');
}
