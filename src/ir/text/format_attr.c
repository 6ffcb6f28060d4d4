/* format_attr.c: reads one attribute of a declarative format by its constraint. */
#include "ir/text/format_impl.h"

#include <stdlib.h>

static ir_type value_type(ir_context *ctx, const ir_constraint *c)
{
    return c->value_type ? ir_parse_type(ctx, tw_str_from(c->value_type)) : NULL;
}

typedef struct dense_items {
    ir_type type;
    ir_items list;
} dense_items;

static bool array_item(ir_parser *p, void *user)
{
    dense_items *items = user;
    ir_attr item;
    if (ir_type_is_integer(items->type, 1)) {
        bool yes = ir_accept_keyword(p, "true");
        if (!yes && !ir_accept_keyword(p, "false")) {
            int64_t value;
            if (!ir_parse_int(p, &value))
                return false;
            yes = value != 0;
        }
        item = ir_bool_attr(p->ctx, yes);
    } else if (items->type->kind == IR_TYPE_INTEGER && p->tok.kind != IR_TOK_INTEGER &&
               !ir_at_punct(p, '-')) {
        return ir_fail_own(p, p->tok.at, "expected integer value");
    } else {
        item = ir_parse_element(p, items->type);
    }
    if (!item)
        return false;
    ir_items_add(p, &items->list, item);
    return true;
}

static ir_attr parse_bare_dense_array(ir_parser *p, ir_type element)
{
    dense_items items = {.type = element};
    if (!ir_parse_list(p, "[]", array_item, &items)) {
        if (items.list.count && !ir_at_punct(p, ']')) /* the closing bracket is missing */
            ir_fail_also(p, "expected ']'");
        return NULL;
    }
    return ir_dense_array_from(p, element, items.list.at, items.list.count);
}

static ir_type dense_array_element(ir_context *ctx, const ir_constraint *c)
{
    const char *s = c->storage + 5;
    if (strncmp(s, "Bool", 4) == 0)
        return ir_integer_type(ctx, 1, IR_SIGNLESS);
    if (s[0] == 'F')
        return ir_float_type(ctx, s[1] == '3' ? IR_F32 : IR_F64);
    return ir_integer_type(ctx, (uint32_t)atoi(s + 1), IR_SIGNLESS);
}

/* A case that is stored as an integer, written as a word or as a string. */
static bool parse_integer_case(ir_parser *p, const ir_attr_use *use, int64_t *out)
{
    const ir_enum_def *e = use->type->enumeration;
    const char *at = p->tok.at;
    tw_str text = ir_tok_str(p);
    const ir_enum_case *known = NULL;
    if (p->tok.kind == IR_TOK_STRING) {
        if (!ir_parse_string(p, &text))
            return false;
        if (!(known = ir_enum_by_text(e, text)))
            return ir_fail_own(p, at, "invalid %s attribute specification: \"%.*s\"",
                               use->name, (int)text.size, text.data);
    } else if (p->tok.kind == IR_TOK_BARE_ID && (known = ir_enum_by_text(e, text))) {
        ir_next(p);
    } else {
        tw_strbuf cases = {0};
        for (uint32_t i = 0; i < e->cases.count; i++)
            tw_strbuf_printf(&cases, "%s%s", i ? ", " : "", e->cases.at[i].text);
        ir_fail_own(p, at,
                    "expected string or keyword containing one of the following enum "
                    "values for attribute '%s' [%s]",
                    use->name, tw_strbuf_text(&cases));
        tw_strbuf_free(&cases);
        return false;
    }
    *out = known->value;
    return true;
}

static ir_attr parse_enum_attr(ir_parser *p, const ir_attr_use *use)
{
    const ir_constraint *c = use->type;
    int64_t value;
    if (c->enumeration->bits ? !ir_parse_enum(p, c->enumeration, &value)
                             : !parse_integer_case(p, use, &value))
        return NULL;
    ir_type type = value_type(p->ctx, c);
    if (!type)
        type = ir_integer_type(p->ctx, c->enumeration->width ? c->enumeration->width : 32,
                               IR_SIGNLESS);
    return ir_integer_attr(type, value);
}

ir_attr ir_parse_attr_var(ir_parser *p, const ir_attr_use *use, bool qualified)
{
    const ir_constraint *c = use->type;
    if (ir_is_symbol_name_attr(c)) {
        ir_attr name;
        return ir_parse_symbol_name(p, &name) ? name : NULL;
    }
    if (ir_is_dense_array_attr(c))
        return parse_bare_dense_array(p, dense_array_element(p->ctx, c));
    if (c->def && !qualified) {
        const ir_attr_def *def = ir_attr_def_find(p->ctx, tw_str_from(c->def));
        if (def)
            return ir_parse_stripped_attr(p, def);
    }
    if (c->enumeration && !c->as_integer)
        return parse_enum_attr(p, use);
    ir_type type = value_type(p->ctx, c);
    if (!type && c->storage && strcmp(c->storage, "StringAttr") == 0)
        type = ir_none_type(p->ctx); /* a colon after the string belongs to the format */
    return ir_parse_an_attr(p, type);
}

bool ir_attr_starts_here(ir_parser *p, const ir_constraint *c)
{
    if (ir_is_symbol_name_attr(c))
        return p->tok.kind == IR_TOK_AT;
    if (ir_is_dense_array_attr(c))
        return ir_at_punct(p, '[');
    if (c->enumeration && !c->as_integer && !c->def)
        return p->tok.kind == IR_TOK_STRING ||
               (p->tok.kind == IR_TOK_BARE_ID &&
                ir_enum_by_text(c->enumeration, ir_tok_str(p)) != NULL);
    if (c->enumeration && !c->as_integer && p->tok.kind == IR_TOK_BARE_ID)
        return ir_enum_by_text(c->enumeration, ir_tok_str(p)) != NULL;
    if (c->storage && strcmp(c->storage, "StringAttr") == 0)
        return p->tok.kind == IR_TOK_STRING;
    if (c->storage && strstr(c->storage, "SymbolRef"))
        return p->tok.kind == IR_TOK_AT;
    if (c->storage && strcmp(c->storage, "ArrayAttr") == 0)
        return ir_at_punct(p, '[');
    if (c->def && !c->enumeration)
        return p->tok.kind == IR_TOK_HASH || ir_at_punct(p, '<') || ir_at_punct(p, '[');
    switch (p->tok.kind) {
    case IR_TOK_INTEGER:
    case IR_TOK_FLOAT:
    case IR_TOK_STRING:
    case IR_TOK_HASH:
        return true;
    case IR_TOK_BARE_ID:
        return ir_at_keyword(p, "true") || ir_at_keyword(p, "false") ||
               ir_at_keyword(p, "dense");
    default:
        return ir_at_punct(p, '-') || ir_at_punct(p, '[');
    }
}
