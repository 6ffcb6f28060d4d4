/* directive_custom.c: the custom<Name>(...) directives of operation formats
 * (custom-syntax.md section 2): those of the smaller dialects, and finding one by name. */
#include "ir/text/directive_impl.h"

/* ---- DynamicIndexList(dynamic, static) ---------------------------------------------- */

static bool index_item(op_reading *r, group_state *g, ir_dims *statics)
{
    ir_parser *p = r->p;
    int64_t value = IR_DYNAMIC;
    ir_ssa_use use;
    if (ir_accept_ssa(p, &use)) {
        ir_ssa_list_add(p, &g->uses, use);
        if (ir_accept_punct(p, ':')) {
            ir_type type = ir_parse_a_type(p);
            if (!type)
                return false;
            ir_type_list_add(p, &g->types, type);
            g->typed = true;
        }
    } else if (!ir_parse_int(p, &value)) {
        return false;
    }
    ir_dims_add(p, statics, value);
    return true;
}

static bool uses_parens(const dir *d)
{
    for (uint32_t i = 0; i < d->n_args; i++)
        if (d->args[i].kind == DIR_STRING &&
            memmem(d->args[i].text.data, d->args[i].text.size, "Paren", 5))
            return true;
    return false;
}

static bool parse_index_list(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *g = dir_group(r, &d->args[0]);
    bool parens = uses_parens(d);
    ir_dims statics = {0};
    g->named = true;
    g->at = p->tok.at;
    if (!ir_expect_punct(p, parens ? '(' : '['))
        return false;
    char close = parens ? ')' : ']';
    if (!ir_accept_punct(p, close)) {
        do
            if (!index_item(r, g, &statics))
                return false;
        while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, close))
            return false;
    }
    dir_give_attr(r, &d->args[1], ir_dense_i64_array(p->ctx, statics.at, statics.count));
    return true;
}

static void print_index_list(op_writing *w, const dir *d)
{
    ir_attr statics = dir_attr_of(w, &d->args[1]);
    size_t start = 0, count = 0, next = 0;
    bool parens = uses_parens(d);
    ir_op_operand_group(w->op, (size_t)d->args[0].var, &start, &count);
    ir_putc(w->p, parens ? '(' : '[');
    for (uint32_t i = 0; statics && i < statics->count; i++) {
        int64_t value = ir_dense_array_int(statics, i);
        if (i)
            ir_put(w->p, ", ");
        if (value == IR_DYNAMIC && next < count)
            ir_put_value(w->p, ir_op_operand(w->op, start + next++));
        else
            ir_put_int(w->p, value);
    }
    ir_putc(w->p, parens ? ')' : ']');
}

/* ---- sdy, mpmd ---------------------------------------------------------------------- */

/* "[" [ sharding body , ... ] "]" */
static bool sharding_item(ir_parser *p, void *user)
{
    ir_items *list = user;
    ir_attr sharding =
        ir_parse_stripped_attr(p, ir_attr_def_find(p->ctx, TW_STR("sdy.sharding")));
    if (!sharding)
        return false;
    ir_items_add(p, list, sharding);
    return true;
}

static bool parse_shardings(op_reading *r, const dir *d)
{
    ir_items list = {0};
    ir_parser *p = r->p;
    if (!ir_parse_list(p, "[]", sharding_item, &list))
        return false;
    ir_attr all = ir_array_attr(p->ctx, list.at, list.count);
    const ir_attr_def *def = ir_attr_def_find(p->ctx, TW_STR("sdy.sharding_per_value"));
    dir_give_attr(r, &d->args[0], ir_dialect_attr(p->ctx, def, &all, 1));
    return true;
}

static void print_shardings(op_writing *w, const dir *d)
{
    ir_attr per_value = dir_attr_of(w, &d->args[0]),
            all = per_value ? per_value->params[0] : NULL;
    ir_putc(w->p, '[');
    for (uint32_t i = 0; all && i < all->count; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_stripped_attr(w->p, all->items[i]);
    }
    ir_putc(w->p, ']');
}

/* "(" [ arg , ... ] ")" region */
static bool parse_region_with_args(op_reading *r, const dir *d)
{
    ir_arg_list args = {0};
    (void)d;
    return ir_parse_arg_list(r->p, &args) &&
           ir_parse_op_region(r->p, r->op, args.at, args.count);
}

static void print_region_with_args(op_writing *w, const dir *d)
{
    ir_region *region = &w->op->regions[d->args[0].var];
    const ir_block *entry = region->first;
    ir_putc(w->p, '(');
    for (uint32_t i = 0; entry && i < entry->n_args; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_arg(w->p, entry->args[i], NULL, true);
    }
    ir_put(w->p, ") ");
    ir_put_region(w->p, region, false, true);
}

/* ---- memref ------------------------------------------------------------------------- */

/* type [ "=" ( "uninitialized" | elements ) ] */
static bool parse_global_memref(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    const char *at = p->tok.at;
    ir_type type = ir_parse_a_type(p);
    if (!type)
        return false;
    if (type->kind != IR_TYPE_MEMREF || !ir_type_has_static_shape(type))
        return ir_fail_own(p, at, "type should be static shaped memref, but got %s",
                           ir_type_text(p->ctx, type));
    dir_give_attr(r, &d->args[0], ir_type_attr(type));
    if (!ir_accept_punct(p, '='))
        return !p->failed;
    if (ir_accept_keyword(p, "uninitialized")) {
        dir_give_attr(r, &d->args[1], ir_unit_attr(p->ctx));
        return true;
    }
    at = p->tok.at;
    ir_attr value =
        ir_parse_an_attr(p, ir_tensor_type(type->element, type->dims, type->count, NULL));
    if (!value)
        return false;
    if (value->kind != IR_ATTR_DENSE && value->kind != IR_ATTR_RESOURCE &&
        value->kind != IR_ATTR_SPARSE)
        return ir_fail_own(p, at, "initial value should be a unit or elements attribute");
    dir_give_attr(r, &d->args[1], value);
    return true;
}

static void print_global_memref(op_writing *w, const dir *d)
{
    ir_attr value = dir_attr_of(w, &d->args[1]);
    ir_put_type(w->p, dir_attr_of(w, &d->args[0])->type);
    if (!value)
        return;
    ir_put(w->p, " = ");
    if (value->kind == IR_ATTR_UNIT)
        ir_put(w->p, "uninitialized");
    else
        ir_put_attr_no_type(w->p, value);
}

/* ---- scf ---------------------------------------------------------------------------- */

/* { "case" int region }: the regions stand behind the default one, which is read last. */
static bool parse_switch_cases(op_reading *r, const dir *d)
{
    ir_dims cases = {0};
    int64_t value;
    while (ir_accept_keyword(r->p, "case")) {
        if (!ir_parse_int(r->p, &value) || !ir_parse_op_region(r->p, r->op, NULL, 0))
            return false;
        ir_dims_add(r->p, &cases, value);
    }
    r->last_region_first = true;
    dir_give_attr(r, &d->args[0], ir_dense_i64_array(r->p->ctx, cases.at, cases.count));
    return !r->p->failed;
}

static void print_switch_cases(op_writing *w, const dir *d)
{
    ir_attr cases = dir_attr_of(w, &d->args[0]);
    for (uint32_t i = 0; i < cases->count && i + 1 < w->op->n_regions; i++) {
        ir_put_newline(w->p);
        ir_putf(w->p, "case %lld ", (long long)ir_dense_array_int(cases, i));
        ir_put_region(w->p, &w->op->regions[i + 1], false, true);
    }
}

/* ---- emitpy ------------------------------------------------------------------------- */

static bool parse_initial_value(op_reading *r, const dir *d)
{
    ir_attr value;
    if (!ir_expect_punct(r->p, '=') || !(value = ir_parse_an_attr(r->p, NULL)))
        return false;
    dir_give_attr(r, &d->args[0], value);
    return true;
}

static void print_initial_value(op_writing *w, const dir *d)
{
    ir_put(w->p, "= ");
    ir_put_attr(w->p, dir_attr_of(w, &d->args[0]));
}

/* transform.sequence: a root to work on, or none, which is what can be read here. */
static bool parse_sequence(op_reading *r, const dir *d)
{
    (void)d;
    return r->p->tok.kind != IR_TOK_VALUE ||
           ir_fail_here(r->p, "a sequence with operands is read in generic form only");
}

static void print_sequence(op_writing *w, const dir *d)
{
    (void)d;
    if (!w->op->n_operands)
        return;
    ir_put_operands(w->p, w->op, 0, w->op->n_operands);
    ir_put(w->p, " : ");
    ir_put_operand_types(w->p, w->op, 0, w->op->n_operands);
}

/* ---- table -------------------------------------------------------------------------- */

static const custom_directive other_directives[] = {
    {"DynamicIndexList", parse_index_list, print_index_list},
    {"EmitPyGlobalOpInitialValue", parse_initial_value, print_initial_value},
    {"GlobalMemrefOpTypeAndInitialValue", parse_global_memref, print_global_memref},
    {"SequenceOpOperands", parse_sequence, print_sequence},
    {"SingleBlockRegionNoBlockId", parse_region_with_args, print_region_with_args},
    {"StrippedTensorShardingPerValueAttr", parse_shardings, print_shardings},
    {"SwitchCases", parse_switch_cases, print_switch_cases},
    {0},
};

static const custom_directive *find(tw_str name)
{
    const custom_directive *tables[] = {ir_hlo_type_directives, ir_hlo_attr_directives,
                                        ir_hlo_window_directives, other_directives};
    for (size_t t = 0; t < TW_COUNT(tables); t++)
        for (const custom_directive *row = tables[t]; row->name; row++)
            if (tw_str_is(name, row->name))
                return row;
    return NULL;
}

bool ir_parse_custom_directive(op_reading *r, const dir *d)
{
    const custom_directive *known = find(d->text);
    if (!known)
        return ir_fail_here(r->p,
                            "the syntax custom<%.*s> of '%s' is not implemented; write the "
                            "operation in generic form",
                            (int)d->text.size, d->text.data, r->op->def->name);
    return known->parse(r, d);
}

void ir_print_custom_directive(op_writing *w, const dir *d)
{
    const custom_directive *known = find(d->text);
    if (known)
        known->print(w, d);
}
