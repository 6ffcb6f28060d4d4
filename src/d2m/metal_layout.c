/* metal_layout.c: layouts of device tensors: intervals, alignments, shapes, buffers. */
#include "d2m/metal_layout.h"

#include "ttcore/ttcore_tile.h"

/* ---- arithmetic that reports overflow as -1 ----------------------------------------- */

static int64_t times(int64_t a, int64_t b)
{
    int64_t out;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &out) ? -1 : out;
}

static int64_t align_up(int64_t n, int64_t to)
{
    int64_t out;
    if (n < 0 || to <= 0 || __builtin_add_overflow(n, to - 1, &out))
        return -1;
    return out / to * to;
}

int64_t d2m_volume(const d2m_shape *shape)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < shape->n; i++)
        n = tw_saturating_product(n, shape->at[i]);
    return n;
}

bool d2m_shape_equal(const d2m_shape *a, const d2m_shape *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

bool d2m_shape_of(ir_type type, d2m_shape *out)
{
    if (!ir_type_is_ranked(type) || type->count > D2M_MAX_RANK)
        return false;
    *out = (d2m_shape){.n = type->count};
    for (uint32_t i = 0; i < type->count; i++) {
        if (type->dims[i] < 0)
            return false;
        out->at[i] = type->dims[i];
    }
    return true;
}

int64_t d2m_element_bytes(ir_type element)
{
    return ttcore_is_tile(element) ? ttcore_tile_bytes(element)
                                   : ttcore_scalar_bytes(element);
}

/* ---- layouts ------------------------------------------------------------------------ */

bool d2m_is_metal_layout(ir_attr encoding)
{
    return ir_attr_is(encoding, IR_ATTR_DIALECT) &&
           encoding->def == TTCORE_ATTR(metal_layout);
}

bool d2m_layout_of(ir_type tensor, d2m_layout *out)
{
    if (!ir_type_is_tensor(tensor) || !d2m_is_metal_layout(tensor->encoding))
        return false;
    ir_attr layout = tensor->encoding;
    *out = (d2m_layout){
        .intervals = ir_attr_param(layout, "collapsed_intervals"),
        .space = ir_attr_int(ir_attr_param(layout, "memory_space"), 0),
        .memory = ir_attr_int(ir_attr_param(layout, "memory_layout"), 0),
    };
    int64_t rank =
        ir_attr_ints(ir_attr_param(layout, "logical_shape"), out->logical.at, D2M_MAX_RANK);
    int64_t n =
        ir_attr_ints(ir_attr_param(layout, "dim_alignments"), out->align.at, D2M_MAX_RANK);
    out->logical.n = out->align.n = (uint32_t)rank;
    return rank >= 0 && rank == n && rank <= D2M_MAX_RANK;
}

static ir_attr int_list(ir_context *ctx, const d2m_shape *s)
{
    ir_attr items[D2M_MAX_RANK];
    for (uint32_t i = 0; i < s->n; i++)
        items[i] = ir_raw_int(ctx, s->at[i]);
    return ir_array_attr(ctx, items, s->n);
}

ir_attr d2m_layout_attr(ir_context *ctx, const d2m_layout *l)
{
    ir_attr params[] = {int_list(ctx, &l->logical), int_list(ctx, &l->align), l->intervals,
                        ir_raw_int(ctx, l->space), ir_raw_int(ctx, l->memory)};
    return ir_dialect_attr(ctx, TTCORE_ATTR(metal_layout), params, TW_COUNT(params));
}

static ir_attr pairs(ir_context *ctx, const int64_t *values, int64_t count)
{
    int64_t dims[] = {count, 2};
    ir_type type = ir_tensor_type(ir_integer_type(ctx, 64, IR_SIGNLESS), dims, 2, NULL);
    return ir_dense_i64(type, values, (size_t)count * 2);
}

ir_attr d2m_no_intervals(ir_context *ctx)
{
    return pairs(ctx, NULL, 0);
}

ir_attr d2m_default_intervals(ir_context *ctx, uint32_t rank)
{
    if (rank == 0)
        return d2m_no_intervals(ctx);
    int64_t values[] = {0, (int64_t)rank - 1, (int64_t)rank - 1, rank};
    return pairs(ctx, values, 2);
}

void d2m_layout_intervals(const d2m_layout *l, d2m_intervals *out)
{
    int64_t flat[2 * D2M_MAX_RANK], rank = l->logical.n, covered = 0;
    int64_t n = ir_attr_ints(l->intervals, flat, TW_COUNT(flat)) / 2;
    *out = (d2m_intervals){0};
    for (int64_t i = 0; i < TW_MIN(n, (int64_t)D2M_MAX_RANK); i++) {
        int64_t pair[2];
        for (int k = 0; k < 2; k++)
            pair[k] = flat[2 * i + k] + (flat[2 * i + k] < 0 ? rank : 0);
        uint32_t at = out->n++;
        for (; at && out->at[at - 1][0] > pair[0]; at--)
            memcpy(out->at[at], out->at[at - 1], sizeof pair);
        memcpy(out->at[at], pair, sizeof pair);
        covered = TW_MAX(covered, pair[1]);
    }
    for (; covered < rank && out->n < D2M_MAX_RANK; covered++) {
        out->at[out->n][0] = covered;
        out->at[out->n++][1] = covered + 1;
    }
    if (rank == 1 && out->n == 1) {
        memcpy(out->at[1], out->at[0], sizeof out->at[0]);
        memset(out->at[0], 0, sizeof out->at[0]);
        out->n = 2;
    }
}

void d2m_align_to_tiles(d2m_layout *l)
{
    d2m_intervals intervals;
    l->align.n = l->logical.n;
    for (uint32_t i = 0; i < l->align.n; i++)
        l->align.at[i] = 1;
    if (l->logical.n == 1)
        l->align.at[0] = D2M_TILE;
    if (l->logical.n < 2)
        return;
    d2m_layout_intervals(l, &intervals);
    for (uint32_t k = 1; k <= TW_MIN(2U, intervals.n); k++) {
        int64_t end = intervals.at[intervals.n - k][1];
        if (end >= 1 && end <= l->align.n)
            l->align.at[end - 1] = D2M_TILE;
    }
}

/* The size of an interval with the last two dimensions of the tensor in whole tiles. */
static int64_t size_in_tiles(const d2m_layout *l, const int64_t interval[2])
{
    int64_t size = 1;
    for (int64_t i = interval[0]; i < interval[1]; i++)
        size = times(size, i >= (int64_t)l->logical.n - 2
                               ? align_up(l->logical.at[i], D2M_TILE)
                               : l->logical.at[i]);
    return size;
}

void d2m_align_to_grid(d2m_layout *l, const int64_t grid[2])
{
    d2m_intervals intervals;
    d2m_align_to_tiles(l);
    if (l->logical.n == 1) {
        int64_t whole = times(grid[1], D2M_TILE);
        if (align_up(l->logical.at[0], D2M_TILE) > whole && whole > 0)
            l->align.at[0] = whole;
        return;
    }
    if (l->logical.n < 2)
        return;
    d2m_layout_intervals(l, &intervals);
    for (uint32_t k = 1; k <= TW_MIN(2U, intervals.n); k++) {
        const int64_t *interval = intervals.at[intervals.n - k];
        int64_t whole = times(grid[2 - k], D2M_TILE);
        if (interval[0] >= interval[1] || interval[1] > l->align.n || whole <= 0 ||
            size_in_tiles(l, interval) <= whole)
            continue;
        l->align.at[interval[0]] = whole; /* the first dimension, which may be the last */
    }
}

d2m_layout d2m_layout_make(ir_context *ctx, const d2m_shape *logical, int64_t space,
                           int64_t memory, bool collapse)
{
    d2m_layout l = {.logical = *logical,
                    .intervals = collapse ? d2m_default_intervals(ctx, logical->n)
                                          : d2m_no_intervals(ctx),
                    .space = space,
                    .memory = memory};
    d2m_align_to_tiles(&l);
    return l;
}

int64_t d2m_interval_size(const d2m_layout *l, const int64_t interval[2])
{
    if (interval[0] < 0 || interval[0] >= interval[1] || interval[1] > l->logical.n)
        return interval[0] == interval[1] ? 1 : -1;
    int64_t size = 1;
    for (int64_t i = interval[1] - 1; i >= interval[0]; i--)
        size = align_up(times(l->logical.at[i], size), l->align.at[i]);
    return size;
}

/* ---- shapes ------------------------------------------------------------------------- */

bool d2m_physical_shape(const d2m_layout *l, bool tiled, d2m_shape *out)
{
    d2m_intervals intervals;
    *out = (d2m_shape){0};
    d2m_layout_intervals(l, &intervals);
    for (uint32_t i = 0; i < intervals.n; i++) {
        int64_t size = d2m_interval_size(l, intervals.at[i]);
        if (size < 0)
            return false;
        if (intervals.at[i][0] < intervals.at[i][1])
            out->at[out->n++] = size;
    }
    if (l->logical.n == 0) {
        out->n = 2;
        out->at[0] = out->at[1] = D2M_TILE;
    }
    if (l->logical.n == 1 && out->n == 1) {
        out->n = 2;
        out->at[1] = out->at[0];
        out->at[0] = D2M_TILE;
    }
    if (!tiled)
        return true;
    if (out->n < 2)
        return false;
    for (uint32_t k = out->n - 2; k < out->n; k++) {
        if (out->at[k] % D2M_TILE != 0)
            return false;
        out->at[k] /= D2M_TILE;
    }
    return true;
}

ir_type d2m_device_tensor(ir_type element, const d2m_layout *l, const d2m_shape *grid)
{
    d2m_shape physical;
    int64_t dims[2 * D2M_MAX_RANK];
    if (!d2m_physical_shape(l, ttcore_is_tile(element), &physical) || physical.n != grid->n)
        return NULL;
    for (uint32_t i = 0; i < grid->n; i++) {
        if (grid->at[i] <= 0 || physical.at[i] % grid->at[i] != 0)
            return NULL;
        dims[i] = grid->at[i];
        dims[grid->n + i] = physical.at[i] / grid->at[i];
    }
    return ir_tensor_type(element, dims, 2 * grid->n, d2m_layout_attr(element->ctx, l));
}

d2m_shape d2m_unit_grid(const d2m_layout *l)
{
    d2m_shape grid;
    if (!d2m_physical_shape(l, false, &grid))
        grid.n = 0;
    for (uint32_t i = 0; i < grid.n; i++)
        grid.at[i] = 1;
    return grid;
}

ir_type d2m_shard_tensor(ir_type t)
{
    return ir_tensor_type(t->element, t->dims + t->count / 2, t->count / 2, NULL);
}

/* The layout of a buffer with that shard; a view's does not depend on it. */
static ir_attr relaid(ir_type type, const d2m_shape *shard)
{
    ir_attr layout = type->encoding;
    if (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(shard))
        return d2m_shard_attr(type->element, shard,
                              ir_attr_int(ir_attr_param(layout, "buffers"), 1));
    if (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(interleaved))
        return d2m_interleaved_attr(type->element, shard);
    return layout;
}

ir_type d2m_reblocked(ir_type type, const d2m_shape *grid)
{
    d2m_shape old, shard;
    int64_t dims[2 * D2M_MAX_RANK];
    if (!ir_type_is_ranked(type) || type->count != 2 * grid->n)
        return NULL;
    d2m_half_of(type, false, &old);
    d2m_half_of(type, true, &shard);
    for (uint32_t i = 0; i < grid->n; i++) {
        int64_t whole = times(old.at[i], shard.at[i]);
        if (whole < 0 || grid->at[i] <= 0 || whole % grid->at[i] != 0)
            return NULL;
        dims[i] = grid->at[i];
        dims[grid->n + i] = shard.at[i] = whole / grid->at[i];
    }
    if (d2m_shape_equal(&old, grid))
        return type;
    return type->kind == IR_TYPE_TENSOR
               ? ir_tensor_type(type->element, dims, type->count, type->encoding)
               : ir_memref_type(type->element, dims, type->count, relaid(type, &shard),
                                type->space);
}

bool d2m_host_strides(const d2m_layout *l, d2m_shape *strides, int64_t *volume)
{
    d2m_intervals intervals;
    int64_t outer = 1; /* the stride before the interval */
    *strides = (d2m_shape){.n = l->logical.n};
    d2m_layout_intervals(l, &intervals);
    for (uint32_t i = intervals.n; i-- > 0;) {
        int64_t size = 1, start = intervals.at[i][0], end = intervals.at[i][1];
        if (start < 0 || end > l->logical.n)
            return false;
        for (int64_t d = end - 1; d >= start; d--) {
            strides->at[d] = times(outer, size);
            size = align_up(times(size, l->logical.at[d]), l->align.at[d]);
        }
        outer = times(outer, size);
    }
    *volume = l->logical.n == 1 ? times(outer, D2M_TILE) : outer;
    return *volume >= 0;
}

/* ---- buffers ------------------------------------------------------------------------ */

static d2m_shape row_major(const d2m_shape *shape, int64_t innermost)
{
    d2m_shape strides = {.n = shape->n};
    for (uint32_t i = shape->n; i-- > 0;) {
        strides.at[i] = innermost;
        innermost = times(innermost, shape->at[i]);
    }
    return strides;
}

ir_attr d2m_shard_attr(ir_type element, const d2m_shape *shard, int64_t buffers)
{
    ir_context *ctx = element->ctx;
    d2m_shape strides = row_major(shard, d2m_element_bytes(element));
    ir_attr params[] = {int_list(ctx, &strides), ir_raw_int(ctx, buffers)};
    return ir_dialect_attr(ctx, TTCORE_ATTR(shard), params, 2);
}

ir_attr d2m_interleaved_attr(ir_type element, const d2m_shape *shard)
{
    d2m_shape strides = row_major(shard, d2m_element_bytes(element));
    ir_attr params[] = {int_list(element->ctx, &strides)};
    return ir_dialect_attr(element->ctx, TTCORE_ATTR(interleaved), params, 1);
}

ir_attr d2m_memory_space(ir_context *ctx, int64_t space)
{
    return ir_enum_attr(ctx, TTCORE_ATTR(memory_space), space);
}

static bool is_mesh(ir_attr encoding)
{
    return ir_attr_is(encoding, IR_ATTR_DIALECT) &&
           encoding->def == TTCORE_ATTR(tensor_mesh);
}

/* #ttcore.host_layout of a tensor on the host, NULL if nothing asks for one. */
static ir_attr host_layout(ir_type tensor, ir_attr info)
{
    ir_context *ctx = tensor->ctx;
    ir_attr mesh = is_mesh(tensor->encoding) ? tensor->encoding : NULL;
    d2m_shape shape, strides;
    d2m_layout device;
    int64_t volume;
    if ((!info && !mesh) || !d2m_shape_of(tensor, &shape))
        return NULL;
    strides = row_major(&shape, 1);
    volume = d2m_volume(&shape);
    if (info) {
        ir_type as_device = ir_tensor_type(tensor->element, NULL, 0, info);
        if (!d2m_layout_of(as_device, &device) ||
            !d2m_host_strides(&device, &strides, &volume))
            return NULL;
    }
    ir_attr params[] = {int_list(ctx, &shape), int_list(ctx, &strides),
                        ir_raw_int(ctx, volume), mesh};
    return ir_dialect_attr(ctx, TTCORE_ATTR(host_layout), params, TW_COUNT(params));
}

ir_type d2m_buffer_type(ir_type tensor, bool view, ir_attr host)
{
    d2m_layout l;
    d2m_shape shard;
    if (!d2m_layout_of(tensor, &l))
        return ir_memref_type(tensor->element, tensor->dims, tensor->count,
                              host_layout(tensor, host), NULL);
    ir_attr rank = ir_raw_int(tensor->ctx, tensor->count);
    d2m_half_of(tensor, true, &shard);
    ir_attr layout = view ? ir_dialect_attr(tensor->ctx, TTCORE_ATTR(view), &rank, 1)
                     : l.memory == TTCORE_TensorMemoryLayout_Interleaved
                         ? d2m_interleaved_attr(tensor->element, &shard)
                         : d2m_shard_attr(tensor->element, &shard, 1);
    return ir_memref_type(tensor->element, tensor->dims, tensor->count, layout,
                          d2m_memory_space(tensor->ctx, l.space));
}
