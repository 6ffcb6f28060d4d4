/* d2m_syntax.c: custom attribute syntax of d2m. */
#include "d2m/d2m.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

enum { NO_CORE = -1 };

static bool parse_core(ir_parser *p, int64_t *out)
{
    return ir_expect_keyword(p, "dm_core") && ir_expect_punct(p, '=') &&
           ir_parse_int(p, out);
}

/* "<" thread-type [ "," symbol ] [ "," "dm_core" "=" int ] ">" */
ir_attr d2m_parse_thread(ir_parser *p, const ir_attr_def *def)
{
    int64_t type, core = NO_CORE;
    ir_attr symbol = NULL;
    if (!ir_expect_punct(p, '<') || !ir_parse_enum(p, def->params.at[0].enumeration, &type))
        return NULL;
    bool more = ir_accept_punct(p, ',');
    if (more && !ir_at_keyword(p, "dm_core")) {
        const char *at = p->tok.at;
        if (!(symbol = ir_parse_an_attr(p, NULL)))
            return NULL;
        if (symbol->kind != IR_ATTR_SYMBOL_REF) {
            ir_fail(p, at, "invalid kind of attribute specified");
            return NULL;
        }
        more = ir_accept_punct(p, ',');
    }
    if ((more && !parse_core(p, &core)) || !ir_expect_punct(p, '>'))
        return NULL;
    ir_attr params[] = {ir_raw_int(p->ctx, type), symbol, ir_raw_int(p->ctx, core)};
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}

void d2m_print_thread(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    ir_put_enum(p, attr->def->params.at[0].enumeration, attr->params[0]->value);
    if (attr->params[1]) {
        ir_put(p, ", ");
        ir_put_attr(p, attr->params[1]);
    }
    int64_t core = ir_attr_int(attr->params[2], NO_CORE);
    if (core != NO_CORE)
        ir_putf(p, ", dm_core = %lld", (long long)core);
    ir_putc(p, '>');
}
