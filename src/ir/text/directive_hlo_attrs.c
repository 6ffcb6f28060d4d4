/* directive_hlo_attrs.c: the custom<Name>(...) directives of StableHLO for operands and
 * attributes. */
#include "ir/text/directive_impl.h"

#include <stdlib.h>

static bool parse_variadic_operand(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *g = dir_group(r, &d->args[0]);
    g->named = true;
    g->at = p->tok.at;
    while (p->tok.kind == IR_TOK_VALUE) {
        ir_ssa_use use;
        if (!ir_parse_ssa(p, &use) || !ir_expect_punct(p, ','))
            return false;
        ir_ssa_list_add(p, &g->uses, use);
    }
    return true;
}

static void print_variadic_operand(op_writing *w, const dir *d)
{
    size_t start, count;
    if (!ir_op_operand_group(w->op, (size_t)d->args[0].var, &start, &count))
        return;
    ir_put_operands(w->p, w->op, start, count);
    ir_putc(w->p, ',');
}

static bool parse_slice_ranges(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    int64_t values[3][64];
    uint32_t n = 0;
    if (!ir_expect_punct(p, '['))
        return false;
    if (!ir_accept_punct(p, ']')) {
        do {
            if (n == 64)
                return ir_fail_here(p, "too many slice ranges");
            values[2][n] = 1;
            if (!ir_parse_int(p, &values[0][n]) || !ir_expect_punct(p, ':') ||
                !ir_parse_int(p, &values[1][n]))
                return false;
            if (ir_accept_punct(p, ':') && !ir_parse_int(p, &values[2][n]))
                return false;
            n++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return false;
    }
    for (uint32_t i = 0; i < 3; i++)
        dir_set_attr(r, &d->args[i], ir_dense_i64_array(p->ctx, values[i], n));
    return true;
}

static void print_slice_ranges(op_writing *w, const dir *d)
{
    ir_attr start = dir_attr_of(w, &d->args[0]), limit = dir_attr_of(w, &d->args[1]),
            stride = dir_attr_of(w, &d->args[2]);
    ir_putc(w->p, '[');
    for (uint32_t i = 0; i < start->count; i++) {
        ir_putf(w->p, "%s%lld:%lld", i ? ", " : "", (long long)ir_dense_array_int(start, i),
                (long long)ir_dense_array_int(limit, i));
        if (ir_dense_array_int(stride, i) != 1)
            ir_putf(w->p, ":%lld", (long long)ir_dense_array_int(stride, i));
    }
    ir_putc(w->p, ']');
}

static bool parse_call_target(op_reading *r, const dir *d)
{
    ir_attr name;
    if (!ir_parse_symbol_name(r->p, &name))
        return false;
    dir_set_attr(r, &d->args[0], name);
    return true;
}

static void print_call_target(op_writing *w, const dir *d)
{
    ir_put_symbol(w->p, ir_attr_str(dir_attr_of(w, &d->args[0])));
}

/* e5m2 */
static bool parse_exponent_mantissa(op_reading *r, const dir *d)
{
    tw_str word;
    const char *at = r->p->tok.at;
    unsigned long e, m;
    char *end, text[64];
    if (!ir_parse_keyword(r->p, &word))
        return false;
    size_t n = TW_MIN(word.size, sizeof text - 1);
    memcpy(text, word.data, n);
    text[n] = 0;
    if (text[0] != 'e' || text[1] < '0' || text[1] > '9')
        return ir_fail_own(r->p, at, "expected exponent mantissa in format e#m#, saw %s",
                           text);
    e = strtoul(text + 1, &end, 10);
    if (*end != 'm' || end[1] < '0' || end[1] > '9')
        return ir_fail_own(r->p, at, "expected exponent mantissa in format e#m#, saw %s",
                           text);
    m = strtoul(end + 1, &end, 10);
    if (*end)
        return ir_fail_own(r->p, at, "expected exponent mantissa in format e#m#, saw %s",
                           text);
    if (e > INT32_MAX)
        return ir_fail_own(r->p, at, "unable to parse exponent '%.*s'",
                           (int)strcspn(text + 1, "m"), text + 1);
    if (m > INT32_MAX)
        return ir_fail_own(r->p, at, "unable to parse mantissa '%s'",
                           strchr(text, 'm') + 1);
    dir_set_attr(r, &d->args[0], ir_i32_attr(r->p->ctx, (int64_t)e));
    dir_set_attr(r, &d->args[1], ir_i32_attr(r->p->ctx, (int64_t)m));
    return true;
}

static void print_exponent_mantissa(op_writing *w, const dir *d)
{
    ir_putf(w->p, "e%lldm%lld", (long long)ir_attr_int(dir_attr_of(w, &d->args[0]), 0),
            (long long)ir_attr_int(dir_attr_of(w, &d->args[1]), 0));
}

/* [1, 2] x [0, 1] */
static bool parse_dim_pair(ir_parser *p, ir_dims *lhs, ir_dims *rhs)
{
    return ir_expect_punct(p, '=') && ir_parse_int_list(p, lhs) &&
           ir_expect_keyword(p, "x") && ir_parse_int_list(p, rhs);
}

ir_attr dir_raw_list(ir_context *ctx, const ir_dims *dims)
{
    ir_attr *items = tw_xmalloc(dims->count * sizeof *items);
    for (uint32_t i = 0; i < dims->count; i++)
        items[i] = ir_raw_int(ctx, dims->at[i]);
    ir_attr list = ir_array_attr(ctx, items, dims->count);
    free(items);
    return list;
}

static bool parse_dot_dimensions(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    ir_dims batch[2] = {0}, contract[2] = {0};
    if (ir_accept_keyword(p, "batching_dims") &&
        (!parse_dim_pair(p, &batch[0], &batch[1]) || !ir_expect_punct(p, ',')))
        return false;
    if (!ir_expect_keyword(p, "contracting_dims") ||
        !parse_dim_pair(p, &contract[0], &contract[1]))
        return false;
    const ir_attr_def *def = ir_attr_def_find(p->ctx, TW_STR("stablehlo.dot"));
    ir_attr params[4] = {dir_raw_list(p->ctx, &batch[0]), dir_raw_list(p->ctx, &batch[1]),
                         dir_raw_list(p->ctx, &contract[0]),
                         dir_raw_list(p->ctx, &contract[1])};
    dir_set_attr(r, &d->args[0], ir_dialect_attr(p->ctx, def, params, 4));
    return true;
}

static void print_list(ir_printer *p, ir_attr list)
{
    ir_putc(p, '[');
    for (uint32_t i = 0; list && i < list->count; i++)
        ir_putf(p, "%s%lld", i ? ", " : "", (long long)ir_attr_int(list->items[i], 0));
    ir_putc(p, ']');
}

static void print_dot_dimensions(op_writing *w, const dir *d)
{
    ir_attr a = dir_attr_of(w, &d->args[0]);
    bool batched =
        (a->params[0] && a->params[0]->count) || (a->params[1] && a->params[1]->count);
    if (batched) {
        ir_put(w->p, "batching_dims = ");
        print_list(w->p, a->params[0]);
        ir_put(w->p, " x ");
        print_list(w->p, a->params[1]);
        ir_put(w->p, ", ");
    }
    ir_put(w->p, "contracting_dims = ");
    print_list(w->p, a->params[2]);
    ir_put(w->p, " x ");
    print_list(w->p, a->params[3]);
}

static bool parse_precision_list(op_reading *r, const dir *arg)
{
    ir_parser *p = r->p;
    ir_attr items[16];
    uint32_t n = 0;
    const ir_attr_def *def = ir_attr_def_find(p->ctx, TW_STR("stablehlo.precision"));
    if (!ir_expect_punct(p, '=') || !ir_expect_punct(p, '['))
        return false;
    if (!ir_accept_punct(p, ']')) {
        do {
            if (n == TW_COUNT(items))
                return ir_fail_here(p, "too many precisions");
            if (!(items[n] = ir_parse_stripped_attr(p, def)))
                return false;
            n++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return false;
    }
    dir_set_attr(r, arg, ir_array_attr(p->ctx, items, n));
    return true;
}

static bool parse_precision(op_reading *r, const dir *d)
{
    if (!ir_accept_punct(r->p, ','))
        return true;
    return ir_expect_keyword(r->p, "precision") && parse_precision_list(r, &d->args[0]);
}

static bool parse_algorithm(op_reading *r, const dir *arg)
{
    if (!ir_expect_punct(r->p, '='))
        return false;
    ir_attr a = ir_parse_stripped_attr(
        r->p, ir_attr_def_find(r->p->ctx, TW_STR("stablehlo.dot_algorithm")));
    if (a)
        dir_set_attr(r, arg, a);
    return a != NULL;
}

static bool parse_precision_algorithm(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    if (!ir_accept_punct(p, ','))
        return true;
    if (ir_accept_keyword(p, "algorithm"))
        return parse_algorithm(r, &d->args[1]);
    if (!ir_expect_keyword(p, "precision") || !parse_precision_list(r, &d->args[0]))
        return false;
    if (!ir_accept_punct(p, ','))
        return true;
    return ir_expect_keyword(p, "algorithm") && parse_algorithm(r, &d->args[1]);
}

static void print_precision(op_writing *w, const dir *d)
{
    ir_attr list = dir_attr_of(w, &d->args[0]);
    if (list) {
        ir_put(w->p, ", precision = [");
        for (uint32_t i = 0; i < list->count; i++) {
            if (i)
                ir_put(w->p, ", ");
            ir_put_enum(w->p, list->items[i]->def->enumeration,
                        ir_enum_value(list->items[i], 0));
        }
        ir_putc(w->p, ']');
    }
    ir_attr algorithm = d->n_args > 1 ? dir_attr_of(w, &d->args[1]) : NULL;
    if (algorithm) {
        ir_put(w->p, ", algorithm = ");
        ir_put_stripped_attr(w->p, algorithm);
    }
}

const custom_directive ir_hlo_attr_directives[] = {
    {"CustomCallTarget", parse_call_target, print_call_target},
    {"DotDimensionNumbers", parse_dot_dimensions, print_dot_dimensions},
    {"ExponentMantissa", parse_exponent_mantissa, print_exponent_mantissa},
    {"PrecisionConfig", parse_precision, print_precision},
    {"PrecisionConfigAndAlgorithm", parse_precision_algorithm, print_precision},
    {"SliceRanges", parse_slice_ranges, print_slice_ranges},
    {"VariadicOperandWithAttribute", parse_variadic_operand, print_variadic_operand},
    {0},
};
