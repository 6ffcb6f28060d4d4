/* attr_format_compile.c: compiles the declarative formats of attributes and types.
 *
 * A format is a string of directives: `literal`, $param, qualified($param), params,
 * struct(...), custom<Name>(...), ( ... )? and ( ... ) : ( ... )?.  It is compiled once for
 * each row into a tree of elements kept in the context. */
#include "ir/text/attr_format_impl.h"
#include "ir/text/text_impl.h"

typedef struct compiler {
    ir_context *ctx;
    af_form *c;
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
    if (!k->c->wrong)
        k->c->wrong = name.data;
    return 0;
}

static af_field parse_field(compiler *k)
{
    af_field f = {0};
    f.in_full = take(k, "qualified(");
    take(k, "$");
    f.param = param_index(k);
    if (f.in_full)
        take(k, ")");
    return f;
}

static void compile_struct(compiler *k, af_element *e)
{
    af_field fields[MAX_PARAMS];
    if (take(k, "params")) {
        e->n_fields = k->c->n_params;
        for (uint32_t i = 0; i < e->n_fields; i++)
            fields[i] = (af_field){.param = (uint16_t)i};
    } else {
        do
            fields[e->n_fields++] = parse_field(k);
        while (take(k, ",") && e->n_fields < MAX_PARAMS);
    }
    e->fields = (af_field *)(void *)tw_arena_copy(ir_context_arena(k->ctx), fields,
                                                  e->n_fields * sizeof *fields);
}

static void compile_custom(compiler *k, af_element *e)
{
    uint16_t args[MAX_PARAMS];
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

static af_list compile_list(compiler *k, int *anchor);

static void compile_group(compiler *k, af_element *e)
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

static bool compile_element(compiler *k, af_element *e, int *anchor)
{
    if (take(k, "`")) {
        const char *end = strchr(k->at, '`');
        assert(end && "an attribute format's literal does not end");
        e->text = (tw_str){k->at, (size_t)(end - k->at)};
        e->kind = e->text.size == 0         ? AF_EMPTY
                  : tw_str_is(e->text, " ") ? AF_BLANK
                                            : AF_LITERAL;
        k->at = end + 1;
    } else if (take(k, "$")) {
        e->kind = AF_PARAM;
        e->param = param_index(k);
    } else if (take(k, "qualified(")) {
        e->kind = AF_PARAM;
        e->in_full = true;
        take(k, "$");
        e->param = param_index(k);
        take(k, ")");
    } else if (take(k, "struct(")) {
        e->kind = AF_STRUCT;
        compile_struct(k, e);
        take(k, ")");
    } else if (take(k, "custom<")) {
        e->kind = AF_CUSTOM;
        compile_custom(k, e);
    } else if (take(k, "params")) {
        k->at -= strlen("params");
        e->kind = AF_LIST;
        compile_struct(k, e);
    } else if (take(k, "(")) {
        e->kind = AF_GROUP;
        compile_group(k, e);
    } else {
        return false;
    }
    if (take(k, "^"))
        *anchor = e->kind == AF_CUSTOM                         ? e->directive.args[0]
                  : e->kind == AF_LIST || e->kind == AF_STRUCT ? e->fields[0].param
                                                               : e->param;
    return true;
}

static af_list compile_list(compiler *k, int *anchor)
{
    af_element elements[128];
    af_list list = {0};
    for (;;) {
        assert(list.count < TW_COUNT(elements) && "an attribute format is too long");
        memset(&elements[list.count], 0, sizeof *elements);
        if (!compile_element(k, &elements[list.count], anchor))
            break;
        list.count++;
    }
    list.at = (af_element *)(void *)tw_arena_copy(ir_context_arena(k->ctx), elements,
                                                  list.count * sizeof *elements);
    return list;
}

/* The value of a parameter whose text is absent. */
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

static af_form *compile(ir_context *ctx, const char *mnemonic, const char *cls,
                        const char *format, const ir_param_def *params, uint32_t n_params,
                        const ir_enum_def *enumeration)
{
    tw_arena *arena = ir_context_arena(ctx);
    af_form *c = TW_ARENA_NEW(arena, af_form);
    *c =
        (af_form){.mnemonic = mnemonic, .cls = cls, .params = params, .n_params = n_params};
    if (enumeration && !n_params) { /* the case is the only parameter */
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
    if (!c->wrong && *k.at)
        c->wrong = k.at;
    assert(!c->wrong && "an attribute format does not read well");
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

const af_form *ir_compiled_attr_format(ir_context *ctx, const ir_attr_def *def)
{
    ir_mapping *map = compiled_formats(ctx);
    af_form *c = ir_mapping_get(map, def);
    if (!c) {
        c = compile(ctx, def->mnemonic, def->cls, def->format, def->params.at,
                    def->params.count, def->enumeration);
        ir_mapping_set(map, def, c);
    }
    return c;
}

const af_form *ir_compiled_type_format(ir_context *ctx, const ir_type_def *def)
{
    ir_mapping *map = compiled_formats(ctx);
    af_form *c = ir_mapping_get(map, def);
    if (!c) {
        c = compile(ctx, def->mnemonic, def->cls, def->format, def->params.at,
                    def->params.count, NULL);
        ir_mapping_set(map, def, c);
    }
    return c;
}

bool ir_param_may_be_absent(const ir_param_def *def)
{
    return def->optional || def->deflt;
}

bool ir_param_is_present(const af_form *c, uint16_t param, const ir_attr *params)
{
    ir_attr value = params[param];
    if (!value)
        return false;
    if (!ir_param_may_be_absent(&c->params[param]))
        return true;
    if (c->params[param].array && value->kind == IR_ATTR_ARRAY && value->count == 0)
        return false;
    return value != c->defaults[param];
}

/* True if a group's anchor is present: for a struct, any of its parameters. */
bool ir_group_is_present(const af_form *c, const af_element *group, const ir_attr *params)
{
    for (uint32_t i = 0; i < group->then.count; i++) {
        const af_element *e = &group->then.at[i];
        if (e->kind != AF_STRUCT && e->kind != AF_LIST)
            continue;
        for (uint32_t k = 0; k < e->n_fields && e->fields[0].param == group->param; k++)
            if (ir_param_is_present(c, e->fields[k].param, params))
                return true;
    }
    return ir_param_is_present(c, group->param, params);
}
