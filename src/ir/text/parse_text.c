/* parse_text.c: parses one attribute or type from a separate text. */
#include "ir/op.h"
#include "ir/text.h"
#include "ir/text/text_impl.h"

ir_attr ir_parse_attr(ir_context *ctx, tw_str text)
{
    ir_parser p = {0};
    ir_parse_alone(&p, ctx, text);
    ir_attr attr = ir_parse_an_attr(&p, NULL);
    if (attr && p.tok.kind != IR_TOK_EOF) {
        tw_str rest = ir_tok_str(&p);
        ir_fail_here(&p, "found trailing characters: '%.*s'", (int)rest.size, rest.data);
    }
    ir_parse_alone_end(&p);
    return p.failed ? NULL : attr;
}

ir_type ir_parse_type(ir_context *ctx, tw_str text)
{
    ir_parser p = {0};
    ir_parse_alone(&p, ctx, text);
    ir_type type = ir_parse_a_type(&p);
    if (type && p.tok.kind != IR_TOK_EOF) {
        tw_str rest = ir_tok_str(&p);
        ir_fail_here(&p, "found trailing characters: '%.*s'", (int)rest.size, rest.data);
    }
    ir_parse_alone_end(&p);
    return p.failed ? NULL : type;
}

ir_attr ir_default_attr(ir_context *ctx, const ir_attr_use *use)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_DEFAULTS);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_DEFAULTS, known,
                            (void (*)(void *))ir_mapping_free);
    }
    ir_attr attr = ir_mapping_get(known, use);
    if (attr || !use->deflt || !use->deflt[0])
        return attr;
    ir_parser p = {0};
    ir_parse_alone(&p, ctx, tw_str_from(use->deflt));
    ir_type type = NULL;
    if (use->type && use->type->value_type)
        type = ir_parse_type(ctx, tw_str_from(use->type->value_type));
    attr = ir_parse_an_attr(&p, type);
    ir_parse_alone_end(&p);
    assert(attr && "a row's default does not parse");
    ir_mapping_set(known, use, (void *)(uintptr_t)attr);
    return attr;
}
