/* rules_shapes.c: functions of rules on integers, texts, lists and shapes. */
#include "ir/rules/rules_impl.h"

#include <stdlib.h>

static chk_val shape_of(chk_val v)
{
    ir_type t = chk_type_of(v);
    return ir_type_is_ranked(t)
               ? (chk_val){.kind = CHK_LIST, .list = t->dims, .i = t->count}
               : chk_none();
}

static chk_val fn_abs(chk_state *r, const chk_val *a)
{
    (void)r;
    return a[0].kind == CHK_INT ? chk_integer(a[0].i < 0 ? -a[0].i : a[0].i) : chk_none();
}

static chk_val fn_min(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_integer(TW_MIN(a[0].i, a[1].i));
}

static chk_val fn_max(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_integer(TW_MAX(a[0].i, a[1].i));
}

static chk_val fn_wrap(chk_state *r, const chk_val *a)
{
    (void)r;
    return a[0].kind == CHK_INT ? chk_integer(a[0].i < 0 ? a[0].i + a[1].i : a[0].i)
                                : chk_none();
}

static chk_val fn_range(chk_state *r, const chk_val *a)
{
    int64_t *out =
        a[0].kind == CHK_INT && a[0].i >= 0 ? chk_alloc(r, (size_t)a[0].i) : NULL;
    if (!out)
        return chk_none();
    for (int64_t i = 0; i < a[0].i; i++)
        out[i] = i;
    return (chk_val){.kind = CHK_LIST, .list = out, .i = a[0].i};
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* True if no two of n integers, `step` apart in the list, are equal. */
static bool are_unique(chk_state *r, const int64_t *list, int64_t n, int64_t step)
{
    if (n < 2)
        return true;
    int64_t *sorted = chk_alloc(r, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        sorted[i] = list[i * step];
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int64_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            return false;
    return true;
}

static chk_val fn_unique(chk_state *r, const chk_val *a)
{
    return chk_bool(are_unique(r, a[0].list, a[0].i, 1));
}

static chk_val fn_permute(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[1].kind != CHK_LIST)
        return chk_none();
    int64_t *out = chk_alloc(r, (size_t)a[1].i);
    for (int64_t i = 0; i < a[1].i; i++) {
        int64_t from = a[1].list[i];
        out[i] = from >= 0 && from < a[0].i ? a[0].list[from] : -1;
    }
    return (chk_val){.kind = CHK_LIST, .list = out, .i = a[1].i};
}

/* Elements [from, to) of a list; negative bounds count from the end. */
static chk_val fn_part(chk_state *r, const chk_val *a)
{
    (void)r;
    if (a[0].kind != CHK_LIST)
        return chk_none();
    int64_t from = a[1].i < 0 ? a[1].i + a[0].i : a[1].i;
    int64_t to = a[2].i < 0 ? a[2].i + a[0].i : a[2].i;
    from = TW_MIN(TW_MAX(from, 0), a[0].i);
    to = TW_MIN(TW_MAX(to, from), a[0].i);
    return (chk_val){.kind = CHK_LIST, .list = a[0].list + from, .i = to - from};
}

/* The list with element i (from the end if negative) replaced. */
static chk_val fn_with(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST)
        return chk_none();
    chk_val v = chk_list_of(r, a[0].list, (size_t)a[0].i);
    int64_t i = a[1].i < 0 ? a[1].i + v.i : a[1].i;
    if (v.kind == CHK_LIST && i >= 0 && i < v.i && a[2].kind == CHK_INT)
        ((int64_t *)(uintptr_t)v.list)[i] = a[2].i;
    return v;
}

static chk_val fn_cat(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[1].kind != CHK_LIST)
        return chk_none();
    int64_t *out = chk_alloc(r, (size_t)(a[0].i + a[1].i));
    memcpy(out, a[0].list, (size_t)a[0].i * sizeof *out);
    memcpy(out + a[0].i, a[1].list, (size_t)a[1].i * sizeof *out);
    return (chk_val){.kind = CHK_LIST, .list = out, .i = a[0].i + a[1].i};
}

/* Unknown sizes make it unknown; overflow wraps. */
static chk_val fn_product(chk_state *r, const chk_val *a)
{
    uint64_t n = 1;
    (void)r;
    if (a[0].kind != CHK_LIST)
        return chk_none();
    for (int64_t i = 0; i < a[0].i; i++) {
        if (a[0].list[i] == IR_DYNAMIC)
            return chk_integer(IR_DYNAMIC);
        n *= (uint64_t)a[0].list[i];
    }
    return chk_integer((int64_t)n);
}

/* The common shape of two shapes, absent if they do not broadcast. */
static chk_val fn_broadcast(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[1].kind != CHK_LIST)
        return chk_none();
    int64_t n = TW_MAX(a[0].i, a[1].i);
    int64_t *out = chk_alloc(r, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = i < n - a[0].i ? 1 : a[0].list[i - (n - a[0].i)];
        int64_t y = i < n - a[1].i ? 1 : a[1].list[i - (n - a[1].i)];
        if (x != y && x != 1 && y != 1 && x != IR_DYNAMIC && y != IR_DYNAMIC)
            return chk_none();
        out[i] = x == 1 || (x == IR_DYNAMIC && y != 1) ? y : x;
    }
    return (chk_val){.kind = CHK_LIST, .list = out, .i = n};
}

static chk_val fn_dynamic(chk_state *r, const chk_val *a)
{
    (void)r;
    if (a[0].kind == CHK_LIST) {
        for (int64_t i = 0; i < a[0].i; i++)
            if (a[0].list[i] == IR_DYNAMIC)
                return chk_bool(true);
        return chk_bool(false);
    }
    return chk_bool(a[0].kind == CHK_INT && a[0].i == IR_DYNAMIC);
}

/* Joins the elements with a given separator. */
static chk_val fn_join(chk_state *r, const chk_val *a)
{
    chk_val v = a[0];
    (void)r;
    v.str = a[1].str;
    return v;
}

static chk_val fn_is_whole(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].kind == CHK_INT);
}

static chk_val fn_is_power_of_2(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].kind == CHK_INT && a[0].i > 0 && (a[0].i & (a[0].i - 1)) == 0);
}

static chk_val fn_is_number(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].kind == CHK_INT || a[0].kind == CHK_REAL);
}

/* An index that may count from the end, as text: "7 (-1)", the normalised and the given
 * one. */
static chk_val fn_wrapped(chk_state *r, const chk_val *a)
{
    chk_val v = fn_wrap(r, a);
    if (a[0].kind == CHK_INT && a[0].i < 0) {
        v.str = TW_STR("wrapped");
        v.real = (double)a[0].i;
    }
    return v;
}

/* A parameter given as one value, a pair, or (paddings) four: top, left, bottom, right. */
static chk_val per_axis(chk_state *r, chk_val a, int64_t n)
{
    int64_t items[4];
    if (a.kind == CHK_LIST && (a.i == n || (n == 4 && a.i == 2))) {
        for (int64_t i = 0; i < n; i++)
            items[i] = a.list[i % a.i];
        return chk_list_of(r, items, (size_t)n);
    }
    for (int64_t i = 0; i < n; i++)
        items[i] = a.i;
    return a.kind == CHK_INT ? chk_list_of(r, items, (size_t)n) : chk_none();
}

static chk_val fn_pair(chk_state *r, const chk_val *a)
{
    return per_axis(r, a[0], 2);
}

static chk_val fn_triple(chk_state *r, const chk_val *a)
{
    return per_axis(r, a[0], 3);
}

static chk_val fn_quad(chk_state *r, const chk_val *a)
{
    return per_axis(r, a[0], 4);
}

/* A message that ends in an integer. */
static chk_val message(const char *text, int64_t n)
{
    return (chk_val){.kind = CHK_STR, .str = tw_str_from(text), .is_bool = true, .i = n};
}

static chk_val form_error(chk_val a, const char *text)
{
    return a.kind == CHK_LIST
               ? message(text, a.i)
               : (chk_val){.kind = CHK_STR, .str = TW_STR("Unexpected attribute type")};
}

static chk_val fn_pair_error(chk_state *r, const chk_val *a)
{
    (void)r;
    return form_error(a[0], "Expected integer or pair of integers, got tuple of size ");
}

static chk_val fn_triple_error(chk_state *r, const chk_val *a)
{
    (void)r;
    return form_error(a[0], "Expected integer or array of size 3, but got array of size ");
}

static chk_val fn_quad_error(chk_state *r, const chk_val *a)
{
    (void)r;
    return form_error(a[0],
                      "Expected integer, pair, or tuple of size 4, but got tuple of size ");
}

/* The shape after reducing dimensions (absent: all), kept as 1 or dropped. */
static chk_val fn_reduced(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST)
        return chk_none();
    int64_t *out = chk_alloc(r, (size_t)a[0].i), n = 0;
    for (int64_t i = 0; i < a[0].i; i++) {
        bool gone = a[1].kind == CHK_NONE;
        for (int64_t k = 0; a[1].kind == CHK_LIST && k < a[1].i; k++)
            gone |= a[1].list[k] == i || a[1].list[k] + a[0].i == i;
        if (a[1].kind == CHK_INT)
            gone |= a[1].i == i || a[1].i + a[0].i == i;
        if (!gone)
            out[n++] = a[0].list[i];
        else if (chk_holds(a[2]))
            out[n++] = 1;
    }
    return (chk_val){.kind = CHK_LIST, .list = out, .i = n};
}

static chk_val fn_swapped(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[0].i < 2)
        return a[0];
    int64_t *out = chk_alloc(r, (size_t)a[0].i), n = a[0].i;
    memcpy(out, a[0].list, (size_t)n * sizeof *out);
    out[n - 1] = a[0].list[n - 2];
    out[n - 2] = a[0].list[n - 1];
    return (chk_val){.kind = CHK_LIST, .list = out, .i = n};
}

static chk_val fn_is_permutation(chk_state *r, const chk_val *a)
{
    for (int64_t i = 0; i < a[0].i; i++)
        if (a[0].kind != CHK_LIST || a[0].list[i] < 0 || a[0].list[i] >= a[0].i)
            return chk_bool(false);
    return fn_unique(r, a);
}

static chk_val fn_occurs(chk_state *r, const chk_val *a)
{
    int64_t n = 0;
    (void)r;
    for (int64_t i = 0; a[0].kind == CHK_LIST && i < a[0].i; i++)
        n += a[0].list[i] == a[1].i;
    return chk_integer(n);
}

/* The number of elements of a tensor. */
static chk_val fn_count(chk_state *r, const chk_val *a)
{
    return fn_product(r, (chk_val[]){shape_of(a[0])});
}

/* A shape with padding [low, high, low, high, ...] added. */
static chk_val fn_padded(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[1].kind != CHK_LIST || a[1].i != 2 * a[0].i)
        return chk_none();
    int64_t *out = chk_alloc(r, (size_t)a[0].i);
    for (int64_t i = 0; i < a[0].i; i++)
        out[i] = a[0].list[i] + a[1].list[2 * i] + a[1].list[2 * i + 1];
    return (chk_val){.kind = CHK_LIST, .list = out, .i = a[0].i};
}

/* A shape with ones in front, up to four dimensions. */
static chk_val fn_in4d(chk_state *r, const chk_val *a)
{
    int64_t out[4] = {1, 1, 1, 1};
    if (a[0].kind != CHK_LIST || a[0].i > 4)
        return a[0];
    for (int64_t i = 0; i < a[0].i; i++)
        out[4 - a[0].i + i] = a[0].list[i];
    return chk_list_of(r, out, 4);
}

/* The extent covered by blocks of {begin, length, stride}. */
static chk_val fn_covered(chk_state *r, const chk_val *a)
{
    int64_t total = 0;
    (void)r;
    if (a[0].kind != CHK_INT || a[1].kind != CHK_LIST || a[1].i != 3)
        return chk_none();
    int64_t length = a[1].list[1], stride = a[1].list[2];
    for (int64_t at = a[1].list[0]; at < a[0].i; at += stride) {
        total += TW_MIN(length, a[0].i - at);
        if (stride <= 0)
            break;
    }
    return chk_integer(total);
}

/* Sources and targets of a permutation of devices must each be distinct. */
static chk_val fn_unique_pairs(chk_state *r, const chk_val *a)
{
    return chk_bool(a[0].kind != CHK_LIST ||
                    (are_unique(r, a[0].list, (a[0].i + 1) / 2, 2) &&
                     are_unique(r, a[0].list + 1, a[0].i / 2, 2)));
}

/* True if the pairs' first (0) or second (1) integers are distinct. */
static chk_val fn_unique_of_pairs(chk_state *r, const chk_val *a)
{
    return chk_bool(a[0].kind != CHK_LIST ||
                    are_unique(r, a[0].list + a[1].i, (a[0].i + 1 - a[1].i) / 2, 2));
}

/* The error in groups of devices, absent if they are valid. */
static chk_val fn_replica_error(chk_state *r, const chk_val *a)
{
    if (!a[0].attr || !a[0].attr->type || a[0].attr->type->count != 2)
        return (chk_val){.kind = CHK_STR,
                         .str = TW_STR("replica_groups must be a 2D array")};
    for (int64_t i = 0; a[0].kind == CHK_LIST && i < a[0].i; i++) {
        if (a[0].list[i] < 0)
            return (chk_val){.kind = CHK_STR,
                             .str = TW_STR("replica_groups values must be positive")};
        if (a[0].list[i] >= a[0].i) {
            chk_val v =
                message("replica_groups values must be in the range [0, ", a[0].i - 1);
            v.real = (double)a[0].list[i];
            v.type = a[0].attr->type; /* marks the second value */
            return v;
        }
    }
    if (a[0].kind == CHK_LIST && !are_unique(r, a[0].list, a[0].i, 1))
        return (chk_val){.kind = CHK_STR,
                         .str = TW_STR("replica_groups must not contain duplicate values")};
    return chk_none();
}

static chk_val fn_ends_with(chk_state *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].kind == CHK_STR && a[1].kind == CHK_STR &&
                    a[0].str.size >= a[1].str.size &&
                    memcmp(a[0].str.data + a[0].str.size - a[1].str.size, a[1].str.data,
                           a[1].str.size) == 0);
}

static bool dims_fit(int64_t a, int64_t b)
{
    return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC;
}

/* True if two sizes or shapes are compatible, dynamic sizes matching any. */
static chk_val fn_fits(chk_state *r, const chk_val *a)
{
    (void)r;
    if (a[0].kind == CHK_INT && a[1].kind == CHK_INT)
        return chk_bool(dims_fit(a[0].i, a[1].i));
    bool fit = a[0].kind == CHK_LIST && a[1].kind == CHK_LIST && a[0].i == a[1].i;
    for (int64_t i = 0; fit && i < a[0].i; i++)
        fit = dims_fit(a[0].list[i], a[1].list[i]);
    return chk_bool(fit);
}

/* The elements of a list except those at some indices. */
static chk_val fn_without(chk_state *r, const chk_val *a)
{
    if (a[0].kind != CHK_LIST || a[1].kind != CHK_LIST)
        return chk_none();
    int64_t *out = chk_alloc(r, (size_t)a[0].i), n = 0;
    for (int64_t i = 0; i < a[0].i; i++) {
        bool gone = false;
        for (int64_t k = 0; k < a[1].i; k++)
            gone |= a[1].list[k] == i;
        if (!gone)
            out[n++] = a[0].list[i];
    }
    return (chk_val){.kind = CHK_LIST, .list = out, .i = n};
}

/* The first index at which two lists are incompatible. */
static chk_val fn_unlike(chk_state *r, const chk_val *a)
{
    (void)r;
    for (int64_t i = 0;
         a[0].kind == CHK_LIST && a[1].kind == CHK_LIST && i < a[0].i && i < a[1].i; i++)
        if (!dims_fit(a[0].list[i], a[1].list[i]))
            return chk_integer(i);
    return chk_none();
}

/* The elements of a list before the first one equal to the value. */
static chk_val fn_until(chk_state *r, const chk_val *a)
{
    chk_val v = a[0];
    (void)r;
    for (int64_t i = 0; v.kind == CHK_LIST && i < v.i; i++)
        if (v.list[i] == a[1].i)
            v.i = i;
    return v;
}
/* True if a shape equals a constant list of sizes. */
static chk_val fn_equals(chk_state *r, const chk_val *a)
{
    bool fit = a[0].kind == CHK_LIST && a[1].kind == CHK_LIST && a[0].i == a[1].i;
    (void)r;
    for (int64_t i = 0; fit && i < a[0].i; i++)
        fit = a[1].list[i] >= 0 &&
              (a[0].list[i] == a[1].list[i] || a[0].list[i] == IR_DYNAMIC);
    return chk_bool(fit);
}

static chk_val fn_sorted(chk_state *r, const chk_val *a)
{
    (void)r;
    for (int64_t i = 1; a[0].kind == CHK_LIST && i < a[0].i; i++)
        if (a[0].list[i - 1] > a[0].list[i])
            return chk_bool(false);
    return chk_bool(true);
}

const chk_function chk_shape_functions[] = {
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
    {"is_whole", 1, fn_is_whole},
    {"is_number", 1, fn_is_number},
    {"is_power_of_2", 1, fn_is_power_of_2},
    {"wrapped", 2, fn_wrapped},
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
    {"in4d", 1, fn_in4d},
    {"covered", 2, fn_covered},
    {"padded", 2, fn_padded},
    {"unique_pairs", 1, fn_unique_pairs},
    {"unique_of_pairs", 2, fn_unique_of_pairs},
    {"replica_error", 1, fn_replica_error},
    {"ends_with", 2, fn_ends_with},
    {"fits", 2, fn_fits},
    {"sorted", 1, fn_sorted},
    {"without", 2, fn_without},
    {"unlike", 2, fn_unlike},
    {"equals", 2, fn_equals},
    {"until", 2, fn_until},
    {0},
};
