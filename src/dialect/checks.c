/* checks.c: reads and evaluates the rules of checks.h.
 *
 * Grammar, by falling binding strength:
 *   primary = number | "text" | name | name(args) | (e) | |e| | {e, ...}
 *   postfix = primary ('[' e ']')*        unary = '-' unary | postfix
 *   product, sum, comparison (also `in`, `not in`), `not`, `and`, `or`, then c ? a : b
 * Expressions are evaluated while they are read; the side of `and`, `or` and ?: that does
 * not count is read without evaluating (skip > 0). */
#include "dialect/checks.h"

#include "dialect/stablehlo/stablehlo_verify.h"
#include "dialect/ttcore/ttcore.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, LETS = 48 };

typedef enum val_kind {
    NONE, /* absent */
    INT,
    REAL,
    STR,
    LIST, /* integers */
    TYPE,
    VALUE,
    GROUP, /* values of a variadic operand or result */
    ATTR,
} val_kind;

typedef struct val {
    val_kind kind;
    bool truth; /* an integer that answers a question, or a boolean attribute */
    int64_t i;  /* INT; LIST, GROUP: length */
    double real;
    tw_str str;
    ir_type type;
    ir_value *value;
    ir_attr attr;
    const int64_t *list;
    const ir_operand *operands; /* GROUP */
    ir_value *results;          /* GROUP of results */
} val;

typedef struct reading {
    ir_context *ctx; /* NULL while only the reading is checked */
    ir_loc loc;
    ir_op *op; /* what is checked: an operation, */
    const ir_op_def *def;
    const ir_param_def *params; /* or the parameters of an attribute or type */
    size_t n_params;
    ir_attr attr;
    ir_type type;
    const char *at;
    int skip;
    const char *wrong; /* where it did not read well */
    struct {
        tw_str name;
        val value;
    } lets[LETS];
    int n_lets;
    int64_t pool[4096]; /* list elements */
    size_t used;
} reading;

static val expression(reading *r);

static val none(void)
{
    return (val){.kind = NONE};
}
static val integer(int64_t i)
{
    return (val){.kind = INT, .i = i};
}
static val truth(bool b)
{
    return (val){.kind = INT, .i = b, .truth = true};
}

static int64_t *take(reading *r, size_t n)
{
    static const size_t most = TW_COUNT(((reading *)0)->pool);
    if (n > most - r->used)
        return NULL;
    r->used += n;
    return r->pool + r->used - n;
}

static val list_of(reading *r, const int64_t *items, size_t n)
{
    int64_t *copy = take(r, n);
    if (!copy)
        return none();
    if (n)
        memcpy(copy, items, n * sizeof *items);
    return (val){.kind = LIST, .list = copy, .i = (int64_t)n};
}

static bool holds(val v)
{
    switch (v.kind) {
    case NONE:
        return false;
    case INT:
        return !v.truth || v.i;
    case GROUP:
        return v.i > 0;
    default:
        return true;
    }
}

/* ---- names -------------------------------------------------------------------------- */

static val of_attr(reading *r, ir_attr a)
{
    int64_t items[512];
    if (!a)
        return none();
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        return (val){.kind = INT, .i = a->value, .truth = ir_attr_is_bool(a), .attr = a};
    case IR_ATTR_FLOAT:
        return (val){.kind = REAL, .real = a->real, .attr = a};
    case IR_ATTR_STRING:
        return (val){.kind = STR, .str = ir_attr_str(a), .attr = a};
    case IR_ATTR_UNIT:
        return truth(true);
    case IR_ATTR_TYPE:
        return (val){.kind = TYPE, .type = a->type};
    case IR_ATTR_ARRAY:
    case IR_ATTR_DENSE_ARRAY:
    case IR_ATTR_DENSE: {
        int64_t n = a->kind == IR_ATTR_DENSE && ir_type_num_elements(a->type) > 512
                        ? -1
                        : ir_attr_ints(a, items, TW_COUNT(items));
        if (n < 0 || n > (int64_t)TW_COUNT(items))
            return (val){.kind = ATTR, .attr = a};
        val v = list_of(r, items, (size_t)n);
        v.attr = a;
        return v;
    }
    case IR_ATTR_DIALECT:
        if (a->def->enumeration) {
            const ir_enum_case *c =
                ir_enum_by_value(a->def->enumeration, ir_enum_value(a, INT64_MIN));
            return (val){.kind = STR, .str = tw_str_from(c ? c->text : "?"), .attr = a};
        }
        if (a->def->params.count == 1 &&
            a->def->params.at[0].array) { /* #ttnn.shape<...> */
            val v = of_attr(r, ir_attr_param(a, a->def->params.at[0].name));
            v.attr = a;
            return v;
        }
        return (val){.kind = ATTR, .attr = a};
    default:
        return (val){.kind = ATTR, .attr = a};
    }
}

static val of_value(ir_value *v)
{
    return (val){.kind = VALUE, .value = v, .type = v->type};
}

static bool same_name(tw_str name, const char *declared)
{
    return tw_str_is(name, declared);
}

static bool find_name(reading *r, tw_str name, val *out)
{
    const ir_op_def *def = r->def;
    for (int i = r->n_lets; i-- > 0;)
        if (tw_str_equal(r->lets[i].name, name)) {
            *out = r->lets[i].value;
            return true;
        }
    *out = none();
    for (size_t i = 0; i < r->n_params; i++)
        if (same_name(name, r->params[i].name)) {
            if (r->attr)
                *out = of_attr(r, ir_attr_param(r->attr, r->params[i].name));
            else if (r->type)
                *out = of_attr(r, ir_type_param(r->type, r->params[i].name));
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
            *out = (val){
                .kind = GROUP, .i = (int64_t)count, .operands = r->op->operands + start};
        else if (count)
            *out = of_value(r->op->operands[start].value);
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
            *out = (val){
                .kind = GROUP, .i = (int64_t)count, .results = r->op->results + start};
        else if (count)
            *out = of_value(&r->op->results[start]);
        return true;
    }
    size_t slot = ir_def_prop_index(def, name);
    if (slot != SIZE_MAX) {
        if (r->op)
            *out = of_attr(r, r->op->props[slot]);
        return true;
    }
    return false;
}

/* ---- functions ---------------------------------------------------------------------- */

static ir_type type_of(val v)
{
    return v.kind == VALUE ? v.value->type : v.kind == TYPE ? v.type : NULL;
}

static val item(val v, int64_t i)
{
    if (v.kind != LIST && v.kind != GROUP)
        return none();
    if (i < 0)
        i += v.i;
    if (i < 0 || i >= v.i)
        return none();
    if (v.kind == LIST)
        return integer(v.list[i]);
    return of_value(v.operands ? v.operands[i].value : &v.results[i]);
}

static val fn_rank(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return ir_type_is_ranked(t) ? integer(t->count) : none();
}
static val fn_shape(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return ir_type_is_ranked(t) ? (val){.kind = LIST, .list = t->dims, .i = t->count}
                                : none();
}
static val fn_dim(reading *r, const val *a)
{
    return a[1].kind == INT ? item(fn_shape(r, a), a[1].i) : none();
}
static val fn_type(reading *r, const val *a)
{
    (void)r;
    return type_of(a[0]) ? (val){.kind = TYPE, .type = type_of(a[0])} : none();
}
static val fn_elt(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return ir_type_is_shaped(t) ? (val){.kind = TYPE, .type = t->element} : none();
}
static val fn_enc(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return ir_type_is_tensor(t) && t->encoding ? (val){.kind = ATTR, .attr = t->encoding}
                                               : none();
}
static val fn_is_int(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return truth(t && t->kind == IR_TYPE_INTEGER);
}
static val fn_is_float(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    if (t && t->kind == IR_TYPE_DIALECT && t->def->element) /* tiles of floats */
        t = t->def->element(t);
    return truth(t && t->kind == IR_TYPE_FLOAT);
}
static val fn_is_tensor(reading *r, const val *a)
{
    (void)r;
    return truth(ir_type_is_tensor(type_of(a[0])));
}
static val fn_is_unsigned(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return truth(t && t->kind == IR_TYPE_INTEGER && t->sign == IR_UNSIGNED);
}
static val fn_is_signless(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return truth(t && t->kind == IR_TYPE_INTEGER && t->sign == IR_SIGNLESS);
}
static val fn_is_quant(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return truth(t && t->kind == IR_TYPE_DIALECT && t->def->traits &&
                 strstr(t->def->traits, "QuantizedType"));
}
static val fn_bits(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return t && (t->kind == IR_TYPE_INTEGER || t->kind == IR_TYPE_FLOAT) ? integer(t->width)
                                                                         : none();
}
static val fn_abs(reading *r, const val *a)
{
    (void)r;
    return a[0].kind == INT ? integer(a[0].i < 0 ? -a[0].i : a[0].i) : none();
}
static val fn_min(reading *r, const val *a)
{
    (void)r;
    return integer(TW_MIN(a[0].i, a[1].i));
}
static val fn_max(reading *r, const val *a)
{
    (void)r;
    return integer(TW_MAX(a[0].i, a[1].i));
}
static val fn_wrap(reading *r, const val *a)
{
    (void)r;
    return a[0].kind == INT ? integer(a[0].i < 0 ? a[0].i + a[1].i : a[0].i) : none();
}
static val fn_range(reading *r, const val *a)
{
    int64_t *out = a[0].kind == INT && a[0].i >= 0 ? take(r, (size_t)a[0].i) : NULL;
    for (int64_t i = 0; out && i < a[0].i; i++)
        out[i] = i;
    return out ? (val){.kind = LIST, .list = out, .i = a[0].i} : none();
}
static val fn_unique(reading *r, const val *a)
{
    (void)r;
    for (int64_t i = 0; i < a[0].i; i++)
        for (int64_t k = 0; k < i; k++)
            if (a[0].list[i] == a[0].list[k])
                return truth(false);
    return truth(true);
}
static val fn_permute(reading *r, const val *a)
{
    if (a[0].kind != LIST || a[1].kind != LIST)
        return none();
    int64_t *out = take(r, (size_t)a[1].i);
    for (int64_t i = 0; out && i < a[1].i; i++) {
        int64_t from = a[1].list[i];
        out[i] = from >= 0 && from < a[0].i ? a[0].list[from] : -1;
    }
    return out ? (val){.kind = LIST, .list = out, .i = a[1].i} : none();
}
/* Elements [from, to) of a list; negative bounds count from the end. */
static val fn_part(reading *r, const val *a)
{
    (void)r;
    if (a[0].kind != LIST)
        return none();
    int64_t from = a[1].i < 0 ? a[1].i + a[0].i : a[1].i;
    int64_t to = a[2].i < 0 ? a[2].i + a[0].i : a[2].i;
    from = TW_MIN(TW_MAX(from, 0), a[0].i);
    to = TW_MIN(TW_MAX(to, from), a[0].i);
    return (val){.kind = LIST, .list = a[0].list + from, .i = to - from};
}
/* The list with element i (from the end if negative) replaced. */
static val fn_with(reading *r, const val *a)
{
    if (a[0].kind != LIST)
        return none();
    val v = list_of(r, a[0].list, (size_t)a[0].i);
    int64_t i = a[1].i < 0 ? a[1].i + v.i : a[1].i;
    if (v.kind == LIST && i >= 0 && i < v.i && a[2].kind == INT)
        ((int64_t *)(uintptr_t)v.list)[i] = a[2].i;
    return v;
}
static val fn_cat(reading *r, const val *a)
{
    if (a[0].kind != LIST || a[1].kind != LIST)
        return none();
    int64_t *out = take(r, (size_t)(a[0].i + a[1].i));
    if (!out)
        return none();
    memcpy(out, a[0].list, (size_t)a[0].i * sizeof *out);
    memcpy(out + a[0].i, a[1].list, (size_t)a[1].i * sizeof *out);
    return (val){.kind = LIST, .list = out, .i = a[0].i + a[1].i};
}
/* Unknown sizes make it unknown; what does not fit wraps. */
static val fn_product(reading *r, const val *a)
{
    uint64_t n = 1;
    (void)r;
    if (a[0].kind != LIST)
        return none();
    for (int64_t i = 0; i < a[0].i; i++) {
        if (a[0].list[i] == IR_DYNAMIC)
            return integer(IR_DYNAMIC);
        n *= (uint64_t)a[0].list[i];
    }
    return integer((int64_t)n);
}
/* The common shape of two shapes, absent if they do not broadcast. */
static val fn_broadcast(reading *r, const val *a)
{
    if (a[0].kind != LIST || a[1].kind != LIST)
        return none();
    int64_t n = TW_MAX(a[0].i, a[1].i);
    int64_t *out = take(r, (size_t)n);
    for (int64_t i = 0; out && i < n; i++) {
        int64_t x = i < n - a[0].i ? 1 : a[0].list[i - (n - a[0].i)];
        int64_t y = i < n - a[1].i ? 1 : a[1].list[i - (n - a[1].i)];
        if (x != y && x != 1 && y != 1 && x != IR_DYNAMIC && y != IR_DYNAMIC)
            return none();
        out[i] = x == 1 || (x == IR_DYNAMIC && y != 1) ? y : x;
    }
    return out ? (val){.kind = LIST, .list = out, .i = n} : none();
}
static val fn_dynamic(reading *r, const val *a)
{
    (void)r;
    if (a[0].kind == LIST) {
        for (int64_t i = 0; i < a[0].i; i++)
            if (a[0].list[i] == IR_DYNAMIC)
                return truth(true);
        return truth(false);
    }
    return truth(a[0].kind == INT && a[0].i == IR_DYNAMIC);
}
/* The elements with a separator of one's own. */
static val fn_join(reading *r, const val *a)
{
    val v = a[0];
    (void)r;
    v.str = a[1].str;
    return v;
}
/* A parameter of a dialect attribute or of a value's encoding, by name. */
static val fn_param(reading *r, const val *a)
{
    char name[64];
    ir_attr of = a[0].attr;
    if (!of || of->kind != IR_ATTR_DIALECT || a[1].kind != STR ||
        a[1].str.size >= sizeof name)
        return none();
    memcpy(name, a[1].str.data, a[1].str.size);
    name[a[1].str.size] = 0;
    return of_attr(r, ir_attr_param(of, name));
}
/* Whether an attribute is of a dialect attribute class, by mnemonic. */
static val fn_is_attr(reading *r, const val *a)
{
    (void)r;
    return truth(a[0].attr && a[0].attr->kind == IR_ATTR_DIALECT && a[1].kind == STR &&
                 tw_str_is(a[1].str, a[0].attr->def->mnemonic));
}
/* The attribute as text. */
static val fn_text(reading *r, const val *a)
{
    (void)r;
    return a[0].attr ? (val){.kind = ATTR, .attr = a[0].attr} : a[0];
}
static val fn_is_whole(reading *r, const val *a)
{
    (void)r;
    return truth(a[0].kind == INT);
}
static val fn_is_dense(reading *r, const val *a)
{
    (void)r;
    return truth(a[0].attr &&
                 (a[0].attr->kind == IR_ATTR_DENSE || a[0].attr->kind == IR_ATTR_RESOURCE));
}
/* An index that may count from the end: "7 (-1)", what it stands for and what it is. */
static val fn_wrapped(reading *r, const val *a)
{
    val v = fn_wrap(r, a);
    if (a[0].kind == INT && a[0].i < 0) {
        v.str = TW_STR("wrapped");
        v.real = (double)a[0].i;
    }
    return v;
}
/* A parameter given as one number, a pair, or (paddings) four: top, left, bottom, right. */
static val spread(reading *r, val a, int64_t n)
{
    int64_t items[4];
    if (a.kind == LIST && (a.i == n || (n == 4 && a.i == 2))) {
        for (int64_t i = 0; i < n; i++)
            items[i] = a.list[i % a.i];
        return list_of(r, items, (size_t)n);
    }
    for (int64_t i = 0; i < n; i++)
        items[i] = a.i;
    return a.kind == INT ? list_of(r, items, (size_t)n) : none();
}
static val fn_pair(reading *r, const val *a)
{
    return spread(r, a[0], 2);
}
static val fn_triple(reading *r, const val *a)
{
    return spread(r, a[0], 3);
}
static val fn_quad(reading *r, const val *a)
{
    return spread(r, a[0], 4);
}
/* A message that ends in a number. */
static val said(const char *text, int64_t n)
{
    return (val){.kind = STR, .str = tw_str_from(text), .truth = true, .i = n};
}
static val form_error(val a, const char *text)
{
    return a.kind == LIST ? said(text, a.i)
                          : (val){.kind = STR, .str = TW_STR("Unexpected attribute type")};
}
static val fn_pair_error(reading *r, const val *a)
{
    (void)r;
    return form_error(a[0], "Expected integer or pair of integers, got tuple of size ");
}
static val fn_triple_error(reading *r, const val *a)
{
    (void)r;
    return form_error(a[0], "Expected integer or array of size 3, but got array of size ");
}
static val fn_quad_error(reading *r, const val *a)
{
    (void)r;
    return form_error(a[0],
                      "Expected integer, pair, or tuple of size 4, but got tuple of size ");
}
/* The shape after reducing dimensions (absent: all), kept as 1 or dropped. */
static val fn_reduced(reading *r, const val *a)
{
    int64_t out[MOST], n = 0;
    if (a[0].kind != LIST || a[0].i > MOST)
        return none();
    for (int64_t i = 0; i < a[0].i; i++) {
        bool gone = a[1].kind == NONE;
        for (int64_t k = 0; a[1].kind == LIST && k < a[1].i; k++)
            gone |= a[1].list[k] == i || a[1].list[k] + a[0].i == i;
        if (a[1].kind == INT)
            gone |= a[1].i == i || a[1].i + a[0].i == i;
        if (!gone)
            out[n++] = a[0].list[i];
        else if (holds(a[2]))
            out[n++] = 1;
    }
    return list_of(r, out, (size_t)n);
}
static val fn_swapped(reading *r, const val *a)
{
    if (a[0].kind != LIST || a[0].i < 2)
        return a[0];
    int64_t *out = take(r, (size_t)a[0].i), n = a[0].i;
    if (!out)
        return none();
    memcpy(out, a[0].list, (size_t)n * sizeof *out);
    out[n - 1] = a[0].list[n - 2];
    out[n - 2] = a[0].list[n - 1];
    return (val){.kind = LIST, .list = out, .i = n};
}
static val fn_is_permutation(reading *r, const val *a)
{
    for (int64_t i = 0; i < a[0].i; i++)
        if (a[0].kind != LIST || a[0].list[i] < 0 || a[0].list[i] >= a[0].i)
            return truth(false);
    return fn_unique(r, a);
}
static val fn_occurs(reading *r, const val *a)
{
    int64_t n = 0;
    (void)r;
    for (int64_t i = 0; a[0].kind == LIST && i < a[0].i; i++)
        n += a[0].list[i] == a[1].i;
    return integer(n);
}
/* Elements of a tensor. */
static val fn_count(reading *r, const val *a)
{
    return fn_product(r, (val[]){fn_shape(r, a)});
}
/* The sum of a dimension over a group of values. */
static val fn_sum_dim(reading *r, const val *a)
{
    int64_t n = 0;
    for (int64_t i = 0; a[0].kind == GROUP && i < a[0].i; i++)
        n += fn_dim(r, (val[]){item(a[0], i), a[1]}).i;
    return integer(n);
}
/* A shape with padding [low, high, low, high, ...] around it. */
static val fn_padded(reading *r, const val *a)
{
    if (a[0].kind != LIST || a[1].kind != LIST || a[1].i != 2 * a[0].i)
        return none();
    int64_t *out = take(r, (size_t)a[0].i);
    for (int64_t i = 0; out && i < a[0].i; i++)
        out[i] = a[0].list[i] + a[1].list[2 * i] + a[1].list[2 * i + 1];
    return out ? (val){.kind = LIST, .list = out, .i = a[0].i} : none();
}
/* A shape with ones in front, up to four dimensions. */
static val fn_in4d(reading *r, const val *a)
{
    int64_t out[4] = {1, 1, 1, 1};
    if (a[0].kind != LIST || a[0].i > 4)
        return a[0];
    for (int64_t i = 0; i < a[0].i; i++)
        out[4 - a[0].i + i] = a[0].list[i];
    return list_of(r, out, 4);
}
/* How much of a size blocks of {begin, length, stride} cover. */
static val fn_covered(reading *r, const val *a)
{
    int64_t total = 0;
    (void)r;
    if (a[0].kind != INT || a[1].kind != LIST || a[1].i != 3)
        return none();
    int64_t length = a[1].list[1], stride = a[1].list[2];
    for (int64_t at = a[1].list[0]; at < a[0].i; at += stride) {
        total += TW_MIN(length, a[0].i - at);
        if (stride <= 0)
            break;
    }
    return integer(total);
}
/* Sources and targets of a permutation of devices must each be distinct. */
static val fn_unique_pairs(reading *r, const val *a)
{
    (void)r;
    for (int64_t i = 0; a[0].kind == LIST && i < a[0].i; i++)
        for (int64_t k = i % 2; k < i; k += 2)
            if (a[0].list[i] == a[0].list[k])
                return truth(false);
    return truth(true);
}
/* What is wrong with groups of devices, absent if nothing is. */
static val fn_replica_error(reading *r, const val *a)
{
    (void)r;
    if (!a[0].attr || !a[0].attr->type || a[0].attr->type->count != 2)
        return (val){.kind = STR, .str = TW_STR("replica_groups must be a 2D array")};
    for (int64_t i = 0; a[0].kind == LIST && i < a[0].i; i++) {
        if (a[0].list[i] < 0)
            return (val){.kind = STR,
                         .str = TW_STR("replica_groups values must be positive")};
        if (a[0].list[i] >= a[0].i) {
            val v = said("replica_groups values must be in the range [0, ", a[0].i - 1);
            v.real = (double)a[0].list[i];
            v.type = a[0].attr->type; /* marks the second number */
            return v;
        }
        for (int64_t k = 0; k < i; k++)
            if (a[0].list[k] == a[0].list[i])
                return (val){
                    .kind = STR,
                    .str = TW_STR("replica_groups must not contain duplicate values")};
    }
    return none();
}
/* The ttcore data type that stands for an element type, as text. */
static val fn_dtype(reading *r, const val *a)
{
    static const struct {
        uint8_t kind, sign;
        uint32_t width;
        const char *text;
    } types[] = {
        {IR_TYPE_FLOAT, IR_F32, 32, "f32"},
        {IR_TYPE_FLOAT, IR_F64, 64, "f32"},
        {IR_TYPE_FLOAT, IR_F16, 16, "f16"},
        {IR_TYPE_FLOAT, IR_BF16, 16, "bf16"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 64, "u32"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 32, "u32"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 16, "u16"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 64, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 32, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 16, "u16"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNED, 64, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNED, 32, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNED, 16, "u16"},
        {IR_TYPE_INTEGER, IR_SIGNED, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 1, "bool"},
    };
    val e = fn_elt(r, a);
    for (size_t i = 0; e.type && i < TW_COUNT(types); i++)
        if (types[i].kind == e.type->kind && types[i].sign == e.type->sign &&
            types[i].width == e.type->width)
            return (val){.kind = STR, .str = tw_str_from(types[i].text)};
    return e;
}
/* The type the attribute carries, or its elements' type. */
static val fn_attr_type(reading *r, const val *a)
{
    (void)r;
    return a[0].attr && a[0].attr->type ? (val){.kind = TYPE, .type = a[0].attr->type}
                                        : none();
}

/* The type as text: "bf16". */
static val fn_name(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    return t && r->ctx ? (val){.kind = STR, .str = tw_str_from(ir_type_text(r->ctx, t))}
                       : none();
}
static val fn_is_memref(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    return truth(t && t->kind == IR_TYPE_MEMREF);
}
/* The mnemonic of a dialect type or attribute: "ttcore.tile". */
static val fn_kind(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    (void)r;
    if (t)
        return t->kind == IR_TYPE_DIALECT
                   ? (val){.kind = STR, .str = tw_str_from(t->def->mnemonic)}
                   : none();
    return a[0].attr && a[0].attr->kind == IR_ATTR_DIALECT
               ? (val){.kind = STR, .str = tw_str_from(a[0].attr->def->mnemonic)}
               : none();
}
/* The name of the operation that makes a value. */
static val fn_maker(reading *r, const val *a)
{
    ir_op *op = a[0].kind == VALUE ? ir_value_def(a[0].value) : NULL;
    (void)r;
    return op ? (val){.kind = STR, .str = tw_str_from(op->def->name)} : none();
}
static val fn_ends_with(reading *r, const val *a)
{
    (void)r;
    return truth(a[0].kind == STR && a[1].kind == STR && a[0].str.size >= a[1].str.size &&
                 memcmp(a[0].str.data + a[0].str.size - a[1].str.size, a[1].str.data,
                        a[1].str.size) == 0);
}

static bool dims_fit(int64_t a, int64_t b)
{
    return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC;
}
/* Whether two sizes or shapes may be the same once the dynamic ones are known. */
static val fn_fits(reading *r, const val *a)
{
    (void)r;
    if (a[0].kind == INT && a[1].kind == INT)
        return truth(dims_fit(a[0].i, a[1].i));
    bool fit = a[0].kind == LIST && a[1].kind == LIST && a[0].i == a[1].i;
    for (int64_t i = 0; fit && i < a[0].i; i++)
        fit = dims_fit(a[0].list[i], a[1].list[i]);
    return truth(fit);
}
/* The same of two types, with the bounds in their encodings. */
static val fn_compatible(reading *r, const val *a)
{
    ir_type x = type_of(a[0]), y = type_of(a[1]);
    (void)r;
    return truth(!x || !y || stablehlo_types_fit(x, y));
}
/* A tensor type of a shape and an element type. */
static val fn_tensor(reading *r, const val *a)
{
    ir_type e = type_of(a[1]);
    if (!r->ctx || a[0].kind != LIST || !e)
        return none();
    for (int64_t i = 0; i < a[0].i; i++)
        if (a[0].list[i] < 0 && a[0].list[i] != IR_DYNAMIC)
            return none();
    return (val){.kind = TYPE, .type = ir_tensor_type(e, a[0].list, (size_t)a[0].i, NULL)};
}
/* The elements of a list but for those at some indices. */
static val fn_without(reading *r, const val *a)
{
    int64_t out[MOST], n = 0;
    if (a[0].kind != LIST || a[1].kind != LIST || a[0].i > MOST)
        return none();
    for (int64_t i = 0; i < a[0].i; i++) {
        bool gone = false;
        for (int64_t k = 0; k < a[1].i; k++)
            gone |= a[1].list[k] == i;
        if (!gone)
            out[n++] = a[0].list[i];
    }
    return list_of(r, out, (size_t)n);
}
/* The first index at which two lists do not fit. */
static val fn_unlike(reading *r, const val *a)
{
    (void)r;
    for (int64_t i = 0; a[0].kind == LIST && a[1].kind == LIST && i < a[0].i && i < a[1].i;
         i++)
        if (!dims_fit(a[0].list[i], a[1].list[i]))
            return integer(i);
    return none();
}
/* How many elements starts, limits and strides choose of each dimension. */
static val fn_sliced(reading *r, const val *a)
{
    int64_t out[MOST], n = a[0].i;
    if (a[0].kind != LIST || a[1].kind != LIST || a[2].kind != LIST || n > MOST ||
        a[1].i != n || a[2].i != n)
        return none();
    for (int64_t i = 0; i < n; i++) {
        int64_t span, stride = a[2].list[i];
        if (stride <= 0 || __builtin_sub_overflow(a[1].list[i], a[0].list[i], &span) ||
            span < 0)
            return none();
        out[i] = span / stride + (span % stride != 0);
    }
    return list_of(r, out, (size_t)n);
}
static val fn_sorted(reading *r, const val *a)
{
    (void)r;
    for (int64_t i = 1; a[0].kind == LIST && i < a[0].i; i++)
        if (a[0].list[i - 1] > a[0].list[i])
            return truth(false);
    return truth(true);
}

/* A memref's memory space. */
static val fn_space(reading *r, const val *a)
{
    ir_type t = type_of(a[0]);
    return t && (t->kind == IR_TYPE_MEMREF || t->kind == IR_TYPE_UNRANKED_MEMREF)
               ? of_attr(r, t->space)
               : none();
}

/* ---- layouts of tensors on the device: the encoding's memref says where and how ----- */

static ir_type laid_out_as(val v)
{
    ir_type t = type_of(v);
    ir_attr e = ir_type_is_tensor(t) ? t->encoding : v.kind == ATTR ? v.attr : NULL;
    ir_attr m = e && e->kind == IR_ATTR_DIALECT ? ir_attr_param(e, "memref") : NULL;
    return m && m->kind == IR_ATTR_TYPE ? m->type : NULL;
}
static val fn_buffer(reading *r, const val *a)
{
    ir_type m = laid_out_as(a[0]);
    return m ? of_attr(r, m->space) : none();
}
static val fn_mem_layout(reading *r, const val *a)
{
    val e = fn_enc(r, a);
    return fn_param(r, (val[]){e, {.kind = STR, .str = TW_STR("mem_layout")}});
}
static val fn_grid_shape(reading *r, const val *a)
{
    val e = fn_enc(r, a);
    return fn_param(r, (val[]){e, {.kind = STR, .str = TW_STR("grid_shape")}});
}
static val fn_layout(reading *r, const val *a)
{
    ir_type m = laid_out_as(a[0]);
    (void)r;
    if (!m)
        return none();
    bool tiled = m->element->kind == IR_TYPE_DIALECT;
    return (val){.kind = STR, .str = tiled ? TW_STR("tile") : TW_STR("row_major")};
}
/* The element type of a memref, of its tiles' elements if it has tiles. */
static val fn_scalar(reading *r, const val *a)
{
    (void)r;
    ir_type t = type_of(a[0]);
    if (!t || t->kind != IR_TYPE_MEMREF)
        return none();
    if (t->element->kind != IR_TYPE_DIALECT)
        return (val){.kind = TYPE, .type = t->element};
    const ir_type_def *def = t->element->def;
    ir_type scalar = def && def->element ? def->element(t->element) : NULL;
    /* elements of block floats do not stand alone */
    int64_t dtype = ir_attr_int(ir_type_param(t->element, "dataType"), 0);
    if (def == TTCORE_TYPE(tile) && dtype >= TTCORE_DataType_BFP_Float8 &&
        dtype <= TTCORE_DataType_BFP_BFloat2)
        scalar = t->element;
    return scalar ? (val){.kind = TYPE, .type = scalar} : none();
}
/* Whether a tensor's layout keeps it in the device's memory. */
static val fn_on_device(reading *r, const val *a)
{
    val b = fn_buffer(r, a);
    return truth(b.kind == STR && !tw_str_is(b.str, "system_memory"));
}

static const struct {
    const char *name;
    int args;
    val (*fn)(reading *r, const val *a);
} functions[] = {
    {"rank", 1, fn_rank},
    {"shape", 1, fn_shape},
    {"dim", 2, fn_dim},
    {"type", 1, fn_type},
    {"elt", 1, fn_elt},
    {"enc", 1, fn_enc},
    {"is_int", 1, fn_is_int},
    {"is_float", 1, fn_is_float},
    {"is_tensor", 1, fn_is_tensor},
    {"is_unsigned", 1, fn_is_unsigned},
    {"is_signless", 1, fn_is_signless},
    {"is_quant", 1, fn_is_quant},
    {"bits", 1, fn_bits},
    {"abs", 1, fn_abs},
    {"min", 2, fn_min},
    {"max", 2, fn_max},
    {"wrap", 2, fn_wrap},
    {"range", 1, fn_range},
    {"unique", 1, fn_unique},
    {"permute", 2, fn_permute},
    {"part", 3, fn_part},
    {"with", 3, fn_with},
    {"cat", 2, fn_cat},
    {"product", 1, fn_product},
    {"broadcast", 2, fn_broadcast},
    {"dynamic", 1, fn_dynamic},
    {"join", 2, fn_join},
    {"param", 2, fn_param},
    {"is_attr", 2, fn_is_attr},
    {"text", 1, fn_text},
    {"is_whole", 1, fn_is_whole},
    {"is_dense", 1, fn_is_dense},
    {"wrapped", 2, fn_wrapped},
    {"attr_type", 1, fn_attr_type},
    {"pair", 1, fn_pair},
    {"pair_error", 1, fn_pair_error},
    {"triple", 1, fn_triple},
    {"triple_error", 1, fn_triple_error},
    {"quad", 1, fn_quad},
    {"quad_error", 1, fn_quad_error},
    {"reduced", 3, fn_reduced},
    {"swapped", 1, fn_swapped},
    {"is_permutation", 1, fn_is_permutation},
    {"occurs", 2, fn_occurs},
    {"count", 1, fn_count},
    {"sum_dim", 2, fn_sum_dim},
    {"in4d", 1, fn_in4d},
    {"covered", 2, fn_covered},
    {"padded", 2, fn_padded},
    {"unique_pairs", 1, fn_unique_pairs},
    {"replica_error", 1, fn_replica_error},
    {"dtype", 1, fn_dtype},
    {"name", 1, fn_name},
    {"is_memref", 1, fn_is_memref},
    {"kind", 1, fn_kind},
    {"maker", 1, fn_maker},
    {"ends_with", 2, fn_ends_with},
    {"buffer", 1, fn_buffer},
    {"mem_layout", 1, fn_mem_layout},
    {"grid_shape", 1, fn_grid_shape},
    {"layout", 1, fn_layout},
    {"space", 1, fn_space},
    {"fits", 2, fn_fits},
    {"compatible", 2, fn_compatible},
    {"tensor", 2, fn_tensor},
    {"sorted", 1, fn_sorted},
    {"without", 2, fn_without},
    {"unlike", 2, fn_unlike},
    {"sliced", 3, fn_sliced},
    {"scalar", 1, fn_scalar},
    {"on_device", 1, fn_on_device},
};

/* ---- reading ------------------------------------------------------------------------ */

static void blanks(reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

static val wrong(reading *r)
{
    if (!r->wrong)
        r->wrong = r->at;
    r->skip += 1000; /* nothing after it counts */
    return none();
}

static bool symbol(reading *r, const char *s)
{
    blanks(r);
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

static tw_str name_here(reading *r)
{
    blanks(r);
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return (tw_str){start, (size_t)(r->at - start)};
}

static val number(reading *r)
{
    char *end;
    int64_t i = strtoll(r->at, &end, 10);
    if (*end == '.') {
        double real = strtod(r->at, &end);
        r->at = end;
        return (val){.kind = REAL, .real = real};
    }
    r->at = end;
    return integer(i);
}

static val text_literal(reading *r)
{
    char quote = *r->at++;
    const char *start = r->at;
    while (*r->at && *r->at != quote)
        r->at++;
    val v = {.kind = STR, .str = {start, (size_t)(r->at - start)}};
    if (*r->at)
        r->at++;
    return v;
}

static val braces(reading *r)
{
    int64_t items[MOST];
    size_t n = 0;
    while (!symbol(r, "}")) {
        val v = expression(r);
        if (r->wrong)
            return none();
        if (n < MOST)
            items[n++] = v.i;
        if (!symbol(r, ",") && *r->at != '}')
            return wrong(r);
    }
    return r->skip ? none() : list_of(r, items, n);
}

static val call(reading *r, tw_str name)
{
    val args[3] = {{0}};
    int n = 0;
    while (!symbol(r, ")")) {
        if (n == 3 || r->wrong)
            return wrong(r);
        args[n++] = expression(r);
        if (!symbol(r, ",") && *r->at != ')')
            return wrong(r);
    }
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (tw_str_is(name, functions[i].name) && functions[i].args == n)
            return r->skip ? none() : functions[i].fn(r, args);
    return wrong(r);
}

static val primary(reading *r)
{
    blanks(r);
    if (isdigit((unsigned char)*r->at))
        return number(r);
    if (*r->at == '"' || *r->at == '\'')
        return text_literal(r);
    if (symbol(r, "(")) {
        val v = expression(r);
        return symbol(r, ")") ? v : wrong(r);
    }
    if (symbol(r, "{"))
        return braces(r);
    if (symbol(r, "|")) {
        val v = expression(r);
        if (!symbol(r, "|"))
            return wrong(r);
        if (r->skip)
            return none();
        return integer(v.kind == STR ? (int64_t)v.str.size
                       : v.kind == ATTR && v.attr->kind == IR_ATTR_ARRAY ? v.attr->count
                       : v.kind == LIST || v.kind == GROUP               ? v.i
                                                                         : 0);
    }
    const char *start = r->at;
    tw_str name = name_here(r);
    if (!name.size)
        return wrong(r);
    if (*r->at == '(') {
        r->at++;
        return call(r, name);
    }
    if (tw_str_is(name, "true") || tw_str_is(name, "false"))
        return truth(name.data[0] == 't');
    val v;
    if (find_name(r, name, &v))
        return v;
    r->at = start;
    return wrong(r);
}

static val postfix(reading *r)
{
    val v = primary(r);
    while (symbol(r, "[")) {
        val i = expression(r);
        if (!symbol(r, "]"))
            return wrong(r);
        v = r->skip || i.kind != INT ? none() : item(v, i.i);
    }
    return v;
}

static val unary(reading *r)
{
    if (!symbol(r, "-"))
        return postfix(r);
    val v = unary(r);
    if (v.kind == REAL)
        v.real = -v.real;
    v.i = v.kind == INT && v.i != INT64_MIN ? -v.i : v.i;
    return v;
}

static val arithmetic(val a, char op, val b)
{
    int64_t n = 0;
    if (a.kind == REAL || b.kind == REAL) {
        double x = a.kind == REAL ? a.real : (double)a.i,
               y = b.kind == REAL ? b.real : (double)b.i;
        double z = op == '+'   ? x + y
                   : op == '-' ? x - y
                   : op == '*' ? x * y
                   : y         ? x / y
                               : 0;
        return (val){.kind = REAL, .real = z};
    }
    if (a.kind != INT || b.kind != INT)
        return none();
    bool bad = op == '+'   ? __builtin_add_overflow(a.i, b.i, &n)
               : op == '-' ? __builtin_sub_overflow(a.i, b.i, &n)
               : op == '*' ? __builtin_mul_overflow(a.i, b.i, &n)
                           : b.i == 0 || (a.i == INT64_MIN && b.i == -1);
    if (bad)
        return none();
    return integer(op == '/' ? a.i / b.i : op == '%' ? a.i % b.i : n);
}

static val product(reading *r)
{
    val v = unary(r);
    for (;;) {
        blanks(r);
        char op = *r->at;
        if (op != '*' && op != '/' && op != '%')
            return v;
        r->at++;
        val w = unary(r);
        v = r->skip ? none() : arithmetic(v, op, w);
    }
}

static val sum(reading *r)
{
    val v = product(r);
    for (;;) {
        blanks(r);
        char op = *r->at;
        if (op != '+' && op != '-')
            return v;
        r->at++;
        val w = product(r);
        v = r->skip ? none() : arithmetic(v, op, w);
    }
}

static bool equal(val a, val b)
{
    if ((a.kind == INT || a.kind == REAL) && (b.kind == INT || b.kind == REAL))
        return (a.kind == REAL ? a.real : (double)a.i) ==
               (b.kind == REAL ? b.real : (double)b.i);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case STR:
        return tw_str_equal(a.str, b.str);
    case LIST:
        return a.i == b.i &&
               (a.i == 0 || memcmp(a.list, b.list, (size_t)a.i * sizeof *a.list) == 0);
    case TYPE:
        return a.type == b.type;
    case VALUE:
        return a.value == b.value;
    case ATTR:
        return a.attr == b.attr;
    default:
        return true;
    }
}

/* x in {a, b} or in a list. */
static bool among(reading *r, val x)
{
    bool found = false;
    if (symbol(r, "{")) {
        while (!symbol(r, "}") && !r->wrong) {
            val v = expression(r);
            found |= !r->skip && equal(x, v);
            if (!symbol(r, ",") && *r->at != '}')
                wrong(r);
        }
        return found;
    }
    val all = sum(r);
    for (int64_t i = 0; all.kind == LIST && i < all.i; i++)
        found |= x.kind == INT && x.i == all.list[i];
    return found;
}

static val comparison(reading *r)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    val a = sum(r);
    if (symbol(r, "not in"))
        return truth(!among(r, a));
    if (symbol(r, "in"))
        return truth(among(r, a));
    for (size_t i = 0; i < TW_COUNT(signs); i++) {
        if (!symbol(r, signs[i]))
            continue;
        val b = sum(r);
        if (r->skip)
            return none();
        if (i < 2)
            return truth(equal(a, b) == (i == 0));
        if ((a.kind != INT && a.kind != REAL) || (b.kind != INT && b.kind != REAL))
            return truth(false);
        double x = a.kind == REAL ? a.real : (double)a.i,
               y = b.kind == REAL ? b.real : (double)b.i;
        bool both = a.kind == INT && b.kind == INT;
        int order = both ? (a.i > b.i) - (a.i < b.i) : (x > y) - (x < y);
        return truth(i == 2   ? order <= 0
                     : i == 3 ? order >= 0
                     : i == 4 ? order < 0
                              : order > 0);
    }
    return a;
}

static val negation(reading *r)
{
    if (!symbol(r, "not"))
        return comparison(r);
    return truth(!holds(negation(r)));
}

static val conjunction(reading *r)
{
    val v = negation(r);
    while (symbol(r, "and")) {
        bool was = holds(v), off = !was && !r->skip;
        r->skip += off;
        val w = negation(r);
        r->skip -= off;
        v = truth(was && holds(w));
    }
    return v;
}

static val disjunction(reading *r)
{
    val v = conjunction(r);
    while (symbol(r, "or")) {
        bool was = holds(v), off = was && !r->skip;
        r->skip += off;
        val w = conjunction(r);
        r->skip -= off;
        v = truth(was || holds(w));
    }
    return v;
}

static val expression(reading *r)
{
    val v = disjunction(r);
    if (!symbol(r, "?"))
        return v;
    bool was = holds(v), live = !r->skip;
    r->skip += live && !was;
    val a = expression(r);
    r->skip -= live && !was;
    if (!symbol(r, ":"))
        return wrong(r);
    r->skip += live && was;
    val b = expression(r);
    r->skip -= live && was;
    return was ? a : b;
}

/* ---- rules -------------------------------------------------------------------------- */

static void bind(reading *r, tw_str name, val value)
{
    if (r->n_lets == LETS) {
        wrong(r);
        return;
    }
    r->lets[r->n_lets].name = name;
    r->lets[r->n_lets++].value = value;
}

/* each v in x : c    each i < n : c    given g : c    c */
static bool condition(reading *r)
{
    if (symbol(r, "given")) {
        bool given = holds(expression(r));
        if (!symbol(r, ":")) {
            wrong(r);
            return false;
        }
        if (given || !r->ctx)
            return condition(r);
        r->at += strlen(r->at);
        return false;
    }
    if (!symbol(r, "each"))
        return holds(expression(r));
    tw_str name = name_here(r);
    bool counted = symbol(r, "<");
    if (!counted && !symbol(r, "in")) {
        wrong(r);
        return false;
    }
    val over = sum(r);
    if (!symbol(r, ":")) {
        wrong(r);
        return false;
    }
    const char *body = r->at;
    int64_t n = over.kind == INT || over.kind == LIST || over.kind == GROUP ? over.i : 0;
    if (!r->ctx)
        n = 1;
    size_t used = r->used;
    for (int64_t i = 0; i < n; i++) {
        int lets = r->n_lets;
        r->at = body;
        bind(r, name, counted ? integer(i) : item(over, i));
        if (condition(r) && r->ctx)
            return true; /* the binding stays for the message */
        r->n_lets = lets;
        r->used = used; /* the body's lists are gone */
        if (r->wrong)
            return false;
    }
    r->at += strlen(r->at);
    return false;
}

static void put_list(tw_strbuf *out, val v)
{
    for (int64_t i = 0; i < v.i; i++) {
        if (i && v.str.data)
            tw_strbuf_str(out, v.str);
        else if (i)
            tw_strbuf_puts(out, ", ");
        if (v.list[i] == IR_DYNAMIC)
            tw_strbuf_putc(out, '?');
        else
            tw_strbuf_i64(out, v.list[i]);
    }
}

static void put(reading *r, tw_strbuf *out, val v)
{
    switch (v.kind) {
    case INT:
        tw_strbuf_i64(out, v.i);
        if (v.str.data)
            tw_strbuf_printf(out, " (%lld)", (long long)v.real);
        break;
    case REAL:
        tw_strbuf_printf(out, "%.6e", v.real);
        break;
    case STR:
        tw_strbuf_str(out, v.str);
        if (v.truth)
            tw_strbuf_i64(out, v.i);
        if (v.type)
            tw_strbuf_printf(out, "], got %lld", (long long)v.real);
        break;
    case LIST:
        put_list(out, v);
        break;
    case TYPE:
        tw_strbuf_printf(out, "'%s'", ir_type_text(r->ctx, v.type));
        break;
    case ATTR:
        tw_strbuf_puts(out, ir_attr_text(r->ctx, v.attr));
        break;
    default:
        break;
    }
}

/* The text with its {holes} filled; out is NULL while only the reading is checked. */
static void fill(reading *r, const char *say, tw_strbuf *out)
{
    while (*say && !r->wrong) {
        if (*say != '{') {
            if (out)
                tw_strbuf_putc(out, *say);
            say++;
            continue;
        }
        r->at = say + 1;
        val v = expression(r);
        if (out)
            put(r, out, v);
        if (!symbol(r, "}"))
            wrong(r);
        say = r->at;
    }
}

static bool is_let(reading *r, const char *when)
{
    r->at = when;
    if (!symbol(r, "let"))
        return false;
    tw_str name = name_here(r);
    if (symbol(r, "="))
        bind(r, name, expression(r));
    else
        wrong(r);
    return true;
}

static bool report(reading *r, const char *say)
{
    tw_strbuf text = {0};
    bool bare = say[0] == '!';
    fill(r, say + bare, &text);
    assert(!r->wrong && "a rule's message does not read well");
    if (bare || !r->op)
        ir_error(r->ctx, r->loc, "%s", tw_strbuf_text(&text));
    else
        ir_op_error(r->op, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

/* The rule after the "end" that closes the loop at `at`. */
static uint32_t after_loop(chk_rules rules, uint32_t at)
{
    while (at < rules.count &&
           (!rules.at[at].when || strcmp(rules.at[at].when, "end") != 0))
        at++;
    return at + 1;
}

/* "loop v in x" or "loop i < n": what the name stands for. */
static bool loop_head(reading *r, const char *when, tw_str *out_name, val *out_over,
                      bool *out_counted)
{
    r->at = when;
    if (!symbol(r, "loop"))
        return false;
    *out_name = name_here(r);
    *out_counted = symbol(r, "<");
    if (!*out_counted && !symbol(r, "in"))
        wrong(r);
    *out_over = sum(r);
    return true;
}

typedef enum outcome { BROKEN, KEPT, DONE } outcome;

static outcome rules_from(reading *r, chk_rules rules, uint32_t at, uint32_t end)
{
    while (at < end) {
        const chk_rule *rule = &rules.at[at++];
        tw_str name;
        val over;
        bool counted;
        if (rule->run) {
            if (!rule->run(r->op))
                return BROKEN;
            continue;
        }
        if (is_let(r, rule->when))
            continue;
        int lets = r->n_lets;
        if (loop_head(r, rule->when, &name, &over, &counted)) {
            uint32_t after = after_loop(rules, at);
            int64_t n =
                over.kind == INT || over.kind == LIST || over.kind == GROUP ? over.i : 0;
            for (int64_t i = 0; i < n; i++) {
                bind(r, name, counted ? integer(i) : item(over, i));
                outcome o = rules_from(r, rules, at, after - 1);
                if (o != KEPT)
                    return o;
                r->n_lets = lets;
            }
            at = after;
            continue;
        }
        r->at = rule->when;
        bool broken = strcmp(rule->when, "else") == 0 || condition(r);
        assert(!r->wrong && "a rule's condition does not read well");
        if (broken && rule->say) {
            report(r, rule->say);
            return BROKEN;
        }
        if (broken)
            return DONE;
        r->n_lets = lets;
    }
    return KEPT;
}

/* Everything but the pool, which is written before it is read. */
static void begin(reading *r, ir_context *ctx, ir_loc loc)
{
    memset(r, 0, offsetof(reading, lets));
    r->n_lets = 0;
    r->used = 0;
    r->ctx = ctx;
    r->loc = loc;
}

bool chk_verify(ir_op *op, chk_rules rules)
{
    reading r;
    begin(&r, op->ctx, op->loc);
    r.op = op;
    r.def = op->def;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

bool chk_verify_attr(ir_context *ctx, ir_loc loc, ir_attr attr, chk_rules rules)
{
    reading r;
    begin(&r, ctx, loc);
    r.attr = attr;
    r.params = attr->def->params.at;
    r.n_params = attr->def->params.count;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

bool chk_verify_type(ir_context *ctx, ir_loc loc, ir_type type, chk_rules rules)
{
    reading r;
    begin(&r, ctx, loc);
    r.type = type;
    r.params = type->def->params.at;
    r.n_params = type->def->params.count;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

/* The name that a rule's own "each" binds for its message. */
static tw_str each_name(reading *r, const char *when)
{
    r->at = when;
    if (symbol(r, "given")) {
        expression(r);
        symbol(r, ":");
    }
    return symbol(r, "each") ? name_here(r) : (tw_str){0};
}

bool chk_rule_is_sound(const ir_op_def *def, chk_rules rules, const char **out_what)
{
    reading r = {.def = def};
    for (uint32_t i = 0; i < rules.count && !r.wrong; i++) {
        const chk_rule *rule = &rules.at[i];
        tw_str name;
        val over;
        bool counted;
        if (rule->run || strcmp(rule->when, "end") == 0 || is_let(&r, rule->when))
            continue;
        if (loop_head(&r, rule->when, &name, &over, &counted)) {
            bind(&r, name, none());
            continue;
        }
        int lets = r.n_lets;
        name = each_name(&r, rule->when);
        r.at = rule->when;
        if (strcmp(rule->when, "else") != 0) {
            condition(&r);
            blanks(&r);
            if (!r.wrong && *r.at)
                r.wrong = r.at;
        }
        if (name.data)
            bind(&r, name, none());
        if (!r.wrong && rule->say)
            fill(&r, rule->say + (rule->say[0] == '!'), NULL);
        r.n_lets = lets;
    }
    *out_what = r.wrong;
    return !r.wrong;
}
