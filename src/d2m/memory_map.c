/* memory_map.c: where the elements of buffers are. */
#include "d2m/memory_map.h"

#include "d2m/allocation/buffer_memory.h"
#include "d2m/d2m.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "support/number.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

/* ---- views */

bool d2m_behind_views(ir_value *v, ir_value **out_base, ir_affine_map *out_map)
{
    ir_context *ctx = v->type->ctx;
    ir_affine_map map = ir_affine_identity(ctx, v->type->count);
    for (ir_op *def; (def = ir_value_def(v)) != NULL; v = ir_op_operand(def, 0)) {
        if (def->def == D2M_OP(composite_view))
            return false;
        if (def->def != D2M_OP(view_layout))
            break;
        ir_affine_map view = ir_op_attr(def, "remapping")->map;
        if (view->n_results != ir_op_operand(def, 0)->type->count || view->n_symbols)
            return false;
        map = d2m_compose(ctx, view, map);
    }
    *out_base = v;
    *out_map = map;
    return true;
}

/* ---- device memory */

static ir_affine times(ir_context *ctx, ir_affine e, int64_t factor)
{
    return ir_affine_binary(ctx, IR_AFFINE_MUL, e, ir_affine_constant(ctx, factor));
}

/* Grid dimensions as they are, then the byte in the shard. */
static ir_affine_map strided_map(ir_context *ctx, uint32_t n_grid, ir_attr strides)
{
    ir_affine results[D2M_MAX_RANK + 1], byte = ir_affine_constant(ctx, 0);
    int64_t at[D2M_MAX_RANK];
    int64_t n = ir_attr_ints(strides, at, D2M_MAX_RANK);
    if (n < 0 || n > D2M_MAX_RANK || n_grid > D2M_MAX_RANK)
        return NULL;
    for (uint32_t i = 0; i < n_grid; i++)
        results[i] = ir_affine_dim(ctx, i);
    for (int64_t i = n; i-- > 0;)
        byte = ir_affine_binary(ctx, IR_AFFINE_ADD,
                                times(ctx, ir_affine_dim(ctx, n_grid + i), at[i]), byte);
    results[n_grid] = byte;
    return ir_affine_map_get(ctx, n_grid + (uint32_t)n, 0, results, n_grid + 1);
}

static ir_affine_map with_symbols(ir_context *ctx, ir_affine_map map, const int64_t *values,
                                  size_t n)
{
    ir_affine symbols[16], results[8];
    if (map->n_symbols != n || n > TW_COUNT(symbols) || map->n_results > TW_COUNT(results))
        return NULL;
    for (size_t i = 0; i < n; i++)
        symbols[i] = ir_affine_constant(ctx, values[i]);
    for (uint32_t i = 0; i < map->n_results; i++)
        results[i] = ir_affine_replace(ctx, map->results[i], NULL, symbols);
    return ir_affine_map_get(ctx, map->n_dims, 0, results, map->n_results);
}

/* Leading dimensions are collapsed into the first of two. */
static void to_two(const int64_t *dims, uint32_t n, int64_t out[2])
{
    out[0] = 1;
    out[1] = n ? dims[n - 1] : 1;
    for (uint32_t i = 0; i + 1 < n; i++)
        out[0] *= dims[i];
}

/* The maps of a virtual grid; without one, of the rectangle that a grid of this shape has.
 */
static ir_affine_map forward_map(ir_op *at, ir_value *base, const d2m_shape *grid)
{
    int64_t device[2], physical[2];
    ir_affine_map map = d2m_virtual_grid_of(base).forward;
    if (map && map->n_results)
        return map;
    if (!ttnn_device_grid(at, false, device) || !d2m_needs_virtual_grid(grid, device) ||
        !d2m_physical_grid(d2m_volume(grid), device, physical))
        return NULL;
    return d2m_virtual_maps(at->ctx, grid, physical).forward;
}

/* A forward map keeps two grid dimensions: the strided map loses the others. */
static ir_affine_map two_dimensional(ir_context *ctx, ir_affine_map map, uint32_t n_grid)
{
    ir_affine shifted[2 * D2M_MAX_RANK], results[4];
    uint32_t lost = n_grid - 2;
    if (n_grid < 2 || map->n_results != n_grid + 1)
        return map;
    for (uint32_t i = 0; i < map->n_dims; i++)
        shifted[i] = ir_affine_dim(ctx, i < lost ? 0 : i - lost);
    for (uint32_t i = 0; i < 3; i++)
        results[i] = ir_affine_replace(ctx, map->results[lost + i], shifted, NULL);
    return ir_affine_map_get(ctx, map->n_dims - lost, 0, results, 3);
}

static ir_affine_map dram_map(ir_op *at, ir_attr device, ir_type type,
                              ir_affine_map forward, bool sharded)
{
    int64_t symbols[16], n = 0, point[D2M_MAX_RANK], shape[D2M_MAX_RANK];
    uint32_t n_grid = type->count / 2;
    int64_t element = d2m_element_bytes(type->element);
    int64_t page = d2m_buffer_bytes(type, TTCORE_MemorySpace_DeviceDRAM);
    memcpy(shape, type->dims, type->count * sizeof *shape);
    if (sharded && forward) {
        for (uint32_t i = 0; i < type->count; i++)
            point[i] = type->dims[i] - 1;
        if (forward->n_dims != type->count || forward->n_results > D2M_MAX_RANK)
            return NULL;
        for (uint32_t i = 0; i < forward->n_results; i++) {
            if (!ir_affine_eval(forward->results[i], point, NULL, &shape[i]))
                return NULL;
            shape[i]++;
        }
        n_grid = 2;
    }
    uint32_t n_shape = sharded && forward ? forward->n_results : type->count;
    to_two(shape, n_grid, symbols);
    to_two(shape + n_grid, n_shape - n_grid, symbols + 2);
    n = 4;
    if (!sharded) {
        int64_t strides[D2M_MAX_RANK];
        bool rows = ir_attr_ints(ir_attr_param(type->encoding, "stride"), strides,
                                 D2M_MAX_RANK) > 0;
        page = ttcore_is_tile(type->element) || !rows ? element : strides[0];
    }
    symbols[n++] = page;
    symbols[n++] = 0;
    symbols[n++] = element;
    ir_attr map = ir_attr_param(device, "dramMap");
    return ir_attr_is(map, IR_ATTR_AFFINE_MAP) && page > 0
               ? with_symbols(at->ctx, map->map, symbols, (size_t)n)
               : NULL;
}

ir_affine_map d2m_remote_map(ir_op *at, ir_value *memref)
{
    ir_context *ctx = at->ctx;
    ir_value *base;
    ir_affine_map view, forward = NULL, space_map = NULL;
    ir_attr device = ttnn_device_of(at);
    if (!device || !d2m_behind_views(memref, &base, &view))
        return NULL;
    ir_type type = base->type;
    bool sharded = ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
                   type->encoding->def == TTCORE_ATTR(shard);
    bool interleaved = ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
                       type->encoding->def == TTCORE_ATTR(interleaved);
    if (type->kind != IR_TYPE_MEMREF || type->count % 2 || type->count > D2M_MAX_RANK ||
        (!sharded && !interleaved))
        return NULL;
    d2m_shape grid;
    uint32_t n_grid = type->count / 2;
    d2m_half_of(type, false, &grid);
    ir_affine_map map = strided_map(ctx, n_grid, ir_attr_param(type->encoding, "stride"));
    if (!map || map->n_dims != type->count)
        return NULL;
    if (sharded && (forward = forward_map(at, base, &grid)) != NULL) {
        map = two_dimensional(ctx, map, n_grid);
        if (forward->n_results != map->n_dims)
            return NULL;
        map = d2m_compose(ctx, map, forward);
    }
    map = d2m_compose(ctx, map, view);
    if (d2m_space_of(type) == TTCORE_MemorySpace_DeviceL1 && sharded) {
        ir_attr l1 = ir_attr_param(device, "l1Map");
        space_map = ir_attr_is(l1, IR_ATTR_AFFINE_MAP)
                        ? with_symbols(ctx, l1->map, (int64_t[]){0}, 1)
                        : NULL;
    } else if (d2m_space_of(type) == TTCORE_MemorySpace_DeviceDRAM) {
        space_map = dram_map(at, device, type, forward, sharded);
    }
    if (!space_map || space_map->n_dims != map->n_results || space_map->n_results != 4)
        return NULL;
    return d2m_compose(ctx, space_map, map);
}

ir_affine_map d2m_local_map(ir_type type)
{
    ir_context *ctx = type->ctx;
    ir_affine byte = ir_affine_constant(ctx, 0);
    int64_t stride = d2m_element_bytes(type->element);
    for (uint32_t i = type->count; i-- > 0; stride *= type->dims[i])
        byte = ir_affine_binary(ctx, IR_AFFINE_ADD,
                                times(ctx, ir_affine_dim(ctx, i), stride), byte);
    return ir_affine_map_get(ctx, type->count, 0, &byte, 1);
}

/* ---- contiguous elements */

/* Advances coordinates [from, to) of a point in row-major order; false at the end. */
static bool advance(int64_t *point, const d2m_shape *shape, uint32_t from, uint32_t to)
{
    for (uint32_t i = to; i-- > from;) {
        if (++point[i] < shape->at[i])
            return true;
        point[i] = 0;
    }
    return false;
}

int64_t d2m_contiguous_elements(ir_affine_map map, const d2m_shape *shape, uint32_t n_grid,
                                int64_t element_bytes)
{
    int64_t point[D2M_MAX_RANK] = {0}, volume = 1;
    int64_t now[8], next[8];
    for (uint32_t i = n_grid; i < shape->n; i++)
        volume *= shape->at[i];
    int64_t factor = volume;
    if (map->n_dims != shape->n || map->n_results > 8 || map->n_results == 0)
        return 1;
    do {
        int64_t run = 0;
        memset(point + n_grid, 0, (shape->n - n_grid) * sizeof *point);
        do {
            bool follows = run > 0;
            for (uint32_t i = 0; i < map->n_results; i++) {
                if (!ir_affine_eval(map->results[i], point, NULL, &now[i]))
                    return 1;
                follows &= run > 0 && now[i] == next[i];
            }
            if (run > 0 && !follows) {
                factor = tw_gcd(factor, run);
                run = 0;
            }
            run++;
            memcpy(next, now, sizeof next);
            next[map->n_results - 1] += element_bytes;
        } while (factor > 1 && advance(point, shape, n_grid, shape->n));
        factor = tw_gcd(factor, run);
    } while (factor > 1 && advance(point, shape, 0, n_grid));
    return factor;
}

/* ---- values */

static ir_value *apply(ir_builder *b, ir_affine e, uint32_t n_dims, ir_value *const *at)
{
    int64_t point[D2M_MAX_RANK], value;
    bool constant = true;
    e = ir_affine_simplify(b->ctx, e, n_dims, 0);
    if (e->kind == IR_AFFINE_CONSTANT)
        return arith_index(b, e->value);
    if (e->kind == IR_AFFINE_DIM)
        return at[e->value];
    for (uint32_t i = 0; i < n_dims && constant; i++)
        constant = loop_constant(at[i], &point[i]);
    if (constant && ir_affine_eval(e, point, NULL, &value))
        return arith_index(b, value);
    ir_affine_map map = ir_affine_map_get(b->ctx, n_dims, 0, &e, 1);
    return ir_build1(b, AFFINE_OP(apply), ir_index_type(b->ctx), at, n_dims,
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, map)}));
}

void d2m_apply_map(ir_builder *b, ir_affine_map map, uint32_t first, ir_value *const *at,
                   ir_value **out)
{
    for (uint32_t i = first; i < map->n_results; i++)
        out[i - first] = apply(b, map->results[i], map->n_dims, at);
}

int64_t d2m_noc_alignment(ir_op *at, bool dram)
{
    return dram ? ttnn_chip_int(at, "nocDRAMAddressAlignBytes", 32)
                : ttnn_chip_int(at, "nocL1AddressAlignBytes", 16);
}
