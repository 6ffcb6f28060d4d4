/* directive_index.c: lists of integers and values. */
#include "ir/text/directive_impl.h"

/* ---- DynamicIndexList(dynamic, static [, scalable]) ------------------------------------
 *
 * "[" [ item , ... ] "]", item = int | ssa | "[" item "]", which is scalable. A value puts
 * the dynamic marker into the static list. */

typedef struct index_list {
    group_state *values;
    ir_dims statics;
    bool flags[64]; /* which are scalable */
} index_list;

static bool uses_parens(const dir *d)
{
    for (uint32_t i = 0; i < d->n_args; i++)
        if (d->args[i].kind == DIR_STRING &&
            memmem(d->args[i].text.data, d->args[i].text.size, "Paren", 5))
            return true;
    return false;
}

static const dir *scalable_flags(const dir *d)
{
    bool has =
        d->n_args > 2 && d->args[2].kind == DIR_VAR && d->args[2].var_kind == VAR_ATTR;
    return has ? &d->args[2] : NULL;
}

static bool index_item(op_reading *r, index_list *list, bool scalable)
{
    ir_parser *p = r->p;
    group_state *g = list->values;
    int64_t value = IR_DYNAMIC;
    ir_ssa_use use;
    bool bracket = scalable && ir_accept_punct(p, '[');
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
    if (scalable && list->statics.count == TW_COUNT(list->flags))
        return ir_fail_here(p, "too many sizes");
    if (scalable)
        list->flags[list->statics.count] = bracket;
    ir_dims_add(p, &list->statics, value);
    return !bracket || ir_expect_punct(p, ']');
}

static bool parse_index_list(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    index_list list = {.values = dir_group(r, &d->args[0])};
    const dir *scalable = scalable_flags(d);
    bool parens = uses_parens(d);
    list.values->named = true;
    list.values->at = p->tok.at;
    if (!ir_expect_punct(p, parens ? '(' : '['))
        return false;
    char close = parens ? ')' : ']';
    if (!ir_accept_punct(p, close)) {
        do
            if (!index_item(r, &list, scalable != NULL))
                return false;
        while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, close))
            return false;
    }
    dir_set_attr(r, &d->args[1],
                 ir_dense_i64_array(p->ctx, list.statics.at, list.statics.count));
    if (scalable)
        dir_set_attr(r, scalable,
                     ir_dense_bool_array(p->ctx, list.flags, list.statics.count));
    return true;
}

static void print_index_list(op_writing *w, const dir *d)
{
    ir_attr statics = dir_attr_of(w, &d->args[1]);
    const dir *scalable = scalable_flags(d);
    ir_attr flags = scalable ? dir_attr_of(w, scalable) : NULL;
    size_t start = 0, count = 0, next = 0;
    bool parens = uses_parens(d);
    ir_op_operand_group(w->op, (size_t)d->args[0].var, &start, &count);
    ir_putc(w->p, parens ? '(' : '[');
    for (uint32_t i = 0; statics && i < statics->count; i++) {
        int64_t value = ir_dense_array_int(statics, i);
        bool flag = flags && i < flags->count && ir_dense_array_int(flags, i);
        ir_put(w->p, i ? ", " : "");
        ir_put(w->p, flag ? "[" : "");
        if (value == IR_DYNAMIC && next < count)
            ir_put_value(w->p, ir_op_operand(w->op, start + next++));
        else
            ir_put_int(w->p, value);
        ir_put(w->p, flag ? "]" : "");
    }
    ir_putc(w->p, parens ? ')' : ']');
}

/* ---- PackedOrDynamicIndexList(packed, dynamic, static): "*" "(" ssa ")" | list ---------
 */

static dir without_packed(const dir *d)
{
    dir list = *d;
    list.args++;
    list.n_args--;
    return list;
}

static bool parse_packed(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *packed = dir_group(r, &d->args[0]);
    dir list = without_packed(d);
    ir_ssa_use use;
    if (!ir_accept_punct(p, '*'))
        return parse_index_list(r, &list);
    packed->named = true;
    packed->at = p->tok.at;
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa(p, &use) || !ir_expect_punct(p, ')'))
        return false;
    ir_ssa_list_add(p, &packed->uses, use);
    dir_set_attr(r, &d->args[2], ir_dense_i64_array(p->ctx, NULL, 0));
    return true;
}

static void print_packed(op_writing *w, const dir *d)
{
    dir list = without_packed(d);
    size_t start = 0, count = 0;
    ir_op_operand_group(w->op, (size_t)d->args[0].var, &start, &count);
    if (!count) {
        print_index_list(w, &list);
        return;
    }
    ir_put(w->p, "*(");
    ir_put_operands(w->p, w->op, start, count);
    ir_putc(w->p, ')');
}

const custom_directive ir_index_directives[] = {
    {"DynamicIndexList", parse_index_list, print_index_list},
    {"PackedOrDynamicIndexList", parse_packed, print_packed},
    {0},
};
