/* emit_metal_buffer.c: buffers of a .ttm: location, pages and cores.
 *
 * A memref of the device has the grid's extents, then those of a shard in elements or
 * tiles; the layout's strides are bytes within a shard. */
#include "support/blockfloat.h"
#include "ttcore/ttcore.h"
#include "ttmetal/to_flatbuffer/emit_metal.h"
#include "ttmetal/ttmetal.h"

enum { MAX_RANK = 16, MAX_CORES = 1024 };

typedef struct shape {
    ir_type type;
    size_t rank;                             /* of the grid, and of a shard */
    int64_t grid[MAX_RANK], shard[MAX_RANK]; /* shard: in elements or tiles */
    int64_t tile[2];                         /* 1, 1: not tiled */
    int64_t element;                         /* bytes of an element or tile */
    int64_t copies;                          /* number of shards per core */
    bool tiled, l1;
    ir_affine_map forward; /* virtual grid to cores; or NULL */
} shape;

static bool is_attr(ir_attr a, const ir_attr_def *def)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == def;
}

static int64_t product(const int64_t *dims, size_t n)
{
    int64_t out = 1;
    for (size_t i = 0; i < n; i++)
        out *= dims[i];
    return out;
}

static int64_t round_up(int64_t n, int64_t to)
{
    return to > 0 ? (n + to - 1) / to * to : n;
}

fb_ref fb_emit_cores(emit *e, const int32_t range[4])
{
    return fb_make_structs(&e->b, FB_STRUCT_Dim2dRange, range, 1);
}

/* ---- types -------------------------------------------------------------------------- */

static bool read_element(emit *e, ir_type element, shape *s)
{
    s->tiled = element->kind == IR_TYPE_DIALECT && element->def == TTCORE_TYPE(tile);
    s->tile[0] = s->tile[1] = 1;
    if (!s->tiled) {
        s->element = (element->width + 7) / 8;
        return true;
    }
    int64_t type = ir_attr_int(ir_type_param(element, "dataType"), -1);
    if (ir_attr_ints(ir_type_param(element, "shape"), s->tile, 2) != 2 || type < 0)
        return fb_emit_error(e, "has tiles that binaries cannot hold: %s",
                             ir_type_text(e->ctx, element));
    s->element =
        tw_dtype_is_block((tw_dtype)type)
            ? s->tile[0] * s->tile[1] * (1 + tw_block_magnitude_bits((tw_dtype)type)) / 8 +
                  s->tile[0] * s->tile[1] / TW_BLOCK
            : s->tile[0] * s->tile[1] * (int64_t)tw_dtype_size((tw_dtype)type);
    return true;
}

/* Grid and shard of a memref of the device. */
static bool read_shape(emit *e, ir_value *value, shape *s)
{
    ir_type t = value->type;
    ir_attr layout = t->encoding;
    ir_op *op = ir_value_def(value);
    ir_attr map = op && op->def == TTMETAL_OP(create_buffer)
                      ? ir_op_attr(op, "virtualGridForwardMapping")
                      : NULL;
    bool cb = is_attr(layout, TTCORE_ATTR(cb_layout));
    *s = (shape){.type = t, .copies = 1, .rank = cb ? t->count : t->count / 2};
    s->forward = ir_attr_is(map, IR_ATTR_AFFINE_MAP) ? map->map : NULL;
    s->l1 = ir_enum_value(t->space, -1) == TTCORE_MemorySpace_DeviceL1;
    if (s->rank > MAX_RANK || !s->rank || (!cb && t->count % 2) ||
        !ir_type_has_static_shape(t))
        return fb_emit_error(e, "has a buffer whose shape is not a grid of shards: %s",
                             ir_type_text(e->ctx, t));
    for (size_t i = 0; i < s->rank; i++) {
        s->grid[i] = cb ? 1 : t->dims[i];
        s->shard[i] = t->dims[cb ? i : s->rank + i];
    }
    if (cb || is_attr(layout, TTCORE_ATTR(shard)))
        s->copies = ir_attr_int(ir_attr_param(layout, "buffers"), 1);
    return read_element(e, t->element, s);
}

/* ---- cores -------------------------------------------------------------------------- */

/* The core (y, x) of a grid position, with zeros behind it for the position in the shard,
 * which the buffer's own map may take, too: by that map, or else by the worker
 * grid's, whose results are device, y, x and which takes the last two dimensions. */
static bool core_at(emit *e, const shape *s, const int64_t *at, int64_t out[2])
{
    ir_attr workers = e->device ? ir_attr_param(e->device, "workerGrid") : NULL;
    ir_attr attr = workers ? ir_attr_param(workers, "virtToPhysicalMap") : NULL;
    ir_affine_map map = s->forward ? s->forward : attr ? attr->map : NULL;
    uint32_t first = s->forward ? 0 : 1;
    const int64_t *dims = s->forward || s->rank < 2 ? at : at + s->rank - 2;
    out[0] = s->rank < 2 ? 0 : at[s->rank - 2];
    out[1] = at[s->rank - 1];
    if (!map || map->n_results < first + 2)
        return true;
    if (map->n_dims > (s->forward ? 2 * s->rank : 2) || map->n_symbols)
        return false;
    return ir_affine_eval(map->results[first], dims, NULL, &out[0]) &&
           ir_affine_eval(map->results[first + 1], dims, NULL, &out[1]);
}

/* All cores in grid order, as y, x, and their bounding rectangle. */
static bool find_cores(emit *e, const shape *s, int32_t (**out)[2], int32_t range[4])
{
    int64_t n = product(s->grid, s->rank), at[2 * MAX_RANK] = {0}, core[2];
    int32_t last[2] = {-1, -1};
    if (n <= 0 || n > MAX_CORES)
        return fb_emit_error(e, "has a buffer on %lld cores", (long long)n);
    *out = (int32_t(*)[2])tw_arena_alloc(&e->arena, (size_t)n * sizeof **out);
    range[0] = range[1] = INT32_MAX;
    for (int64_t i = 0; i < n; i++) {
        if (!core_at(e, s, at, core) || core[0] < 0 || core[1] < 0 || core[0] > MAX_CORES ||
            core[1] > MAX_CORES)
            return fb_emit_error(e, "has a buffer whose grid has no cores: %s",
                                 ir_type_text(e->ctx, s->type));
        for (int k = 0; k < 2; k++) {
            (*out)[i][k] = (int32_t)core[k];
            range[k] = TW_MIN(range[k], (int32_t)core[k]);
            last[k] = TW_MAX(last[k], (int32_t)core[k]);
        }
        for (size_t d = s->rank; d-- && ++at[d] == s->grid[d];)
            at[d] = 0;
    }
    range[2] = last[0] - range[0] + 1;
    range[3] = last[1] - range[1] + 1;
    return (int64_t)range[2] * range[3] == n ||
           fb_emit_error(e, "has a buffer whose cores fill no rectangle: %s",
                         ir_type_text(e->ctx, s->type));
}

/* ---- sharded buffers ---------------------------------------------------------------- */

/* Pages of a shard per dimension; only the last two are divided. */
static fb_ref make_distribution(emit *e, const shape *s, const int64_t page[2],
                                const int32_t (*cores)[2], size_t n_cores)
{
    int64_t shard[MAX_RANK], tensor[MAX_RANK];
    for (size_t i = 0; i < s->rank; i++) {
        size_t plane = i + 2 >= s->rank ? i + 2 - s->rank : 2;
        int64_t extent = s->shard[i] * (plane < 2 ? s->tile[plane] : 1);
        int64_t cut = plane < 2 ? page[plane] : 1;
        shard[i] = (extent + cut - 1) / cut;
        tensor[i] = s->grid[i] * shard[i];
    }
    fb_row row;
    fb_start(&row, FB_TABLE_metal_BufferDistributionSpec);
    fb_put_ref(&row, FB_metal_BufferDistributionSpec_tensor_shape_in_pages,
               fb_make_ints(&e->b, FB_U32, tensor, s->rank));
    fb_put_ref(&row, FB_metal_BufferDistributionSpec_shard_shape_in_pages,
               fb_make_ints(&e->b, FB_U32, shard, s->rank));
    fb_put_ref(&row, FB_metal_BufferDistributionSpec_cores,
               fb_make_structs(&e->b, FB_STRUCT_Dim2d, cores, n_cores));
    return fb_end(&e->b, &row);
}

static fb_ref make_shard_spec(emit *e, const int32_t range[4], const int64_t shard[2],
                              const int64_t page[2], const int64_t grid[2])
{
    fb_row spec, row;
    fb_start(&spec, FB_TABLE_metal_ShardSpec);
    fb_put_ref(&spec, FB_metal_ShardSpec_core_range_set, fb_emit_cores(e, range));
    fb_put_dim2d(&spec, FB_metal_ShardSpec_shard_shape, shard[0], shard[1]);
    fb_start(&row, FB_TABLE_metal_ShardSpecBuffer);
    fb_put_ref(&row, FB_metal_ShardSpecBuffer_shard_spec, fb_end(&e->b, &spec));
    fb_put_dim2d(&row, FB_metal_ShardSpecBuffer_page_shape, page[0], page[1]);
    fb_put_dim2d(&row, FB_metal_ShardSpecBuffer_tensor_shape_in_pages,
                 grid[0] * shard[0] / page[0], grid[1] * shard[1] / page[1]);
    return fb_end(&e->b, &row);
}

/* A page is a tile, or a row of the shard; of shards without elements, one element. */
static fb_ref make_sharded(emit *e, const shape *s)
{
    int32_t(*cores)[2], range[4];
    int64_t n = product(s->grid, s->rank);
    if (!find_cores(e, s, &cores, range))
        return 0;
    int64_t grid[2] = {range[0] + range[2], range[1] + range[3]};
    if (!s->l1) { /* banks in order, along x */
        n = TW_MIN(n, e->dram_banks);
        memcpy(range, (int32_t[]){0, 0, 1, (int32_t)n}, sizeof range);
        for (int32_t i = 0; i < n; i++)
            cores[i][0] = 0, cores[i][1] = i;
        grid[0] = product(s->grid, s->rank - 1);
        grid[1] = s->grid[s->rank - 1];
    }
    int64_t columns = s->shard[s->rank - 1];
    int64_t shard[2] = {product(s->shard, s->rank - 1) * s->tile[0] * s->copies,
                        columns * s->tile[1]};
    int64_t page[2] = {TW_MAX(s->tile[0], 1), TW_MAX(s->tiled ? s->tile[1] : shard[1], 1)};
    int64_t page_size = s->element * (s->tiled ? 1 : columns);
    int64_t bytes =
        round_up(product(s->shard, s->rank) * s->element * s->copies, page_size);
    int64_t holders = s->l1 ? grid[0] * grid[1] : product(s->grid, s->rank);
    fb_row row;
    fb_start(&row, FB_TABLE_metal_ShardedBufferConfig);
    fb_put_int(&row, FB_metal_ShardedBufferConfig_size, holders * bytes);
    fb_put_int(&row, FB_metal_ShardedBufferConfig_page_size, page_size);
    fb_put_ref(&row, FB_metal_ShardedBufferConfig_shard_spec_buffer,
               make_shard_spec(e, range, shard, page, grid));
    fb_put_ref(
        &row, FB_metal_ShardedBufferConfig_buffer_distribution_spec,
        make_distribution(e, s, page, (const int32_t(*)[2])(void *)cores, (size_t)n));
    return fb_end(&e->b, &row);
}

/* All workers: a circular buffer may be configured on more cores than the grid has. */
static fb_ref make_circular(emit *e, const shape *s)
{
    int64_t workers[2] = {1, 1};
    ir_attr grid = e->device ? ir_attr_param(e->device, "workerGrid") : NULL;
    if (grid)
        ir_attr_ints(ir_attr_param(grid, "shape"), workers, 2);
    const int32_t range[4] = {0, 0, (int32_t)workers[0], (int32_t)workers[1]};
    int64_t raw = product(s->shard, s->rank) * s->element;
    int64_t page = s->tiled ? s->element : s->element * 32 * 32;
    if (!s->tiled && s->copies > 1 && raw % page)
        page = TW_MAX(s->shard[s->rank - 1] * s->element, e->l1_alignment);
    fb_row row;
    fb_start(&row, FB_TABLE_metal_CircularBufferConfig);
    fb_put_ref(&row, FB_metal_CircularBufferConfig_core_range_set, fb_emit_cores(e, range));
    fb_put_int(&row, FB_metal_CircularBufferConfig_total_size,
               round_up(raw * s->copies, page));
    fb_put_int(&row, FB_metal_CircularBufferConfig_page_size, page);
    fb_put_int(&row, FB_metal_CircularBufferConfig_num_buffers, s->copies);
    return fb_end(&e->b, &row);
}

static fb_ref make_interleaved(emit *e, const shape *s)
{
    int64_t columns = s->tiled ? 1 : s->shard[s->rank - 1];
    int64_t page = s->element * columns, n = ir_type_num_elements(s->type) / columns;
    fb_row row;
    fb_start(&row, FB_TABLE_metal_InterleavedBufferConfig);
    fb_put_int(&row, FB_metal_InterleavedBufferConfig_size, page * n);
    fb_put_int(&row, FB_metal_InterleavedBufferConfig_page_size, page);
    return fb_end(&e->b, &row);
}

static fb_ref make_device_buffer(emit *e, const shape *s)
{
    bool sharded = !is_attr(s->type->encoding, TTCORE_ATTR(interleaved));
    fb_ref config = sharded ? make_sharded(e, s) : make_interleaved(e, s);
    fb_row row;
    if (!config)
        return 0;
    fb_start(&row, FB_TABLE_metal_MetalBuffer);
    fb_put_int(&row, FB_metal_MetalBuffer_buffer_type,
               s->l1 ? FB_BufferType_L1 : FB_BufferType_DRAM);
    fb_put_union(&row, FB_metal_MetalBuffer_buffer_config,
                 sharded ? FB_metal_BufferConfig_ShardedBufferConfig
                         : FB_metal_BufferConfig_InterleavedBufferConfig,
                 config);
    if (sharded && s->l1)
        fb_put_ref(&row, FB_metal_MetalBuffer_circular_buffer_config, make_circular(e, s));
    return fb_end(&e->b, &row);
}

/* ---- descriptions ------------------------------------------------------------------- */

static size_t row_major(const int64_t *dims, size_t rank, int64_t *out)
{
    int64_t stride = 1;
    for (size_t i = rank; i--; stride *= dims[i])
        out[i] = stride;
    return rank;
}

static fb_ref make_host_buffer(emit *e, const int64_t *strides, size_t rank)
{
    fb_row row;
    fb_start(&row, FB_TABLE_metal_SystemBuffer);
    fb_put_ref(&row, FB_metal_SystemBuffer_stride,
               fb_make_ints(&e->b, FB_I32, strides, rank));
    return fb_end(&e->b, &row);
}

/* The host's layout: that of the type, else row-major. */
static void put_host_side(emit *e, ir_type t, fb_row *row)
{
    int64_t strides[MAX_RANK * 2], volume = ir_type_num_elements(t);
    size_t rank = row_major(t->dims, t->count, strides);
    if (is_attr(t->encoding, TTCORE_ATTR(host_layout))) {
        ir_attr mesh = ir_attr_param(t->encoding, "mesh");
        ir_attr_ints(ir_attr_param(t->encoding, "host_strides"), strides, rank);
        volume = ir_attr_int(ir_attr_param(t->encoding, "host_volume"), volume);
        if (mesh)
            fb_put_ref(row, FB_metal_BufferDesc_mesh,
                       fb_make_string(&e->b, ir_attr_str(ir_attr_param(mesh, "name"))));
    }
    fb_put_ref(row, FB_metal_BufferDesc_host_strides,
               fb_make_ints(&e->b, FB_I32, strides, rank));
    fb_put_int(row, FB_metal_BufferDesc_host_volume, volume);
}

static fb_ref make_desc(emit *e, ir_value *value)
{
    ir_type t = value->type;
    int64_t strides[MAX_RANK * 2];
    shape s = {.tile = {1, 1}};
    fb_row row;
    int type = t->count <= MAX_RANK * 2 && ir_type_has_static_shape(t)
                   ? fb_emit_data_type(e, t->element)
                   : (fb_emit_error(e, "has a buffer of unknown shape: %s",
                                    ir_type_text(e->ctx, t)),
                      -1);
    if (type < 0 || (t->space && !read_shape(e, value, &s)))
        return 0;
    fb_ref detail =
        t->space ? make_device_buffer(e, &s)
                 : make_host_buffer(e, strides, row_major(t->dims, t->count, strides));
    if (!detail)
        return 0;
    fb_start(&row, FB_TABLE_metal_BufferDesc);
    fb_put_ref(&row, FB_metal_BufferDesc_shape,
               fb_make_ints(&e->b, FB_I32, t->dims, t->count));
    put_host_side(e, t, &row);
    fb_put_int(&row, FB_metal_BufferDesc_data_type, type);
    fb_put_dim2d(&row, FB_metal_BufferDesc_element_shape, s.tile[0], s.tile[1]);
    fb_put_union(&row, FB_metal_BufferDesc_buffer_detail,
                 t->space ? FB_metal_BufferDetail_MetalBuffer
                          : FB_metal_BufferDetail_SystemBuffer,
                 detail);
    return fb_end(&e->b, &row);
}

/* A scalar argument: one element on the host. */
static fb_ref make_number_desc(emit *e, ir_type type)
{
    static const int64_t one = 1;
    int data_type = fb_emit_data_type(e, type);
    fb_row row;
    if (data_type < 0)
        return 0;
    fb_start(&row, FB_TABLE_metal_BufferDesc);
    fb_put_ref(&row, FB_metal_BufferDesc_shape, fb_make_ints(&e->b, FB_I32, &one, 1));
    fb_put_ref(&row, FB_metal_BufferDesc_host_strides,
               fb_make_ints(&e->b, FB_I32, &one, 1));
    fb_put_int(&row, FB_metal_BufferDesc_host_volume, 1);
    fb_put_int(&row, FB_metal_BufferDesc_data_type, data_type);
    fb_put_union(&row, FB_metal_BufferDesc_buffer_detail,
                 FB_metal_BufferDetail_SystemBuffer, make_host_buffer(e, NULL, 0));
    return fb_end(&e->b, &row);
}

static fb_ref make_buffer_ref(emit *e, ir_value *value, uint32_t id, uint64_t address)
{
    fb_ref desc = value->type->kind == IR_TYPE_MEMREF ? make_desc(e, value)
                                                      : make_number_desc(e, value->type);
    fb_row row;
    if (!desc)
        return 0;
    fb_start(&row, FB_TABLE_metal_BufferRef);
    fb_put_int(&row, FB_metal_BufferRef_global_id, id);
    fb_put_int(&row, FB_metal_BufferRef_address, (int64_t)address);
    fb_put_ref(&row, FB_metal_BufferRef_desc, desc);
    return fb_end(&e->b, &row);
}

fb_ref fb_emit_metal_value(emit *e, ir_value *value, uint64_t number)
{
    emit_value *known = ir_mapping_get(e->values, value);
    ir_type t = value->type;
    const ir_type_def *def = t->kind == IR_TYPE_DIALECT ? t->def : NULL;
    fb_row row;
    if (known)
        return known->ref;
    uint32_t id = ++e->next_id;
    fb_ref ref;
    if (def == TTMETAL_TYPE(global_semaphore)) {
        fb_start(&row, FB_TABLE_metal_GlobalSemaphoreRef);
        fb_put_int(&row, FB_metal_GlobalSemaphoreRef_global_id, id);
        fb_put_int(&row, FB_metal_GlobalSemaphoreRef_address, (int64_t)number);
        ref = fb_end(&e->b, &row);
    } else if (def == TTMETAL_TYPE(local_semaphore)) {
        fb_start(&row, FB_TABLE_metal_LocalSemaphoreRef);
        fb_put_int(&row, FB_metal_LocalSemaphoreRef_global_id, id);
        fb_put_int(&row, FB_metal_LocalSemaphoreRef_initial_value, (int64_t)number);
        ref = fb_end(&e->b, &row);
    } else {
        ref = make_buffer_ref(e, value, id, number);
    }
    if (ref)
        fb_emit_remember(e, value, id, ref);
    return ref;
}

fb_ref fb_emit_metal_tensor(emit *e, ir_type t)
{
    static const int64_t one = 1;
    bool array = t->kind == IR_TYPE_MEMREF;
    ir_type element = array ? t->element : t;
    int type = fb_emit_data_type(e, element);
    fb_row memory, layout, desc, row;
    if (type < 0)
        return 0;
    fb_start(&memory, FB_TABLE_metal_MemoryDesc);
    fb_put_int(&memory, FB_metal_MemoryDesc_data_type, type);
    fb_start(&layout, FB_TABLE_metal_LayoutDesc);
    fb_put_ref(&layout, FB_metal_LayoutDesc_memory_desc, fb_end(&e->b, &memory));
    fb_start(&desc, FB_TABLE_metal_TensorDesc);
    fb_put_ref(&desc, FB_metal_TensorDesc_shape,
               fb_make_ints(&e->b, FB_I32, array ? t->dims : &one, array ? t->count : 1));
    fb_put_ref(&desc, FB_metal_TensorDesc_mesh_shape, fb_make_ints(&e->b, FB_I32, NULL, 0));
    fb_put_ref(&desc, FB_metal_TensorDesc_layout, fb_end(&e->b, &layout));
    fb_start(&row, FB_TABLE_metal_TensorRef);
    fb_put_int(&row, FB_metal_TensorRef_size,
               (array ? ir_type_num_elements(t) : 1) * ((element->width + 7) / 8));
    fb_put_ref(&row, FB_metal_TensorRef_desc, fb_end(&e->b, &desc));
    return fb_end(&e->b, &row);
}
