/* enum_text.c: enum cases in formats: the bare text of the case, or quoted if it is not an
 * identifier; bits are joined by their separator, and quoted if some case is not an
 * identifier. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"

static bool is_identifier(const char *s)
{
    for (const char *c = s; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool later = (*c >= '0' && *c <= '9') || *c == '$' || *c == '.';
        if (!letter && !(c > s && later))
            return false;
    }
    return *s != 0;
}

static bool needs_quotes(const ir_enum_def *def)
{
    for (uint32_t i = 0; i < def->cases.count; i++)
        if (!is_identifier(def->cases.at[i].text))
            return true;
    return false;
}

/* ---- reading ------------------------------------------------------------------------ */

/* The name space of the enum's dialect: the one with an attribute of its cases. */
static const char *name_space_of(ir_context *ctx, const ir_enum_def *def)
{
    for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(ctx, d);
        for (uint32_t i = 0; i < dialect->attrs.count; i++)
            if (dialect->attrs.at[i].enumeration == def)
                return dialect->name_space;
    }
    return NULL;
}

static bool unknown_case(ir_parser *p, const char *at, const ir_enum_def *def, tw_str text)
{
    tw_strbuf texts = {0};
    for (uint32_t i = 0; i + def->own < def->cases.count; i++) {
        tw_strbuf_puts(&texts, i ? ", " : "");
        tw_strbuf_puts(&texts, def->cases.at[i].text);
    }
    const char *in = name_space_of(p->ctx, def);
    if (def->summary && p->custom_op)
        ir_fail_own(p, at, "expected one of [%s] for %s, got: %.*s", tw_strbuf_text(&texts),
                    def->summary, (int)text.size, text.data);
    else
        ir_fail_own(p, at, "expected %s%s%s%s to be one of: %s", in ? "::mlir::" : "",
                    in ? in : "", in ? "::" : "", def->name, tw_strbuf_text(&texts));
    tw_strbuf_free(&texts);
    return false;
}

static bool parse_case(ir_parser *p, const ir_enum_def *def, bool quoted, int64_t *out)
{
    const char *at = p->tok.at;
    tw_str text;
    if (!(quoted ? ir_parse_keyword_or_string(p, &text) : ir_parse_keyword(p, &text)))
        return false;
    const ir_enum_case *c = ir_enum_by_text(def, text);
    if (!c)
        return unknown_case(p, at, def, text);
    *out = c->value;
    return true;
}

/* The separator is a comma or a bar, with blanks as the printer likes them. */
static char separator_of(const ir_enum_def *def)
{
    return def->separator && strchr(def->separator, ',') ? ',' : '|';
}

/* "a, b" in quotes. */
static bool parse_quoted_bits(ir_parser *p, const ir_enum_def *def, int64_t *out)
{
    const char *at = p->tok.at;
    tw_str text;
    if (!ir_parse_string(p, &text))
        return false;
    char separator = separator_of(def);
    for (size_t i = 0; i <= text.size;) {
        const char *stop = memchr(text.data + i, separator, text.size - i);
        size_t end = stop ? (size_t)(stop - text.data) : text.size, next = end + 1;
        while (i < end && text.data[i] == ' ')
            i++;
        while (end > i && text.data[end - 1] == ' ')
            end--;
        const ir_enum_case *c = ir_enum_by_text(def, (tw_str){text.data + i, end - i});
        if (!c)
            return unknown_case(p, at, def, text);
        *out |= c->value;
        i = next;
    }
    return true;
}

bool ir_parse_enum(ir_parser *p, const ir_enum_def *def, int64_t *out)
{
    int64_t value = 0, one = 0;
    bool quoted = needs_quotes(def);
    if (def->bits && p->tok.kind == IR_TOK_STRING) {
        if (!parse_quoted_bits(p, def, &value))
            return false;
        *out = value;
        return true;
    }
    do {
        if (!parse_case(p, def, quoted, &one))
            return false;
        value |= one;
    } while (def->bits && ir_accept_punct(p, separator_of(def)));
    *out = value;
    return true;
}

/* ---- writing ------------------------------------------------------------------------ */

static bool is_group(int64_t value)
{
    return (value & (value - 1)) != 0;
}

/* In the order of the table; groups come before single bits only if the enum prefers
 * them. */
static void put_bits(ir_printer *p, const ir_enum_def *def, int64_t value)
{
    bool any = false;
    for (int pass = def->primary_groups ? 0 : 1; pass < 2; pass++)
        for (uint32_t i = 0; i < def->cases.count; i++) {
            const ir_enum_case *c = &def->cases.at[i];
            if (!c->value || is_group(c->value) != (pass == 0) ||
                (value & c->value) != c->value)
                continue;
            if (any)
                ir_put(p, def->separator ? def->separator : "|");
            ir_put(p, c->text);
            any = true;
            if (pass == 0)
                value &= ~c->value;
        }
}

void ir_put_enum(ir_printer *p, const ir_enum_def *def, int64_t value)
{
    const ir_enum_case *c = ir_enum_by_value(def, value);
    bool quoted = def->bits || !c ? needs_quotes(def) : !is_identifier(c->text);
    if (quoted)
        ir_putc(p, '"');
    if (c && (!def->bits || value == 0))
        ir_put(p, c->text);
    else if (def->bits)
        put_bits(p, def, value);
    if (quoted)
        ir_putc(p, '"');
}
