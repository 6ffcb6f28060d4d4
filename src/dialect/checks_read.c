/* checks_read.c: reads and evaluates the expressions of checks.h.
 *
 * Grammar, by falling binding strength:
 *   primary = number | "text" | name | name(args) | (e) | |e| | {e, ...}
 *   postfix = primary ('[' e ']')*        unary = '-' unary | postfix
 *   product, sum, comparison (also `in`, `not in`), `not`, `and`, `or`, then c ? a : b
 * Expressions are evaluated while they are read; the side of `and`, `or` and ?: that does
 * not count is read without evaluating (skip > 0). */
#include "dialect/checks_impl.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- names -------------------------------------------------------------------------- */

chk_val chk_of_attr(chk_reading *r, ir_attr a)
{
    int64_t items[512];
    if (!a)
        return chk_none();
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        return (chk_val){
            .kind = CHK_INT, .i = a->value, .truth = ir_attr_is_bool(a), .attr = a};
    case IR_ATTR_FLOAT:
        return (chk_val){.kind = CHK_REAL, .real = a->real, .attr = a};
    case IR_ATTR_STRING:
        return (chk_val){.kind = CHK_STR, .str = ir_attr_str(a), .attr = a};
    case IR_ATTR_UNIT:
        return chk_truth(true);
    case IR_ATTR_TYPE:
        return (chk_val){.kind = CHK_TYPE, .type = a->type};
    case IR_ATTR_ARRAY:
    case IR_ATTR_DENSE_ARRAY:
    case IR_ATTR_DENSE: {
        int64_t n = a->kind == IR_ATTR_DENSE && ir_type_num_elements(a->type) > 512
                        ? -1
                        : ir_attr_ints(a, items, TW_COUNT(items));
        if (n < 0 || n > (int64_t)TW_COUNT(items))
            return (chk_val){.kind = CHK_ATTR, .attr = a};
        chk_val v = chk_list_of(r, items, (size_t)n);
        v.attr = a;
        return v;
    }
    case IR_ATTR_DIALECT:
        if (a->def->enumeration) {
            const ir_enum_case *c =
                ir_enum_by_value(a->def->enumeration, ir_enum_value(a, INT64_MIN));
            return (chk_val){
                .kind = CHK_STR, .str = tw_str_from(c ? c->text : "?"), .attr = a};
        }
        if (a->def->params.count == 1 &&
            a->def->params.at[0].array) { /* #ttnn.shape<...> */
            chk_val v = chk_of_attr(r, ir_attr_param(a, a->def->params.at[0].name));
            v.attr = a;
            return v;
        }
        return (chk_val){.kind = CHK_ATTR, .attr = a};
    default:
        return (chk_val){.kind = CHK_ATTR, .attr = a};
    }
}

chk_val chk_of_param(chk_reading *r, const ir_param_def *def, ir_attr a)
{
    const ir_enum_case *c = def->kind == IR_PARAM_ENUM && ir_attr_is(a, IR_ATTR_INTEGER)
                                ? ir_enum_by_value(def->enumeration, a->value)
                                : NULL;
    return c ? (chk_val){.kind = CHK_STR, .str = tw_str_from(c->text)} : chk_of_attr(r, a);
}

static bool same_name(tw_str name, const char *declared)
{
    return tw_str_is(name, declared);
}

static bool chk_find_name(chk_reading *r, tw_str name, chk_val *out)
{
    const ir_op_def *def = r->def;
    for (int i = r->n_lets; i-- > 0;)
        if (tw_str_equal(r->lets[i].name, name)) {
            *out = r->lets[i].value;
            return true;
        }
    *out = chk_none();
    for (size_t i = 0; i < r->n_params; i++)
        if (same_name(name, r->params[i].name)) {
            if (r->attr || r->type)
                *out = chk_of_param(r, &r->params[i],
                                    r->attr ? ir_attr_param(r->attr, r->params[i].name)
                                            : ir_type_param(r->type, r->params[i].name));
            return true;
        }
    if (!def)
        return false;
    for (uint32_t i = 0; i < def->operands.count; i++) {
        size_t start, count;
        if (!same_name(name, def->operands.at[i].name))
            continue;
        if (!r->op || !ir_op_operand_group(r->op, i, &start, &count))
            return true;
        if (def->operands.at[i].arity >= IR_VARIADIC)
            *out = (chk_val){.kind = CHK_GROUP,
                             .i = (int64_t)count,
                             .operands = r->op->operands + start};
        else if (count)
            *out = chk_of_value(r->op->operands[start].value);
        return true;
    }
    for (uint32_t i = 0; i < def->results.count; i++) {
        size_t start, count;
        const char *declared = def->results.at[i].name;
        if (!same_name(name, *declared ? declared : "result") &&
            !(def->results.count == 1 && tw_str_is(name, "result")))
            continue;
        if (!r->op || !ir_op_result_group(r->op, i, &start, &count))
            return true;
        if (def->results.at[i].arity >= IR_VARIADIC)
            *out = (chk_val){
                .kind = CHK_GROUP, .i = (int64_t)count, .results = r->op->results + start};
        else if (count)
            *out = chk_of_value(&r->op->results[start]);
        return true;
    }
    size_t slot = ir_def_prop_index(def, name);
    if (slot != SIZE_MAX) {
        if (r->op)
            *out = chk_of_attr(r, r->op->props[slot]);
        return true;
    }
    return false;
}

void chk_blanks(chk_reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

chk_val chk_wrong(chk_reading *r)
{
    if (!r->wrong)
        r->wrong = r->at;
    r->skip += 1000; /* nothing after it counts */
    return chk_none();
}

bool chk_symbol(chk_reading *r, const char *s)
{
    chk_blanks(r);
    if (*r->at != *s)
        return false;
    size_t n = strlen(s);
    if (strncmp(r->at, s, n) != 0)
        return false;
    if (isalpha((unsigned char)s[0]) &&
        (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}

tw_str chk_name_here(chk_reading *r)
{
    chk_blanks(r);
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return (tw_str){start, (size_t)(r->at - start)};
}

static chk_val number(chk_reading *r)
{
    char *end;
    int64_t i = strtoll(r->at, &end, 10);
    if (*end == '.') {
        double real = strtod(r->at, &end);
        r->at = end;
        return (chk_val){.kind = CHK_REAL, .real = real};
    }
    r->at = end;
    return chk_integer(i);
}

static chk_val text_literal(chk_reading *r)
{
    char quote = *r->at++;
    const char *start = r->at;
    while (*r->at && *r->at != quote)
        r->at++;
    chk_val v = {.kind = CHK_STR, .str = {start, (size_t)(r->at - start)}};
    if (*r->at)
        r->at++;
    return v;
}

static chk_val braces(chk_reading *r)
{
    int64_t items[CHK_MOST];
    size_t n = 0;
    while (!chk_symbol(r, "}")) {
        chk_val v = chk_expression(r);
        if (r->wrong)
            return chk_none();
        if (n < CHK_MOST)
            items[n++] = v.i;
        if (!chk_symbol(r, ",") && *r->at != '}')
            return chk_wrong(r);
    }
    return r->skip ? chk_none() : chk_list_of(r, items, n);
}

static const chk_function *function_named(tw_str name, int args)
{
    static const chk_function *const tables[] = {chk_type_functions, chk_shape_functions};
    for (size_t t = 0; t < TW_COUNT(tables); t++)
        for (const chk_function *f = tables[t]; f->name; f++)
            if (f->args == args && tw_str_is(name, f->name))
                return f;
    return NULL;
}

static chk_val call(chk_reading *r, tw_str name)
{
    chk_val args[3] = {{0}};
    int n = 0;
    while (!chk_symbol(r, ")")) {
        if (n == 3 || r->wrong)
            return chk_wrong(r);
        args[n++] = chk_expression(r);
        if (!chk_symbol(r, ",") && *r->at != ')')
            return chk_wrong(r);
    }
    const chk_function *f = function_named(name, n);
    if (!f)
        return chk_wrong(r);
    return r->skip ? chk_none() : f->fn(r, args);
}

static chk_val primary(chk_reading *r)
{
    chk_blanks(r);
    if (isdigit((unsigned char)*r->at))
        return number(r);
    if (*r->at == '"' || *r->at == '\'')
        return text_literal(r);
    if (chk_symbol(r, "(")) {
        chk_val v = chk_expression(r);
        return chk_symbol(r, ")") ? v : chk_wrong(r);
    }
    if (chk_symbol(r, "{"))
        return braces(r);
    if (chk_symbol(r, "|")) {
        chk_val v = chk_expression(r);
        if (!chk_symbol(r, "|"))
            return chk_wrong(r);
        if (r->skip)
            return chk_none();
        return chk_integer(v.kind == CHK_STR ? (int64_t)v.str.size
                           : v.kind == CHK_ATTR && v.attr->kind == IR_ATTR_ARRAY
                               ? v.attr->count
                           : v.kind == CHK_LIST || v.kind == CHK_GROUP ? v.i
                                                                       : 0);
    }
    const char *start = r->at;
    tw_str name = chk_name_here(r);
    if (!name.size)
        return chk_wrong(r);
    if (*r->at == '(') {
        r->at++;
        return call(r, name);
    }
    if (tw_str_is(name, "true") || tw_str_is(name, "false"))
        return chk_truth(name.data[0] == 't');
    chk_val v;
    if (chk_find_name(r, name, &v))
        return v;
    r->at = start;
    return chk_wrong(r);
}

static chk_val postfix(chk_reading *r)
{
    chk_val v = primary(r);
    while (chk_symbol(r, "[")) {
        chk_val i = chk_expression(r);
        if (!chk_symbol(r, "]"))
            return chk_wrong(r);
        v = r->skip || i.kind != CHK_INT ? chk_none() : chk_item(v, i.i);
    }
    return v;
}

static chk_val unary(chk_reading *r)
{
    if (!chk_symbol(r, "-"))
        return postfix(r);
    chk_val v = unary(r);
    if (v.kind == CHK_REAL)
        v.real = -v.real;
    v.i = v.kind == CHK_INT && v.i != INT64_MIN ? -v.i : v.i;
    return v;
}

static chk_val arithmetic(chk_val a, char op, chk_val b)
{
    int64_t n = 0;
    if (a.kind == CHK_REAL || b.kind == CHK_REAL) {
        double x = a.kind == CHK_REAL ? a.real : (double)a.i,
               y = b.kind == CHK_REAL ? b.real : (double)b.i;
        double z = op == '+'   ? x + y
                   : op == '-' ? x - y
                   : op == '*' ? x * y
                   : y         ? x / y
                               : 0;
        return (chk_val){.kind = CHK_REAL, .real = z};
    }
    if (a.kind != CHK_INT || b.kind != CHK_INT)
        return chk_none();
    bool bad = op == '+'   ? __builtin_add_overflow(a.i, b.i, &n)
               : op == '-' ? __builtin_sub_overflow(a.i, b.i, &n)
               : op == '*' ? __builtin_mul_overflow(a.i, b.i, &n)
                           : b.i == 0 || (a.i == INT64_MIN && b.i == -1);
    if (bad)
        return chk_none();
    return chk_integer(op == '/' ? a.i / b.i : op == '%' ? a.i % b.i : n);
}

static chk_val product(chk_reading *r)
{
    chk_val v = unary(r);
    for (;;) {
        chk_blanks(r);
        char op = *r->at;
        if (op != '*' && op != '/' && op != '%')
            return v;
        r->at++;
        chk_val w = unary(r);
        v = r->skip ? chk_none() : arithmetic(v, op, w);
    }
}

chk_val chk_sum(chk_reading *r)
{
    chk_val v = product(r);
    for (;;) {
        chk_blanks(r);
        char op = *r->at;
        if (op != '+' && op != '-')
            return v;
        r->at++;
        chk_val w = product(r);
        v = r->skip ? chk_none() : arithmetic(v, op, w);
    }
}

static bool equal(chk_val a, chk_val b)
{
    if ((a.kind == CHK_INT || a.kind == CHK_REAL) &&
        (b.kind == CHK_INT || b.kind == CHK_REAL))
        return (a.kind == CHK_REAL ? a.real : (double)a.i) ==
               (b.kind == CHK_REAL ? b.real : (double)b.i);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case CHK_STR:
        return tw_str_equal(a.str, b.str);
    case CHK_LIST:
        return a.i == b.i &&
               (a.i == 0 || memcmp(a.list, b.list, (size_t)a.i * sizeof *a.list) == 0);
    case CHK_TYPE:
        return a.type == b.type;
    case CHK_VALUE:
        return a.value == b.value;
    case CHK_ATTR:
        return a.attr == b.attr;
    default:
        return true;
    }
}

/* x in {a, b} or in a list. */
static bool among(chk_reading *r, chk_val x)
{
    bool found = false;
    if (chk_symbol(r, "{")) {
        while (!chk_symbol(r, "}") && !r->wrong) {
            chk_val v = chk_expression(r);
            found |= !r->skip && equal(x, v);
            if (!chk_symbol(r, ",") && *r->at != '}')
                chk_wrong(r);
        }
        return found;
    }
    chk_val all = chk_sum(r);
    for (int64_t i = 0; all.kind == CHK_LIST && i < all.i; i++)
        found |= x.kind == CHK_INT && x.i == all.list[i];
    return found;
}

static chk_val comparison(chk_reading *r)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    chk_val a = chk_sum(r);
    if (chk_symbol(r, "not in"))
        return chk_truth(!among(r, a));
    if (chk_symbol(r, "in"))
        return chk_truth(among(r, a));
    for (size_t i = 0; i < TW_COUNT(signs); i++) {
        if (!chk_symbol(r, signs[i]))
            continue;
        chk_val b = chk_sum(r);
        if (r->skip)
            return chk_none();
        if (i < 2)
            return chk_truth(equal(a, b) == (i == 0));
        if ((a.kind != CHK_INT && a.kind != CHK_REAL) ||
            (b.kind != CHK_INT && b.kind != CHK_REAL))
            return chk_truth(false);
        double x = a.kind == CHK_REAL ? a.real : (double)a.i,
               y = b.kind == CHK_REAL ? b.real : (double)b.i;
        bool both = a.kind == CHK_INT && b.kind == CHK_INT;
        int order = both ? (a.i > b.i) - (a.i < b.i) : (x > y) - (x < y);
        return chk_truth(i == 2   ? order <= 0
                         : i == 3 ? order >= 0
                         : i == 4 ? order < 0
                                  : order > 0);
    }
    return a;
}

static chk_val negation(chk_reading *r)
{
    if (!chk_symbol(r, "not"))
        return comparison(r);
    return chk_truth(!chk_holds(negation(r)));
}

static chk_val conjunction(chk_reading *r)
{
    chk_val v = negation(r);
    while (chk_symbol(r, "and")) {
        bool was = chk_holds(v), off = !was && !r->skip;
        r->skip += off;
        chk_val w = negation(r);
        r->skip -= off;
        v = chk_truth(was && chk_holds(w));
    }
    return v;
}

static chk_val disjunction(chk_reading *r)
{
    chk_val v = conjunction(r);
    while (chk_symbol(r, "or")) {
        bool was = chk_holds(v), off = was && !r->skip;
        r->skip += off;
        chk_val w = conjunction(r);
        r->skip -= off;
        v = chk_truth(was || chk_holds(w));
    }
    return v;
}

chk_val chk_expression(chk_reading *r)
{
    chk_val v = disjunction(r);
    if (!chk_symbol(r, "?"))
        return v;
    bool was = chk_holds(v), live = !r->skip;
    r->skip += live && !was;
    chk_val a = chk_expression(r);
    r->skip -= live && !was;
    if (!chk_symbol(r, ":"))
        return chk_wrong(r);
    r->skip += live && was;
    chk_val b = chk_expression(r);
    r->skip -= live && was;
    return was ? a : b;
}
