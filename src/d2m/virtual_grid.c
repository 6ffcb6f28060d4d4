/* virtual_grid.c: maps between device shapes, between virtual grids and cores. */
#include "d2m/metal_layout.h"
#include "ttir/ttir.h"

#include <math.h>

/* ---- maps --------------------------------------------------------------------------- */

ir_affine_map d2m_compose(ir_context *ctx, ir_affine_map outer, ir_affine_map inner)
{
    ir_affine results[2 * D2M_MAX_RANK];
    uint32_t n = TW_MIN(outer->n_results, (uint32_t)TW_COUNT(results));
    for (uint32_t i = 0; i < n; i++)
        results[i] = ir_affine_replace(ctx, outer->results[i], inner->results, NULL);
    return ir_affine_map_get(ctx, inner->n_dims, 0, results, n);
}

/* Position k of a device shape's dimensions from the innermost outwards: the last shard
 * dimension, the last grid dimension, the one before in the shard, ... */
static uint32_t inner_to_outer(uint32_t rank, uint32_t k)
{
    uint32_t i = rank - 1 - k;
    return i % 2 * (rank / 2) + i / 2;
}

static ir_affine times(ir_context *ctx, ir_affine e, int64_t factor)
{
    return ir_affine_binary(ctx, IR_AFFINE_MUL, e, ir_affine_constant(ctx, factor));
}

ir_affine_map d2m_reblock_map(ir_context *ctx, const d2m_shape *input,
                              const d2m_shape *output)
{
    ir_affine results[2 * D2M_MAX_RANK], flat = ir_affine_constant(ctx, 0);
    int64_t stride = 1;
    if (d2m_volume(input) != d2m_volume(output) || d2m_volume(input) == TW_PRODUCT_MAX ||
        input->n % 2 || output->n % 2)
        return NULL;
    if (d2m_shape_equal(input, output))
        return ir_affine_identity(ctx, input->n);
    for (uint32_t k = 0; k < output->n; k++) {
        uint32_t i = inner_to_outer(output->n, k);
        if (output->at[i] <= 1)
            continue;
        flat = ir_affine_binary(ctx, IR_AFFINE_ADD,
                                times(ctx, ir_affine_dim(ctx, i), stride), flat);
        stride *= output->at[i];
    }
    ir_affine d0 = ir_affine_dim(ctx, 0);
    stride = 1;
    for (uint32_t k = 0; k < input->n; k++) {
        uint32_t i = inner_to_outer(input->n, k);
        ir_affine e =
            ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, d0, ir_affine_constant(ctx, stride));
        if (i != 0 || input->at[i] == 1)
            e = ir_affine_binary(ctx, IR_AFFINE_MOD, e,
                                 ir_affine_constant(ctx, input->at[i]));
        results[i] = ir_affine_replace(ctx, e, &flat, NULL);
        stride *= input->at[i];
    }
    return ir_affine_map_get(ctx, output->n, 0, results, input->n);
}

bool d2m_map_shape(ir_affine_map map, const d2m_shape *shape, d2m_shape *out)
{
    int64_t last[D2M_MAX_RANK], first[D2M_MAX_RANK] = {0}, start;
    if (map->n_dims != shape->n || map->n_symbols || map->n_results > D2M_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < shape->n; i++)
        last[i] = shape->at[i] - 1;
    *out = (d2m_shape){.n = map->n_results};
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (!ir_affine_eval(map->results[i], last, NULL, &out->at[i]) ||
            !ir_affine_eval(map->results[i], first, NULL, &start))
            return false;
        out->at[i] += 1 - start;
    }
    return true;
}

ir_affine_map d2m_map_within(ir_context *ctx, ir_affine_map map, const d2m_shape *from,
                             const d2m_shape *to)
{
    ir_affine results[D2M_MAX_RANK];
    int64_t last[D2M_MAX_RANK], end;
    if (map->n_dims != from->n || map->n_symbols || map->n_results != to->n)
        return map;
    for (uint32_t i = 0; i < from->n; i++)
        last[i] = from->at[i] - 1;
    for (uint32_t i = 0; i < to->n; i++) {
        results[i] = map->results[i];
        if (to->at[i] > 0 && ir_affine_eval(results[i], last, NULL, &end) &&
            end >= to->at[i])
            results[i] = ir_affine_binary(ctx, IR_AFFINE_MOD, results[i],
                                          ir_affine_constant(ctx, to->at[i]));
    }
    return ir_affine_map_get(ctx, map->n_dims, 0, results, map->n_results);
}

bool d2m_derive_factors(const ir_affine_map *maps, const d2m_shape *grids, size_t n,
                        const d2m_shape *grid, d2m_shape *out)
{
    uint32_t dims = n ? maps[0]->n_dims : 0;
    bool known[D2M_MAX_RANK] = {false};
    if (!n || dims > D2M_MAX_RANK)
        return false;
    *out = (d2m_shape){.n = dims};
    for (uint32_t d = 0; d < dims; d++)
        out->at[d] = 1;
    for (size_t k = n; k-- > 0;)
        for (uint32_t i = 0; i < TW_MIN(maps[k]->n_results, grids[k].n); i++) {
            ir_affine e = maps[k]->results[i];
            if (e->kind != IR_AFFINE_DIM || e->value >= dims || known[e->value])
                continue;
            bool of_output = k == n - 1 && i < grid->n;
            if (of_output && (grid->at[i] <= 0 || grids[k].at[i] % grid->at[i] != 0))
                return false;
            known[e->value] = true;
            out->at[e->value] = of_output ? grids[k].at[i] / grid->at[i] : grids[k].at[i];
        }
    return true;
}

/* ---- virtual grids ------------------------------------------------------------------ */

bool d2m_needs_virtual_grid(const d2m_shape *grid, const int64_t device[2])
{
    return grid->n != 2 || grid->at[0] > device[0] || grid->at[1] > device[1];
}

bool d2m_physical_grid(int64_t volume, const int64_t device[2], int64_t out[2])
{
    if (volume <= 0 || device[0] <= 0 || device[1] <= 0 || device[0] > 1 << 15 ||
        device[1] > 1 << 15 || volume > device[0] * device[1])
        return false;
    for (int64_t i = (int64_t)sqrt((double)volume); i > 0; i--) {
        int64_t other = volume / i;
        if (volume % i != 0)
            continue;
        bool flat = i <= device[0] && other <= device[1];
        if (flat || (other <= device[0] && i <= device[1])) {
            out[0] = flat ? i : other;
            out[1] = flat ? other : i;
            return true;
        }
    }
    return false;
}

/* The row-major index of a point of the shape. */
static ir_affine flattened(ir_context *ctx, const int64_t *shape, uint32_t n)
{
    ir_affine flat = ir_affine_dim(ctx, n - 1);
    int64_t stride = shape[n - 1];
    for (uint32_t i = n - 1; i-- > 0;) {
        flat = ir_affine_binary(ctx, IR_AFFINE_ADD, flat,
                                times(ctx, ir_affine_dim(ctx, i), stride));
        stride *= shape[i];
    }
    return flat;
}

/* The point of the shape with that row-major index. */
static void unflattened(ir_context *ctx, ir_affine flat, const int64_t *shape, uint32_t n,
                        ir_affine *out)
{
    int64_t stride = 1;
    ir_affine d0 = ir_affine_dim(ctx, 0);
    for (uint32_t i = n; i-- > 0;) {
        ir_affine e =
            ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, d0, ir_affine_constant(ctx, stride));
        e = ir_affine_binary(ctx, IR_AFFINE_MOD, e, ir_affine_constant(ctx, shape[i]));
        out[i] = ir_affine_replace(ctx, e, &flat, NULL);
        stride *= shape[i];
    }
}

d2m_virtual_grid d2m_virtual_maps(ir_context *ctx, const d2m_shape *grid,
                                  const int64_t physical[2])
{
    ir_affine results[2 + D2M_MAX_RANK];
    uint32_t n = grid->n;
    int64_t volume = d2m_volume(grid);
    if (n == 0 || volume <= 0 || volume == TW_PRODUCT_MAX || physical[0] <= 0 ||
        physical[1] <= 0)
        return (d2m_virtual_grid){0};
    unflattened(ctx, flattened(ctx, grid->at, n), physical, 2, results);
    for (uint32_t i = 0; i < n; i++)
        results[2 + i] = ir_affine_dim(ctx, n + i);
    ir_affine_map forward = ir_affine_map_get(ctx, 2 * n, 0, results, 2 + n);
    results[0] = ir_affine_constant(ctx, 0);
    unflattened(ctx, flattened(ctx, physical, 2), grid->at, n, results + 1);
    return (d2m_virtual_grid){forward, ir_affine_map_get(ctx, 2, 0, results, 1 + n)};
}

/* The operand whose buffer this result reuses, or NULL if the result is a new buffer. */
static const ir_value *passed_on(const ir_op *producer, const ir_value *v)
{
    size_t first, n;
    if (producer->def == D2M_OP(to_layout) || producer->def == D2M_OP(to_device))
        return ir_op_operand_named(producer, "output");
    if (producer->def == D2M_OP(view_layout))
        return ir_op_operand(producer, 0);
    if ((producer->def == D2M_OP(generic) || producer->def == D2M_OP(spatial)) &&
        ir_op_operand_group(producer, 1, &first, &n) && v->index < n)
        return ir_op_operand(producer, first + v->index);
    return NULL;
}

/* The names of both maps on an operation of that kind. */
static const char *const *map_names(const ir_op_def *def)
{
    static const char *const names[][2] = {
        {"virtualGridForwardMapping", "virtualGridInverseMapping"},
        {"virtual_grid_forward_mapping", "virtual_grid_inverse_mapping"},
        {"d2m.virtualGridForwardMapping", "d2m.virtualGridInverseMapping"},
    };
    return names[def == D2M_OP(empty) ? 0 : def == TTIR_OP(ttnn_metal_layout_cast) ? 1 : 2];
}

static ir_affine_map map_attr(const ir_op *op, const char *name)
{
    ir_attr map = ir_op_attr(op, name);
    return ir_attr_is(map, IR_ATTR_AFFINE_MAP) ? map->map : NULL;
}

/* The value that was allocated, which views and copies into it pass on; NULL if it is an
 * argument. */
static const ir_value *allocation_of(const ir_value *v)
{
    const ir_op *producer;
    /* In a region without order results may be each other's operands. */
    for (int steps = 0; steps < 10000 && (producer = ir_value_def(v)); steps++) {
        const ir_value *from = passed_on(producer, v);
        if (!from)
            return v;
        v = from;
    }
    return NULL;
}

d2m_virtual_grid d2m_virtual_grid_of(const ir_value *v)
{
    const ir_value *allocated = allocation_of(v);
    const ir_op *producer = allocated ? ir_value_def(allocated) : NULL;
    if (!producer)
        return (d2m_virtual_grid){0};
    const char *const *names = map_names(producer->def);
    return (d2m_virtual_grid){map_attr(producer, names[0]), map_attr(producer, names[1])};
}

/* False for a view with fewer cores than the maps of its memory are for. */
static bool has_all_cores(const ir_value *output, const d2m_shape *grid)
{
    const ir_value *allocated = allocation_of(output);
    d2m_shape own;
    if (!allocated || !ir_type_is_shaped(allocated->type) || allocated->type->count % 2)
        return true;
    d2m_half_of(allocated->type, false, &own);
    return d2m_volume(&own) == d2m_volume(grid);
}

/* The forward map on the grid alone, with the device in front; NULL if the maps are for
 * another grid. */
static ir_affine_map on_grid(ir_context *ctx, const d2m_shape *grid, d2m_virtual_grid maps)
{
    uint32_t n = grid->n;
    ir_affine_map forward = maps.forward;
    ir_affine zero = ir_affine_constant(ctx, 0), no_shard[2 * D2M_MAX_RANK];
    d2m_shape cores;
    if (!forward || !maps.inverse || n == 0 || forward->n_dims != 2 * n ||
        forward->n_results != n + 2 || maps.inverse->n_dims != 2 ||
        maps.inverse->n_results != n + 1)
        return NULL;
    for (uint32_t i = 0; i < 2 * n; i++)
        no_shard[i] = i < n ? NULL : zero;
    ir_affine results[] = {zero,
                           ir_affine_replace(ctx, forward->results[0], no_shard, NULL),
                           ir_affine_replace(ctx, forward->results[1], no_shard, NULL)};
    ir_affine_map map = ir_affine_map_get(ctx, n, 0, results, 3);
    if (!d2m_map_shape(map, grid, &cores) || d2m_volume(&cores) != d2m_volume(grid))
        return NULL;
    return map;
}

static ir_attr grid_with(ir_context *ctx, const d2m_shape *grid, ir_affine_map forward,
                         ir_affine_map inverse)
{
    ir_attr dims[D2M_MAX_RANK];
    ir_affine_map none = ir_affine_map_get(ctx, 0, 0, NULL, 0);
    for (uint32_t i = 0; i < grid->n; i++)
        dims[i] = ir_raw_int(ctx, grid->at[i]);
    ir_attr params[] = {ir_array_attr(ctx, dims, grid->n),
                        ir_affine_map_attr(ctx, forward ? forward : none),
                        ir_affine_map_attr(ctx, inverse ? inverse : none)};
    return ir_dialect_attr(ctx, TTCORE_ATTR(grid), params, TW_COUNT(params));
}

ir_attr d2m_grid_attr(ir_context *ctx, const d2m_shape *grid, d2m_virtual_grid maps)
{
    ir_affine_map forward = on_grid(ctx, grid, maps);
    return grid_with(ctx, grid, forward, forward ? maps.inverse : NULL);
}

/* The grid of a view that permutes the two dimensions of a grid. */
static ir_attr permuted_grid(const ir_value *output, const d2m_shape *grid)
{
    ir_context *ctx = output->type->ctx;
    const ir_op *view = ir_value_def(output);
    ir_attr remapping =
        ir_op_is(view, D2M_OP(view_layout)) ? ir_op_attr(view, "remapping") : NULL;
    if (!ir_attr_is(remapping, IR_ATTR_AFFINE_MAP) || grid->n != 2)
        return NULL;
    ir_affine_map map = remapping->map;
    if (map->n_dims != 4 || map->n_results != 4 || ir_affine_map_is_identity(map) ||
        !ir_affine_map_is_permutation(map) || map->results[0]->value > 1 ||
        map->results[1]->value > 1)
        return NULL;
    /* A permutation of two dimensions is its own inverse. */
    ir_affine results[] = {ir_affine_constant(ctx, 0), map->results[0], map->results[1]};
    ir_affine_map both = ir_affine_map_get(ctx, 2, 0, results, 3);
    return grid_with(ctx, grid, both, both);
}

ir_attr d2m_grid_for_shape(const ir_value *output, const d2m_shape *grid)
{
    ir_context *ctx = output->type->ctx;
    if (output->type->kind != IR_TYPE_TENSOR ||
        !d2m_is_metal_layout(output->type->encoding))
        return grid_with(ctx, grid, NULL, NULL);
    d2m_virtual_grid maps = {0};
    if (has_all_cores(output, grid))
        maps = d2m_virtual_grid_of(output);
    ir_attr permuted = on_grid(ctx, grid, maps) ? NULL : permuted_grid(output, grid);
    return permuted ? permuted : d2m_grid_attr(ctx, grid, maps);
}

ir_attr d2m_grid_for_output(const ir_value *output)
{
    d2m_shape grid;
    d2m_half_of(output->type, false, &grid);
    return d2m_grid_for_shape(output, &grid);
}

static ir_attr optional_map(ir_context *ctx, ir_affine_map map)
{
    return map ? ir_affine_map_attr(ctx, map) : NULL;
}

ir_value *d2m_build_empty(ir_builder *b, ir_type tensor, d2m_virtual_grid maps)
{
    return ir_build1(
        b, D2M_OP(empty), tensor, NULL, 0,
        IR_ATTRS({"virtualGridInverseMapping", optional_map(b->ctx, maps.inverse)},
                 {"virtualGridForwardMapping", optional_map(b->ctx, maps.forward)}));
}
