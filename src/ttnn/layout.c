/* layout.c: reading and making #ttnn.ttnn_layout; see layout.h. */
#include "ttnn/layout.h"

#include "mlir/quant/quant.h"
#include "ttcore/ttcore.h"

ttnn_layout ttnn_layout_dram(int64_t dtype)
{
    return (ttnn_layout){.dtype = dtype,
                         .tiled = true,
                         .buffer = TTNN_BufferType_DRAM,
                         .memory = TTNN_TensorMemoryLayout_Interleaved,
                         .grid = {1, 1}};
}

ttnn_layout ttnn_layout_host(int64_t dtype)
{
    return (ttnn_layout){.dtype = dtype,
                         .buffer = TTNN_BufferType_SystemMemory,
                         .memory = TTNN_ON_HOST,
                         .grid = {1, 1}};
}

/* ---- data types --------------------------------------------------------------------- */

int64_t ttnn_dtype_of(ir_type t)
{
    switch (t->kind) {
    case IR_TYPE_FLOAT:
        return t->sign == IR_BF16  ? TTCORE_DataType_BFloat16
               : t->sign == IR_F16 ? TTCORE_DataType_Float16
                                   : TTCORE_DataType_Float32;
    case IR_TYPE_DIALECT:
        if (quant_is_uniform(t))
            return ttnn_dtype_of(quant_storage(t));
        return t->def == TTCORE_TYPE(tile)
                   ? ir_attr_int(ir_type_param(t, "dataType"), TTCORE_DataType_Float32)
                   : TTCORE_DataType_Float32;
    case IR_TYPE_INTEGER:
        break;
    default:
        return TTCORE_DataType_UInt32; /* index */
    }
    switch (t->width) {
    case 1:
        return TTCORE_DataType_Bool;
    case 8:
        return t->sign == IR_SIGNED ? TTCORE_DataType_Int8 : TTCORE_DataType_UInt8;
    case 16:
        return t->sign == IR_SIGNED ? TTCORE_DataType_Int16 : TTCORE_DataType_UInt16;
    default:
        return t->sign == IR_UNSIGNED ? TTCORE_DataType_UInt32 : TTCORE_DataType_Int32;
    }
}

static ir_type tile_type(ir_context *ctx, int64_t dtype)
{
    ir_attr dims[] = {ir_raw_int(ctx, TTNN_TILE), ir_raw_int(ctx, TTNN_TILE)};
    ir_attr params[] = {ir_array_attr(ctx, dims, 2), ir_raw_int(ctx, dtype)};
    return ir_dialect_type(ctx, TTCORE_TYPE(tile), params, 2);
}

ir_type ttnn_dtype_element(ir_context *ctx, int64_t dtype)
{
    switch (dtype) {
    case TTCORE_DataType_Float32:
        return ir_float_type(ctx, IR_F32);
    case TTCORE_DataType_Float16:
        return ir_float_type(ctx, IR_F16);
    case TTCORE_DataType_BFP_Float8:
    case TTCORE_DataType_BFP_BFloat8:
    case TTCORE_DataType_BFP_Float4:
    case TTCORE_DataType_BFP_BFloat4:
    case TTCORE_DataType_BFP_Float2:
    case TTCORE_DataType_BFP_BFloat2:
        return tile_type(ctx, dtype); /* no element stands alone */
    case TTCORE_DataType_UInt32:
        return ir_integer_type(ctx, 32, IR_UNSIGNED);
    case TTCORE_DataType_UInt16:
        return ir_integer_type(ctx, 16, IR_UNSIGNED);
    case TTCORE_DataType_UInt8:
        return ir_integer_type(ctx, 8, IR_UNSIGNED);
    case TTCORE_DataType_Int8:
        return ir_integer_type(ctx, 8, IR_SIGNED);
    case TTCORE_DataType_Int16:
        return ir_integer_type(ctx, 16, IR_SIGNED);
    case TTCORE_DataType_Int32:
        return ir_integer_type(ctx, 32, IR_SIGNED);
    case TTCORE_DataType_Bool:
        return ir_integer_type(ctx, 1, IR_SIGNLESS);
    default:
        return ir_float_type(ctx, IR_BF16);
    }
}

/* Exponent and mantissa bits, or the bits of an integer's magnitude. */
typedef struct width {
    bool real;
    int exponent, digits;
} width;

static width width_of(int64_t dtype)
{
    switch (dtype) {
    case TTCORE_DataType_Float32:
        return (width){true, 8, 23};
    case TTCORE_DataType_Float16:
        return (width){true, 5, 10};
    case TTCORE_DataType_BFloat16:
        return (width){true, 8, 7};
    case TTCORE_DataType_BFP_BFloat8:
        return (width){true, 8, 6};
    case TTCORE_DataType_BFP_Float8:
        return (width){true, 5, 6};
    case TTCORE_DataType_BFP_BFloat4:
        return (width){true, 8, 2};
    case TTCORE_DataType_BFP_Float4:
        return (width){true, 5, 2};
    case TTCORE_DataType_BFP_BFloat2:
        return (width){true, 8, 0};
    case TTCORE_DataType_BFP_Float2:
        return (width){true, 5, 0};
    case TTCORE_DataType_UInt16:
        return (width){false, 0, 16};
    case TTCORE_DataType_UInt8:
        return (width){false, 0, 8};
    case TTCORE_DataType_Int8:
        return (width){false, 1, 7};
    case TTCORE_DataType_Int16:
        return (width){false, 1, 15};
    case TTCORE_DataType_Int32:
        return (width){false, 1, 31};
    case TTCORE_DataType_Bool:
        return (width){false, 0, 1};
    default:
        return (width){false, 0, 32};
    }
}

bool ttnn_dtype_is_lossless(int64_t from, int64_t to)
{
    width a = width_of(from), b = width_of(to);
    if (a.real)
        return b.real && b.exponent >= a.exponent && b.digits >= a.digits;
    return b.digits >= a.digits && (b.real || b.exponent >= a.exponent);
}

/* ---- reading ------------------------------------------------------------------------ */

bool ttnn_layout_of(ir_type t, ttnn_layout *out)
{
    ir_attr a = ir_type_is_tensor(t) ? t->encoding : NULL;
    if (!ir_attr_is(a, IR_ATTR_DIALECT) || a->def != TTNN_ATTR(ttnn_layout))
        return false;
    ir_type memref = ir_attr_param(a, "memref")->type;
    bool tiled = memref->element->kind == IR_TYPE_DIALECT &&
                 memref->element->def == TTCORE_TYPE(tile);
    *out = (ttnn_layout){
        .dtype = ttnn_dtype_of(memref->element),
        .tiled = tiled,
        .buffer = ir_enum_value(memref->space, TTNN_BufferType_DRAM),
        .memory = ir_enum_value(ir_attr_param(a, "mem_layout"), TTNN_ON_HOST),
        .grid = {1, 1},
        .cores = ir_attr_param(a, "core_range_set"),
        .mesh = ir_attr_param(a, "tensor_mesh"),
        .ignore_physical = ir_attr_int(ir_attr_param(a, "ignorePhysicalLayout"), 0) != 0};
    ir_attr_ints(ir_attr_param(a, "grid_shape"), out->grid, 2);
    return true;
}

bool ttnn_layout_equal(const ttnn_layout *a, const ttnn_layout *b)
{
    return a->dtype == b->dtype && a->tiled == b->tiled && a->buffer == b->buffer &&
           a->memory == b->memory && a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] &&
           a->cores == b->cores && a->mesh == b->mesh &&
           a->ignore_physical == b->ignore_physical;
}

bool ttnn_memory_is_sharded(int64_t memory)
{
    return memory == TTNN_TensorMemoryLayout_HeightSharded ||
           memory == TTNN_TensorMemoryLayout_WidthSharded ||
           memory == TTNN_TensorMemoryLayout_BlockSharded;
}

/* ---- making ------------------------------------------------------------------------- */

static bool has_extent_zero(const int64_t *dims, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        if (dims[i] == 0)
            return true;
    return false;
}

/* (d0, ..., dn) -> rows, column: all dimensions but the last count as rows. */
static ir_affine_map linear_map(ir_context *ctx, const int64_t *padded, size_t rank)
{
    ir_affine row = ir_affine_constant(ctx, 0), results[2];
    int64_t stride = 1;
    if (rank >= 2 && has_extent_zero(padded, rank))
        row = ir_affine_dim(ctx, (int64_t)rank - 2);
    else
        for (size_t i = rank - 1; rank >= 2 && i-- > 0;) {
            ir_affine d =
                ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, (int64_t)i),
                                 ir_affine_constant(ctx, stride));
            row = i == rank - 2 ? d : ir_affine_binary(ctx, IR_AFFINE_ADD, d, row);
            stride *= padded[i];
        }
    results[0] = row;
    results[1] = rank ? ir_affine_dim(ctx, (int64_t)rank - 1) : ir_affine_constant(ctx, 0);
    return ir_affine_map_get(ctx, (uint32_t)rank, 0, results, 2);
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* What one core or bank holds, in elements or tiles. */
static void shard_shape(const ttnn_layout *l, const int64_t *padded, size_t rank,
                        int64_t shard[2])
{
    int64_t unit = l->tiled ? TTNN_TILE : 1, rows = 1;
    for (size_t i = 0; i + 1 < rank; i++)
        rows *= padded[i];
    int64_t columns = rank ? padded[rank - 1] : 1;
    if (l->buffer == TTNN_BufferType_L1 &&
        l->memory == TTNN_TensorMemoryLayout_Interleaved) {
        int64_t total = divide_up(rows, unit) * divide_up(columns, unit);
        shard[0] = 1;
        shard[1] = divide_up(total, l->grid[0] * l->grid[1]);
        return;
    }
    /* shards of rows or columns lie on the cores of a grid of any shape, row by row */
    const int64_t cores = l->grid[0] * l->grid[1];
    const bool high = l->memory == TTNN_TensorMemoryLayout_HeightSharded,
               wide = l->memory == TTNN_TensorMemoryLayout_WidthSharded;
    shard[0] = divide_up(divide_up(rows, high ? cores : wide ? 1 : l->grid[0]), unit);
    shard[1] = divide_up(divide_up(columns, wide ? cores : high ? 1 : l->grid[1]), unit);
}

static void pad_to_tiles(const ttnn_layout *l, const int64_t *dims, size_t rank,
                         int64_t padded[TTNN_MAX_RANK])
{
    assert(rank <= TTNN_MAX_RANK);
    for (size_t i = 0; i < rank; i++)
        padded[i] =
            l->tiled && i + 2 >= rank ? divide_up(dims[i], TTNN_TILE) * TTNN_TILE : dims[i];
}

void ttnn_layout_shard_elements(const ttnn_layout *l, const int64_t *dims, size_t rank,
                                int64_t out[2])
{
    int64_t padded[TTNN_MAX_RANK];
    pad_to_tiles(l, dims, rank, padded);
    shard_shape(l, padded, rank, out);
    for (int i = 0; i < 2 && l->tiled; i++)
        out[i] *= TTNN_TILE;
}

ir_attr ttnn_layout_cores(ir_context *ctx, const ttnn_layout *l)
{
    const int64_t whole[1][4] = {{0, 0, l->grid[1] - 1, l->grid[0] - 1}};
    return l->cores ? l->cores : ttnn_core_ranges(ctx, whole, 1);
}

ir_attr ttnn_layout_attr(ir_context *ctx, const ttnn_layout *l, const int64_t *dims,
                         size_t rank)
{
    int64_t padded[TTNN_MAX_RANK], shard[2];
    pad_to_tiles(l, dims, rank, padded);
    shard_shape(l, padded, rank, shard);
    ir_type unit = l->tiled ? tile_type(ctx, l->dtype) : ttnn_dtype_element(ctx, l->dtype);
    ir_attr space = ir_enum_attr(ctx, TTNN_ATTR(buffer_type), l->buffer);
    ir_attr grid[] = {ir_raw_int(ctx, l->grid[0]), ir_raw_int(ctx, l->grid[1])};
    ir_attr params[] = {ir_affine_map_attr(ctx, linear_map(ctx, padded, rank)),
                        ir_array_attr(ctx, grid, 2),
                        ir_type_attr(ir_memref_type(unit, shard, 2, NULL, space)),
                        l->memory == TTNN_ON_HOST
                            ? NULL
                            : ir_enum_attr(ctx, TTNN_ATTR(tensor_memory_layout), l->memory),
                        l->mesh,
                        ir_raw_int(ctx, l->ignore_physical),
                        l->cores};
    return ir_dialect_attr(ctx, TTNN_ATTR(ttnn_layout), params, TW_COUNT(params));
}

ir_type ttnn_tensor_with(ir_type t, const ttnn_layout *l)
{
    ir_type element = quant_is_uniform(t->element) ? t->element /* scales are kept there */
                                                   : ttnn_dtype_element(t->ctx, l->dtype);
    return ir_tensor_type(element, t->dims, t->count,
                          ttnn_layout_attr(t->ctx, l, t->dims, t->count));
}

ir_type ttnn_tensor_reshaped(ir_type t, const int64_t *dims, size_t rank)
{
    ttnn_layout l;
    ir_attr encoding =
        ttnn_layout_of(t, &l) ? ttnn_layout_attr(t->ctx, &l, dims, rank) : NULL;
    return ir_tensor_type(t->element, dims, rank, encoding);
}

ir_type ttnn_tensor_retyped(ir_type t, int64_t dtype)
{
    ttnn_layout l;
    if (!ttnn_layout_of(t, &l))
        return ir_type_with_element(t, ttnn_dtype_element(t->ctx, dtype));
    l.dtype = dtype;
    return ttnn_tensor_with(t, &l);
}

void ttnn_layout_place(ttnn_layout *l, int64_t buffer, int64_t memory)
{
    if (buffer == TTNN_BufferType_SystemMemory)
        memory = TTNN_ON_HOST;
    if (buffer != l->buffer || memory != l->memory)
        l->cores = NULL;
    l->buffer = buffer;
    l->memory = memory;
    bool single = memory == TTNN_ON_HOST || (buffer == TTNN_BufferType_DRAM &&
                                             memory == TTNN_TensorMemoryLayout_Interleaved);
    if (single) {
        l->grid[0] = l->grid[1] = 1;
        l->cores = NULL;
    }
}

/* ---- cores -------------------------------------------------------------------------- */

ir_attr ttnn_core_ranges(ir_context *ctx, const int64_t (*rects)[4], size_t count)
{
    ir_attr ranges[64], list;
    assert(count <= TW_COUNT(ranges));
    for (size_t i = 0; i < count; i++) {
        ir_attr from[] = {ir_raw_int(ctx, rects[i][0]), ir_raw_int(ctx, rects[i][1])};
        ir_attr to[] = {ir_raw_int(ctx, rects[i][2]), ir_raw_int(ctx, rects[i][3])};
        ir_attr ends[] = {ir_dialect_attr(ctx, TTNN_ATTR(core_coord), from, 2),
                          ir_dialect_attr(ctx, TTNN_ATTR(core_coord), to, 2)};
        ranges[i] = ir_dialect_attr(ctx, TTNN_ATTR(core_range), ends, 2);
    }
    list = ir_array_attr(ctx, ranges, count);
    return ir_dialect_attr(ctx, TTNN_ATTR(core_range_set), &list, 1);
}

ir_attr ttnn_device_of(ir_op *op)
{
    for (ir_op *at = op; at; at = ir_op_parent(at)) {
        if (!(at->def->traits & IR_SYMBOL_TABLE))
            continue;
        ir_op *device = ir_symbol_lookup(at, TW_STR("default_device"));
        if (device && device->def == TTCORE_OP(device))
            return ir_op_attr(device, "device_attr");
    }
    return NULL;
}

bool ttnn_device_grid(ir_op *op, bool dram, int64_t out[2])
{
    ir_attr device = ttnn_device_of(op);
    ir_attr grid = device ? ir_attr_param(device, dram ? "dramGrid" : "workerGrid") : NULL;
    return grid && ir_attr_ints(ir_attr_param(grid, "shape"), out, 2) == 2;
}

void ttnn_device_mesh(ir_op *op, int64_t out[2])
{
    ir_attr device = ttnn_device_of(op);
    int64_t mesh[2];
    int64_t rank = device ? ir_attr_ints(ir_attr_param(device, "meshShape"), mesh, 2) : 0;
    out[0] = rank >= 1 ? mesh[0] : 1;
    out[1] = rank >= 2 ? mesh[1] : 1;
}

int64_t ttnn_chip_int(ir_op *op, const char *name, int64_t otherwise)
{
    for (ir_op *at = op; at; at = ir_op_parent(at)) {
        ir_attr system = ir_op_attr(at, "ttcore.system_desc");
        ir_attr chips = system ? ir_attr_param(system, "chipDescs") : NULL;
        if (!ir_attr_is(chips, IR_ATTR_ARRAY) || !chips->count)
            continue;
        ir_attr a = ir_attr_param(chips->items[0], name);
        return ir_attr_int(a, ir_enum_value(a, otherwise));
    }
    return otherwise;
}

bool ttnn_layout_shard(ttnn_layout *l, ir_op *at, int64_t memory, int64_t rows,
                       int64_t columns)
{
    bool dram = l->buffer == TTNN_BufferType_DRAM;
    int64_t grid[2], volume = rows * columns, rects[2][4];
    size_t n = 0;
    if (!ttnn_device_grid(at, dram, grid) || volume < 1 || volume > grid[0] * grid[1])
        return false;
    if (dram) {
        memcpy(rects[n++], (int64_t[]){0, 0, volume - 1, 0}, sizeof rects[0]);
    } else if (memory == TTNN_TensorMemoryLayout_BlockSharded) {
        if (rows > grid[0] || columns > grid[1])
            return false;
        memcpy(rects[n++], (int64_t[]){0, 0, columns - 1, rows - 1}, sizeof rects[0]);
    } else { /* row by row */
        int64_t full = volume / grid[1], rest = volume % grid[1];
        if (full)
            memcpy(rects[n++], (int64_t[]){0, 0, grid[1] - 1, full - 1}, sizeof rects[0]);
        if (rest)
            memcpy(rects[n++], (int64_t[]){0, full, rest - 1, full}, sizeof rects[0]);
    }
    l->memory = memory;
    l->grid[0] = rows;
    l->grid[1] = columns;
    l->cores = ttnn_core_ranges(at->ctx, (const int64_t(*)[4])rects, n);
    return true;
}
