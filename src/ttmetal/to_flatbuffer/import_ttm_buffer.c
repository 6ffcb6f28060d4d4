/* import_ttm_buffer.c: buffers of a .ttm as memrefs; emit_metal_buffer.c is the way there.
 */
#include "d2m/metal_layout.h"
#include "support/blockfloat.h"
#include "ttcore/ttcore_tile.h"
#include "ttmetal/to_flatbuffer/import_impl.h"

enum { MAX_CORES = 1024, MAX_TERMS = 64 };

typedef struct buffer {
    fb_view desc, metal; /* metal: NULL in the host's memory */
    int64_t dims[2 * D2M_MAX_RANK];
    size_t n;
    ir_type element;
} buffer;

/* ---- elements --------------------------------------------------------------------- */

/* A tile, if the elements of the description are more than one scalar each. */
static tw_status read_element(ir_context *ctx, buffer *b)
{
    fb_dim2d extent = fb_get_dim2d(b->desc, FB_metal_BufferDesc_element_shape);
    int64_t type = fb_get_int(b->desc, FB_metal_BufferDesc_data_type);
    tw_dtype dtype = fb_dtype_from(type);
    bool tiled = extent.y > 1 || extent.x > 1;
    b->element = fb_import_element(ctx, type);
    if (tiled && dtype < TW_DTYPE_COUNT) {
        ir_attr shape[] = {ir_raw_int(ctx, extent.y), ir_raw_int(ctx, extent.x)};
        ir_attr params[] = {ir_array_attr(ctx, shape, 2), ir_raw_int(ctx, dtype)};
        b->element = ir_dialect_type(ctx, TTCORE_TYPE(tile), params, 2);
    }
    return b->element ? TW_SUCCESS
                      : tw_error(TW_INVALID, "a buffer of data type %lld without tiles",
                                 (long long)type);
}

static tw_status read_dims(buffer *b)
{
    fb_vec shape = fb_get_vec(b->desc, FB_metal_BufferDesc_shape);
    b->n = shape.count;
    if (b->n > TW_COUNT(b->dims))
        return tw_error(TW_UNSUPPORTED, "a buffer of %zu dimensions; at most %zu are read",
                        b->n, TW_COUNT(b->dims));
    fb_vec_ints(shape, b->dims, b->n);
    for (size_t i = 0; i < b->n; i++)
        if (b->dims[i] < 0)
            return tw_error(TW_INVALID, "a buffer with the extent %lld",
                            (long long)b->dims[i]);
    return TW_SUCCESS;
}

/* ---- cores ------------------------------------------------------------------------ */

static ir_affine sum(ir_context *ctx, ir_affine a, ir_affine b)
{
    return ir_affine_binary(ctx, IR_AFFINE_ADD, a, b);
}

static ir_affine scaled(ir_context *ctx, ir_affine a, int64_t by)
{
    return ir_affine_binary(ctx, IR_AFFINE_MUL, a, ir_affine_constant(ctx, by));
}

/* Row-major position in a grid. */
static ir_affine position(ir_context *ctx, const int64_t *grid, size_t rank)
{
    ir_affine at = ir_affine_constant(ctx, 0);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0; stride *= grid[d])
        at = sum(ctx, at, scaled(ctx, ir_affine_dim(ctx, (int64_t)d), stride));
    return at;
}

/* A list as a function of the position: its first value, and each change from there on,
 * which (position + n - k) floordiv n turns on at position k. */
static tw_status listed(ir_context *ctx, ir_affine at, const int64_t *values, int64_t n,
                        ir_affine *out)
{
    size_t terms = 0;
    *out = ir_affine_constant(ctx, values[0]);
    for (int64_t k = 1; k < n; k++) {
        const int64_t change = values[k] - values[k - 1];
        if (!change)
            continue;
        if (++terms > MAX_TERMS)
            return tw_error(TW_UNSUPPORTED, "a buffer whose %lld cores follow no order",
                            (long long)n);
        ir_affine on = ir_affine_binary(ctx, IR_AFFINE_FLOORDIV,
                                        sum(ctx, at, ir_affine_constant(ctx, n - k)),
                                        ir_affine_constant(ctx, n));
        *out = sum(ctx, *out, scaled(ctx, on, change));
    }
    return TW_SUCCESS;
}

/* The cores as rows of a rectangle: `across` of them each; false if they are not. */
static bool in_rows(const int64_t *y, const int64_t *x, int64_t n, int64_t *out_across)
{
    int64_t across = 1;
    while (across < n && y[across] == y[0])
        across++;
    *out_across = across;
    for (int64_t i = 0; i < n; i++)
        if (y[i] != y[0] + i / across || x[i] != x[0] + i % across)
            return false;
    return true;
}

/* NULL where shard i of a grid of `columns` is on core (i / columns, i % columns). */
static tw_status map_cores(ir_context *ctx, const buffer *b, fb_vec cores, ir_attr *out)
{
    const size_t rank = b->n / 2;
    const int64_t columns = b->dims[rank - 1], n = cores.count;
    int64_t y[MAX_CORES], x[MAX_CORES], across;
    ir_affine results[2], at = position(ctx, b->dims, rank);
    *out = NULL;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *core = fb_vec_struct(cores, (size_t)i);
        y[i] = fb_member_int(core, FB_STRUCT_Dim2d, 0);
        x[i] = fb_member_int(core, FB_STRUCT_Dim2d, 1);
        if (y[i] < 0 || x[i] < 0 || y[i] >= MAX_CORES || x[i] >= MAX_CORES)
            return tw_error(TW_INVALID, "a buffer on core (%lld, %lld)", (long long)y[i],
                            (long long)x[i]);
    }
    if (in_rows(y, x, n, &across)) {
        if (!y[0] && !x[0] && (across == columns || (n < columns && across == n)))
            return TW_SUCCESS;
        ir_affine extent = ir_affine_constant(ctx, across);
        results[0] = sum(ctx, ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, at, extent),
                         ir_affine_constant(ctx, y[0]));
        results[1] = sum(ctx, ir_affine_binary(ctx, IR_AFFINE_MOD, at, extent),
                         ir_affine_constant(ctx, x[0]));
    } else {
        TW_TRY(listed(ctx, at, y, n, &results[0]));
        TW_TRY(listed(ctx, at, x, n, &results[1]));
    }
    *out = ir_affine_map_attr(ctx, ir_affine_map_get(ctx, (uint32_t)rank, 0, results, 2));
    return TW_SUCCESS;
}

/* ---- layouts ---------------------------------------------------------------------- */

static d2m_shape part(const buffer *b, size_t first, size_t n)
{
    d2m_shape out = {.n = (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        out.at[i] = b->dims[first + i];
    return out;
}

static int64_t product(const int64_t *dims, size_t n)
{
    int64_t out = 1;
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(out, dims[i], &out))
            return -1;
    return out;
}

/* The number of shards that a core or bank has room for. */
static tw_status copies_of(const buffer *b, fb_view sharded, size_t rank, size_t first,
                           int64_t *out)
{
    fb_view circular = fb_get_table(b->metal, FB_metal_MetalBuffer_circular_buffer_config);
    fb_view spec = fb_get_table(sharded, FB_metal_ShardedBufferConfig_shard_spec_buffer);
    fb_view shard =
        spec.at ? fb_get_table(spec, FB_metal_ShardSpecBuffer_shard_spec) : spec;
    int64_t rows = product(b->dims + first, rank - 1);
    fb_dim2d tile = fb_get_dim2d(b->desc, FB_metal_BufferDesc_element_shape);
    if (circular.at)
        *out = fb_get_int(circular, FB_metal_CircularBufferConfig_num_buffers);
    else if (!shard.at || rows <= 0 || tile.y <= 0)
        return tw_error(TW_INVALID, "a sharded buffer without a shape of its shards");
    else
        *out = fb_get_dim2d(shard, FB_metal_ShardSpec_shard_shape).y /
               (rows * TW_MAX(tile.y, 1));
    return *out > 0 && *out <= UINT16_MAX
               ? TW_SUCCESS
               : tw_error(TW_INVALID, "a sharded buffer of %lld shards each",
                          (long long)*out);
}

static tw_status sharded_type(ir_context *ctx, const buffer *b, fb_view config,
                              ir_attr space, ir_type *out, ir_attr *out_map)
{
    fb_view distribution =
        fb_get_table(config, FB_metal_ShardedBufferConfig_buffer_distribution_spec);
    fb_vec cores = distribution.at
                       ? fb_get_vec(distribution, FB_metal_BufferDistributionSpec_cores)
                       : (fb_vec){0};
    size_t rank =
        distribution.at
            ? fb_get_vec(distribution, FB_metal_BufferDistributionSpec_shard_shape_in_pages)
                  .count
            : 0;
    /* a circular buffer has no grid: it is the same on all cores */
    const bool circular = rank == b->n;
    if (!rank || (!circular && 2 * rank != b->n) || rank > D2M_MAX_RANK)
        return tw_error(TW_INVALID, "a buffer of %zu dimensions whose shards have %zu",
                        b->n, rank);
    int64_t copies = 1;
    TW_TRY(copies_of(b, config, rank, circular ? 0 : rank, &copies));
    d2m_shape shard = part(b, circular ? 0 : rank, rank);
    ir_attr layout = d2m_shard_attr(b->element, &shard, copies);
    if (circular)
        layout = ir_dialect_attr(ctx, TTCORE_ATTR(cb_layout), layout->params, 2);
    *out = ir_memref_type(b->element, b->dims, b->n, layout, space);
    const int64_t shards = circular ? 1 : product(b->dims, rank);
    const bool l1 =
        fb_get_int(b->metal, FB_metal_MetalBuffer_buffer_type) == FB_BufferType_L1;
    if (shards <= 0 || shards > MAX_CORES || (l1 && cores.count != shards))
        return tw_error(TW_INVALID, "a buffer of %lld shards on %u cores",
                        (long long)shards, cores.count);
    return l1 && !circular ? map_cores(ctx, b, cores, out_map) : TW_SUCCESS;
}

static tw_status device_type(ir_context *ctx, const buffer *b, ir_type *out,
                             ir_attr *out_map)
{
    int64_t type = fb_get_int(b->metal, FB_metal_MetalBuffer_buffer_type);
    fb_view config = fb_get_table(b->metal, FB_metal_MetalBuffer_buffer_config);
    if (type != FB_BufferType_L1 && type != FB_BufferType_DRAM)
        return tw_error(TW_UNSUPPORTED, "a buffer neither in DRAM nor in L1");
    ir_attr space =
        d2m_memory_space(ctx, type == FB_BufferType_L1 ? TTCORE_MemorySpace_DeviceL1
                                                       : TTCORE_MemorySpace_DeviceDRAM);
    if (!config.at || !b->n)
        return tw_error(TW_INVALID, "a buffer of the device without a layout");
    if (config.def == &fb_tables[FB_TABLE_metal_ShardedBufferConfig])
        return sharded_type(ctx, b, config, space, out, out_map);
    if (b->n % 2)
        return tw_error(TW_INVALID,
                        "an interleaved buffer of %zu dimensions, expected as "
                        "many of the grid as of a shard",
                        b->n);
    d2m_shape shard = part(b, b->n / 2, b->n / 2);
    *out = ir_memref_type(b->element, b->dims, b->n,
                          d2m_interleaved_attr(b->element, &shard), space);
    return TW_SUCCESS;
}

/* An array of the host: row-major, or with strides and a volume of its own. */
static tw_status host_type(ir_context *ctx, const buffer *b, ir_type *out)
{
    fb_vec vec = fb_get_vec(b->desc, FB_metal_BufferDesc_host_strides);
    int64_t strides[2 * D2M_MAX_RANK] = {0}, expected = 1, last = 0;
    int64_t volume = fb_get_int(b->desc, FB_metal_BufferDesc_host_volume);
    ir_attr dims[TW_COUNT(strides)], steps[TW_COUNT(strides)], layout = NULL;
    bool dense = true;
    if (ttcore_is_tile(b->element))
        return tw_error(TW_UNSUPPORTED, "tiles in the host's memory");
    if (vec.count && vec.count != b->n)
        return tw_error(TW_INVALID, "a buffer of %zu dimensions with %u strides", b->n,
                        vec.count);
    fb_vec_ints(vec, strides, b->n);
    for (size_t i = b->n; i-- > 0; expected *= b->dims[i]) {
        dense &= !vec.count || strides[i] == expected;
        last += b->dims[i] ? (b->dims[i] - 1) * strides[i] : 0;
        if (b->dims[i] && expected > (INT64_C(1) << 34) / b->dims[i])
            return tw_error(TW_UNSUPPORTED, "a buffer of more than 2^34 elements");
        if (strides[i] < 0 || last < 0 || last > INT64_C(1) << 34)
            return tw_error(TW_INVALID, "a buffer with the stride %lld",
                            (long long)strides[i]);
    }
    if (vec.count && (!dense || volume != expected)) {
        if (last >= volume)
            return tw_error(TW_INVALID, "a buffer of %lld elements whose last is at %lld",
                            (long long)volume, (long long)last);
        for (size_t i = 0; i < b->n; i++) {
            dims[i] = ir_raw_int(ctx, b->dims[i]);
            steps[i] = ir_raw_int(ctx, strides[i]);
        }
        ir_attr params[] = {ir_array_attr(ctx, dims, b->n), ir_array_attr(ctx, steps, b->n),
                            ir_raw_int(ctx, volume), NULL};
        layout = ir_dialect_attr(ctx, TTCORE_ATTR(host_layout), params, 4);
    }
    *out = ir_memref_type(b->element, b->dims, b->n, layout, NULL);
    return TW_SUCCESS;
}

tw_status ttm_import_type(ir_context *ctx, fb_view desc, ir_type *out, ir_attr *out_map)
{
    buffer b = {.desc = desc};
    *out_map = NULL;
    if (!desc.at)
        return tw_error(TW_INVALID, "a buffer without a description");
    fb_view detail = fb_get_table(desc, FB_metal_BufferDesc_buffer_detail);
    TW_TRY(read_element(ctx, &b));
    TW_TRY(read_dims(&b));
    if (!detail.at || detail.def != &fb_tables[FB_TABLE_metal_MetalBuffer])
        return host_type(ctx, &b, out);
    b.metal = detail;
    return device_type(ctx, &b, out, out_map);
}

tw_status ttm_import_scalar(ir_context *ctx, fb_view desc, ir_type *out)
{
    buffer b = {.desc = desc};
    if (!desc.at)
        return tw_error(TW_INVALID, "a scalar without a description");
    TW_TRY(read_element(ctx, &b));
    TW_TRY(read_dims(&b));
    int64_t elements = 1;
    for (size_t i = 0; i < b.n; i++)
        elements *= b.dims[i] == 1;
    if (!elements || ttcore_is_tile(b.element))
        return tw_error(TW_INVALID, "an array that kernels get as a scalar");
    *out = b.element;
    return TW_SUCCESS;
}
