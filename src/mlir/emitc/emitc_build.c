/* emitc_build.c: see emitc_build.h. */
#include "mlir/emitc/emitc_build.h"

#include "mlir/emitc/emitc.h"

ir_type emitc_opaque_type(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_type(ctx, EMITC_TYPE(opaque), &param, 1);
}

ir_attr emitc_opaque_attr(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_attr(ctx, EMITC_ATTR(opaque), &param, 1);
}

ir_type emitc_ptr_type(ir_type to)
{
    ir_attr param = ir_type_attr(to);
    return ir_dialect_type(to->ctx, EMITC_TYPE(ptr), &param, 1);
}

ir_type emitc_lvalue_type(ir_type of)
{
    ir_attr param = ir_type_attr(of);
    return ir_dialect_type(of->ctx, EMITC_TYPE(lvalue), &param, 1);
}

ir_value *emitc_literal(ir_builder *b, ir_type type, const char *text)
{
    return ir_build1(b, EMITC_OP(literal), type, NULL, 0,
                     IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
}

void emitc_put_quoted(tw_strbuf *out, tw_str text, bool has_escapes)
{
    tw_strbuf_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"' || (c == '\\' && !has_escapes))
            tw_strbuf_putc(out, '\\');
        tw_strbuf_puts(out, c == '\n' ? "\\n" : (char[]){c, 0});
    }
    tw_strbuf_putc(out, '"');
}
