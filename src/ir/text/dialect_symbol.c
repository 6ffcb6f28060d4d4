/* dialect_symbol.c: #alias, #dialect.name<...>, #dialect<...> and the same with !, whole or
 * stripped, read and written.
 *
 * As in MLIR the text of a dialect's attribute or type is first scanned as one balanced
 * group, then its inside is parsed; the unparsed rest is ignored. */
#include "ir/number.h"
#include "ir/text/attr_format.h"
#include "ir/text/text_impl.h"

#include <stdlib.h>

/* ---- finding the extent ------------------------------------------------------------- */

static const char *scan_string(ir_parser *p, const char *quote)
{
    const char *end = quote + 1;
    for (; end < p->end && *end != '\n'; end++) {
        if (*end == '"')
            return end + 1;
        if (*end == '\\' && end + 1 < p->end)
            end++;
    }
    ir_fail(p, end, "expected '\"' in string literal");
    return NULL;
}

/* `at` is the `<`; *out_end is after the matching `>`. */
static bool scan_body(ir_parser *p, const char *at, const char **out_end)
{
    char open[IR_MAX_NESTING];
    int depth = 0;
    for (const char *c = at; c < p->end && *c;) {
        switch (*c) {
        case '<':
        case '[':
        case '(':
        case '{':
            if (depth == IR_MAX_NESTING)
                return ir_fail(p, c, "brackets nest deeper than %d levels", IR_MAX_NESTING);
            open[depth++] = *c++;
            break;
        case '-':
            c += c + 1 < p->end && c[1] == '>' ? 2 : 1;
            break;
        case '>':
        case ']':
        case ')':
        case '}': {
            char want = *c == '>' ? '<' : *c == ']' ? '[' : *c == ')' ? '(' : '{';
            if (open[--depth] != want)
                return ir_fail(p, at, "unbalanced '%c' character in pretty dialect name",
                               open[depth]);
            c++;
            if (depth == 0) {
                *out_end = c;
                return true;
            }
            break;
        }
        case '"':
            if (!(c = scan_string(p, c)))
                return false;
            break;
        default:
            c++;
        }
    }
    return ir_fail(p, at, "unexpected nul or EOF in pretty dialect name");
}

/* A dialect's symbol in the source: #dialect.name, #dialect.name<...> or #dialect<...>. */
typedef struct symbol {
    const char *at, *end; /* all of it */
    const char *inside;   /* start of the mnemonic */
    tw_str dialect;
    tw_str data; /* mnemonic and body, without the outer <> of #dialect<...> */
} symbol;

/* Returns true with out->dialect.data == NULL for an alias. */
static bool scan_symbol(ir_parser *p, symbol *out)
{
    const char *at = p->tok.at, *name_end = at + p->tok.size;
    const char *dot = memchr(at, '.', p->tok.size);
    bool body = name_end < p->end && *name_end == '<';
    *out = (symbol){.at = at, .end = name_end};
    if (!dot && !body)
        return true;
    if (body && !scan_body(p, name_end, &out->end))
        return false;
    out->dialect = (tw_str){at + 1, (size_t)((dot ? dot : name_end) - at - 1)};
    out->inside = (dot ? dot : name_end) + 1;
    out->data = (tw_str){out->inside, (size_t)(out->end - out->inside) - !dot};
    return true;
}

/* ---- registered and unregistered dialects ---------------------------------------- */

static int compare_mnemonic(tw_str dialect, tw_str name, const char *row)
{
    const char *rest = row + dialect.size + 1;
    size_t n = strlen(rest);
    int order = memcmp(name.data, rest, TW_MIN(name.size, n));
    return order ? order : (name.size > n) - (name.size < n);
}

/* Rows of attributes and types both begin with the mnemonic; they are sorted by it. */
static const void *find_row(tw_str dialect, const void *rows, size_t count, size_t size,
                            tw_str name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const char *row = (const char *)rows + mid * size;
        int order =
            compare_mnemonic(dialect, name, *(const char *const *)(const void *)row);
        if (order == 0)
            return row;
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}
_Static_assert(offsetof(ir_attr_def, mnemonic) == 0 && offsetof(ir_type_def, mnemonic) == 0,
               "find_row reads the mnemonic at the start of a row");

static void help_with_row(ir_parser *p, tw_str dialect, const void *rows, size_t count,
                          size_t size, tw_str name)
{
    tw_nearest n = tw_nearest_to(name);
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * size;
        tw_nearest_try(&n, name,
                       *(const char *const *)(const void *)row + dialect.size + 1);
    }
    if (!p->quiet)
        ir_help_nearest(p->ctx, n);
}

/* Unregistered ones print as #dialect.data where that reads back as the same. */
static bool is_simple(tw_str s);

static ir_ident kept_body(ir_context *ctx, tw_str data)
{
    char few[256], *text = data.size + 2 <= sizeof few ? few : tw_xmalloc(data.size + 2);
    size_t n = 0;
    bool simple = is_simple(data);
    text[n++] = simple ? '.' : '<';
    memcpy(text + n, data.data, data.size);
    n += data.size;
    if (!simple)
        text[n++] = '>';
    ir_ident body = ir_ident_get(ctx, (tw_str){text, n});
    if (text != few)
        free(text);
    return body;
}

static ir_attr body_of_attr(ir_parser *p, const ir_attr_def *def, ir_type type);
static ir_type body_of_type(ir_parser *p, const ir_type_def *def);

static ir_attr read_attr(ir_parser *p, const symbol *s, ir_type type)
{
    const ir_dialect *dialect = ir_context_dialect(p->ctx, s->dialect);
    if (!dialect) {
        if (!ir_context_allows_unregistered(p->ctx)) {
            ir_fail(
                p, s->data.data,
                "#\"%.*s\"<\"%.*s\"> : '%s' attribute created with unregistered dialect. "
                "If "
                "this is intended, please call allowUnregisteredDialects() on the "
                "MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool "
                "used",
                (int)s->dialect.size, s->dialect.data, (int)s->data.size, s->data.data,
                type ? ir_type_text(p->ctx, type) : "none");
            return NULL;
        }
        struct ir_attr_data probe = {.kind = IR_ATTR_OPAQUE, .type = type};
        probe.dialect = ir_ident_get(p->ctx, s->dialect);
        probe.body = kept_body(p->ctx, s->data);
        return ir_attr_intern(p->ctx, &probe);
    }
    tw_str name;
    if (!dialect->attrs.count) {
        ir_fail(p, s->inside, "dialect '%s' provides no attribute parsing hook",
                dialect->name);
        return NULL;
    }
    ir_lex_at(p, s->inside);
    const char *at = p->tok.at;
    if (!ir_parse_keyword(p, &name))
        return NULL;
    const ir_attr_def *def = find_row(s->dialect, dialect->attrs.at, dialect->attrs.count,
                                      sizeof *dialect->attrs.at, name);
    if (!def) {
        if (dialect->unknown_attr)
            ir_fail(p, at, "%s", dialect->unknown_attr);
        else
            ir_fail(p, at, "unknown attribute `%.*s` in dialect `%s`", (int)name.size,
                    name.data, dialect->name);
        help_with_row(p, s->dialect, dialect->attrs.at, dialect->attrs.count,
                      sizeof *dialect->attrs.at, name);
        return NULL;
    }
    return body_of_attr(p, def, type);
}

static ir_type read_type(ir_parser *p, const symbol *s)
{
    const ir_dialect *dialect = ir_context_dialect(p->ctx, s->dialect);
    if (!dialect) {
        if (!ir_context_allows_unregistered(p->ctx)) {
            ir_fail(
                p, s->data.data,
                "`!\"%.*s\"<\"%.*s\">` type created with unregistered dialect. If this "
                "is intended, please call allowUnregisteredDialects() on the MLIRContext, "
                "or use -allow-unregistered-dialect with the MLIR opt tool used",
                (int)s->dialect.size, s->dialect.data, (int)s->data.size, s->data.data);
            return NULL;
        }
        return ir_opaque_type(p->ctx, ir_ident_get(p->ctx, s->dialect),
                              kept_body(p->ctx, s->data));
    }
    tw_str name;
    if (!dialect->types.count) {
        ir_fail(p, s->inside, "dialect '%s' provides no type parsing hook", dialect->name);
        return NULL;
    }
    ir_lex_at(p, s->inside);
    const char *at = p->tok.at;
    if (!ir_parse_keyword(p, &name))
        return NULL;
    const ir_type_def *def = find_row(s->dialect, dialect->types.at, dialect->types.count,
                                      sizeof *dialect->types.at, name);
    if (!def && dialect->says_unknown_types) {
        ir_fail(p, at, "unknown %s type: %.*s", dialect->name, (int)name.size, name.data);
        return NULL;
    }
    if (!def) {
        ir_fail(p, at, "unknown  type `%.*s` in dialect `%s`", (int)name.size, name.data,
                dialect->name);
        help_with_row(p, s->dialect, dialect->types.at, dialect->types.count,
                      sizeof *dialect->types.at, name);
        return NULL;
    }
    return body_of_type(p, def);
}

/* ---- bodies ---------------------------------------------------------------------- */

/* Sets the self-type parameter, if there is one, to the type written after an attribute. */
static ir_attr with_self_type(ir_attr attr, ir_type type)
{
    const ir_attr_def *def = attr->def;
    for (uint32_t i = 0; i < def->params.count; i++)
        if (def->params.at[i].kind == IR_PARAM_SELF_TYPE && i < attr->count) {
            ir_attr params[64];
            assert(attr->count <= TW_COUNT(params));
            memcpy(params, attr->params, attr->count * sizeof *params);
            params[i] = ir_type_attr(type);
            return ir_dialect_attr(attr->ctx, def, params, attr->count);
        }
    return attr;
}

static ir_attr body_of_attr(ir_parser *p, const ir_attr_def *def, ir_type type)
{
    const char *at = p->tok.at;
    ir_attr attr = def->parse ? def->parse(p, def) : ir_parse_attr_format(p, def);
    if (attr && type)
        attr = with_self_type(attr, type);
    if (p->failed || !attr)
        return NULL;
    if (!def->verify)
        return attr;
    const ir_op_def *before = ir_context_set_custom_op(p->ctx, p->custom_op);
    bool ok = def->verify(p->ctx, ir_loc_at(p, at), attr);
    ir_context_set_custom_op(p->ctx, before);
    p->failed = !ok;
    return ok ? attr : NULL;
}

static ir_type body_of_type(ir_parser *p, const ir_type_def *def)
{
    const char *at = p->tok.at;
    ir_type type = def->parse ? def->parse(p, def) : ir_parse_type_format(p, def);
    if (p->failed || !type)
        return NULL;
    def = type->def; /* rows may share a name */
    if (def->verify && !def->verify(p->ctx, ir_loc_at(p, at), type)) {
        p->failed = true;
        return NULL;
    }
    return type;
}

/* Names of dialects do not begin with digits. */
static bool check_name_space(ir_parser *p, const char *at, tw_str name)
{
    return !(name.size && name.data[0] >= '0' && name.data[0] <= '9') ||
           ir_fail(p, at, "invalid dialect namespace '\"%.*s\"'", (int)name.size,
                   name.data);
}

static bool deeper(ir_parser *p)
{
    if (++p->depth <= IR_MAX_NESTING)
        return true;
    return ir_fail_here(p, "attributes nest deeper than %d levels", IR_MAX_NESTING);
}

static tw_str alias_name(const symbol *s)
{
    return (tw_str){s->at + 1, (size_t)(s->end - s->at) - 1};
}

/* Continues after an alias, or reports that it is undefined. */
static void end_alias(ir_parser *p, const symbol *s, bool is_known)
{
    tw_str name = alias_name(s);
    if (is_known)
        ir_next(p);
    else
        ir_fail(p, s->end, "undefined symbol alias id '%.*s'", (int)name.size, name.data);
    p->depth--;
}

/* `type` is the type expected of a typed attribute, NULL if any. */
ir_attr ir_parse_dialect_attr(ir_parser *p, ir_type type)
{
    symbol s;
    if (!deeper(p) || !scan_symbol(p, &s))
        return NULL;
    if (!s.dialect.data) {
        ir_attr known = ir_alias_attr(p, alias_name(&s));
        end_alias(p, &s, known != NULL);
        return known;
    }
    if (!check_name_space(p, s.at, s.dialect))
        return NULL;
    ir_lex_at(p, s.end);
    if (ir_accept_punct(p, ':') && !(type = ir_parse_a_type(p)))
        return NULL;
    const char *after = p->tok.at;
    tw_str text = {s.at, (size_t)(s.end - s.at)};
    ir_attr attr = type ? NULL : ir_text_cache_get(p, text);
    if (!attr) {
        const ir_op_def *op = p->custom_op;
        p->custom_op = NULL;
        attr = read_attr(p, &s, type);
        p->custom_op = op;
        if (!attr || p->failed)
            return NULL;
        if (!type)
            ir_text_cache_set(p, text, attr);
    }
    ir_lex_at(p, after);
    p->depth--;
    return attr;
}

ir_type ir_parse_dialect_type(ir_parser *p)
{
    symbol s;
    if (!deeper(p) || !scan_symbol(p, &s))
        return NULL;
    if (!s.dialect.data) {
        ir_type known = ir_alias_type(p, alias_name(&s));
        end_alias(p, &s, known != NULL);
        return known;
    }
    if (!check_name_space(p, s.at, s.dialect))
        return NULL;
    tw_str text = {s.at, (size_t)(s.end - s.at)};
    ir_type type = ir_text_cache_get(p, text);
    if (!type) {
        type = read_type(p, &s);
        if (!type || p->failed)
            return NULL;
        ir_text_cache_set(p, text, type);
    }
    ir_lex_at(p, s.end);
    p->depth--;
    return type;
}

ir_attr ir_parse_stripped_attr(ir_parser *p, const ir_attr_def *def)
{
    const char *at = p->tok.at;
    if (p->tok.kind == IR_TOK_HASH) {
        ir_attr attr = ir_parse_an_attr(p, NULL);
        if (attr && (attr->kind != IR_ATTR_DIALECT || attr->def != def)) {
            ir_fail(p, at, "invalid kind of attribute specified");
            return NULL;
        }
        return attr;
    }
    if (!deeper(p))
        return NULL;
    ir_attr attr = body_of_attr(p, def, NULL);
    p->depth--;
    return attr;
}

ir_type ir_parse_stripped_type(ir_parser *p, const ir_type_def *def)
{
    const char *at = p->tok.at;
    if (p->tok.kind == IR_TOK_BANG) {
        ir_type type = ir_parse_a_type(p);
        if (type && (type->kind != IR_TYPE_DIALECT || type->def != def)) {
            ir_fail(p, at, "invalid kind of type specified");
            return NULL;
        }
        return type;
    }
    if (!deeper(p))
        return NULL;
    ir_type type = body_of_type(p, def);
    p->depth--;
    return type;
}

/* ---- writing --------------------------------------------------------------------- */

/* An identifier, then nothing or one balanced <...>: the rule by which MLIR decides between
 * #dialect.body and #dialect<body>.  Strings are not recognised there either. */
static bool is_simple(tw_str s)
{
    const char *c = s.data, *end = c + s.size;
    if (s.size == 0 || !((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')))
        return false;
    while (c < end && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                       (*c >= '0' && *c <= '9') || *c == '.' || *c == '_'))
        c++;
    if (c == end)
        return true;
    if (*c != '<' || end[-1] != '>')
        return false;
    char open[64];
    int depth = 0;
    do {
        if (c == end || *c == 0)
            return false;
        char x = *c++;
        switch (x) {
        case '<':
        case '[':
        case '(':
        case '{':
            if (depth == (int)sizeof open)
                return false;
            open[depth++] = x;
            break;
        case '-':
            if (c < end && *c == '>')
                c++;
            break;
        case '>':
        case ']':
        case ')':
        case '}':
            if (open[--depth] != (x == '>' ? '<' : x == ']' ? '[' : x == ')' ? '(' : '{'))
                return false;
            break;
        default:
            break;
        }
    } while (depth);
    return c == end;
}

/* The text since `start` is the mnemonic and body: prefixes the dialect's name. */
static void join(ir_printer *p, size_t start)
{
    tw_str body = {p->out->data + start, p->out->size - start};
    if (is_simple(body)) {
        ir_putc(p, 0); /* space for the dot */
        memmove(p->out->data + start + 1, p->out->data + start, body.size);
        p->out->data[start] = '.';
        return;
    }
    ir_putc(p, 0);
    memmove(p->out->data + start + 1, p->out->data + start, body.size);
    p->out->data[start] = '<';
    ir_putc(p, '>');
}

/* Prints "dialect" of "dialect.mnemonic"; returns the rest. */
static const char *put_dialect(ir_printer *p, char sigil, const char *mnemonic)
{
    const char *dot = strchr(mnemonic, '.');
    assert(dot && "a mnemonic includes its dialect");
    ir_putc(p, sigil);
    ir_put_str(p, (tw_str){mnemonic, (size_t)(dot - mnemonic)});
    return dot + 1;
}

static void put_attr_body(ir_printer *p, ir_attr attr)
{
    if (attr->def->print)
        attr->def->print(p, attr);
    else
        ir_put_attr_format(p, attr);
}

static void put_type_body(ir_printer *p, ir_type type)
{
    if (type->def->print)
        type->def->print(p, type);
    else
        ir_put_type_format(p, type);
}

void ir_put_dialect_attr(ir_printer *p, ir_attr attr)
{
    const ir_attr_def *other =
        attr->def->written_as
            ? ir_attr_def_find(attr->ctx, tw_str_from(attr->def->written_as))
            : NULL;
    const char *name = put_dialect(p, '#', other ? other->mnemonic : attr->def->mnemonic);
    size_t start = p->out->size;
    ir_put(p, name);
    if (other)
        ir_put_attr_format(p, ir_dialect_attr(attr->ctx, other, attr->params, attr->count));
    else
        put_attr_body(p, attr);
    join(p, start);
    for (uint32_t i = 0; i < attr->def->params.count && i < attr->count; i++)
        if (attr->def->params.at[i].kind == IR_PARAM_SELF_TYPE && attr->params[i]) {
            ir_put(p, " : ");
            ir_put_type(p, attr->params[i]->type);
        }
}

void ir_put_dialect_type(ir_printer *p, ir_type type)
{
    const ir_type_def *def = type->def;
    const char *name =
        put_dialect(p, '!', def->written_as ? def->written_as : def->mnemonic);
    size_t start = p->out->size;
    ir_put(p, name);
    put_type_body(p, type);
    join(p, start);
}

void ir_put_stripped_attr(ir_printer *p, ir_attr attr)
{
    if (attr->has_alias && p->aliases && ir_put_alias_attr(p, attr))
        return;
    if (attr->kind == IR_ATTR_DIALECT)
        put_attr_body(p, attr);
    else
        ir_put_attr(p, attr);
}

void ir_put_stripped_type(ir_printer *p, ir_type type)
{
    if (type->has_alias && p->aliases && ir_put_alias_type(p, type))
        return;
    if (type->kind == IR_TYPE_DIALECT)
        put_type_body(p, type);
    else
        ir_put_type(p, type);
}
