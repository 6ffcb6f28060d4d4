/* sdy_sharding.c: whether a sharding is one of its mesh and of the type that it shards. */
#include "dialect/mpmd/mpmd.h"
#include "dialect/sdy/sdy.h"
#include "dialect/sdy/sdy_verify.h"
#include "dialect/vhlo/vhlo_types.h"

#include <stdarg.h>
#include <stdio.h>

enum { MOST_AXES = 512 };

#define FAIL(w, ...) sdy_fail(w, __VA_ARGS__)

bool sdy_fail(const sdy_place *w, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ir_op_error(w->op, "%s%s", w->prefix, text);
}

/* ---- axes --------------------------------------------------------------------------- */

static tw_str name_of(ir_attr axis)
{
    return ir_attr_str(axis->params[0]);
}

static ir_attr sub_of(ir_attr axis)
{
    return axis->params[1];
}

static int64_t pre_size(ir_attr sub)
{
    return sub->params[0]->value;
}

static int64_t size_of(ir_attr sub)
{
    return sub->params[1]->value;
}

/* Where the next sub-axis can begin; -1 beyond 64 bits. */
static int64_t next_pre_size(ir_attr sub)
{
    int64_t next;
    return __builtin_mul_overflow(pre_size(sub), size_of(sub), &next) ? -1 : next;
}

const char *sdy_axis_text(ir_attr axis, char text[128])
{
    tw_str name = name_of(axis);
    int n = (int)TW_MIN(name.size, (size_t)64);
    if (sub_of(axis))
        snprintf(text, 128, "\"%.*s\":(%lld)%lld", n, name.data,
                 (long long)pre_size(sub_of(axis)), (long long)size_of(sub_of(axis)));
    else
        snprintf(text, 128, "\"%.*s\"", n, name.data);
    return text;
}

/* The place of an axis in the mesh, -1 if it has none of that name. */
static int64_t place_in(ir_attr mesh, ir_attr axis)
{
    ir_attr axes = mesh->params[0];
    for (uint32_t i = 0; axes && i < axes->count; i++)
        if (tw_str_equal(name_of(axes->items[i]), name_of(axis)))
            return i;
    return -1;
}

int64_t sdy_axis_size(ir_attr mesh, ir_attr axis)
{
    int64_t at = place_in(mesh, axis);
    return sub_of(axis) ? size_of(sub_of(axis))
           : at < 0     ? 1
                        : mesh->params[0]->items[at]->params[1]->value;
}

/* Negative, 0 or positive, as `a` comes before `b` on the mesh or not. */
static int compare_axes(ir_attr mesh, ir_attr a, ir_attr b)
{
    int64_t x = place_in(mesh, a), y = place_in(mesh, b);
    if (x == y && sub_of(a) && sub_of(b)) {
        x = pre_size(sub_of(a)), y = pre_size(sub_of(b));
        if (x == y)
            x = size_of(sub_of(a)), y = size_of(sub_of(b));
    } else if (x == y) {
        x = sub_of(a) != NULL, y = sub_of(b) != NULL;
    }
    return x < y ? -1 : x > y;
}

/* Axes met so far, in one sharding. */
typedef struct axis_set {
    ir_attr at[MOST_AXES];
    size_t n;
} axis_set;

static bool contains(const axis_set *set, ir_attr axis)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->at[i] == axis)
            return true;
    return false;
}

static bool check_axes(const sdy_place *w, ir_attr mesh, ir_attr list, axis_set *seen)
{
    char text[128], other[128];
    ir_attr before = NULL;
    for (uint32_t i = 0; list && i < list->count; i++) {
        ir_attr axis = list->items[i];
        if (place_in(mesh, axis) < 0)
            return FAIL(w, "unknown axis name: \"%.*s\"", (int)name_of(axis).size,
                        name_of(axis).data);
        if (contains(seen, axis))
            return FAIL(w, "duplicate axis ref: %s", sdy_axis_text(axis, text));
        if (seen->n == MOST_AXES)
            return FAIL(w, "has more than %d axes", MOST_AXES);
        seen->at[seen->n++] = axis;
        if (sub_of(axis) && before && sub_of(before) &&
            tw_str_equal(name_of(before), name_of(axis)) &&
            next_pre_size(sub_of(before)) == pre_size(sub_of(axis)))
            return FAIL(w, "two consecutive sub-axes can be merged: %s, %s",
                        sdy_axis_text(before, text), sdy_axis_text(axis, other));
        before = axis;
    }
    return true;
}

static bool check_sorted_axes(const sdy_place *w, ir_attr mesh, ir_attr list,
                              const char *what, axis_set *seen)
{
    for (uint32_t i = 1; list && i < list->count; i++)
        if (compare_axes(mesh, list->items[i - 1], list->items[i]) > 0)
            return FAIL(w, "%s axes are not ordered w.r.t. mesh", what);
    return check_axes(w, mesh, list, seen);
}

static bool check_sub_axis(const sdy_place *w, ir_attr axis, ir_attr before, int64_t full)
{
    char text[128], other[128];
    ir_attr sub = sub_of(axis);
    sdy_axis_text(axis, text);
    int64_t next = next_pre_size(sub);
    if (pre_size(sub) < 1)
        return FAIL(w, "sub-axis pre-size must be at least 1: %s", text);
    if (size_of(sub) <= 1)
        return FAIL(w, "sub-axis sizes must be greater than 1: %s", text);
    if (next < 0 || full % next != 0)
        return FAIL(w,
                    "sub-axis next pre-size %lld doesn't divide the size of the full axis "
                    "%lld: %s",
                    (long long)next, (long long)full, text);
    if (size_of(sub) == full)
        return FAIL(w, "sub-axis size is equal to the full axis size: %s", text);
    if (before && next_pre_size(sub_of(before)) > pre_size(sub))
        return FAIL(w, "overlapping sub-axes: %s, %s", sdy_axis_text(before, other), text);
    return true;
}

/* The sub-axes of one axis, which are looked at from the smallest pre-size on. */
static bool check_sub_axes(const sdy_place *w, ir_attr mesh, int64_t place,
                           const axis_set *seen)
{
    axis_set subs = {.n = 0};
    bool full = false;
    for (size_t i = 0; i < seen->n; i++) {
        size_t k = subs.n;
        if (place_in(mesh, seen->at[i]) != place)
            continue;
        full |= !sub_of(seen->at[i]);
        if (!sub_of(seen->at[i]))
            continue;
        for (; k > 0 && compare_axes(mesh, subs.at[k - 1], seen->at[i]) > 0; k--)
            subs.at[k] = subs.at[k - 1];
        subs.at[k] = seen->at[i];
        subs.n++;
    }
    if (full && subs.n)
        return FAIL(w, "both sub-axis and full-axis are used for axis name: \"%.*s\"",
                    (int)name_of(subs.at[0]).size, name_of(subs.at[0]).data);
    int64_t size = mesh->params[0]->items[place]->params[1]->value;
    for (size_t i = 0; i < subs.n; i++)
        if (!check_sub_axis(w, subs.at[i], i ? subs.at[i - 1] : NULL, size))
            return false;
    return true;
}

/* ---- shardings ---------------------------------------------------------------------- */

static uint32_t length(ir_attr list)
{
    return list ? list->count : 0;
}

uint32_t sdy_sharding_rank(ir_attr sharding)
{
    return length(sharding->params[1]);
}

static bool has_only_rank_0(ir_attr sharding)
{
    return sdy_sharding_rank(sharding) == 0 && length(sharding->params[2]) == 0 &&
           length(sharding->params[3]) == 0;
}

ir_attr sdy_mesh_of(ir_op *op, ir_attr sharding)
{
    ir_attr ref = sharding->params[0];
    if (ir_attr_is(ref, IR_ATTR_DIALECT) && ref->def == SDY_ATTR(mesh))
        return ref;
    ir_op *found = ir_attr_is(ref, IR_ATTR_SYMBOL_REF) ? ir_symbol_resolve(op, ref) : NULL;
    ir_attr mesh = ir_op_is(found, SDY_OP(mesh)) ? ir_op_attr(found, "mesh") : NULL;
    return ir_attr_is(mesh, IR_ATTR_DIALECT) && mesh->def == SDY_ATTR(mesh) ? mesh : NULL;
}

static bool is_maximal(ir_attr mesh)
{
    return length(mesh->params[0]) == 0 && length(mesh->params[1]) == 1;
}

static bool is_replicated(ir_attr sharding)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (length(sharding->params[1]->items[i]->params[0]))
            return false;
    return true;
}

static bool check_dims(const sdy_place *w, ir_attr mesh, ir_attr sharding, axis_set *seen)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++) {
        ir_attr dim = sharding->params[1]->items[i];
        bool closed = ir_attr_int(dim->params[1], 0);
        if (dim->params[2] && dim->params[2]->value < 0)
            return FAIL(w, "dim %u has a negative priority", i);
        if (dim->params[2] && closed && length(dim->params[0]) == 0)
            return FAIL(w, "dim %u is empty and closed but has a priority", i);
        if (!check_axes(w, mesh, dim->params[0], seen))
            return false;
    }
    return true;
}

/* A computation around it that has taken one of the axes for itself. */
static bool check_not_bound(const sdy_place *w, const axis_set *seen)
{
    for (ir_op *op = ir_op_parent(w->op); op; op = ir_op_parent(op)) {
        ir_attr manual =
            op->def == SDY_OP(manual_computation) ? ir_op_attr(op, "manual_axes") : NULL;
        ir_attr names = ir_attr_is(manual, IR_ATTR_DIALECT) ? manual->params[0] : NULL;
        for (size_t i = 0; i < seen->n; i++)
            for (uint32_t k = 0; k < length(names); k++)
                if (tw_str_equal(name_of(seen->at[i]), ir_attr_str(names->items[k])))
                    return sdy_fail_bound(w, name_of(seen->at[i]), op);
    }
    return true;
}

bool sdy_fail_bound(const sdy_place *w, tw_str axis, ir_op *by)
{
    FAIL(w,
         "operates on axis \"%.*s\" which is already bound by a parent "
         "sdy.manual_computation op",
         (int)axis.size, axis.data);
    ir_note(by->ctx, by->loc, "parent bounding this axis as manual");
    return false;
}

ir_type sdy_shaped(ir_type type)
{
    if (type->kind != IR_TYPE_DIALECT)
        return type;
    if (type->def == MPMD_TYPE(mesh_tensor))
        return ir_type_param(type, "ranked_tensor_type")->type;
    ir_type builtin = vhlo_type_to_builtin(type);
    return builtin ? builtin : type;
}

bool sdy_check_sharding(const sdy_place *w, ir_attr sharding, ir_type type)
{
    ir_context *ctx = w->op->ctx;
    ir_attr mesh = sdy_mesh_of(w->op, sharding);
    axis_set seen = {.n = 0};
    if (!mesh) {
        tw_str name = ir_attr_is(sharding->params[0], IR_ATTR_SYMBOL_REF)
                          ? ir_symbol_leaf(sharding->params[0])
                          : TW_STR("?");
        return FAIL(w, "unknown mesh: @%.*s", (int)name.size, name.data);
    }
    if (is_maximal(mesh) || (!type && is_replicated(sharding)))
        return has_only_rank_0(sharding) ||
               FAIL(w, "a maximal sharding can only have a sharding with rank 0 and no "
                       "replicated or unreduced axes.");
    if (type->kind == IR_TYPE_TUPLE && type->count != 1)
        return FAIL(w, "ops can only have a sharding for a tuple of size 1: '%s'",
                    ir_type_text(ctx, type));
    if (type->kind == IR_TYPE_TUPLE)
        type = type->types[0];
    type = sdy_shaped(type);
    if (!ir_type_is_shaped(type))
        return has_only_rank_0(sharding) ||
               FAIL(w,
                    "non-shaped tensors can only have a sharding with rank 0 and no "
                    "replicated or unreduced axes. type: '%s'",
                    ir_type_text(ctx, type));
    if (!ir_type_is_ranked(type))
        return FAIL(w, "only ranked tensors can have a sharding. type: '%s'",
                    ir_type_text(ctx, type));
    if (sdy_sharding_rank(sharding) != type->count)
        return FAIL(w, "sharding doesn't match tensor rank: %u != %u",
                    sdy_sharding_rank(sharding), type->count);
    if (!check_dims(w, mesh, sharding, &seen) ||
        !check_sorted_axes(w, mesh, sharding->params[2], "replicated", &seen) ||
        !check_sorted_axes(w, mesh, sharding->params[3], "unreduced", &seen))
        return false;
    for (uint32_t i = 0; i < length(mesh->params[0]); i++)
        if (!check_sub_axes(w, mesh, i, &seen))
            return false;
    return check_not_bound(w, &seen);
}

bool sdy_check_shardings(const sdy_place *w, ir_attr per_value, const ir_type *types,
                         size_t n)
{
    ir_attr list = per_value->params[0];
    char prefix[64];
    sdy_place each = {w->op, prefix};
    bool single = n == 0 && length(list) == 1;
    ir_attr mesh = single ? sdy_mesh_of(w->op, list->items[0]) : NULL;
    if (single && ((mesh && is_maximal(mesh)) || is_replicated(list->items[0]))) {
        snprintf(prefix, sizeof prefix, "%s0 - ", w->prefix);
        return sdy_check_sharding(&each, list->items[0], NULL);
    }
    if (length(list) != n)
        return FAIL(w, "shardings don't match number of values: %u shardings vs %zu values",
                    length(list), n);
    for (size_t i = 0; i < n; i++) {
        if (n == 1)
            snprintf(prefix, sizeof prefix, "%s- ", w->prefix);
        else
            snprintf(prefix, sizeof prefix, "%s%zu - ", w->prefix, i);
        if (!sdy_check_sharding(&each, list->items[i], types[i]))
            return false;
    }
    return true;
}
