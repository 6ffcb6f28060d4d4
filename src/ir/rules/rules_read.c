/* rules_read.c: parses and evaluates the expressions of rules.h.
 *
 * Grammar, by falling binding strength:
 *   primary = number | "text" | name | name(args) | (e) | |e| | {e, ...}
 *   postfix = primary ('[' e ']')*        unary = '-' unary | postfix
 *   product, sum, comparison (also `in`, `not in`), `not`, `and`, `or`, then c ? a : b
 * Expressions are evaluated while they are parsed; the unused side of `and`, `or` and ?: is
 * parsed without evaluating (skip > 0). */
#include "ir/rules/rules_impl.h"

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
            .kind = CHK_INT, .i = a->value, .is_bool = ir_attr_is_bool(a), .attr = a};
    case IR_ATTR_FLOAT:
        return (chk_val){.kind = CHK_REAL, .real = a->real, .attr = a};
    case IR_ATTR_STRING:
        return (chk_val){.kind = CHK_STR, .str = ir_attr_str(a), .attr = a};
    case IR_ATTR_UNIT:
        return chk_bool(true);
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

/* Most names differ in their first characters, which avoids a call. */
static bool same_name(tw_str name, const char *declared)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] != declared[i])
            return false;
    return !declared[name.size];
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

chk_val chk_wrong(chk_reading *r)
{
    if (!r->wrong)
        r->wrong = r->at;
    r->skip += 1000; /* the rest is ignored */
    return chk_none();
}

bool chk_symbol_here(chk_reading *r, const char *s)
{
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
    int64_t items[CHK_CAPACITY];
    size_t n = 0;
    while (!chk_symbol(r, "}")) {
        chk_val v = chk_expression(r);
        if (r->wrong)
            return chk_none();
        if (n < CHK_CAPACITY)
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
            if (f->args == args && same_name(name, f->name))
                return f;
    return NULL;
}

static chk_val call(chk_reading *r, tw_str name)
{
    chk_val args[3];
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

static chk_val length(chk_val v)
{
    return chk_integer(v.kind == CHK_STR ? (int64_t)v.str.size
                       : v.kind == CHK_ATTR && v.attr->kind == IR_ATTR_ARRAY ? v.attr->count
                       : v.kind == CHK_LIST || v.kind == CHK_GROUP           ? v.i
                                                                             : 0);
}

static void named(chk_reading *r, chk_val *out)
{
    const char *start = r->at;
    tw_str name = chk_name_here(r);
    if (name.size && *r->at == '(') {
        r->at++;
        *out = call(r, name);
    } else if (tw_str_is(name, "true") || tw_str_is(name, "false")) {
        *out = chk_bool(name.data[0] == 't');
    } else if (!name.size || !chk_find_name(r, name, out)) {
        r->at = start;
        *out = chk_wrong(r);
    }
}

/* Fills `out` in place: values are large, and would be copied four times on their way
 * up. */
static void primary(chk_reading *r, chk_val *out)
{
    chk_blanks(r);
    if (isalpha((unsigned char)*r->at)) {
        named(r, out);
    } else if (isdigit((unsigned char)*r->at)) {
        *out = number(r);
    } else if (*r->at == '"' || *r->at == '\'') {
        *out = text_literal(r);
    } else if (chk_symbol(r, "(")) {
        *out = chk_expression(r);
        if (!chk_symbol(r, ")"))
            *out = chk_wrong(r);
    } else if (chk_symbol(r, "{")) {
        *out = braces(r);
    } else if (chk_symbol(r, "|")) {
        *out = chk_expression(r);
        if (!chk_symbol(r, "|"))
            *out = chk_wrong(r);
        else
            *out = r->skip ? chk_none() : length(*out);
    } else {
        *out = chk_wrong(r);
    }
}

static void postfix(chk_reading *r, chk_val *out)
{
    primary(r, out);
    while (chk_symbol(r, "[")) {
        chk_val i = chk_expression(r);
        if (!chk_symbol(r, "]"))
            *out = chk_wrong(r);
        else
            *out = r->skip || i.kind != CHK_INT ? chk_none() : chk_item(*out, i.i);
    }
}

static void unary(chk_reading *r, chk_val *out)
{
    if (!chk_symbol(r, "-")) {
        postfix(r, out);
        return;
    }
    unary(r, out);
    if (out->kind == CHK_REAL)
        out->real = -out->real;
    out->i = out->kind == CHK_INT && out->i != INT64_MIN ? -out->i : out->i;
}

/* Rising binding strength. */
typedef enum chk_level {
    LEVEL_ANY,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARISON,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY,
} chk_level;

/* Longer signs before their prefixes. */
typedef enum chk_sign {
    SIGN_NONE,
    SIGN_OR,
    SIGN_AND,
    SIGN_NOT_IN,
    SIGN_IN,
    SIGN_EQ,
    SIGN_NE,
    SIGN_LE,
    SIGN_GE,
    SIGN_LT,
    SIGN_GT,
    SIGN_PLUS,
    SIGN_MINUS,
    SIGN_TIMES,
    SIGN_OVER,
    SIGN_REST,
} chk_sign;

static chk_val binary(chk_reading *r, chk_level level);

static chk_val arithmetic(chk_val a, chk_sign op, chk_val b)
{
    int64_t n = 0;
    if (a.kind == CHK_REAL || b.kind == CHK_REAL) {
        double x = a.kind == CHK_REAL ? a.real : (double)a.i,
               y = b.kind == CHK_REAL ? b.real : (double)b.i;
        double z = op == SIGN_PLUS    ? x + y
                   : op == SIGN_MINUS ? x - y
                   : op == SIGN_TIMES ? x * y
                   : y                ? x / y
                                      : 0;
        return (chk_val){.kind = CHK_REAL, .real = z};
    }
    if (a.kind != CHK_INT || b.kind != CHK_INT)
        return chk_none();
    bool bad = op == SIGN_PLUS    ? __builtin_add_overflow(a.i, b.i, &n)
               : op == SIGN_MINUS ? __builtin_sub_overflow(a.i, b.i, &n)
               : op == SIGN_TIMES ? __builtin_mul_overflow(a.i, b.i, &n)
                                  : b.i == 0 || (a.i == INT64_MIN && b.i == -1);
    if (bad)
        return chk_none();
    return chk_integer(op == SIGN_OVER ? a.i / b.i : op == SIGN_REST ? a.i % b.i : n);
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

static chk_val compared(chk_val a, chk_sign sign, chk_val b)
{
    if (sign == SIGN_EQ || sign == SIGN_NE)
        return chk_bool(equal(a, b) == (sign == SIGN_EQ));
    if ((a.kind != CHK_INT && a.kind != CHK_REAL) ||
        (b.kind != CHK_INT && b.kind != CHK_REAL))
        return chk_bool(false);
    double x = a.kind == CHK_REAL ? a.real : (double)a.i,
           y = b.kind == CHK_REAL ? b.real : (double)b.i;
    bool both = a.kind == CHK_INT && b.kind == CHK_INT;
    int order = both ? (a.i > b.i) - (a.i < b.i) : (x > y) - (x < y);
    return chk_bool(sign == SIGN_LE   ? order <= 0
                    : sign == SIGN_GE ? order >= 0
                    : sign == SIGN_LT ? order < 0
                                      : order > 0);
}

/* Consumes and returns the operator here if it binds as tightly as `level`; else 0
 * (LEVEL_ANY). In most cases its first character shows that there is none. */
static chk_sign sign_here(chk_reading *r, chk_level level, chk_level *out_level)
{
    static const struct {
        const char *text;
        chk_level level;
    } signs[] = {
        [SIGN_OR] = {"or", LEVEL_OR},
        [SIGN_AND] = {"and", LEVEL_AND},
        [SIGN_NOT_IN] = {"not in", LEVEL_COMPARISON},
        [SIGN_IN] = {"in", LEVEL_COMPARISON},
        [SIGN_EQ] = {"==", LEVEL_COMPARISON},
        [SIGN_NE] = {"!=", LEVEL_COMPARISON},
        [SIGN_LE] = {"<=", LEVEL_COMPARISON},
        [SIGN_GE] = {">=", LEVEL_COMPARISON},
        [SIGN_LT] = {"<", LEVEL_COMPARISON},
        [SIGN_GT] = {">", LEVEL_COMPARISON},
        [SIGN_PLUS] = {"+", LEVEL_SUM},
        [SIGN_MINUS] = {"-", LEVEL_SUM},
        [SIGN_TIMES] = {"*", LEVEL_PRODUCT},
        [SIGN_OVER] = {"/", LEVEL_PRODUCT},
        [SIGN_REST] = {"%", LEVEL_PRODUCT},
    };
    chk_blanks(r);
    if (!*r->at || !strchr("oani=!<>+-*/%", *r->at))
        return SIGN_NONE;
    for (size_t i = SIGN_NONE + 1; i < TW_COUNT(signs); i++)
        if (signs[i].level >= level && chk_symbol(r, signs[i].text)) {
            *out_level = signs[i].level;
            return (chk_sign)i;
        }
    return SIGN_NONE;
}

/* The operands of `and` and `or`: the second is evaluated only if the first does not
 * decide. */
static chk_val joined(chk_reading *r, chk_val v, bool either)
{
    bool was = chk_holds(v), off = was == either && !r->skip;
    r->skip += off;
    chk_val w = binary(r, either ? LEVEL_AND : LEVEL_NOT);
    r->skip -= off;
    return chk_bool(either ? was || chk_holds(w) : was && chk_holds(w));
}

/* Operands and the operators between them that bind at least as tightly as `level`. */
static chk_val binary(chk_reading *r, chk_level level)
{
    chk_level at;
    chk_sign sign;
    chk_val v;
    if (level <= LEVEL_NOT && chk_symbol(r, "not"))
        v = chk_bool(!chk_holds(binary(r, LEVEL_NOT)));
    else
        unary(r, &v);
    while ((sign = sign_here(r, level, &at)) != SIGN_NONE) {
        if (at <= LEVEL_AND) {
            v = joined(r, v, sign == SIGN_OR);
        } else if (sign == SIGN_IN || sign == SIGN_NOT_IN) {
            v = chk_bool(among(r, v) == (sign == SIGN_IN));
        } else {
            chk_val w = binary(r, at + 1);
            v = r->skip                  ? chk_none()
                : at == LEVEL_COMPARISON ? compared(v, sign, w)
                                         : arithmetic(v, sign, w);
        }
    }
    return v;
}

chk_val chk_sum(chk_reading *r)
{
    return binary(r, LEVEL_SUM);
}

chk_val chk_expression(chk_reading *r)
{
    chk_val v = binary(r, LEVEL_ANY);
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
