/* directive_pdl.c: the custom<Name>(...) directives of the pdl dialect. */
#include "ir/text/directive_impl.h"

/* ---- an operation's attributes: [ "{" name "=" ssa , ... "}" ] ---------------------- */

typedef struct named_values {
    group_state *values;
    ir_items names;
} named_values;

static bool parse_named_value(ir_parser *p, void *user)
{
    named_values *list = user;
    tw_str name;
    ir_ssa_use use;
    if (!ir_parse_string(p, &name) || !ir_expect_punct(p, '=') || !ir_parse_ssa(p, &use))
        return false;
    ir_items_add(p, &list->names, ir_string_attr(p->ctx, name));
    ir_ssa_list_add(p, &list->values->uses, use);
    return true;
}

static bool parse_attributes(op_reading *r, const dir *d)
{
    named_values list = {.values = dir_group(r, &d->args[0])};
    list.values->named = true;
    list.values->at = r->p->tok.at;
    if (ir_at_punct(r->p, '{') && !ir_parse_list(r->p, "{}", parse_named_value, &list))
        return false;
    dir_set_attr(r, &d->args[1], ir_array_attr(r->p->ctx, list.names.at, list.names.count));
    return true;
}

static void print_attributes(op_writing *w, const dir *d)
{
    ir_attr names = dir_attr_of(w, &d->args[1]);
    size_t start = 0, count = 0;
    if (!ir_op_operand_group(w->op, (size_t)d->args[0].var, &start, &count) || !names)
        return;
    if (!names->count) {
        if (w->op->attrs && w->op->attrs->count) /* else these would be read instead */
            ir_put(w->p, " {}");
        return;
    }
    ir_put(w->p, " {");
    for (uint32_t i = 0; i < names->count && i < count; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_attr(w->p, names->items[i]);
        ir_put(w->p, " = ");
        ir_put_value(w->p, ir_op_operand(w->op, start + i));
    }
    ir_putc(w->p, '}');
}

/* ---- the type of a range: inferred from its arguments, else ":" type ---------------- */

static bool parse_range_type(op_reading *r, const dir *d)
{
    const group_state *arguments = dir_group(r, &d->args[0].args[0]);
    ir_type type;
    if (!arguments->types.count) {
        type = ir_parse_colon_type(r->p);
    } else {
        const ir_type_def *range = ir_type_def_find(r->p->ctx, TW_STR("pdl.range"));
        type = arguments->types.at[0];
        ir_attr element = ir_type_attr(type);
        if (type->kind != IR_TYPE_DIALECT || type->def != range)
            type = ir_dialect_type(r->p->ctx, range, &element, 1);
    }
    if (type)
        dir_add_type(r, &d->args[1], type);
    return type != NULL;
}

static void print_range_type(op_writing *w, const dir *d)
{
    if (w->op->n_operands)
        return;
    ir_put(w->p, ": ");
    ir_put_type(w->p, dir_type_of(w, &d->args[1], 0));
}

/* ---- the type of results: of all !pdl.range<value>, of one group "->" type ---------- */

static bool parse_results_type(op_reading *r, const dir *d)
{
    static const char all[] = "!pdl.range<value>";
    const ir_attr_list *attrs = &r->op->attrs;
    bool indexed = false;
    for (uint32_t i = 0; i < attrs->count; i++)
        indexed |= tw_str_is(ir_ident_str(attrs->at[i].name), "index");
    if (indexed && !ir_expect_arrow(r->p))
        return false;
    ir_type type =
        indexed ? ir_parse_a_type(r->p) : ir_parse_type(r->p->ctx, tw_str_from(all));
    if (type)
        dir_add_type(r, &d->args[1], type);
    return type != NULL;
}

static void print_results_type(op_writing *w, const dir *d)
{
    if (!ir_op_attr(w->op, "index"))
        return;
    ir_put(w->p, " -> ");
    ir_put_type(w->p, dir_type_of(w, &d->args[1], 0));
}

const custom_directive ir_pdl_directives[] = {
    {"OperationOpAttributes", parse_attributes, print_attributes},
    {"RangeType", parse_range_type, print_range_type},
    {"ResultsValueType", parse_results_type, print_results_type},
    {0},
};
