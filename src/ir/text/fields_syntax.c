/* fields_syntax.c: reading and writing dimension numbers. */
#include "ir/text/fields_syntax.h"

#include "ir/text/attr_format.h"

enum { MAX_FIELDS = 16, NAME_SIZE = 64 };

/* "lhsBatchingDimensions" -> "lhs_batching_dimensions" */
static void snake_case(const char *name, char out[NAME_SIZE])
{
    size_t n = 0;
    for (; *name && n + 2 < NAME_SIZE; name++) {
        bool upper = *name >= 'A' && *name <= 'Z';
        if (upper)
            out[n++] = '_';
        out[n++] = upper ? (char)(*name - 'A' + 'a') : *name;
    }
    out[n] = 0;
}

static bool unknown_field(ir_parser *p, const ir_attr_def *def)
{
    tw_strbuf names = {0};
    for (uint32_t i = 0; i < def->params.count; i++) {
        char name[NAME_SIZE];
        snake_case(def->params.at[i].name, name);
        tw_strbuf_printf(&names, "%s`%s`", i ? ", " : "", name);
    }
    ir_fail_own(p, p->tok.at, "expected one of: %s", tw_strbuf_text(&names));
    tw_strbuf_free(&names);
    return false;
}

static bool parse_field(ir_parser *p, const ir_attr_def *def, ir_attr *params)
{
    for (uint32_t i = 0; i < def->params.count; i++) {
        char name[NAME_SIZE];
        snake_case(def->params.at[i].name, name);
        if (!ir_accept_keyword(p, name))
            continue;
        if (params[i])
            return ir_fail_here(p, "duplicated `%s` entry", name);
        return ir_expect_punct(p, '=') &&
               ir_parse_param(p, &def->params.at[i], false, &params[i]);
    }
    return unknown_field(p, def);
}

ir_attr ir_parse_dimension_fields_body(ir_parser *p, const ir_attr_def *def)
{
    ir_attr params[MAX_FIELDS] = {0};
    assert(def->params.count <= MAX_FIELDS);
    while (!ir_accept_punct(p, '>')) {
        if (!parse_field(p, def, params))
            return NULL;
        if (!ir_accept_punct(p, ',')) {
            if (!ir_expect_punct(p, '>'))
                return NULL;
            break;
        }
    }
    for (uint32_t i = 0; i < def->params.count; i++)
        if (!params[i])
            params[i] = def->params.at[i].array ? ir_array_attr(p->ctx, NULL, 0)
                                                : ir_raw_int(p->ctx, 0);
    return ir_dialect_attr(p->ctx, def, params, def->params.count);
}

/* "stablehlo.ragged_dot": the operation's name, with blanks for underscores */
static void fail_numbers(ir_parser *p, const ir_attr_def *def)
{
    char what[NAME_SIZE];
    size_t n = 0;
    for (const char *c = strchr(def->mnemonic, '.') + 1; *c && n + 1 < NAME_SIZE; c++)
        what[n++] = (char)(*c == '_' ? ' ' : *c);
    what[n] = 0;
    if (!p->quiet)
        ir_error(p->ctx, ir_loc_at(p, p->tok.at),
                 "failed parsing %s dimension numbers attribute", what);
}

ir_attr ir_parse_dimension_fields(ir_parser *p, const ir_attr_def *def)
{
    if (!ir_expect_punct(p, '<'))
        return NULL;
    ir_attr attr = ir_parse_dimension_fields_body(p, def);
    if (!attr)
        fail_numbers(p, def);
    return attr;
}

void ir_put_dimension_fields(ir_printer *p, ir_attr attr)
{
    const char *separator = "";
    ir_putc(p, '<');
    for (uint32_t i = 0; i < attr->count; i++) {
        const ir_param_def *def = &attr->def->params.at[i];
        ir_attr value = attr->params[i];
        if (!value || (def->array ? value->count == 0 : value->value == 0))
            continue;
        char name[NAME_SIZE];
        snake_case(def->name, name);
        ir_putf(p, "%s%s = ", separator, name);
        ir_put_param(p, def, false, value);
        separator = ", ";
    }
    ir_putc(p, '>');
}
