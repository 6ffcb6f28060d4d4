/* format_read.c: reads operations by their declarative formats.
 *
 * Names, types and attributes are collected as the format reaches them; afterwards omitted
 * types are inferred (buildable constraints, type-matching traits, the row's infer hook)
 * and operands are resolved. */
#include "ir/text/directive_custom.h"
#include "ir/text/format.h"
#include "ir/text/format_impl.h"

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

static bool parse_one_region(op_reading *r)
{
    if (!ir_parse_op_region(r->p, r->op, NULL, 0))
        return false;
    ir_region *region = r->op->regions[r->op->n_regions - 1];
    if (!region->first && (r->op->def->traits & IR_SINGLE_BLOCK))
        ir_region_append(region, ir_block_create(r->p->ctx));
    return true;
}

static bool parse_region_var(op_reading *r, int i)
{
    if (!r->op->def->regions.at[i].variadic)
        return parse_one_region(r);
    while (ir_at_punct(r->p, '{')) {
        if (!parse_one_region(r))
            return false;
        if (!ir_accept_punct(r->p, ','))
            break;
    }
    return !r->p->failed;
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
        ir_attr attr = ir_parse_attr_var(p, use, qualified);
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

static bool parse_group_types(op_reading *r, group_state *g, const ir_operand_def *group,
                              bool qualified)
{
    ir_parser *p = r->p;
    ir_arity arity = group->arity;
    const ir_type_def *def = qualified ? NULL : ir_stripped_type(p->ctx, group);
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

/* Assigns one side of a functional type to a group or to all. */
static void assign_types(op_reading *r, const dir *arg, const ir_type_list *types)
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
        assign_types(r, &d->args[0], &inputs);
        assign_types(r, &d->args[1], &results);
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
            return ir_attr_starts_here(p, r->op->def->attrs.at[d->var].type);
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

static bool parse_group_body(op_reading *r, const dir *dirs, uint32_t count)
{
    /* a unit attribute as anchor marks the group's presence and has no text */
    const dir *anchor = ir_format_anchor(dirs, count);
    for (uint32_t i = 0; i < count; i++) {
        if (&dirs[i] == anchor && ir_is_unit_var(r->op->def, anchor)) {
            ir_add_attr(r->p, r->op, r->op->def->attrs.at[anchor->var].name,
                        ir_unit_attr(r->p->ctx));
            continue;
        }
        if (!parse_dirs(r, &dirs[i], 1))
            return false;
    }
    return true;
}

/* Groups may begin with the same token, "," and then the word that distinguishes them. */
static bool group_starts_here(op_reading *r, const dir *dirs, uint32_t count)
{
    const dir *first = first_real(dirs, count), *second;
    if (!first || !starts_here(r, first))
        return false;
    uint32_t rest = count - (uint32_t)(first + 1 - dirs);
    second = first_real(first + 1, rest);
    if (first->kind != DIR_LITERAL || !tw_str_is(first->text, ",") || !second ||
        second->kind != DIR_LITERAL || !ir_at_punct(r->p, ','))
        return true;
    const char *at = r->p->tok.at;
    ir_next(r->p);
    bool here = literal_starts_here(r->p, second->text);
    ir_lex_at(r->p, at);
    return here;
}

static bool parse_optional(op_reading *r, const dir *d)
{
    if (group_starts_here(r, d->args, d->n_args))
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
                if (ir_is_unit_var(r->op->def, e))
                    ir_add_attr(r->p, r->op, r->op->def->attrs.at[e->var].name,
                                ir_unit_attr(r->p->ctx));
                else if (!parse_dirs(r, e, 1))
                    return false;
            }
        }
    }
    return true;
}

/* True if the text omits a functional type, in a row that allows it. */
static bool leaves_types_out(const op_reading *r, const dir *dirs, uint32_t count)
{
    tw_str none;
    return count == 2 && dirs[0].kind == DIR_LITERAL && tw_str_is(dirs[0].text, ":") &&
           dirs[1].kind == DIR_CALL && tw_str_is(dirs[1].text, "functional-type") &&
           !ir_at_punct(r->p, ':') && ir_def_rule(r->op->def, "TypesMayBeLeftOut", &none);
}

/* Operands have their known types, results the first operand's type. */
static bool use_known_types(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    ir_type first = NULL;
    for (uint32_t i = 0; i < def->operands.count; i++) {
        group_state *g = &r->operands[i];
        for (uint32_t k = 0; k < g->uses.count; k++) {
            ir_ssa_use use = g->uses.at[k];
            ir_value *v = ir_find_value(r->p, use);
            if (!v)
                return ir_fail(r->p, use.at,
                               "the type of '%%%.*s' is not known yet: write the types "
                               "behind ':'",
                               (int)use.name.size, use.name.data);
            ir_type_list_add(r->p, &g->types, v->type);
            first = first ? first : v->type;
        }
        g->typed = true;
    }
    for (uint32_t i = 0; i < def->results.count && first; i++) {
        ir_type_list_add(r->p, &r->results[i].types, first);
        r->results[i].typed = true;
    }
    return true;
}

static bool parse_dirs(op_reading *r, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        bool ok = true;
        if (leaves_types_out(r, d, count - i))
            return use_known_types(r);
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

/* ---- reading: entry point ----------------------------------------------------------- */

void ir_add_successor(ir_parser *p, ir_parsed_op *op, ir_block *block)
{
    if (op->n_successors == op->successors_capacity) {
        uint32_t capacity = op->successors_capacity ? op->successors_capacity * 2 : 4;
        ir_block **at = ir_scratch(p, capacity * sizeof *at);
        if (op->n_successors)
            memcpy(at, op->successors, op->n_successors * sizeof *at);
        op->successors = at;
        op->successors_capacity = capacity;
    }
    op->successors[op->n_successors++] = block;
}

void ir_reading_add_successor(op_reading *r, ir_block *block)
{
    ir_add_successor(r->p, r->op, block);
}

bool ir_parse_op_format(ir_parser *p, ir_parsed_op *op)
{
    const ir_op_def *def = op->def;
    const op_format *f = ir_format_of(p->ctx, def);
    op_reading r = {.p = p, .op = op, .operands_at = p->tok.at};
    r.operands = ir_scratch(p, (def->operands.count + 1) * sizeof *r.operands);
    r.results = ir_scratch(p, (def->results.count + 1) * sizeof *r.results);
    r.all_in_order = f->all_operands;
    if (!parse_dirs(&r, f->dirs, f->count) || !ir_infer_and_resolve(&r))
        return false;
    /* omitted regions are empty */
    while (op->n_regions < def->regions.count && !def->regions.at[op->n_regions].variadic)
        ir_add_empty_region(p, op);
    if (r.last_region_first) {
        ir_region *last = op->regions[op->n_regions - 1];
        memmove(op->regions + 1, op->regions, (op->n_regions - 1) * sizeof *op->regions);
        op->regions[0] = last;
    }
    return true;
}
