/* layout_map.c: the map between two layouts by way of the elements that the user sees. */
#include "d2m/passes/layout_plan.h"

static ir_affine with(ir_context *ctx, ir_affine_kind kind, ir_affine e, int64_t value)
{
    return ir_affine_binary(ctx, kind, e, ir_affine_constant(ctx, value));
}

/* Strides of the dimensions of an interval in its aligned size; false on overflow. */
static bool interval_strides(const d2m_layout *l, const int64_t interval[2],
                             int64_t *strides)
{
    for (int64_t d = interval[1] - 1; d >= interval[0]; d--) {
        const int64_t inner[] = {d + 1, interval[1]};
        strides[d] = d + 1 == interval[1] ? 1 : d2m_interval_size(l, inner);
        if (strides[d] <= 0)
            return false;
    }
    return true;
}

/* The user's dimensions of an interval from its index on the device. */
static void take_apart(ir_context *ctx, const d2m_layout *l, const int64_t interval[2],
                       const int64_t *strides, ir_affine index, ir_affine *out)
{
    for (int64_t d = interval[0]; d < interval[1]; d++) {
        const int64_t own[] = {d, d + 1};
        ir_affine e = index;
        if (interval[1] - interval[0] == 1) {
            out[d] = index;
            return;
        }
        if (d + 1 == interval[1])
            e = with(ctx, IR_AFFINE_MOD, e, d2m_interval_size(l, own));
        else
            e = with(ctx, IR_AFFINE_FLOORDIV, e, strides[d]);
        if (d > interval[0] && d + 1 < interval[1])
            e = with(ctx, IR_AFFINE_MOD, e, strides[d - 1] / strides[d]);
        out[d] = e;
    }
}

/* The user's dimensions from device coordinates (grid ++ shard); `last`: the largest value
 * of each, which padding makes larger than what the user sees. */
static bool to_logical(ir_context *ctx, const d2m_layout *l, const d2m_shape *physical,
                       const d2m_shape *grid, const d2m_intervals *intervals,
                       ir_affine *out, int64_t *last)
{
    int64_t strides[D2M_MAX_RANK];
    for (uint32_t i = 0; i < intervals->n; i++) {
        ir_affine index = ir_affine_binary(
            ctx, IR_AFFINE_ADD,
            with(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, i), physical->at[i] / grid->at[i]),
            ir_affine_dim(ctx, grid->n + i));
        if (!interval_strides(l, intervals->at[i], strides))
            return false;
        take_apart(ctx, l, intervals->at[i], strides, index, out);
        int64_t size = physical->at[i];
        for (int64_t d = intervals->at[i][0]; d < intervals->at[i][1]; d++) {
            last[d] = (size - 1) / strides[d];
            size = strides[d];
        }
    }
    return true;
}

/* Device coordinates from the user's dimensions. Padding of the other layout that lies
 * behind the end wraps around: every element of a view has to be read somewhere. */
static bool to_device(ir_context *ctx, const d2m_layout *l, const d2m_shape *physical,
                      const d2m_shape *grid, const d2m_intervals *intervals,
                      const int64_t *last, ir_affine *out)
{
    int64_t strides[D2M_MAX_RANK];
    for (uint32_t i = 0; i < intervals->n; i++) {
        const int64_t *interval = intervals->at[i];
        ir_affine index = ir_affine_constant(ctx, 0);
        int64_t end = 0, part;
        if (!interval_strides(l, interval, strides))
            return false;
        for (int64_t d = interval[1] - 1; d >= interval[0]; d--) {
            index = ir_affine_binary(
                ctx, IR_AFFINE_ADD,
                with(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, d), strides[d]), index);
            if (__builtin_mul_overflow(last[d], strides[d], &part) ||
                __builtin_add_overflow(end, part, &end))
                return false;
        }
        if (end >= physical->at[i])
            index = with(ctx, IR_AFFINE_MOD, index, physical->at[i]);
        int64_t shard = physical->at[i] / grid->at[i];
        out[i] = with(ctx, IR_AFFINE_FLOORDIV, index, shard);
        out[grid->n + i] = with(ctx, IR_AFFINE_MOD, index, shard);
    }
    return true;
}

/* A layout with what follows from it; false if its grid does not divide. */
typedef struct described {
    d2m_layout layout;
    d2m_shape physical, grid;
    d2m_intervals intervals;
} described;

static bool describe(ir_type t, described *out)
{
    if (!d2m_layout_of(t, &out->layout) ||
        !d2m_physical_shape(&out->layout, false, &out->physical))
        return false;
    d2m_half_of(t, false, &out->grid);
    d2m_layout_intervals(&out->layout, &out->intervals);
    if (out->grid.n != out->physical.n || out->intervals.n != out->grid.n)
        return false;
    for (uint32_t i = 0; i < out->grid.n; i++)
        if (out->grid.at[i] <= 0 || out->physical.at[i] % out->grid.at[i] != 0 ||
            out->physical.at[i] <= 0)
            return false;
    return true;
}

ir_affine_map d2m_layout_map(ir_type from, ir_type to)
{
    ir_context *ctx = from->ctx;
    described a, b;
    ir_affine logical[D2M_MAX_RANK], results[2 * D2M_MAX_RANK];
    int64_t last[D2M_MAX_RANK];
    if (!describe(from, &a) || !describe(to, &b) ||
        !d2m_shape_equal(&a.layout.logical, &b.layout.logical) ||
        d2m_is_tiled(from) != d2m_is_tiled(to) ||
        !to_logical(ctx, &b.layout, &b.physical, &b.grid, &b.intervals, logical, last) ||
        !to_device(ctx, &a.layout, &a.physical, &a.grid, &a.intervals, last, results))
        return NULL;
    for (uint32_t i = 0; i < from->count; i++) {
        ir_affine e = ir_affine_simplify(ctx, results[i], a.layout.logical.n, 0);
        e = ir_affine_replace(ctx, e, logical, NULL);
        results[i] = ir_affine_simplify(ctx, e, to->count, 0);
    }
    return ir_affine_map_get(ctx, to->count, 0, results, from->count);
}
