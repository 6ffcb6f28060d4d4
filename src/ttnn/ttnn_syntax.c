/* ttnn_syntax.c: hand-written attribute syntax of ttnn. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ttnn/ttnn.h"

enum { MEMORY_LAYOUT, BUFFER_TYPE, SHARD_SPEC, ND_SHARD_SPEC, N_PARTS };

/* One part behind the buffer type: they may come in any order. */
static bool parse_part(ir_parser *p, ir_attr *params)
{
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "ndShardSpec")) {
        if (!ir_expect_punct(p, '='))
            return false;
        params[ND_SHARD_SPEC] = ir_parse_stripped_attr(p, TTNN_ATTR(nd_shard_spec));
        return params[ND_SHARD_SPEC] != NULL;
    }
    if (p->tok.kind != IR_TOK_HASH) {
        params[MEMORY_LAYOUT] = ir_parse_stripped_attr(p, TTNN_ATTR(tensor_memory_layout));
        return params[MEMORY_LAYOUT] != NULL;
    }
    ir_attr whole = ir_parse_an_attr(p, NULL);
    if (!whole)
        return false;
    if (whole->kind == IR_ATTR_DIALECT && whole->def == TTNN_ATTR(shard_spec))
        params[SHARD_SPEC] = whole;
    else if (whole->kind == IR_ATTR_DIALECT &&
             whole->def == TTNN_ATTR(tensor_memory_layout))
        params[MEMORY_LAYOUT] = whole;
    else
        return ir_fail(p, at, "invalid kind of attribute specified");
    return true;
}

/* "<" buffer-type { "," part } ">" */
ir_attr ttnn_parse_memory_config(ir_parser *p, const ir_attr_def *def)
{
    ir_attr params[N_PARTS] = {0};
    if (!ir_expect_punct(p, '<') ||
        !(params[BUFFER_TYPE] = ir_parse_stripped_attr(p, TTNN_ATTR(buffer_type))))
        return NULL;
    while (ir_accept_punct(p, ','))
        if (!parse_part(p, params))
            return NULL;
    return ir_expect_punct(p, '>') ? ir_dialect_attr(p->ctx, def, params, N_PARTS) : NULL;
}

/* Shard specs are written in full: that is how the reader distinguishes them from a layout.
 */
void ttnn_print_memory_config(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    ir_put_stripped_attr(p, attr->params[BUFFER_TYPE]);
    if (attr->params[MEMORY_LAYOUT]) {
        ir_put(p, ", ");
        ir_put_stripped_attr(p, attr->params[MEMORY_LAYOUT]);
    }
    if (attr->params[SHARD_SPEC]) {
        ir_put(p, ", ");
        ir_put_attr(p, attr->params[SHARD_SPEC]);
    } else if (attr->params[ND_SHARD_SPEC]) {
        ir_put(p, ", ndShardSpec = ");
        ir_put_attr(p, attr->params[ND_SHARD_SPEC]);
    }
    ir_putc(p, '>');
}
