/* attr_format.c: reads and writes attributes and types by their compiled formats. */
#include "ir/text/attr_format_impl.h"
#include "ir/text/text_impl.h"

#include <stdio.h>

/* ---- reading ------------------------------------------------------------------------ */

typedef struct position { /* for a lookahead of one token */
    ir_token tok;
    const char *cursor;
} position;

static position position_of(const ir_parser *p)
{
    return (position){p->tok, p->cursor};
}

static void go_back(ir_parser *p, position to)
{
    p->tok = to.tok;
    p->cursor = to.cursor;
}

static bool at_literal(const ir_parser *p, tw_str text)
{
    if (p->tok.kind == IR_TOK_PUNCT)
        return text.size == 1 && text.data[0] == p->tok.punct;
    return (p->tok.kind == IR_TOK_BARE_ID || p->tok.kind == IR_TOK_ARROW ||
            p->tok.kind == IR_TOK_ELLIPSIS) &&
           tw_str_equal(text, ir_tok_str(p));
}

static bool parse_literal(ir_parser *p, tw_str text)
{
    if (!at_literal(p, text))
        return ir_fail_here(p, "expected '%.*s'", (int)text.size, text.data);
    ir_next(p);
    return true;
}

static const af_element *first_real(const af_list *list, uint32_t *index)
{
    for (; *index < list->count; ++*index)
        if (list->at[*index].kind != AF_EMPTY && list->at[*index].kind != AF_BLANK)
            return &list->at[*index];
    return NULL;
}

static bool param_may_start(ir_parser *p, const ir_param_def *def, bool in_full)
{
    ir_token t = p->tok;
    switch (def->kind) {
    case IR_PARAM_INT:
        return t.kind == IR_TOK_INTEGER || ir_at_punct(p, '-');
    case IR_PARAM_BOOL:
        return ir_at_keyword(p, "true") || ir_at_keyword(p, "false") ||
               t.kind == IR_TOK_INTEGER;
    case IR_PARAM_ENUM:
        return t.kind == IR_TOK_BARE_ID || t.kind == IR_TOK_STRING;
    case IR_PARAM_STRING:
        return t.kind == IR_TOK_STRING;
    case IR_PARAM_SYMBOL:
        return t.kind == IR_TOK_AT || t.kind == IR_TOK_HASH;
    case IR_PARAM_AFFINE_MAP:
        return ir_at_punct(p, '(');
    case IR_PARAM_ATTR:
        if (def->of && !in_full && t.kind != IR_TOK_HASH) {
            /* a body: decided by its first literal */
            const ir_attr_def *row = ir_attr_def_find(p->ctx, tw_str_from(def->of));
            const af_list *body =
                row && !row->parse ? &ir_compiled_attr_format(p->ctx, row)->body : NULL;
            uint32_t i = 0;
            const af_element *e = body ? first_real(body, &i) : NULL;
            if (e && e->kind == AF_LITERAL)
                return at_literal(p, e->text);
        }
        return t.kind != IR_TOK_PUNCT || strchr("<[{(-", t.punct) != NULL;
    default:
        return t.kind != IR_TOK_EOF;
    }
}

/* True if the next tokens can start this group: its first element, and the one after a
 * comma so that optional parts which all begin with a comma can follow each other. */
static bool group_starts(ir_parser *p, const af_form *c, const af_list *list)
{
    uint32_t i = 0;
    const af_element *e = first_real(list, &i);
    if (!e)
        return false;
    switch (e->kind) {
    case AF_LITERAL: {
        if (!at_literal(p, e->text))
            return false;
        if (!tw_str_is(e->text, ","))
            return true;
        i++;
        const af_element *next = first_real(list, &i);
        if (!next || (next->kind != AF_LITERAL && next->kind != AF_PARAM))
            return true;
        position back = position_of(p);
        ir_next(p);
        bool fits = next->kind == AF_LITERAL
                        ? at_literal(p, next->text)
                        : param_may_start(p, &c->params[next->param], next->in_full);
        go_back(p, back);
        return fits;
    }
    case AF_PARAM:
        return param_may_start(p, &c->params[e->param], e->in_full);
    case AF_STRUCT:
        return p->tok.kind == IR_TOK_BARE_ID;
    case AF_GROUP:
        return group_starts(p, c, &e->then);
    default:
        return true;
    }
}

static bool parse_elements(ir_parser *p, const af_form *c, const af_list *list,
                           ir_attr *params);

/* tt-mlir's spelling of a parameter's type: "::llvm::ArrayRef<MeshAxisAttr>". */
static void put_cpp_type(tw_strbuf *out, const ir_dialect *d, const ir_param_def *def)
{
    const char *cpp = def->cpp ? def->cpp : "?";
    if (strncmp(cpp, "ArrayRef<", 9) == 0 || strcmp(cpp, "StringRef") == 0)
        tw_strbuf_puts(out, "::llvm::");
    else if (def->kind == IR_PARAM_ENUM)
        tw_strbuf_printf(out, "::mlir::%s::", d->name_space);
    tw_strbuf_puts(out, cpp);
}

/* Adds after the error itself which parameter of which attribute could not be read. */
static bool explain(ir_parser *p, const af_form *c, const ir_param_def *def)
{
    const char *dot = strchr(c->mnemonic, '.');
    const ir_dialect *d =
        ir_context_dialect(p->ctx, (tw_str){c->mnemonic, (size_t)(dot - c->mnemonic)});
    size_t n = strlen(c->cls);
    tw_strbuf type = {0};
    if (!d || !d->record_prefix)
        return false;
    const ir_attr_def *row = ir_attr_def_find(p->ctx, tw_str_from(c->mnemonic));
    bool bare = d->record_is_bare && !(row && row->enumeration);
    if (n > 4 && (strcmp(c->cls + n - 4, "Type") == 0 ||
                  (bare && strcmp(c->cls + n - 4, "Attr") == 0)))
        n -= 4;
    put_cpp_type(&type, d, def);
    const char *record = row ? row->record : NULL;
    ir_fail_also(p, "failed to parse %s%.*s parameter '%s' which is to be a `%s`",
                 record ? "" : d->record_prefix, record ? (int)strlen(record) : (int)n,
                 record ? record : c->cls, def->name, tw_strbuf_text(&type));
    tw_strbuf_free(&type);
    return false;
}

static bool parse_param(ir_parser *p, const af_form *c, uint16_t param, bool in_full,
                        ir_attr *params)
{
    const ir_param_def *def = &c->params[param];
    return ir_parse_param(p, def, in_full, &params[param]) || explain(p, c, def);
}

static bool parse_struct_field(ir_parser *p, const af_form *c, const af_element *e,
                               ir_attr *params, uint64_t *seen)
{
    tw_str name;
    if (!ir_accept_any_keyword(p, &name))
        return ir_fail_here(p, "expected a parameter name in struct");
    if (!ir_expect_punct(p, '='))
        return false;
    for (uint32_t i = 0; i < e->n_fields; i++) {
        uint16_t param = e->fields[i].param;
        if (*seen >> param & 1 || !tw_str_is(name, c->params[param].name))
            continue;
        *seen |= (uint64_t)1 << param;
        return parse_param(p, c, param, e->fields[i].in_full, params);
    }
    return ir_fail_here(p, "duplicate or unknown struct parameter name: %.*s",
                        (int)name.size, name.data);
}

/* A struct of only required parameters ends after the last; otherwise commas may follow. */
static bool parse_struct(ir_parser *p, const af_form *c, const af_element *e,
                         ir_attr *params)
{
    uint64_t seen = 0;
    uint32_t required = 0;
    for (uint32_t i = 0; i < e->n_fields; i++)
        required += !ir_param_may_be_absent(&c->params[e->fields[i].param]);
    if (required == 0 && p->tok.kind != IR_TOK_BARE_ID)
        return true;
    if (required == e->n_fields) {
        for (uint32_t i = 0; i < e->n_fields; i++)
            if ((i && !ir_expect_punct(p, ',')) ||
                !parse_struct_field(p, c, e, params, &seen))
                return false;
        return true;
    }
    do
        if (!parse_struct_field(p, c, e, params, &seen))
            return false;
    while (ir_accept_punct(p, ','));
    for (uint32_t i = 0; i < e->n_fields; i++) {
        const ir_param_def *def = &c->params[e->fields[i].param];
        if (!ir_param_may_be_absent(def) && !(seen >> e->fields[i].param & 1))
            return ir_fail_here(p, "struct is missing required parameter: %s", def->name);
    }
    return true;
}

static bool parse_list(ir_parser *p, const af_form *c, const af_element *e, ir_attr *params)
{
    for (uint32_t i = 0; i < e->n_fields; i++) {
        uint16_t param = e->fields[i].param;
        if (i && ir_param_may_be_absent(&c->params[param]) && !ir_at_punct(p, ','))
            break;
        if ((i && !ir_expect_punct(p, ',')) ||
            !parse_param(p, c, param, e->fields[i].in_full, params))
            return false;
    }
    return true;
}

static bool parse_element(ir_parser *p, const af_form *c, const af_element *e,
                          ir_attr *params)
{
    switch (e->kind) {
    case AF_LITERAL:
        return parse_literal(p, e->text);
    case AF_PARAM:
        return parse_param(p, c, e->param, e->in_full, params);
    case AF_STRUCT:
        return parse_struct(p, c, e, params);
    case AF_LIST:
        return parse_list(p, c, e, params);
    case AF_CUSTOM:
        return e->directive.custom->parse(p, &e->directive, params);
    case AF_GROUP:
        if (group_starts(p, c, &e->then))
            return parse_elements(p, c, &e->then, params);
        return parse_elements(p, c, &e->otherwise, params);
    default:
        return true;
    }
}

static bool parse_elements(ir_parser *p, const af_form *c, const af_list *list,
                           ir_attr *params)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!parse_element(p, c, &list->at[i], params))
            return false;
    return true;
}

/* A whole body; absent parameters get their defaults. */
static bool parse_body(ir_parser *p, const af_form *c, const char *format, ir_attr *params)
{
    assert(c->n_params <= MAX_PARAMS);
    memset(params, 0, c->n_params * sizeof *params);
    if (!format && c->n_params) /* a hand-written row without a hook */
        return ir_fail_here(p, "the syntax of '%s' is not supported", c->mnemonic);
    if (!parse_elements(p, c, &c->body, params))
        return false;
    for (uint32_t i = 0; i < c->n_params; i++)
        if (!params[i])
            params[i] = c->defaults[i];
    return !p->failed;
}

ir_attr ir_parse_attr_format(ir_parser *p, const ir_attr_def *def)
{
    ir_attr params[MAX_PARAMS];
    const af_form *c = ir_compiled_attr_format(p->ctx, def);
    return parse_body(p, c, def->format, params)
               ? ir_dialect_attr(p->ctx, def, params, c->n_params)
               : NULL;
}

ir_type ir_parse_type_format(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[MAX_PARAMS];
    const af_form *c = ir_compiled_type_format(p->ctx, def);
    return parse_body(p, c, def->format, params)
               ? ir_dialect_type(p->ctx, def, params, c->n_params)
               : NULL;
}

/* ---- writing ------------------------------------------------------------------------ */

/* The two flags of the format generator (up to MLIR 22): a blank is due before the next
 * token; the last token was punctuation. */
typedef struct blanks {
    bool want, punct;
} blanks;

static void put_literal(ir_printer *p, tw_str text, blanks *b)
{
    char c = text.data[0];
    bool before;
    if (text.size > 1 && !tw_str_is(text, "->"))
        before = true;
    else if (b->punct)
        before = !strchr(">)}],", c);
    else
        before = !strchr("<>(){}[],", c);
    if (b->want && before)
        ir_putc(p, ' ');
    ir_put_str(p, text);
    b->want = !(text.size == 1 && strchr("<({[", c));
    b->punct = !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_');
}

static void before_value(ir_printer *p, blanks *b)
{
    if (b->want || !b->punct)
        ir_putc(p, ' ');
    *b = (blanks){.want = true, .punct = false};
}

static void put_fields(ir_printer *p, const af_form *c, const af_element *e,
                       const ir_attr *params, blanks *b)
{
    bool any = false;
    for (uint32_t i = 0; i < e->n_fields && !any; i++)
        any = !ir_param_may_be_absent(&c->params[e->fields[i].param]) ||
              ir_param_is_present(c, e->fields[i].param, params);
    if (any && (b->want || !b->punct))
        ir_putc(p, ' ');
    bool first = true;
    for (uint32_t i = 0; i < e->n_fields; i++) {
        uint16_t param = e->fields[i].param;
        const ir_param_def *def = &c->params[param];
        if (ir_param_may_be_absent(def) && !ir_param_is_present(c, param, params))
            continue;
        if (!first)
            ir_put(p, ", ");
        first = false;
        if (e->kind == AF_STRUCT) {
            ir_put(p, def->name);
            ir_put(p, " = ");
        }
        /* MLIR cannot strip a nested wrapper */
        bool wrapped = def->kind == IR_PARAM_ATTR && def->cpp &&
                       strncmp(def->cpp, "optional<", 9) == 0;
        ir_put_param(p, def, wrapped || e->fields[i].in_full, params[param]);
    }
    *b = (blanks){.want = false, .punct = true};
}

static void put_elements(ir_printer *p, const af_form *c, const af_list *list,
                         const ir_attr *params, blanks *b)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const af_element *e = &list->at[i];
        switch (e->kind) {
        case AF_LITERAL:
            put_literal(p, e->text, b);
            break;
        case AF_BLANK:
            ir_putc(p, ' ');
            *b = (blanks){false, false};
            break;
        case AF_EMPTY:
            *b = (blanks){.want = false, .punct = true};
            break;
        case AF_PARAM:
            before_value(p, b);
            ir_put_param(p, &c->params[e->param], e->in_full, params[e->param]);
            break;
        case AF_STRUCT:
        case AF_LIST:
            put_fields(p, c, e, params, b);
            break;
        case AF_CUSTOM:
            before_value(p, b);
            e->directive.custom->print(p, &e->directive, params);
            break;
        default: {
            /* the flags after a group are those before it */
            bool then = ir_group_is_present(c, e, params) == e->anchor_inside_then;
            blanks inner = *b;
            put_elements(p, c, then ? &e->then : &e->otherwise, params, &inner);
            break;
        }
        }
    }
}

static void put_body(ir_printer *p, const af_form *c, const ir_attr *params)
{
    blanks b = {.want = true, .punct = false};
    put_elements(p, c, &c->body, params, &b);
}

void ir_put_attr_format(ir_printer *p, ir_attr attr)
{
    put_body(p, ir_compiled_attr_format(attr->ctx, attr->def), attr->params);
}

void ir_put_type_format(ir_printer *p, ir_type type)
{
    put_body(p, ir_compiled_type_format(type->ctx, type->def), type->params);
}
