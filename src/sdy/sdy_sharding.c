/* sdy_sharding.c: verifies a sharding against its mesh and the type that it shards. */
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"
#include "sdy/sdy_axes.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/vhlo/vhlo_types.h"

#include <stdarg.h>
#include <stdio.h>

#define FAIL(w, ...) sdy_fail(w, __VA_ARGS__)

bool sdy_fail(const sdy_location *w, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ir_op_error(w->op, "%s%s", w->prefix, text);
}

/* ---- axes --------------------------------------------------------------------------- */

static bool contains(const sdy_axes *set, ir_attr axis)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->at[i] == axis)
            return true;
    return false;
}

bool sdy_check_axes(const sdy_location *w, ir_attr mesh, ir_attr list, sdy_axes *seen)
{
    char text[128], other[128];
    ir_attr before = NULL;
    for (uint32_t i = 0; list && i < list->count; i++) {
        ir_attr axis = list->items[i];
        if (sdy_axis_index(mesh, axis) < 0)
            return FAIL(w, "unknown axis name: \"%.*s\"", (int)sdy_axis_name(axis).size,
                        sdy_axis_name(axis).data);
        if (contains(seen, axis))
            return FAIL(w, "duplicate axis ref: %s", sdy_axis_text(axis, text));
        if (seen->n == SDY_MAX_AXES)
            return FAIL(w, "has more than %d axes", SDY_MAX_AXES);
        seen->at[seen->n++] = axis;
        if (before && sdy_axes_join(before, axis))
            return FAIL(w, "two consecutive sub-axes can be merged: %s, %s",
                        sdy_axis_text(before, text), sdy_axis_text(axis, other));
        before = axis;
    }
    return true;
}

bool sdy_check_sorted_axes(const sdy_location *w, ir_attr mesh, ir_attr list,
                           const char *what, sdy_axes *seen)
{
    for (uint32_t i = 1; list && i < list->count; i++)
        if (sdy_compare_axes(mesh, list->items[i - 1], list->items[i]) > 0)
            return FAIL(w, "%s axes are not ordered w.r.t. mesh", what);
    return sdy_check_axes(w, mesh, list, seen);
}

static bool check_sub_axis(const sdy_location *w, ir_attr axis, ir_attr before,
                           int64_t full)
{
    char text[128], other[128];
    int64_t size = sdy_sub_axis(axis)->params[1]->value;
    int64_t next = sdy_next_pre_size(axis, NULL);
    sdy_axis_text(axis, text);
    if (sdy_pre_size(axis) < 1)
        return FAIL(w, "sub-axis pre-size must be at least 1: %s", text);
    if (size <= 1)
        return FAIL(w, "sub-axis sizes must be greater than 1: %s", text);
    if (next < 0 || full % next != 0)
        return FAIL(w,
                    "sub-axis next pre-size %lld doesn't divide the size of the full axis "
                    "%lld: %s",
                    (long long)next, (long long)full, text);
    if (size == full)
        return FAIL(w, "sub-axis size is equal to the full axis size: %s", text);
    if (before && sdy_next_pre_size(before, NULL) > sdy_pre_size(axis))
        return FAIL(w, "overlapping sub-axes: %s, %s", sdy_axis_text(before, other), text);
    return true;
}

/* Checks the sub-axes of one axis, in order of pre-size. */
static bool check_sub_axes(const sdy_location *w, ir_attr mesh, int64_t index,
                           const sdy_axes *seen)
{
    sdy_axes subs = {.n = 0};
    bool full = false;
    for (size_t i = 0; i < seen->n; i++) {
        size_t k = subs.n;
        if (sdy_axis_index(mesh, seen->at[i]) != index)
            continue;
        full |= !sdy_sub_axis(seen->at[i]);
        if (!sdy_sub_axis(seen->at[i]))
            continue;
        for (; k > 0 && sdy_compare_axes(mesh, subs.at[k - 1], seen->at[i]) > 0; k--)
            subs.at[k] = subs.at[k - 1];
        subs.at[k] = seen->at[i];
        subs.n++;
    }
    if (full && subs.n)
        return FAIL(w, "both sub-axis and full-axis are used for axis name: \"%.*s\"",
                    (int)sdy_axis_name(subs.at[0]).size, sdy_axis_name(subs.at[0]).data);
    int64_t size = mesh->params[0]->items[index]->params[1]->value;
    for (size_t i = 0; i < subs.n; i++)
        if (!check_sub_axis(w, subs.at[i], i ? subs.at[i - 1] : NULL, size))
            return false;
    return true;
}

/* ---- shardings ---------------------------------------------------------------------- */

uint32_t sdy_sharding_rank(ir_attr sharding)
{
    return sdy_length(sharding->params[1]);
}

static bool has_only_rank_0(ir_attr sharding)
{
    return sdy_sharding_rank(sharding) == 0 && sdy_length(sharding->params[2]) == 0 &&
           sdy_length(sharding->params[3]) == 0;
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
    return sdy_length(mesh->params[0]) == 0 && sdy_length(mesh->params[1]) == 1;
}

static bool is_replicated(ir_attr sharding)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sharding->params[1]->items[i]->params[0]))
            return false;
    return true;
}

static bool check_dims(const sdy_location *w, ir_attr mesh, ir_attr sharding,
                       sdy_axes *seen)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++) {
        ir_attr dim = sharding->params[1]->items[i];
        bool closed = ir_attr_int(dim->params[1], 0);
        if (dim->params[2] && dim->params[2]->value < 0)
            return FAIL(w, "dim %u has a negative priority", i);
        if (dim->params[2] && closed && sdy_length(dim->params[0]) == 0)
            return FAIL(w, "dim %u is empty and closed but has a priority", i);
        if (!sdy_check_axes(w, mesh, dim->params[0], seen))
            return false;
    }
    return true;
}

/* Rejects axes that are manual in an enclosing computation. */
static bool check_not_bound(const sdy_location *w, const sdy_axes *seen)
{
    for (ir_op *op = ir_op_parent(w->op); op; op = ir_op_parent(op)) {
        ir_attr manual =
            op->def == SDY_OP(manual_computation) ? ir_op_attr(op, "manual_axes") : NULL;
        ir_attr names = ir_attr_is(manual, IR_ATTR_DIALECT) ? manual->params[0] : NULL;
        for (size_t i = 0; i < seen->n; i++)
            for (uint32_t k = 0; k < sdy_length(names); k++)
                if (tw_str_equal(sdy_axis_name(seen->at[i]), ir_attr_str(names->items[k])))
                    return sdy_fail_bound(w, sdy_axis_name(seen->at[i]), op);
    }
    return true;
}

bool sdy_fail_bound(const sdy_location *w, tw_str axis, ir_op *by)
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

bool sdy_check_sharding(const sdy_location *w, ir_attr sharding, ir_type type)
{
    ir_attr mesh = sdy_mesh_of(w->op, sharding);
    if (mesh)
        return sdy_check_sharding_on(w, mesh, sharding, type);
    return FAIL(w, "unknown mesh: %s", ir_attr_text(w->op->ctx, sharding->params[0]));
}

bool sdy_check_sharding_on(const sdy_location *w, ir_attr mesh, ir_attr sharding,
                           ir_type type)
{
    ir_context *ctx = w->op->ctx;
    sdy_axes seen = {.n = 0};
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
        !sdy_check_sorted_axes(w, mesh, sharding->params[2], "replicated", &seen) ||
        !sdy_check_sorted_axes(w, mesh, sharding->params[3], "unreduced", &seen))
        return false;
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++)
        if (!check_sub_axes(w, mesh, i, &seen))
            return false;
    return check_not_bound(w, &seen);
}

bool sdy_check_shardings(const sdy_location *w, ir_attr per_value, const ir_type *types,
                         size_t n)
{
    ir_attr list = per_value->params[0];
    char prefix[64];
    sdy_location each = {w->op, prefix};
    bool single = n == 0 && sdy_length(list) == 1;
    ir_attr mesh = single ? sdy_mesh_of(w->op, list->items[0]) : NULL;
    if (single && ((mesh && is_maximal(mesh)) || is_replicated(list->items[0]))) {
        snprintf(prefix, sizeof prefix, "%s0 - ", w->prefix);
        return sdy_check_sharding(&each, list->items[0], NULL);
    }
    if (sdy_length(list) != n)
        return FAIL(w, "shardings don't match number of values: %u shardings vs %zu values",
                    sdy_length(list), n);
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
