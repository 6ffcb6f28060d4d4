/* format.c: interprets the declarative formats of operations, both ways.
 *
 * Reading collects names, types and attributes as the format meets them; afterwards the
 * types that the text left out are inferred (buildable constraints, type-matching traits,
 * the row's infer hook) and operands are resolved. */
#include "ir/text/format.h"

#include "ir/text/directive_custom.h"
#include "ir/text/format_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- compiled formats --------------------------------------------------------------- */

static bool resolve_var(void *user, tw_str name, int *kind, int *index)
{
    const ir_op_def *def = user;
#define LOOK(list, code)                                                                   \
    for (uint32_t i = 0; i < def->list.count; i++)                                         \
        if (tw_str_is(name, def->list.at[i].name)) {                                       \
            *kind = code;                                                                  \
            *index = (int)i;                                                               \
            return true;                                                                   \
        }
    LOOK(operands, VAR_OPERAND)
    LOOK(attrs, VAR_ATTR)
    LOOK(results, VAR_RESULT)
    LOOK(regions, VAR_REGION)
    LOOK(successors, VAR_SUCCESSOR)
#undef LOOK
    return false;
}

static void note_mentioned(op_format *f, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        if (d->kind == DIR_VAR && d->var_kind == VAR_ATTR)
            f->mentioned |= (uint64_t)1 << d->var;
        if (d->kind == DIR_NAMED && tw_str_is(d->text, "operands"))
            f->all_operands = true;
        if (d->kind != DIR_CALL || (d->n_args && d->args[0].kind == DIR_VAR))
            note_mentioned(f, d->args, d->n_args);
        note_mentioned(f, d->other, d->n_other);
    }
}

static const op_format *format_of(ir_context *ctx, const ir_op_def *def)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_FORMATS);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_FORMATS, known, (void (*)(void *))ir_mapping_free);
    }
    op_format *f = ir_mapping_get(known, def);
    if (f)
        return f;
    const char *error;
    f = TW_ARENA_NEW(ir_context_arena(ctx), op_format);
    f->dirs = dir_compile(ir_context_arena(ctx), def->format, resolve_var,
                          (void *)(uintptr_t)def, &f->count, &error);
    assert(f->dirs && "a row's format does not compile");
    note_mentioned(f, f->dirs, f->count);
    ir_mapping_set(known, def, f);
    return f;
}

/* ---- reading: one attribute by its constraint --------------------------------------- */

static bool is_dense_array(const ir_constraint *c)
{
    size_t n = c->storage ? strlen(c->storage) : 0;
    return n > 9 && strncmp(c->storage, "Dense", 5) == 0 &&
           strcmp(c->storage + n - 9, "ArrayAttr") == 0;
}

static bool is_symbol_name(const ir_constraint *c)
{
    return strcmp(c->name, "SymbolNameAttr") == 0;
}

static ir_type value_type(ir_context *ctx, const ir_constraint *c)
{
    return c->value_type ? ir_parse_type(ctx, tw_str_from(c->value_type)) : NULL;
}

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
    } else {
        item = ir_parse_element(p, items->type);
    }
    if (!item)
        return false;
    if (items->count == items->capacity) {
        uint32_t capacity = items->capacity ? items->capacity * 2 : 8;
        ir_attr *at = ir_scratch(p, capacity * sizeof *at);
        if (items->count)
            memcpy(at, items->at, items->count * sizeof *at);
        items->at = at;
        items->capacity = capacity;
    }
    items->at[items->count++] = item;
    return true;
}

ir_attr ir_parse_bare_dense_array(ir_parser *p, ir_type element)
{
    dense_items items = {.type = element};
    if (!ir_parse_list(p, "[]", array_item, &items))
        return NULL;
    return ir_dense_array_from(p, element, items.at, items.count);
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

static ir_attr parse_enum_attr(ir_parser *p, const ir_constraint *c)
{
    int64_t value;
    if (!ir_parse_enum(p, c->enumeration, &value))
        return NULL;
    ir_type type = value_type(p->ctx, c);
    if (!type)
        type = ir_integer_type(p->ctx, c->enumeration->width ? c->enumeration->width : 32,
                               IR_SIGNLESS);
    return ir_integer_attr(type, value);
}

static ir_attr parse_attr_var(ir_parser *p, const ir_constraint *c, bool qualified)
{
    if (is_symbol_name(c)) {
        ir_attr name;
        return ir_parse_symbol_name(p, &name) ? name : NULL;
    }
    if (is_dense_array(c))
        return ir_parse_bare_dense_array(p, dense_array_element(p->ctx, c));
    if (c->def && !qualified) {
        const ir_attr_def *def = ir_attr_def_find(p->ctx, tw_str_from(c->def));
        if (def)
            return ir_parse_stripped_attr(p, def);
    }
    if (c->enumeration && !c->as_integer)
        return parse_enum_attr(p, c);
    ir_type type = value_type(p->ctx, c);
    if (!type && c->storage && strcmp(c->storage, "StringAttr") == 0)
        type = ir_none_type(p->ctx); /* a colon behind the string belongs to the format */
    return ir_parse_an_attr(p, type);
}

/* Whether an attribute of this kind can start at the current token (optional groups). */
static bool attr_starts_here(ir_parser *p, const ir_constraint *c)
{
    if (is_symbol_name(c))
        return p->tok.kind == IR_TOK_AT;
    if (is_dense_array(c))
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

/* ---- reading: directives ------------------------------------------------------------ */

static bool parse_dirs(op_reading *r, const dir *dirs, uint32_t count);

static bool parse_literal(ir_parser *p, tw_str text)
{
    if (tw_str_is(text, "->"))
        return ir_expect_arrow(p);
    char word[64];
    size_t n = TW_MIN(text.size, sizeof word - 1);
    memcpy(word, text.data, n);
    word[n] = 0;
    if ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z') ||
        word[0] == '_')
        return ir_expect_keyword(p, word);
    for (size_t i = 0; i < n; i++)
        if (!ir_expect_punct(p, word[i]))
            return false;
    return true;
}

static bool literal_starts_here(ir_parser *p, tw_str text)
{
    if (tw_str_is(text, "->"))
        return p->tok.kind == IR_TOK_ARROW;
    if (p->tok.kind == IR_TOK_BARE_ID)
        return tw_str_equal(ir_tok_str(p), text);
    return ir_at_punct(p, text.data[0]);
}

static bool parse_operand_var(op_reading *r, int i)
{
    ir_parser *p = r->p;
    group_state *g = &r->operands[i];
    g->at = p->tok.at;
    g->named = true;
    if (r->op->def->operands.at[i].arity == IR_ONE) {
        ir_ssa_list one = {ir_scratch(p, sizeof(ir_ssa_use)), 1, 1};
        if (!ir_parse_ssa(p, one.at))
            return false;
        g->uses = one;
        return true;
    }
    if (r->op->def->operands.at[i].arity == IR_OPTIONAL) {
        ir_ssa_list one = {ir_scratch(p, sizeof(ir_ssa_use)), 0, 1};
        if (ir_accept_ssa(p, one.at))
            one.count = 1;
        g->uses = one;
        return !p->failed;
    }
    return ir_parse_ssa_list(p, &g->uses);
}

static bool parse_region_var(op_reading *r, int i)
{
    const ir_op_def *def = r->op->def;
    if (def->regions.at[i].variadic) {
        while (ir_at_punct(r->p, '{')) {
            if (!ir_parse_op_region(r->p, r->op, NULL, 0))
                return false;
            if (!ir_accept_punct(r->p, ','))
                break;
        }
        return !r->p->failed;
    }
    if (!ir_parse_op_region(r->p, r->op, NULL, 0))
        return false;
    ir_region *region = r->op->regions[r->op->n_regions - 1];
    if (!region->first && (def->traits & IR_SINGLE_BLOCK))
        ir_region_append(region, ir_block_create(r->p->ctx));
    return true;
}

static bool parse_var(op_reading *r, const dir *d, bool qualified)
{
    ir_parser *p = r->p;
    const ir_op_def *def = r->op->def;
    ir_block *block;
    switch (d->var_kind) {
    case VAR_OPERAND:
        return parse_operand_var(r, d->var);
    case VAR_ATTR: {
        const ir_attr_use *use = &def->attrs.at[d->var];
        ir_attr attr = parse_attr_var(p, use->type, qualified);
        if (attr)
            ir_add_attr(p, r->op, use->name, attr);
        return attr != NULL;
    }
    case VAR_REGION:
        return parse_region_var(r, d->var);
    case VAR_SUCCESSOR:
        if (def->successors.at[d->var].variadic && p->tok.kind != IR_TOK_CARET)
            return true;
        do {
            if (!ir_parse_successor(p, &block))
                return false;
            ir_reading_add_successor(r, block);
        } while (def->successors.at[d->var].variadic && ir_accept_punct(p, ','));
        return true;
    default:
        return ir_fail_here(p, "results cannot be read by name");
    }
}

/* The row of the one dialect type that a single operand or result may have: formats write
 * its body only, `<memref<4xf32>>` for a d2m.cb.  Types without parameters have none. */
static const ir_type_def *stripped_type(ir_context *ctx, const ir_operand_def *group)
{
    if (group->arity == IR_VARIADIC || !group->type || !group->type->def)
        return NULL;
    const ir_type_def *def = ir_type_def_find(ctx, tw_str_from(group->type->def));
    return def && def->params.count ? def : NULL;
}

static bool parse_group_types(op_reading *r, group_state *g, const ir_operand_def *group,
                              bool qualified)
{
    ir_parser *p = r->p;
    ir_arity arity = group->arity;
    const ir_type_def *def = qualified ? NULL : stripped_type(p->ctx, group);
    g->typed = true;
    if (def && (arity == IR_ONE || ir_at_punct(p, '<') || p->tok.kind == IR_TOK_BANG)) {
        ir_type type = ir_parse_stripped_type(p, def);
        if (type)
            ir_type_list_add(p, &g->types, type);
        return type != NULL;
    }
    if (arity == IR_ONE) {
        ir_type type = ir_parse_a_type(p);
        if (type)
            ir_type_list_add(p, &g->types, type);
        return type != NULL;
    }
    ir_type first = ir_accept_a_type(p);
    if (!first)
        return !p->failed;
    ir_type_list_add(p, &g->types, first);
    while (arity == IR_VARIADIC && ir_accept_punct(p, ',')) {
        ir_type type = ir_parse_a_type(p);
        if (!type)
            return false;
        ir_type_list_add(p, &g->types, type);
    }
    return true;
}

static bool parse_optional_types(ir_parser *p, ir_type_list *list)
{
    ir_type first = ir_accept_a_type(p);
    if (!first)
        return !p->failed;
    ir_type_list_add(p, list, first);
    return !ir_accept_punct(p, ',') || ir_parse_type_list(p, list);
}

static bool parse_type_of(op_reading *r, const dir *arg, bool qualified)
{
    if (arg->kind == DIR_VAR && arg->var_kind == VAR_OPERAND)
        return parse_group_types(r, &r->operands[arg->var],
                                 &r->op->def->operands.at[arg->var], qualified);
    if (arg->kind == DIR_VAR && arg->var_kind == VAR_RESULT)
        return parse_group_types(r, &r->results[arg->var],
                                 &r->op->def->results.at[arg->var], qualified);
    if (tw_str_is(arg->text, "operands")) {
        r->flat_operand_types = true;
        return parse_optional_types(r->p, &r->operand_types);
    }
    r->flat_result_types = true;
    return parse_optional_types(r->p, &r->result_types);
}

/* One side of a functional type goes to a group or to all. */
static void give_types(op_reading *r, const dir *arg, const ir_type_list *types)
{
    if (arg->kind == DIR_VAR) {
        group_state *g =
            arg->var_kind == VAR_OPERAND ? &r->operands[arg->var] : &r->results[arg->var];
        g->types = *types;
        g->typed = true;
    } else if (tw_str_is(arg->text, "operands")) {
        r->operand_types = *types;
        r->flat_operand_types = true;
    } else {
        r->result_types = *types;
        r->flat_result_types = true;
    }
}

static bool parse_call(op_reading *r, const dir *d)
{
    if (tw_str_is(d->text, "type"))
        return parse_type_of(r, &d->args[0], false);
    if (tw_str_is(d->text, "qualified"))
        return d->args[0].kind == DIR_VAR ? parse_var(r, &d->args[0], true)
                                          : parse_type_of(r, &d->args[0].args[0], true);
    if (tw_str_is(d->text, "functional-type")) {
        ir_type_list inputs = {0}, results = {0};
        if (!ir_parse_fn_type(r->p, &inputs, &results))
            return false;
        give_types(r, &d->args[0], &inputs);
        give_types(r, &d->args[1], &results);
        return true;
    }
    return ir_fail_here(r->p, "format directive '%.*s' is not supported", (int)d->text.size,
                        d->text.data);
}

static bool parse_named(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    if (tw_str_is(d->text, "attr-dict"))
        return ir_parse_op_attr_dict(p, r->op);
    if (tw_str_is(d->text, "attr-dict-with-keyword"))
        return ir_parse_op_attr_dict_keyword(p, r->op);
    if (tw_str_is(d->text, "operands")) {
        r->operands_at = p->tok.at;
        return ir_parse_ssa_list(p, &r->all_operands);
    }
    if (tw_str_is(d->text, "regions")) {
        while (ir_at_punct(p, '{')) {
            if (!ir_parse_op_region(p, r->op, NULL, 0))
                return false;
            ir_region *region = r->op->regions[r->op->n_regions - 1];
            if (!region->first && (r->op->def->traits & IR_SINGLE_BLOCK))
                ir_region_append(region, ir_block_create(p->ctx));
            if (!ir_accept_punct(p, ','))
                break;
        }
        return !p->failed;
    }
    if (tw_str_is(d->text, "successors")) {
        ir_block *block;
        while (p->tok.kind == IR_TOK_CARET) {
            if (!ir_parse_successor(p, &block))
                return false;
            ir_reading_add_successor(r, block);
            if (!ir_accept_punct(p, ','))
                break;
        }
        return !p->failed;
    }
    if (tw_str_is(d->text, "prop-dict")) {
        if (!ir_accept_punct(p, '<'))
            return true;
        return ir_parse_attr_dict(p, &r->op->attrs) && ir_expect_punct(p, '>');
    }
    return ir_fail_here(p, "format directive '%.*s' is not supported", (int)d->text.size,
                        d->text.data);
}

static bool starts_here(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    switch (d->kind) {
    case DIR_LITERAL:
        return literal_starts_here(p, d->text);
    case DIR_VAR:
        switch (d->var_kind) {
        case VAR_OPERAND:
            return p->tok.kind == IR_TOK_VALUE;
        case VAR_ATTR:
            return attr_starts_here(p, r->op->def->attrs.at[d->var].type);
        case VAR_REGION:
            return ir_at_punct(p, '{');
        default:
            return p->tok.kind == IR_TOK_CARET;
        }
    case DIR_NAMED:
        return tw_str_is(d->text, "operands") ? p->tok.kind == IR_TOK_VALUE
                                              : ir_at_punct(p, '{');
    case DIR_CALL:
        if (tw_str_is(d->text, "qualified"))
            return starts_here(r, &d->args[0]);
        return p->tok.kind == IR_TOK_BANG || p->tok.kind == IR_TOK_BARE_ID ||
               ir_at_punct(p, '(');
    default:
        return true;
    }
}

static const dir *first_real(const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (dirs[i].kind != DIR_EMPTY && dirs[i].kind != DIR_BLANK &&
            dirs[i].kind != DIR_NEWLINE)
            return &dirs[i];
    return NULL;
}

static const dir *find_anchor(const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (dirs[i].anchor)
            return &dirs[i];
    return NULL;
}

static bool is_unit_var(const ir_op_def *def, const dir *d)
{
    return d->kind == DIR_VAR && d->var_kind == VAR_ATTR &&
           strcmp(def->attrs.at[d->var].type->name, "UnitAttr") == 0;
}

static bool parse_group_body(op_reading *r, const dir *dirs, uint32_t count)
{
    /* a unit attribute as anchor stands for the group's presence and has no text */
    const dir *anchor = find_anchor(dirs, count);
    for (uint32_t i = 0; i < count; i++) {
        if (&dirs[i] == anchor && is_unit_var(r->op->def, anchor)) {
            ir_add_attr(r->p, r->op, r->op->def->attrs.at[anchor->var].name,
                        ir_unit_attr(r->p->ctx));
            continue;
        }
        if (!parse_dirs(r, &dirs[i], 1))
            return false;
    }
    return true;
}

static bool parse_optional(op_reading *r, const dir *d)
{
    const dir *first = first_real(d->args, d->n_args);
    if (first && starts_here(r, first))
        return parse_group_body(r, d->args, d->n_args);
    return d->n_other == 0 || parse_group_body(r, d->other, d->n_other);
}

static bool parse_oilist(op_reading *r, const dir *d)
{
    uint64_t seen = 0;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < d->n_args; i++) {
            const dir *clause = &d->args[i];
            if (!literal_starts_here(r->p, clause->args[0].text))
                continue;
            if (seen >> i & 1)
                return ir_fail_here(
                    r->p,
                    "`%.*s` clause can appear at most once in the expansion of"
                    " the oilist directive",
                    (int)clause->args[0].text.size, clause->args[0].text.data);
            seen |= (uint64_t)1 << i;
            any = true;
            for (uint32_t k = 0; k < clause->n_args; k++) {
                const dir *e = &clause->args[k];
                if (is_unit_var(r->op->def, e))
                    ir_add_attr(r->p, r->op, r->op->def->attrs.at[e->var].name,
                                ir_unit_attr(r->p->ctx));
                else if (!parse_dirs(r, e, 1))
                    return false;
            }
        }
    }
    return true;
}

static bool parse_dirs(op_reading *r, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        bool ok = true;
        switch (d->kind) {
        case DIR_LITERAL:
            ok = parse_literal(r->p, d->text);
            break;
        case DIR_VAR:
            ok = parse_var(r, d, false);
            break;
        case DIR_NAMED:
            ok = parse_named(r, d);
            break;
        case DIR_CALL:
            ok = parse_call(r, d);
            break;
        case DIR_CUSTOM:
            ok = ir_parse_custom_directive(r, d);
            break;
        case DIR_OPTIONAL:
            ok = parse_optional(r, d);
            break;
        case DIR_OILIST:
            ok = parse_oilist(r, d);
            break;
        default:
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

/* ---- printing ----------------------------------------------------------------------- */

static void print_dirs(op_writing *w, const dir *dirs, uint32_t count);

static void put_blank(op_writing *w)
{
    if (dir_blank_before_value(&w->blanks))
        ir_putc(w->p, ' ');
}

static bool enum_is_bare(const ir_enum_def *def)
{
    for (uint32_t i = 0; i < def->cases.count; i++) {
        const char *c = def->cases.at[i].text;
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_'))
            return false;
        for (; *c; c++)
            if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                  (*c >= '0' && *c <= '9') || *c == '_' || *c == '$' || *c == '.'))
                return false;
    }
    return true;
}

static void print_attr_var(op_writing *w, const ir_constraint *c, ir_attr attr,
                           bool qualified)
{
    ir_printer *p = w->p;
    if (!attr) {
        ir_put(p, "<<NULL ATTRIBUTE>>");
    } else if (is_symbol_name(c)) {
        ir_put_symbol(p, ir_attr_str(attr));
    } else if (is_dense_array(c) && attr->kind == IR_ATTR_DENSE_ARRAY) {
        ir_put_dense_array_bare(p, attr);
    } else if (c->def && !qualified && attr->kind == IR_ATTR_DIALECT) {
        ir_put_stripped_attr(p, attr);
    } else if (c->enumeration && !c->as_integer && attr->kind == IR_ATTR_INTEGER) {
        const ir_enum_case *one = ir_enum_by_value(c->enumeration, attr->value);
        if (one && !enum_is_bare(c->enumeration))
            ir_put_quoted(p, tw_str_from(one->text));
        else
            ir_put_enum(p, c->enumeration, attr->value);
    } else if (c->value_type) {
        ir_put_attr_no_type(p, attr);
    } else {
        ir_put_attr(p, attr);
    }
}

static void print_var(op_writing *w, const dir *d, bool qualified)
{
    ir_op *op = w->op;
    size_t start, count;
    switch (d->var_kind) {
    case VAR_OPERAND:
        put_blank(w);
        if (ir_op_operand_group(op, (size_t)d->var, &start, &count))
            ir_put_operands(w->p, op, start, count);
        break;
    case VAR_ATTR:
        put_blank(w);
        print_attr_var(w, op->def->attrs.at[d->var].type, op->props[d->var], qualified);
        break;
    case VAR_REGION:
        put_blank(w);
        for (size_t i = (size_t)d->var; i < op->n_regions; i++) {
            if (i > (size_t)d->var)
                ir_put(w->p, ", ");
            ir_put_region(w->p, &op->regions[i], true, w->keep_terminators);
            if (!op->def->regions.at[d->var].variadic)
                break;
        }
        break;
    case VAR_SUCCESSOR:
        put_blank(w);
        for (size_t i = (size_t)d->var; i < op->n_successors; i++) {
            if (i > (size_t)d->var)
                ir_put(w->p, ", ");
            ir_put_block_name(w->p, op->successors[i]);
            if (!op->def->successors.at[d->var].variadic)
                break;
        }
        break;
    default:
        break;
    }
}

/* An operand or result group's types: the bodies only where the row says which type. */
static void print_group_types(op_writing *w, const dir *arg, bool qualified)
{
    size_t start = 0, count = 0;
    ir_op *op = w->op;
    bool operand = arg->var_kind == VAR_OPERAND;
    const ir_operand_def *group =
        operand ? &op->def->operands.at[arg->var] : &op->def->results.at[arg->var];
    if (!(operand ? ir_op_operand_group(op, (size_t)arg->var, &start, &count)
                  : ir_op_result_group(op, (size_t)arg->var, &start, &count)))
        return;
    const ir_type_def *def = qualified ? NULL : stripped_type(w->p->ctx, group);
    ir_type type =
        count == 1 ? (operand ? op->operands[start].value->type : op->results[start].type)
                   : NULL;
    if (def && type && type->kind == IR_TYPE_DIALECT && type->def == def)
        ir_put_stripped_type(w->p, type);
    else if (operand)
        ir_put_operand_types(w->p, op, start, count);
    else
        ir_put_result_types(w->p, op, start, count);
}

static void print_types_of(op_writing *w, const dir *arg, bool qualified)
{
    ir_op *op = w->op;
    if (arg->kind == DIR_VAR) {
        print_group_types(w, arg, qualified);
    } else if (tw_str_is(arg->text, "operands")) {
        ir_put_operand_types(w->p, op, 0, op->n_operands);
    } else {
        ir_put_result_types(w->p, op, 0, op->n_results);
    }
}

static size_t types_count(op_writing *w, const dir *arg, ir_type *first)
{
    size_t start = 0, count = 0;
    ir_op *op = w->op;
    if (arg->kind == DIR_VAR && arg->var_kind == VAR_RESULT)
        ir_op_result_group(op, (size_t)arg->var, &start, &count);
    else if (arg->kind == DIR_NAMED)
        count = op->n_results;
    if (count)
        *first = op->results[start].type;
    return count;
}

static void print_call(op_writing *w, const dir *d)
{
    if (tw_str_is(d->text, "type")) {
        put_blank(w);
        print_types_of(w, &d->args[0], false);
    } else if (tw_str_is(d->text, "qualified")) {
        if (d->args[0].kind == DIR_VAR) {
            print_var(w, &d->args[0], true);
        } else {
            put_blank(w);
            print_types_of(w, &d->args[0].args[0], true);
        }
    } else if (tw_str_is(d->text, "functional-type")) {
        ir_type first = NULL;
        put_blank(w);
        ir_putc(w->p, '(');
        print_types_of(w, &d->args[0], true);
        ir_put(w->p, ") -> ");
        bool bare =
            types_count(w, &d->args[1], &first) == 1 && first->kind != IR_TYPE_FUNCTION;
        if (!bare)
            ir_putc(w->p, '(');
        print_types_of(w, &d->args[1], true);
        if (!bare)
            ir_putc(w->p, ')');
    }
}

/* The dictionary leaves out what the format mentions and inherent defaults. */
static void print_dict(op_writing *w, bool keyword)
{
    const ir_op_def *def = w->op->def;
    const char *elided[64];
    size_t n = 0;
    for (uint32_t i = 0; i < def->attrs.count && n < TW_COUNT(elided); i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        ir_attr value = w->op->props[i];
        bool is_default = value && use->deflt && use->deflt[0] &&
                          value == ir_default_attr(w->p->ctx, use);
        if ((w->format->mentioned >> i & 1) || is_default)
            elided[n++] = use->name;
    }
    if (keyword)
        ir_put_op_attr_dict_keyword(w->p, w->op, elided, n);
    else
        ir_put_op_attr_dict(w->p, w->op, elided, n);
    w->blanks.want = true;
    w->blanks.punctuation = false;
}

static void print_named(op_writing *w, const dir *d)
{
    if (tw_str_is(d->text, "attr-dict")) {
        print_dict(w, false);
    } else if (tw_str_is(d->text, "attr-dict-with-keyword")) {
        print_dict(w, true);
    } else if (tw_str_is(d->text, "operands")) {
        put_blank(w);
        ir_put_operands(w->p, w->op, 0, w->op->n_operands);
    } else if (tw_str_is(d->text, "regions")) {
        put_blank(w);
        for (uint16_t i = 0; i < w->op->n_regions; i++) {
            if (i)
                ir_put(w->p, ", ");
            ir_put_region(w->p, &w->op->regions[i], true, w->keep_terminators);
        }
    } else if (tw_str_is(d->text, "successors")) {
        put_blank(w);
        for (uint16_t i = 0; i < w->op->n_successors; i++) {
            if (i)
                ir_put(w->p, ", ");
            ir_put_block_name(w->p, w->op->successors[i]);
        }
    }
}

static bool present(op_writing *w, const dir *d)
{
    ir_op *op = w->op;
    size_t start, count;
    if (d->kind == DIR_CALL || d->kind == DIR_CUSTOM) {
        for (uint32_t i = 0; i < d->n_args; i++)
            if (d->args[i].kind == DIR_NAMED ? op->n_results > 0 : present(w, &d->args[i]))
                return true;
        return false;
    }
    if (d->kind == DIR_NAMED)
        return tw_str_is(d->text, "operands") ? op->n_operands > 0 : op->n_results > 0;
    switch (d->var_kind) {
    case VAR_OPERAND:
        return ir_op_operand_group(op, (size_t)d->var, &start, &count) && count > 0;
    case VAR_RESULT:
        return ir_op_result_group(op, (size_t)d->var, &start, &count) && count > 0;
    case VAR_ATTR: {
        const ir_attr_use *use = &op->def->attrs.at[d->var];
        ir_attr value = op->props[d->var];
        return value &&
               !(use->deflt && use->deflt[0] && value == ir_default_attr(w->p->ctx, use));
    }
    case VAR_REGION:
        return op->n_regions > (size_t)d->var && op->regions[d->var].first;
    default:
        return op->n_successors > (size_t)d->var;
    }
}

static void print_optional(op_writing *w, const dir *d)
{
    const dir *anchor = find_anchor(d->args, d->n_args);
    bool in_then = anchor != NULL;
    if (!anchor)
        anchor = find_anchor(d->other, d->n_other);
    bool then = anchor && present(w, anchor) == in_then;
    const dir *dirs = then ? d->args : d->other;
    uint32_t count = then ? d->n_args : d->n_other;
    for (uint32_t i = 0; i < count; i++)
        if (!(&dirs[i] == anchor && is_unit_var(w->op->def, anchor)))
            print_dirs(w, &dirs[i], 1);
}

static void print_oilist(op_writing *w, const dir *d)
{
    for (uint32_t i = 0; i < d->n_args; i++) {
        const dir *clause = &d->args[i];
        bool any = false;
        for (uint32_t k = 0; k < clause->n_args; k++)
            any |= clause->args[k].kind == DIR_VAR && present(w, &clause->args[k]);
        for (uint32_t k = 0; any && k < clause->n_args; k++)
            if (!is_unit_var(w->op->def, &clause->args[k]))
                print_dirs(w, &clause->args[k], 1);
    }
}

static void print_dirs(op_writing *w, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        switch (d->kind) {
        case DIR_LITERAL:
            if (dir_blank_before_literal(&w->blanks, d->text))
                ir_putc(w->p, ' ');
            ir_put_str(w->p, d->text);
            break;
        case DIR_EMPTY:
            w->blanks = (dir_blanks){false, true};
            break;
        case DIR_BLANK:
            ir_putc(w->p, ' ');
            w->blanks = (dir_blanks){false, false};
            break;
        case DIR_NEWLINE:
            ir_put_newline(w->p);
            w->blanks = (dir_blanks){false, true};
            break;
        case DIR_VAR:
            print_var(w, d, false);
            break;
        case DIR_NAMED:
            print_named(w, d);
            break;
        case DIR_CALL:
            print_call(w, d);
            break;
        case DIR_CUSTOM:
            put_blank(w);
            ir_print_custom_directive(w, d);
            break;
        case DIR_OPTIONAL:
            print_optional(w, d);
            break;
        case DIR_OILIST:
            print_oilist(w, d);
            break;
        default:
            break;
        }
    }
}

void ir_print_op_format(ir_printer *p, ir_op *op)
{
    op_writing w = {
        .p = p, .op = op, .format = format_of(p->ctx, op->def), .blanks = {true, false}};
    tw_str ignored;
    w.keep_terminators = !ir_def_rule(op->def, "SingleBlockImplicitTerminator", &ignored);
    print_dirs(&w, w.format->dirs, w.format->count);
}

/* ---- reading: the whole ------------------------------------------------------------- */

void ir_reading_add_successor(op_reading *r, ir_block *block)
{
    ir_parsed_op *op = r->op;
    if (op->n_successors == op->successors_capacity) {
        uint32_t capacity = op->successors_capacity ? op->successors_capacity * 2 : 4;
        ir_block **at = ir_scratch(r->p, capacity * sizeof *at);
        if (op->n_successors)
            memcpy(at, op->successors, op->n_successors * sizeof *at);
        op->successors = at;
        op->successors_capacity = capacity;
    }
    op->successors[op->n_successors++] = block;
}

bool ir_parse_op_format(ir_parser *p, ir_parsed_op *op)
{
    const ir_op_def *def = op->def;
    const op_format *f = format_of(p->ctx, def);
    op_reading r = {.p = p, .op = op, .operands_at = p->tok.at};
    r.operands = ir_scratch(p, (def->operands.count + 1) * sizeof *r.operands);
    r.results = ir_scratch(p, (def->results.count + 1) * sizeof *r.results);
    r.all_in_order = f->all_operands;
    if (!parse_dirs(&r, f->dirs, f->count) || !ir_infer_and_resolve(&r))
        return false;
    /* a region that the text leaves out is an empty one */
    while (op->n_regions < def->regions.count && !def->regions.at[op->n_regions].variadic)
        ir_add_empty_region(p, op);
    if (r.last_region_first) {
        ir_region *last = op->regions[op->n_regions - 1];
        memmove(op->regions + 1, op->regions, (op->n_regions - 1) * sizeof *op->regions);
        op->regions[0] = last;
    }
    return true;
}
