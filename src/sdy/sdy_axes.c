/* sdy_axes.c: arithmetic on axes and sub-axes of a mesh. */
#include "sdy/sdy_axes.h"

#include "sdy/sdy.h"

#include <stdio.h>

/* ---- one axis ----------------------------------------------------------------------- */

tw_str sdy_axis_name(ir_attr axis)
{
    return ir_attr_str(axis->params[0]);
}

ir_attr sdy_sub_axis(ir_attr axis)
{
    return axis->params[1];
}

static int64_t sub_size(ir_attr axis)
{
    return sdy_sub_axis(axis)->params[1]->value;
}

int64_t sdy_pre_size(ir_attr axis)
{
    return sdy_sub_axis(axis) ? sdy_sub_axis(axis)->params[0]->value : 1;
}

static int64_t sub_end(ir_attr axis)
{
    int64_t end;
    return __builtin_mul_overflow(sdy_pre_size(axis), sub_size(axis), &end) ? -1 : end;
}

int64_t sdy_next_pre_size(ir_attr axis, ir_attr mesh)
{
    return sdy_sub_axis(axis) ? sub_end(axis) : sdy_axis_size(mesh, axis);
}

int64_t sdy_axis_index(ir_attr mesh, ir_attr axis)
{
    ir_attr axes = mesh->params[0];
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        if (tw_str_equal(sdy_axis_name(axes->items[i]), sdy_axis_name(axis)))
            return i;
    return -1;
}

int64_t sdy_axis_size(ir_attr mesh, ir_attr axis)
{
    int64_t at = sdy_axis_index(mesh, axis);
    return sdy_sub_axis(axis) ? sub_size(axis)
           : at < 0           ? 1
                              : mesh->params[0]->items[at]->params[1]->value;
}

const char *sdy_axis_text(ir_attr axis, char text[128])
{
    tw_str name = sdy_axis_name(axis);
    int n = (int)TW_MIN(name.size, (size_t)64);
    if (sdy_sub_axis(axis))
        snprintf(text, 128, "\"%.*s\":(%lld)%lld", n, name.data,
                 (long long)sdy_pre_size(axis), (long long)sub_size(axis));
    else
        snprintf(text, 128, "\"%.*s\"", n, name.data);
    return text;
}

int sdy_compare_axes(ir_attr mesh, ir_attr a, ir_attr b)
{
    int64_t x = sdy_axis_index(mesh, a), y = sdy_axis_index(mesh, b);
    if (x == y && sdy_sub_axis(a) && sdy_sub_axis(b)) {
        x = sdy_pre_size(a), y = sdy_pre_size(b);
        if (x == y)
            x = sub_size(a), y = sub_size(b);
    } else if (x == y) {
        x = sdy_sub_axis(a) != NULL, y = sdy_sub_axis(b) != NULL;
    }
    return x < y ? -1 : x > y;
}

/* ---- two axes ----------------------------------------------------------------------- */

static bool same_name(ir_attr a, ir_attr b)
{
    return tw_str_equal(sdy_axis_name(a), sdy_axis_name(b));
}

bool sdy_axis_contains(ir_attr a, ir_attr b)
{
    if (!same_name(a, b))
        return false;
    if (!sdy_sub_axis(a) || !sdy_sub_axis(b))
        return !sdy_sub_axis(a);
    return sdy_pre_size(a) <= sdy_pre_size(b) && sub_end(a) >= sub_end(b);
}

bool sdy_axis_is_suffix(ir_attr a, ir_attr of, ir_attr mesh)
{
    return sdy_axis_contains(of, a) &&
           sdy_next_pre_size(a, mesh) == sdy_next_pre_size(of, mesh);
}

bool sdy_axes_overlap(ir_attr a, ir_attr b)
{
    if (!same_name(a, b))
        return false;
    return !sdy_sub_axis(a) || !sdy_sub_axis(b) ||
           (sdy_pre_size(a) < sub_end(b) && sdy_pre_size(b) < sub_end(a));
}

static bool divides(int64_t a, int64_t b)
{
    return a > 0 && b % a == 0;
}

bool sdy_axes_can_coexist(ir_attr a, ir_attr b)
{
    if (!same_name(a, b) || !sdy_sub_axis(a) || !sdy_sub_axis(b))
        return true;
    int64_t first = TW_MIN(sdy_pre_size(a), sdy_pre_size(b));
    int64_t second = TW_MAX(sdy_pre_size(a), sdy_pre_size(b));
    int64_t end = TW_MIN(sub_end(a), sub_end(b)), last = TW_MAX(sub_end(a), sub_end(b));
    if (end > second)
        return divides(second, end) && divides(first, second) && divides(end, last);
    return divides(end, second);
}

static ir_attr make_sub_axis(ir_attr like, int64_t pre_size, int64_t size)
{
    ir_context *ctx = like->ctx;
    ir_attr sizes[] = {ir_raw_int(ctx, pre_size), ir_raw_int(ctx, size)};
    ir_attr params[] = {like->params[0],
                        ir_dialect_attr(ctx, SDY_ATTR(sub_axis_info), sizes, 2)};
    return ir_dialect_attr(ctx, SDY_ATTR(axis_ref), params, 2);
}

ir_attr sdy_axis_before(ir_attr a, ir_attr b)
{
    if (!sdy_axes_can_coexist(a, b))
        return NULL;
    if (!sdy_axes_overlap(a, b))
        return a;
    int64_t begin = sdy_pre_size(a), end = sdy_pre_size(b);
    return begin >= end ? NULL : make_sub_axis(a, begin, end / begin);
}

ir_attr sdy_axis_after(ir_attr a, ir_attr b, ir_attr mesh)
{
    if (!sdy_axes_can_coexist(a, b))
        return NULL;
    if (!sdy_axes_overlap(a, b))
        return a;
    int64_t begin = sdy_next_pre_size(b, mesh), end = sdy_next_pre_size(a, mesh);
    return end <= begin ? NULL : make_sub_axis(a, begin, end / begin);
}

bool sdy_axes_join(ir_attr a, ir_attr b)
{
    return same_name(a, b) && sdy_sub_axis(a) && sdy_sub_axis(b) &&
           sub_end(a) == sdy_pre_size(b);
}

ir_attr sdy_axis_joined(ir_attr a, ir_attr b, ir_attr mesh)
{
    int64_t size = sub_size(a) * sub_size(b), at = sdy_axis_index(mesh, a);
    if (at >= 0 && mesh->params[0]->items[at]->params[1]->value == size) {
        ir_attr params[] = {a->params[0], NULL};
        return ir_dialect_attr(a->ctx, SDY_ATTR(axis_ref), params, 2);
    }
    return make_sub_axis(a, sdy_pre_size(a), size);
}

/* ---- lists -------------------------------------------------------------------------- */

bool sdy_axes_add(sdy_axes *list, ir_attr axis)
{
    if (list->n == SDY_MAX_AXES)
        return false;
    list->at[list->n++] = axis;
    return true;
}

bool sdy_axes_add_all(sdy_axes *list, ir_attr axes)
{
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        if (!sdy_axes_add(list, axes->items[i]))
            return false;
    return true;
}

bool sdy_axes_add_joined(sdy_axes *list, ir_attr axis, ir_attr mesh)
{
    ir_attr *last = list->n ? &list->at[list->n - 1] : NULL;
    if (!last || !sdy_axes_join(*last, axis))
        return sdy_axes_add(list, axis);
    *last = sdy_axis_joined(*last, axis, mesh);
    return true;
}

void sdy_axes_sort(sdy_axes *list, ir_attr mesh)
{
    size_t n = list->n;
    for (size_t i = 1; i < n; i++) {
        ir_attr axis = list->at[i];
        size_t k = i;
        for (; k > 0 && sdy_compare_axes(mesh, list->at[k - 1], axis) > 0; k--)
            list->at[k] = list->at[k - 1];
        list->at[k] = axis;
    }
    list->n = 0;
    for (size_t i = 0; i < n; i++)
        sdy_axes_add_joined(list, list->at[i], mesh);
}

bool sdy_axes_equal(const sdy_axes *list, ir_attr axes)
{
    if (list->n != sdy_length(axes))
        return false;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] != axes->items[i])
            return false;
    return true;
}

bool sdy_axes_any_overlap(ir_attr axes, ir_attr axis)
{
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        if (sdy_axes_overlap(axes->items[i], axis))
            return true;
    return false;
}

ir_attr sdy_axes_array(ir_context *ctx, const sdy_axes *list)
{
    return ir_array_attr(ctx, list->at, list->n);
}
