/* attr_format.c: the declarative formats of attributes and types, read and written.
 *
 * A format is a string of directives: `literal`, $param, qualified($param), params,
 * struct(...), custom<Name>(...), ( ... )? and ( ... ) : ( ... )?.  It is compiled once
 * for each row into a tree of elements kept with the context. */
#include "ir/text/attr_format.h"
#include "ir/text/text_impl.h"

#include <stdio.h>

/* ---- compiled formats --------------------------------------------------------------- */

typedef enum element_kind {
    LITERAL, /* text */
    BLANK,   /* ` ` */
    EMPTY,   /* `` */
    PARAM,   /* param, in_full */
    STRUCT,  /* fields: name = value */
    LIST,    /* params: fields without names */
    CUSTOM,  /* directive */
    GROUP,   /* ( then )? or ( then ) : ( otherwise )? */
} element_kind;

typedef struct element element;

typedef struct element_list {
    element *at;
    uint32_t count;
} element_list;

typedef struct field {
    uint16_t param;
    bool in_full;
} field;

struct element {
    uint8_t kind;
    bool in_full;
    bool anchor_inside_then; /* GROUP: where the anchor stands */
    uint16_t param;          /* PARAM; GROUP: the anchor */
    tw_str text;
    field *fields;
    uint32_t n_fields;
    ir_attr_directive directive;
    element_list then, otherwise;
};

typedef struct compiled {
    const char *mnemonic, *cls;
    const ir_param_def *params;
    uint32_t n_params;
    ir_attr *defaults; /* what an absent parameter is; NULL where it cannot be absent */
    element_list body;
} compiled;

enum { MOST_PARAMS = 64 };

typedef struct compiler {
    ir_context *ctx;
    compiled *c;
    const char *at;
    int anchor;
} compiler;

static void skip(compiler *k)
{
    while (*k->at == ' ' || *k->at == '\n' || *k->at == '\t')
        k->at++;
}

static bool take(compiler *k, const char *text)
{
    skip(k);
    size_t n = strlen(text);
    if (strncmp(k->at, text, n) != 0)
        return false;
    k->at += n;
    return true;
}

static tw_str word(compiler *k)
{
    skip(k);
    const char *from = k->at;
    while ((*k->at >= 'a' && *k->at <= 'z') || (*k->at >= 'A' && *k->at <= 'Z') ||
           (*k->at >= '0' && *k->at <= '9') || *k->at == '_')
        k->at++;
    return (tw_str){from, (size_t)(k->at - from)};
}

static uint16_t param_index(compiler *k)
{
    tw_str name = word(k);
    for (uint32_t i = 0; i < k->c->n_params; i++)
        if (tw_str_is(name, k->c->params[i].name))
            return (uint16_t)i;
    assert(!"an attribute format names an unknown parameter");
    return 0;
}

static field parse_field(compiler *k)
{
    field f = {0};
    f.in_full = take(k, "qualified(");
    take(k, "$");
    f.param = param_index(k);
    if (f.in_full)
        take(k, ")");
    return f;
}

static void compile_struct(compiler *k, element *e)
{
    field fields[MOST_PARAMS];
    if (take(k, "params")) {
        e->n_fields = k->c->n_params;
        for (uint32_t i = 0; i < e->n_fields; i++)
            fields[i] = (field){.param = (uint16_t)i};
    } else {
        do
            fields[e->n_fields++] = parse_field(k);
        while (take(k, ",") && e->n_fields < MOST_PARAMS);
    }
    e->fields = (field *)(void *)tw_arena_copy(ir_context_arena(k->ctx), fields,
                                               e->n_fields * sizeof *fields);
}

static void compile_custom(compiler *k, element *e)
{
    uint16_t args[MOST_PARAMS];
    ir_attr_directive *d = &e->directive;
    tw_str name = word(k);
    d->defs = k->c->params;
    d->custom = ir_attr_custom_find(name);
    assert(d->custom && "an attribute format uses an unknown custom directive");
    take(k, ">");
    take(k, "(");
    while (!take(k, ")")) {
        if (take(k, "$")) {
            args[d->n_args++] = param_index(k);
        } else if (take(k, "\"")) { /* "\"word\"" or "" */
            while (*k->at == '\\' || *k->at == '"')
                k->at++;
            d->word = word(k);
            while (*k->at == '\\' || *k->at == '"')
                k->at++;
        } else if (!take(k, ",")) {
            assert(!"an attribute format's custom directive does not end");
            break;
        }
    }
    d->args = (const uint16_t *)(void *)tw_arena_copy(ir_context_arena(k->ctx), args,
                                                      d->n_args * sizeof *args);
}

static element_list compile_list(compiler *k, int *anchor);

static void compile_group(compiler *k, element *e)
{
    int in_then = -1, in_else = -1;
    e->then = compile_list(k, &in_then);
    take(k, ")");
    if (take(k, ":")) {
        take(k, "(");
        e->otherwise = compile_list(k, &in_else);
        take(k, ")");
    }
    take(k, "?");
    assert((in_then >= 0 || in_else >= 0) && "an optional group without an anchor");
    e->anchor_inside_then = in_then >= 0;
    e->param = (uint16_t)(in_then >= 0 ? in_then : in_else);
}

static bool compile_element(compiler *k, element *e, int *anchor)
{
    if (take(k, "`")) {
        const char *end = strchr(k->at, '`');
        assert(end && "an attribute format's literal does not end");
        e->text = (tw_str){k->at, (size_t)(end - k->at)};
        e->kind = e->text.size == 0 ? EMPTY : tw_str_is(e->text, " ") ? BLANK : LITERAL;
        k->at = end + 1;
    } else if (take(k, "$")) {
        e->kind = PARAM;
        e->param = param_index(k);
    } else if (take(k, "qualified(")) {
        e->kind = PARAM;
        e->in_full = true;
        take(k, "$");
        e->param = param_index(k);
        take(k, ")");
    } else if (take(k, "struct(")) {
        e->kind = STRUCT;
        compile_struct(k, e);
        take(k, ")");
    } else if (take(k, "custom<")) {
        e->kind = CUSTOM;
        compile_custom(k, e);
    } else if (take(k, "params")) {
        k->at -= strlen("params");
        e->kind = LIST;
        compile_struct(k, e);
    } else if (take(k, "(")) {
        e->kind = GROUP;
        compile_group(k, e);
    } else {
        return false;
    }
    if (take(k, "^"))
        *anchor = e->kind == CUSTOM                      ? e->directive.args[0]
                  : e->kind == LIST || e->kind == STRUCT ? e->fields[0].param
                                                         : e->param;
    return true;
}

static element_list compile_list(compiler *k, int *anchor)
{
    element elements[128];
    element_list list = {0};
    for (;;) {
        assert(list.count < TW_COUNT(elements) && "an attribute format is too long");
        memset(&elements[list.count], 0, sizeof *elements);
        if (!compile_element(k, &elements[list.count], anchor))
            break;
        list.count++;
    }
    list.at = (element *)(void *)tw_arena_copy(ir_context_arena(k->ctx), elements,
                                               list.count * sizeof *elements);
    return list;
}

/* The value that a parameter has when its text is absent. */
static ir_attr default_value(ir_context *ctx, const ir_param_def *def)
{
    if (def->array)
        return ir_array_attr(ctx, NULL, 0);
    if (!def->deflt || !def->deflt[0])
        return NULL;
    ir_attr value = NULL;
    ir_parser p = {.quiet = true};
    ir_parse_alone(&p, ctx, tw_str_from(def->deflt));
    bool ok = ir_parse_param(&p, def, true, &value);
    ir_parse_alone_end(&p);
    assert(ok && "a parameter's default does not parse");
    return ok ? value : NULL;
}

static compiled *compile(ir_context *ctx, const char *mnemonic, const char *cls,
                         const char *format, const ir_param_def *params, uint32_t n_params,
                         const ir_enum_def *enumeration)
{
    tw_arena *arena = ir_context_arena(ctx);
    compiled *c = TW_ARENA_NEW(arena, compiled);
    *c = (compiled){
        .mnemonic = mnemonic, .cls = cls, .params = params, .n_params = n_params};
    if (enumeration && !n_params) { /* the case is the one parameter */
        ir_param_def *value = TW_ARENA_NEW(arena, ir_param_def);
        *value = (ir_param_def){
            .name = "value", .kind = IR_PARAM_ENUM, .enumeration = enumeration};
        c->params = value;
        c->n_params = 1;
    }
    c->defaults = TW_ARENA_ARRAY(arena, ir_attr, c->n_params);
    for (uint32_t i = 0; i < c->n_params; i++)
        if (c->params[i].optional || c->params[i].deflt)
            c->defaults[i] = default_value(ctx, &c->params[i]);
    compiler k = {.ctx = ctx, .c = c, .at = format ? format : ""};
    int anchor = -1;
    c->body = compile_list(&k, &anchor);
    skip(&k);
    assert(*k.at == 0 && "an attribute format has something the reader does not know");
    return c;
}

static void free_mapping(void *map)
{
    ir_mapping_free(map);
}

static ir_mapping *compiled_formats(ir_context *ctx)
{
    ir_mapping *map = ir_context_slot(ctx, IR_SLOT_ATTR_FORMATS);
    if (!map) {
        map = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_ATTR_FORMATS, map, free_mapping);
    }
    return map;
}

static const compiled *attr_compiled(ir_context *ctx, const ir_attr_def *def)
{
    ir_mapping *map = compiled_formats(ctx);
    compiled *c = ir_mapping_get(map, def);
    if (!c) {
        c = compile(ctx, def->mnemonic, def->cls, def->format, def->params.at,
                    def->params.count, def->enumeration);
        ir_mapping_set(map, def, c);
    }
    return c;
}

static const compiled *type_compiled(ir_context *ctx, const ir_type_def *def)
{
    ir_mapping *map = compiled_formats(ctx);
    compiled *c = ir_mapping_get(map, def);
    if (!c) {
        c = compile(ctx, def->mnemonic, def->cls, def->format, def->params.at,
                    def->params.count, NULL);
        ir_mapping_set(map, def, c);
    }
    return c;
}

static bool may_be_absent(const ir_param_def *def)
{
    return def->optional || def->deflt;
}

static bool is_present(const compiled *c, uint16_t param, const ir_attr *params)
{
    ir_attr value = params[param];
    if (!value)
        return false;
    if (!may_be_absent(&c->params[param]))
        return true;
    if (c->params[param].array && value->kind == IR_ATTR_ARRAY && value->count == 0)
        return false;
    return value != c->defaults[param];
}

/* Whether a group's anchor is there: of a struct's parameters, any. */
static bool is_any_present(const compiled *c, const element *group, const ir_attr *params)
{
    for (uint32_t i = 0; i < group->then.count; i++) {
        const element *e = &group->then.at[i];
        if (e->kind != STRUCT && e->kind != LIST)
            continue;
        for (uint32_t k = 0; k < e->n_fields && e->fields[0].param == group->param; k++)
            if (is_present(c, e->fields[k].param, params))
                return true;
    }
    return is_present(c, group->param, params);
}

/* ---- reading ------------------------------------------------------------------------ */

typedef struct place { /* to look one token ahead and come back */
    ir_token tok;
    const char *cursor;
} place;

static place here(const ir_parser *p)
{
    return (place){p->tok, p->cursor};
}

static void go_back(ir_parser *p, place to)
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

static const element *first_real(const element_list *list, uint32_t *index)
{
    for (; *index < list->count; ++*index)
        if (list->at[*index].kind != EMPTY && list->at[*index].kind != BLANK)
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
            /* a body: its first literal tells */
            const ir_attr_def *row = ir_attr_def_find(p->ctx, tw_str_from(def->of));
            const element_list *body =
                row && !row->parse ? &attr_compiled(p->ctx, row)->body : NULL;
            uint32_t i = 0;
            const element *e = body ? first_real(body, &i) : NULL;
            if (e && e->kind == LITERAL)
                return at_literal(p, e->text);
        }
        return t.kind != IR_TOK_PUNCT || strchr("<[{(-", t.punct) != NULL;
    default:
        return t.kind != IR_TOK_EOF;
    }
}

/* Whether what follows can be this group: its first element, and the one behind a comma
 * so that optional parts which all begin with a comma can follow each other. */
static bool group_starts(ir_parser *p, const compiled *c, const element_list *list)
{
    uint32_t i = 0;
    const element *e = first_real(list, &i);
    if (!e)
        return false;
    switch (e->kind) {
    case LITERAL: {
        if (!at_literal(p, e->text))
            return false;
        if (!tw_str_is(e->text, ","))
            return true;
        i++;
        const element *next = first_real(list, &i);
        if (!next || (next->kind != LITERAL && next->kind != PARAM))
            return true;
        place back = here(p);
        ir_next(p);
        bool fits = next->kind == LITERAL
                        ? at_literal(p, next->text)
                        : param_may_start(p, &c->params[next->param], next->in_full);
        go_back(p, back);
        return fits;
    }
    case PARAM:
        return param_may_start(p, &c->params[e->param], e->in_full);
    case STRUCT:
        return p->tok.kind == IR_TOK_BARE_ID;
    case GROUP:
        return group_starts(p, c, &e->then);
    default:
        return true;
    }
}

static bool parse_elements(ir_parser *p, const compiled *c, const element_list *list,
                           ir_attr *params);

/* The peers' spelling of a parameter's type: "::llvm::ArrayRef<MeshAxisAttr>". */
static void put_cpp_type(tw_strbuf *out, const ir_dialect *d, const ir_param_def *def)
{
    const char *cpp = def->cpp ? def->cpp : "?";
    if (strncmp(cpp, "ArrayRef<", 9) == 0 || strcmp(cpp, "StringRef") == 0)
        tw_strbuf_puts(out, "::llvm::");
    else if (def->kind == IR_PARAM_ENUM)
        tw_strbuf_printf(out, "::mlir::%s::", d->name_space);
    tw_strbuf_puts(out, cpp);
}

/* After the error itself: which parameter of which attribute could not be read. */
static bool explain(ir_parser *p, const compiled *c, const ir_param_def *def)
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

static bool parse_param(ir_parser *p, const compiled *c, uint16_t param, bool in_full,
                        ir_attr *params)
{
    const ir_param_def *def = &c->params[param];
    return ir_parse_param(p, def, in_full, &params[param]) || explain(p, c, def);
}

static bool parse_struct_field(ir_parser *p, const compiled *c, const element *e,
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

/* Of required parameters only, a struct ends after its last; else it goes on with commas.
 */
static bool parse_struct(ir_parser *p, const compiled *c, const element *e, ir_attr *params)
{
    uint64_t seen = 0;
    uint32_t required = 0;
    for (uint32_t i = 0; i < e->n_fields; i++)
        required += !may_be_absent(&c->params[e->fields[i].param]);
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
        if (!may_be_absent(def) && !(seen >> e->fields[i].param & 1))
            return ir_fail_here(p, "struct is missing required parameter: %s", def->name);
    }
    return true;
}

static bool parse_list(ir_parser *p, const compiled *c, const element *e, ir_attr *params)
{
    for (uint32_t i = 0; i < e->n_fields; i++) {
        uint16_t param = e->fields[i].param;
        if (i && may_be_absent(&c->params[param]) && !ir_at_punct(p, ','))
            break;
        if ((i && !ir_expect_punct(p, ',')) ||
            !parse_param(p, c, param, e->fields[i].in_full, params))
            return false;
    }
    return true;
}

static bool parse_element(ir_parser *p, const compiled *c, const element *e,
                          ir_attr *params)
{
    switch (e->kind) {
    case LITERAL:
        return parse_literal(p, e->text);
    case PARAM:
        return parse_param(p, c, e->param, e->in_full, params);
    case STRUCT:
        return parse_struct(p, c, e, params);
    case LIST:
        return parse_list(p, c, e, params);
    case CUSTOM:
        return e->directive.custom->parse(p, &e->directive, params);
    case GROUP:
        if (group_starts(p, c, &e->then))
            return parse_elements(p, c, &e->then, params);
        return parse_elements(p, c, &e->otherwise, params);
    default:
        return true;
    }
}

static bool parse_elements(ir_parser *p, const compiled *c, const element_list *list,
                           ir_attr *params)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!parse_element(p, c, &list->at[i], params))
            return false;
    return true;
}

/* All of a body; parameters that were not written get their defaults. */
static bool parse_body(ir_parser *p, const compiled *c, const char *format, ir_attr *params)
{
    assert(c->n_params <= MOST_PARAMS);
    memset(params, 0, c->n_params * sizeof *params);
    if (!format && c->n_params) /* hand-written, and nobody has */
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
    ir_attr params[MOST_PARAMS];
    const compiled *c = attr_compiled(p->ctx, def);
    return parse_body(p, c, def->format, params)
               ? ir_dialect_attr(p->ctx, def, params, c->n_params)
               : NULL;
}

ir_type ir_parse_type_format(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[MOST_PARAMS];
    const compiled *c = type_compiled(p->ctx, def);
    return parse_body(p, c, def->format, params)
               ? ir_dialect_type(p->ctx, def, params, c->n_params)
               : NULL;
}

/* ---- writing ------------------------------------------------------------------------ */

/* The two flags of the format generator (up to MLIR 22): a blank is wanted before the
 * next thing; the last thing was punctuation. */
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

static void put_fields(ir_printer *p, const compiled *c, const element *e,
                       const ir_attr *params, blanks *b)
{
    bool any = false;
    for (uint32_t i = 0; i < e->n_fields && !any; i++)
        any = !may_be_absent(&c->params[e->fields[i].param]) ||
              is_present(c, e->fields[i].param, params);
    if (any && (b->want || !b->punct))
        ir_putc(p, ' ');
    bool first = true;
    for (uint32_t i = 0; i < e->n_fields; i++) {
        uint16_t param = e->fields[i].param;
        const ir_param_def *def = &c->params[param];
        if (may_be_absent(def) && !is_present(c, param, params))
            continue;
        if (!first)
            ir_put(p, ", ");
        first = false;
        if (e->kind == STRUCT) {
            ir_put(p, def->name);
            ir_put(p, " = ");
        }
        /* MLIR cannot strip what is wrapped once more */
        bool wrapped = def->kind == IR_PARAM_ATTR && def->cpp &&
                       strncmp(def->cpp, "optional<", 9) == 0;
        ir_put_param(p, def, wrapped || e->fields[i].in_full, params[param]);
    }
    *b = (blanks){.want = false, .punct = true};
}

static void put_elements(ir_printer *p, const compiled *c, const element_list *list,
                         const ir_attr *params, blanks *b)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->at[i];
        switch (e->kind) {
        case LITERAL:
            put_literal(p, e->text, b);
            break;
        case BLANK:
            ir_putc(p, ' ');
            *b = (blanks){false, false};
            break;
        case EMPTY:
            *b = (blanks){.want = false, .punct = true};
            break;
        case PARAM:
            before_value(p, b);
            ir_put_param(p, &c->params[e->param], e->in_full, params[e->param]);
            break;
        case STRUCT:
        case LIST:
            put_fields(p, c, e, params, b);
            break;
        case CUSTOM:
            before_value(p, b);
            e->directive.custom->print(p, &e->directive, params);
            break;
        default: {
            /* the flags behind a group are those in front of it */
            bool then = is_any_present(c, e, params) == e->anchor_inside_then;
            blanks inner = *b;
            put_elements(p, c, then ? &e->then : &e->otherwise, params, &inner);
            break;
        }
        }
    }
}

static void put_body(ir_printer *p, const compiled *c, const ir_attr *params)
{
    blanks b = {.want = true, .punct = false};
    put_elements(p, c, &c->body, params, &b);
}

void ir_put_attr_format(ir_printer *p, ir_attr attr)
{
    put_body(p, attr_compiled(attr->ctx, attr->def), attr->params);
}

void ir_put_type_format(ir_printer *p, ir_type type)
{
    put_body(p, type_compiled(type->ctx, type->def), type->params);
}
