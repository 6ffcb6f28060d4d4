/* directive_custom.c: the custom<Name>(...) directives of operation formats
 * (custom-syntax.md section 2). */
#include "ir/text/directive_custom.h"

#include <stdlib.h>

/* ---- access to what the directive names --------------------------------------------- */

static group_state *group(op_reading *r, const dir *arg)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    return v->var_kind == VAR_OPERAND ? &r->operands[v->var] : &r->results[v->var];
}

static void give(op_reading *r, const dir *arg, ir_type type)
{
    group_state *g = group(r, arg);
    g->typed = true;
    ir_type_list_add(r->p, &g->types, type);
}

static const char *attr_name(const ir_op_def *def, const dir *arg)
{
    return def->attrs.at[arg->var].name;
}

static void give_attr(op_reading *r, const dir *arg, ir_attr value)
{
    ir_add_attr(r->p, r->op, attr_name(r->op->def, arg), value);
}

static ir_attr attr_of(op_writing *w, const dir *arg)
{
    return w->op->props[arg->var];
}

static ir_type type_of(op_writing *w, const dir *arg, size_t i)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    size_t start = 0, count = 0;
    if (v->var_kind == VAR_OPERAND)
        ir_op_operand_group(w->op, (size_t)v->var, &start, &count);
    else
        ir_op_result_group(w->op, (size_t)v->var, &start, &count);
    if (i >= count)
        return NULL;
    return v->var_kind == VAR_OPERAND ? w->op->operands[start + i].value->type
                                      : w->op->results[start + i].type;
}

static size_t count_of(op_writing *w, const dir *arg)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    size_t start = 0, count = 0;
    if (v->var_kind == VAR_OPERAND)
        ir_op_operand_group(w->op, (size_t)v->var, &start, &count);
    else
        ir_op_result_group(w->op, (size_t)v->var, &start, &count);
    return count;
}

/* ---- stablehlo: types --------------------------------------------------------------- */

/* A function type deals its inputs to the operands and its result to the last argument. */
static bool deal_function(op_reading *r, const dir *d, ir_type f, const char *at)
{
    uint32_t operands = d->n_args - 1;
    if (f->count != operands || f->results != 1)
        return ir_fail(r->p, at, "%u operands present, but expected %u", operands,
                       f->count);
    for (uint32_t i = 0; i < operands; i++)
        give(r, &d->args[i], f->types[i]);
    give(r, &d->args[operands], ir_function_results(f)[0]);
    return true;
}

static bool parse_same_type(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, type, at);
    for (uint32_t i = 0; i < d->n_args; i++)
        give(r, &d->args[i], type);
    return true;
}

static void print_function_of(op_writing *w, const dir *d)
{
    ir_putc(w->p, '(');
    for (uint32_t i = 0; i + 1 < d->n_args; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_type(w->p, type_of(w, &d->args[i], 0));
    }
    ir_put(w->p, ") -> ");
    ir_put_type(w->p, type_of(w, &d->args[d->n_args - 1], 0));
}

static void print_same_type(op_writing *w, const dir *d)
{
    ir_type first = type_of(w, &d->args[0], 0);
    for (uint32_t i = 1; i < d->n_args; i++)
        if (type_of(w, &d->args[i], 0) != first) {
            print_function_of(w, d);
            return;
        }
    ir_put_type(w->p, first);
}

/* (ref(inputs), type(inputs), type(result)) */
static bool parse_variadic_same(op_reading *r, const dir *d)
{
    uint32_t count = group(r, &d->args[1])->uses.count;
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION) {
        if (type->count != count || type->results != 1)
            return ir_fail(r->p, at, "%u operands present, but expected %u", count,
                           type->count);
        for (uint32_t i = 0; i < count; i++)
            give(r, &d->args[1], type->types[i]);
        give(r, &d->args[2], ir_function_results(type)[0]);
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        give(r, &d->args[1], type);
    group(r, &d->args[1])->typed = true;
    give(r, &d->args[2], type);
    return true;
}

static void print_variadic_same(op_writing *w, const dir *d)
{
    ir_type result = type_of(w, &d->args[2], 0);
    size_t n = count_of(w, &d->args[1]);
    for (size_t i = 0; i < n; i++)
        if (type_of(w, &d->args[1], i) != result) {
            ir_put_functional_type(w->p, w->op);
            return;
        }
    ir_put_type(w->p, result);
}

static ir_type real_part(ir_type t)
{
    ir_type element = ir_type_element(t);
    if (!ir_type_is_shaped(t) || element->kind != IR_TYPE_COMPLEX)
        return NULL;
    return ir_type_with_element(t, element->element);
}

static bool parse_complex(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, type, at);
    ir_type part = real_part(type);
    if (!part)
        return ir_fail(r->p, at, "expected tensor with complex element type");
    give(r, &d->args[0], part);
    give(r, &d->args[1], part);
    give(r, &d->args[2], type);
    return true;
}

static void print_complex(op_writing *w, const dir *d)
{
    ir_type result = type_of(w, &d->args[2], 0), part = real_part(result);
    if (part && part == type_of(w, &d->args[0], 0) && part == type_of(w, &d->args[1], 0))
        ir_put_type(w->p, result);
    else
        print_function_of(w, d);
}

static bool parse_select(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type first = ir_parse_a_type(r->p);
    if (!first)
        return false;
    if (first->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, first, at);
    if (!ir_expect_punct(r->p, ','))
        return false;
    ir_type second = ir_parse_a_type(r->p);
    if (!second)
        return false;
    give(r, &d->args[0], first);
    for (uint32_t i = 1; i < 4; i++)
        give(r, &d->args[i], second);
    return true;
}

static void print_select(op_writing *w, const dir *d)
{
    ir_type t = type_of(w, &d->args[1], 0);
    if (t != type_of(w, &d->args[2], 0) || t != type_of(w, &d->args[3], 0)) {
        print_function_of(w, d);
        return;
    }
    ir_put_type(w->p, type_of(w, &d->args[0], 0));
    ir_put(w->p, ", ");
    ir_put_type(w->p, t);
}

static bool parse_pairwise(op_reading *r, const dir *d)
{
    ir_type_list types = {0};
    if (!ir_parse_type_list(r->p, &types))
        return false;
    for (uint32_t i = 0; i < types.count; i++)
        for (uint32_t k = 0; k < 2; k++)
            give(r, &d->args[k], types.at[i]);
    return true;
}

static void print_pairwise(op_writing *w, const dir *d)
{
    (void)d;
    ir_put_operand_types(w->p, w->op, 0, w->op->n_operands);
}

/* The operands' types are the members of the one tuple type. */
static bool parse_tuple(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind != IR_TYPE_TUPLE)
        return ir_fail(r->p, at, "expected tuple type");
    for (uint32_t i = 0; i < type->count; i++) {
        if (d->args[0].args[0].kind == DIR_NAMED) {
            r->flat_operand_types = true;
            ir_type_list_add(r->p, &r->operand_types, type->types[i]);
        } else {
            give(r, &d->args[0], type->types[i]);
        }
    }
    if (d->args[0].args[0].kind == DIR_NAMED)
        r->flat_operand_types = true;
    else
        group(r, &d->args[0])->typed = true;
    give(r, &d->args[1], type);
    return true;
}

static void print_tuple(op_writing *w, const dir *d)
{
    (void)d;
    ir_put_type(w->p, w->op->results[0].type);
}

/* ---- stablehlo: operands and attributes --------------------------------------------- */

static bool parse_variadic_operand(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *g = group(r, &d->args[0]);
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
        give_attr(r, &d->args[i], ir_dense_i64_array(p->ctx, values[i], n));
    return true;
}

static void print_slice_ranges(op_writing *w, const dir *d)
{
    ir_attr start = attr_of(w, &d->args[0]), limit = attr_of(w, &d->args[1]),
            stride = attr_of(w, &d->args[2]);
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
    give_attr(r, &d->args[0], name);
    return true;
}

static void print_call_target(op_writing *w, const dir *d)
{
    ir_put_symbol(w->p, ir_attr_str(attr_of(w, &d->args[0])));
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
        return ir_fail(r->p, at, "expected exponent mantissa in format e#m#, saw %s", text);
    e = strtoul(text + 1, &end, 10);
    if (*end != 'm' || end[1] < '0' || end[1] > '9')
        return ir_fail(r->p, at, "expected exponent mantissa in format e#m#, saw %s", text);
    m = strtoul(end + 1, &end, 10);
    if (*end || e > INT32_MAX || m > INT32_MAX)
        return ir_fail(r->p, at, "unable to parse exponent and mantissa bits in '%s'",
                       text);
    give_attr(r, &d->args[0], ir_i32_attr(r->p->ctx, (int64_t)e));
    give_attr(r, &d->args[1], ir_i32_attr(r->p->ctx, (int64_t)m));
    return true;
}

static void print_exponent_mantissa(op_writing *w, const dir *d)
{
    ir_putf(w->p, "e%lldm%lld", (long long)ir_attr_int(attr_of(w, &d->args[0]), 0),
            (long long)ir_attr_int(attr_of(w, &d->args[1]), 0));
}

/* [1, 2] x [0, 1] */
static bool parse_dim_pair(ir_parser *p, ir_dims *lhs, ir_dims *rhs)
{
    return ir_expect_punct(p, '=') && ir_parse_int_list(p, lhs) &&
           ir_expect_keyword(p, "x") && ir_parse_int_list(p, rhs);
}

static ir_attr raw_list(ir_context *ctx, const ir_dims *dims)
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
    ir_attr params[4] = {raw_list(p->ctx, &batch[0]), raw_list(p->ctx, &batch[1]),
                         raw_list(p->ctx, &contract[0]), raw_list(p->ctx, &contract[1])};
    give_attr(r, &d->args[0], ir_dialect_attr(p->ctx, def, params, 4));
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
    ir_attr a = attr_of(w, &d->args[0]);
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
            int64_t value;
            if (n == TW_COUNT(items))
                return ir_fail_here(p, "too many precisions");
            if (!ir_parse_enum(p, def->enumeration, &value))
                return false;
            items[n++] = ir_enum_attr(p->ctx, def, value);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return false;
    }
    give_attr(r, arg, ir_array_attr(p->ctx, items, n));
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
        give_attr(r, arg, a);
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
    ir_attr list = attr_of(w, &d->args[0]);
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
    ir_attr algorithm = d->n_args > 1 ? attr_of(w, &d->args[1]) : NULL;
    if (algorithm) {
        ir_put(w->p, ", algorithm = ");
        ir_put_stripped_attr(w->p, algorithm);
    }
}

/* ---- stablehlo: convolution --------------------------------------------------------- */

/* `first` and `second`: the letters that may still come, 0 for one that has. */
static bool unexpected_dimension(ir_parser *p, const char *at, tw_str word, char first,
                                 char second)
{
    if (first && second)
        return ir_fail(p, at, "Unexpected dimension %.*s, expecting %c, %c", (int)word.size,
                       word.data, first, second);
    if (first || second)
        return ir_fail(p, at, "Unexpected dimension %.*s, expecting %c", (int)word.size,
                       word.data, first ? first : second);
    return ir_fail(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
}

/* [b, 0, 1, f]: the two letters once each and every spatial number once. */
static bool parse_conv_side(ir_parser *p, char first, char second, int64_t *out_first,
                            int64_t *out_second, ir_dims *spatial)
{
    int64_t at[64], n = 0, position = 0;
    memset(at, -1, sizeof at);
    *out_first = *out_second = -1;
    if (!ir_expect_punct(p, '['))
        return false;
    if (!ir_accept_punct(p, ']')) {
        do {
            int64_t value;
            tw_str word;
            if (ir_at_punct(p, '?')) {
                ir_next(p);
            } else if (p->tok.kind == IR_TOK_INTEGER || ir_at_punct(p, '-')) {
                const char *where = p->tok.at;
                if (!ir_parse_int(p, &value))
                    return false;
                if (value < 0)
                    return ir_fail(p, where, "Unexpected dimension %lld", (long long)value);
                if (value >= 64 || at[value] >= 0)
                    return ir_fail(p, where,
                                   value >= 64 ? "expected spatial dimensions < 64"
                                               : "Duplicate entries for spatial dimension "
                                                 "%lld",
                                   (long long)value);
                at[value] = position;
                n = TW_MAX(n, value + 1);
            } else {
                const char *where = p->tok.at;
                if (!ir_parse_keyword(p, &word))
                    return false;
                int64_t *slot = word.size == 1 && word.data[0] == first    ? out_first
                                : word.size == 1 && word.data[0] == second ? out_second
                                                                           : NULL;
                if (!slot || *slot >= 0)
                    return unexpected_dimension(p, where, word, *out_first < 0 ? first : 0,
                                                *out_second < 0 ? second : 0);
                *slot = position;
            }
            position++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return false;
    }
    if (*out_first < 0 && *out_second < 0)
        return ir_fail_here(p, "Expected dimensions %c, %c not specified", first, second);
    if (*out_first < 0 || *out_second < 0)
        return ir_fail_here(p, "Expected dimensions %c not specified",
                            *out_first < 0 ? first : second);
    spatial->at = ir_scratch(p, sizeof at);
    spatial->count = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) {
        if (at[i] < 0)
            return ir_fail_here(p, "Expected spatial dimensions %lld not specified",
                                (long long)i);
        spatial->at[i] = at[i];
    }
    return true;
}

/* Parameters of #stablehlo.conv in the table's order: input b f spatial, kernel i o
 * spatial, output b f spatial. */
bool ir_parse_conv_dimensions(ir_parser *p, ir_attr *params)
{
    int64_t b, f, i, o, ob, of;
    ir_dims in = {0}, kernel = {0}, out = {0};
    if (!parse_conv_side(p, 'b', 'f', &b, &f, &in) || !ir_expect_keyword(p, "x") ||
        !parse_conv_side(p, 'i', 'o', &i, &o, &kernel) || !ir_expect_arrow(p) ||
        !parse_conv_side(p, 'b', 'f', &ob, &of, &out))
        return false;
    ir_context *ctx = p->ctx;
    params[0] = ir_raw_int(ctx, b);
    params[1] = ir_raw_int(ctx, f);
    params[2] = raw_list(ctx, &in);
    params[3] = ir_raw_int(ctx, i);
    params[4] = ir_raw_int(ctx, o);
    params[5] = raw_list(ctx, &kernel);
    params[6] = ir_raw_int(ctx, ob);
    params[7] = ir_raw_int(ctx, of);
    params[8] = raw_list(ctx, &out);
    return true;
}

static void put_conv_side(ir_printer *p, const ir_attr *params, char first, char second)
{
    int64_t a = ir_attr_int(params[0], 0), b = ir_attr_int(params[1], 0);
    int64_t rank = 2 + (params[2] ? params[2]->count : 0);
    ir_putc(p, '[');
    for (int64_t k = 0; k < rank; k++) {
        if (k)
            ir_put(p, ", ");
        if (k == a)
            ir_putc(p, first);
        else if (k == b)
            ir_putc(p, second);
        else
            for (uint32_t s = 0; s < params[2]->count; s++)
                if (ir_attr_int(params[2]->items[s], -1) == k)
                    ir_put_int(p, s);
    }
    ir_putc(p, ']');
}

void ir_put_conv_dimensions(ir_printer *p, const ir_attr *params)
{
    put_conv_side(p, params, 'b', 'f');
    ir_putc(p, 'x');
    put_conv_side(p, params + 3, 'i', 'o');
    ir_put(p, "->");
    put_conv_side(p, params + 6, 'b', 'f');
}

static bool parse_convolution(op_reading *r, const dir *d)
{
    ir_attr params[9];
    if (!ir_parse_conv_dimensions(r->p, params))
        return false;
    const ir_attr_def *def = ir_attr_def_find(r->p->ctx, TW_STR("stablehlo.conv"));
    give_attr(r, &d->args[0], ir_dialect_attr(r->p->ctx, def, params, 9));
    return true;
}

static void print_convolution(op_writing *w, const dir *d)
{
    ir_put_conv_dimensions(w->p, attr_of(w, &d->args[0])->params);
}

static bool pad_item(ir_parser *p, void *user)
{
    ir_dims *all = user, two = {0};
    const char *at = p->tok.at;
    if (!ir_parse_int_list(p, &two))
        return false;
    if (two.count != 2)
        return ir_fail(p, at, "Expected array with 2 elements, got %u elements instead",
                       two.count);
    if (all->count + 2 > 128)
        return ir_fail(p, at, "too many padding pairs");
    all->at[all->count++] = two.at[0];
    all->at[all->count++] = two.at[1];
    return true;
}

static bool bool_item(ir_parser *p, void *user)
{
    ir_dims *all = user;
    int64_t value = ir_at_keyword(p, "true");
    if (all->count == 128)
        return ir_fail_here(p, "too many entries");
    if (!ir_accept_keyword(p, "true") && !ir_accept_keyword(p, "false") &&
        !ir_parse_int(p, &value))
        return false;
    all->at[all->count++] = value != 0;
    return true;
}

/* Arguments: stride, pad, lhs_dilate, rhs_dilate, reverse. */
static bool parse_window(op_reading *r, const dir *d)
{
    static const char *const words[] = {"stride", "pad", "lhs_dilate", "rhs_dilate",
                                        "reverse"};
    ir_parser *p = r->p;
    bool seen[5] = {0};
    while (p->tok.kind == IR_TOK_BARE_ID) {
        const char *at = p->tok.at;
        tw_str word;
        int64_t storage[128];
        ir_dims values = {storage, 0, 128};
        size_t k = 0;
        ir_parse_keyword(p, &word);
        while (k < 5 && !tw_str_is(word, words[k]))
            k++;
        if (k == 5)
            return ir_fail(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
        if (seen[k])
            return ir_fail(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
        seen[k] = true;
        if (!ir_expect_punct(p, '='))
            return false;
        ir_attr attr;
        if (k == 1) {
            if (!ir_parse_list(p, "[]", pad_item, &values))
                return false;
            int64_t shape[2] = {values.count / 2, 2};
            ir_type type =
                ir_tensor_type(ir_integer_type(p->ctx, 64, IR_SIGNLESS), shape, 2, NULL);
            attr = ir_dense_i64(type, values.at, values.count);
        } else if (k == 4) {
            bool flags[128];
            if (!ir_parse_list(p, "[]", bool_item, &values))
                return false;
            for (uint32_t i = 0; i < values.count; i++)
                flags[i] = values.at[i] != 0;
            attr = ir_dense_bool_array(p->ctx, flags, values.count);
        } else {
            ir_dims ints = {0};
            if (!ir_parse_int_list(p, &ints))
                return false;
            attr = ir_dense_i64_array(p->ctx, ints.at, ints.count);
        }
        give_attr(r, &d->args[k], attr);
        if (!ir_accept_punct(p, ','))
            break;
    }
    return !p->failed;
}

static void print_window(op_writing *w, const dir *d)
{
    static const char *const words[] = {"stride", "pad", "lhs_dilate", "rhs_dilate",
                                        "reverse"};
    bool any = false;
    for (uint32_t k = 0; k < 5; k++) {
        ir_attr a = attr_of(w, &d->args[k]);
        if (!a)
            continue;
        ir_putf(w->p, "%s%s = ", any ? ", " : "", words[k]);
        any = true;
        if (k != 1) {
            ir_put_dense_array_bare(w->p, a);
            continue;
        }
        ir_putc(w->p, '[');
        for (int64_t i = 0; i < a->type->dims[0]; i++)
            ir_putf(w->p, "%s[%lld, %lld]", i ? ", " : "",
                    (long long)ir_dense_int(a, (size_t)(2 * i)),
                    (long long)ir_dense_int(a, (size_t)(2 * i + 1)));
        ir_putc(w->p, ']');
    }
}

/* ---- DynamicIndexList(dynamic, static) ---------------------------------------------- */

static bool index_item(op_reading *r, group_state *g, ir_dims *statics)
{
    ir_parser *p = r->p;
    int64_t value = IR_DYNAMIC;
    ir_ssa_use use;
    if (ir_accept_ssa(p, &use)) {
        if (g->uses.count == g->uses.capacity) {
            uint32_t capacity = g->uses.capacity ? g->uses.capacity * 2 : 4;
            ir_ssa_use *at = ir_scratch(p, capacity * sizeof *at);
            if (g->uses.count)
                memcpy(at, g->uses.at, g->uses.count * sizeof *at);
            g->uses.at = at;
            g->uses.capacity = capacity;
        }
        g->uses.at[g->uses.count++] = use;
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
    group_state *g = group(r, &d->args[0]);
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
    give_attr(r, &d->args[1], ir_dense_i64_array(p->ctx, statics.at, statics.count));
    return true;
}

static void print_index_list(op_writing *w, const dir *d)
{
    ir_attr statics = attr_of(w, &d->args[1]);
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
    dense_items *list = user;
    ir_attr sharding =
        ir_parse_stripped_attr(p, ir_attr_def_find(p->ctx, TW_STR("sdy.sharding")));
    if (!sharding)
        return false;
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    list->at[list->count++] = sharding;
    return true;
}

static bool parse_shardings(op_reading *r, const dir *d)
{
    dense_items list = {0};
    ir_parser *p = r->p;
    if (!ir_parse_list(p, "[]", sharding_item, &list))
        return false;
    ir_attr all = ir_array_attr(p->ctx, list.at, list.count);
    const ir_attr_def *def = ir_attr_def_find(p->ctx, TW_STR("sdy.sharding_per_value"));
    give_attr(r, &d->args[0], ir_dialect_attr(p->ctx, def, &all, 1));
    return true;
}

static void print_shardings(op_writing *w, const dir *d)
{
    ir_attr per_value = attr_of(w, &d->args[0]),
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
        return ir_fail(p, at, "type should be static shaped memref, but got %s",
                       ir_type_text(p->ctx, type));
    give_attr(r, &d->args[0], ir_type_attr(type));
    if (!ir_accept_punct(p, '='))
        return !p->failed;
    if (ir_accept_keyword(p, "uninitialized")) {
        give_attr(r, &d->args[1], ir_unit_attr(p->ctx));
        return true;
    }
    at = p->tok.at;
    ir_attr value =
        ir_parse_an_attr(p, ir_tensor_type(type->element, type->dims, type->count, NULL));
    if (!value)
        return false;
    if (value->kind != IR_ATTR_DENSE && value->kind != IR_ATTR_RESOURCE &&
        value->kind != IR_ATTR_SPARSE)
        return ir_fail(p, at, "initial value should be a unit or elements attribute");
    give_attr(r, &d->args[1], value);
    return true;
}

static void print_global_memref(op_writing *w, const dir *d)
{
    ir_attr value = attr_of(w, &d->args[1]);
    ir_put_type(w->p, attr_of(w, &d->args[0])->type);
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
    give_attr(r, &d->args[0], ir_dense_i64_array(r->p->ctx, cases.at, cases.count));
    return !r->p->failed;
}

static void print_switch_cases(op_writing *w, const dir *d)
{
    ir_attr cases = attr_of(w, &d->args[0]);
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
    give_attr(r, &d->args[0], value);
    return true;
}

static void print_initial_value(op_writing *w, const dir *d)
{
    ir_put(w->p, "= ");
    ir_put_attr(w->p, attr_of(w, &d->args[0]));
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

static const struct directive {
    const char *name;
    bool (*parse)(op_reading *r, const dir *d);
    void (*print)(op_writing *w, const dir *d);
} directives[] = {
    {"ComplexOpType", parse_complex, print_complex},
    {"ConvolutionDimensions", parse_convolution, print_convolution},
    {"CustomCallTarget", parse_call_target, print_call_target},
    {"DotDimensionNumbers", parse_dot_dimensions, print_dot_dimensions},
    {"DynamicIndexList", parse_index_list, print_index_list},
    {"EmitPyGlobalOpInitialValue", parse_initial_value, print_initial_value},
    {"ExponentMantissa", parse_exponent_mantissa, print_exponent_mantissa},
    {"GlobalMemrefOpTypeAndInitialValue", parse_global_memref, print_global_memref},
    {"PairwiseOpType", parse_pairwise, print_pairwise},
    {"PrecisionConfig", parse_precision, print_precision},
    {"PrecisionConfigAndAlgorithm", parse_precision_algorithm, print_precision},
    {"SameOperandsAndResultType", parse_same_type, print_same_type},
    {"SelectOpType", parse_select, print_select},
    {"SequenceOpOperands", parse_sequence, print_sequence},
    {"SingleBlockRegionNoBlockId", parse_region_with_args, print_region_with_args},
    {"SliceRanges", parse_slice_ranges, print_slice_ranges},
    {"StrippedTensorShardingPerValueAttr", parse_shardings, print_shardings},
    {"SwitchCases", parse_switch_cases, print_switch_cases},
    {"TupleOpType", parse_tuple, print_tuple},
    {"VariadicOperandWithAttribute", parse_variadic_operand, print_variadic_operand},
    {"VariadicSameOperandsAndResultType", parse_variadic_same, print_variadic_same},
    {"WindowAttributes", parse_window, print_window},
};

static const struct directive *find(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(directives); i++)
        if (tw_str_is(name, directives[i].name))
            return &directives[i];
    return NULL;
}

bool ir_parse_custom_directive(op_reading *r, const dir *d)
{
    const struct directive *known = find(d->text);
    if (!known)
        return ir_fail_here(r->p,
                            "the syntax custom<%.*s> of '%s' is not implemented; write the "
                            "operation in generic form",
                            (int)d->text.size, d->text.data, r->op->def->name);
    return known->parse(r, d);
}

void ir_print_custom_directive(op_writing *w, const dir *d)
{
    const struct directive *known = find(d->text);
    if (known)
        known->print(w, d);
}
