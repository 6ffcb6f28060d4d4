/* directive_custom.c: the custom<Name>(...) directives of operation formats: those of the
 * smaller dialects, and look-up by name. */
#include "ir/text/directive_impl.h"

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
    dir_set_attr(r, &d->args[0], ir_dialect_attr(p->ctx, def, &all, 1));
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
    ir_type type = ir_parse_a_type(p);
    if (!type)
        return false;
    if (type->kind != IR_TYPE_MEMREF || !ir_type_has_static_shape(type))
        return ir_fail_own(p, r->op->at,
                           "type should be static shaped memref, but got '%s'",
                           ir_type_text(p->ctx, type));
    dir_set_attr(r, &d->args[0], ir_type_attr(type));
    if (!ir_accept_punct(p, '='))
        return !p->failed;
    if (ir_accept_keyword(p, "uninitialized")) {
        dir_set_attr(r, &d->args[1], ir_unit_attr(p->ctx));
        return true;
    }
    const char *at = p->tok.at;
    ir_attr value =
        ir_parse_an_attr(p, ir_tensor_type(type->element, type->dims, type->count, NULL));
    if (!value)
        return false;
    if (value->kind != IR_ATTR_DENSE && value->kind != IR_ATTR_RESOURCE &&
        value->kind != IR_ATTR_SPARSE)
        return ir_fail_own(p, at, "initial value should be a unit or elements attribute");
    dir_set_attr(r, &d->args[1], value);
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

/* { "case" int region }: the regions follow the default one, which is read last. */
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
    dir_set_attr(r, &d->args[0], ir_dense_i64_array(r->p->ctx, cases.at, cases.count));
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
    if (!ir_expect_punct(r->p, '='))
        return ir_fail_also_at(r->p, r->op->at, "expected '=' after symbol name");
    if (!(value = ir_parse_an_attr(r->p, NULL)))
        return ir_fail_also_at(r->p, r->op->at,
                               "expected initial value for global variable");
    dir_set_attr(r, &d->args[0], value);
    return true;
}

static void print_initial_value(op_writing *w, const dir *d)
{
    ir_put(w->p, "= ");
    ir_put_attr(w->p, dir_attr_of(w, &d->args[0]));
}

/* ---- emitc -------------------------------------------------------------------------- */

/* type [ "=" value ]: a value of an array is that of a tensor of its shape. */
static bool parse_emitc_initial(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    ir_type type = ir_parse_a_type(p), of = type;
    if (!type)
        return false;
    dir_set_attr(r, &d->args[0], ir_type_attr(type));
    if (!ir_accept_punct(p, '='))
        return !p->failed;
    if (type->kind == IR_TYPE_DIALECT && strcmp(type->def->mnemonic, "emitc.array") == 0) {
        ir_dims dims = {0};
        for (uint32_t i = 0; i < type->params[0]->count; i++)
            ir_dims_add(p, &dims, type->params[0]->items[i]->value);
        of = ir_tensor_type(type->params[1]->type, dims.at, dims.count, NULL);
    }
    const char *at = p->tok.at;
    ir_attr value = ir_parse_an_attr(p, of);
    if (!value)
        return false;
    if (value->kind == IR_ATTR_STRING || value->kind == IR_ATTR_ARRAY ||
        value->kind == IR_ATTR_DICT || value->kind == IR_ATTR_TYPE)
        return ir_fail(p, at,
                       "initial value should be a integer, float, elements or opaque "
                       "attribute");
    dir_set_attr(r, &d->args[1], value);
    return true;
}

static void print_emitc_initial(op_writing *w, const dir *d)
{
    ir_attr value = dir_attr_of(w, &d->args[1]);
    ir_put_type(w->p, dir_attr_of(w, &d->args[0])->type);
    if (!value)
        return;
    ir_put(w->p, " = ");
    ir_put_attr_no_type(w->p, value);
}

/* ---- table -------------------------------------------------------------------------- */

static const custom_directive other_directives[] = {
    {"EmitCFieldOpTypeAndInitialValue", parse_emitc_initial, print_emitc_initial},
    {"EmitCGlobalOpTypeAndInitialValue", parse_emitc_initial, print_emitc_initial},
    {"EmitPyGlobalOpInitialValue", parse_initial_value, print_initial_value},
    {"GlobalMemrefOpTypeAndInitialValue", parse_global_memref, print_global_memref},
    {"SingleBlockRegionNoBlockId", parse_region_with_args, print_region_with_args},
    {"StrippedTensorShardingPerValueAttr", parse_shardings, print_shardings},
    {"SwitchCases", parse_switch_cases, print_switch_cases},
    {0},
};

static const custom_directive *find(tw_str name)
{
    const custom_directive *tables[] = {ir_hlo_type_directives,   ir_hlo_attr_directives,
                                        ir_hlo_window_directives, ir_index_directives,
                                        ir_pdl_directives,        ir_transform_directives,
                                        other_directives};
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
    assert(known && "a row's directive is not implemented");
    known->print(w, d);
}
