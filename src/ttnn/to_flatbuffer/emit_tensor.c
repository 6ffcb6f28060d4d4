/* emit_tensor.c: tensors, their layouts and memory as flatbuffer tables. */
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/ttnn.h"

/* ---- layouts ------------------------------------------------------------------------ */

static bool is_attr(ir_attr a, const ir_attr_def *def)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == def;
}

ir_attr fb_emit_layout_of(emit *e, ir_type type)
{
    ir_attr layout = ir_type_is_tensor(type) ? type->encoding : NULL;
    if (is_attr(layout, TTNN_ATTR(ttnn_layout)) ||
        is_attr(layout, TTNN_ATTR(ttnn_nd_layout)))
        return layout;
    fb_emit_error(e, "has a tensor without a TTNN layout: %s; run --ttnn-layout first",
                  ir_type_text(e->ctx, type));
    return NULL;
}

ir_type fb_emit_layout_memref(ir_attr layout)
{
    return ir_attr_param(layout, "memref")->type;
}

/* The tile type of a layout's memref, NULL for row major. */
static ir_type tile_of(ir_attr layout)
{
    ir_type element = fb_emit_layout_memref(layout)->element;
    return element->kind == IR_TYPE_DIALECT && element->def == TTCORE_TYPE(tile) ? element
                                                                                 : NULL;
}

bool fb_emit_is_tiled(ir_attr layout)
{
    return tile_of(layout) != NULL;
}

static void tile_shape(ir_attr layout, int64_t out[2])
{
    ir_type tile = tile_of(layout);
    out[0] = out[1] = 1;
    if (tile)
        ir_attr_ints(ir_type_param(tile, "shape"), out, 2);
}

static int64_t buffer_type(ir_attr layout)
{
    return fb_emit_case(fb_emit_layout_memref(layout)->space, FB_ENUM_BufferType,
                        FB_BufferType_SystemMemory);
}

/* tt-mlir's mapping for tensors: 64-bit numbers count as 32-bit ones. */
static int scalar_type(ir_type t)
{
    if (t->kind == IR_TYPE_FLOAT && t->sign == IR_BF16)
        return FB_DataType_BFloat16;
    if (t->kind == IR_TYPE_FLOAT)
        return t->width == 16                     ? FB_DataType_Float16
               : t->width == 32 || t->width == 64 ? FB_DataType_Float32
                                                  : -1;
    if (t->kind == IR_TYPE_INDEX)
        return FB_DataType_UInt32;
    if (t->kind != IR_TYPE_INTEGER)
        return -1;
    switch (t->width) {
    case 1:
        return FB_DataType_Bool;
    case 8:
        return FB_DataType_UInt8;
    case 16:
        return FB_DataType_UInt16;
    case 32:
    case 64:
        return t->sign == IR_UNSIGNED ? FB_DataType_UInt32 : FB_DataType_Int32;
    default:
        return -1;
    }
}

/* ttcore's DataType as the file's: they part after Int32. */
static int from_ttcore(int64_t value)
{
    return value == TTCORE_DataType_Bool    ? FB_DataType_Bool
           : value == TTCORE_DataType_Int8  ? FB_DataType_Int8
           : value == TTCORE_DataType_Int16 ? FB_DataType_Int16
                                            : (int)value;
}

int fb_emit_data_type(emit *e, ir_type element)
{
    int type;
    if (element->kind == IR_TYPE_DIALECT && element->def == TTCORE_TYPE(tile))
        type = from_ttcore(ir_attr_int(ir_type_param(element, "dataType"), -1));
    else
        type = scalar_type(element);
    if (type < 0)
        fb_emit_error(e, "has elements of type %s, which binaries cannot hold",
                      ir_type_text(e->ctx, element));
    return type;
}

/* ---- memory ------------------------------------------------------------------------- */

static fb_ref make_core_range_set(emit *e, const uint64_t (*ranges)[4], size_t count)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_CoreRangeSet);
    fb_put_ref(&row, FB_ttnn_CoreRangeSet_core_ranges,
               fb_make_structs(&e->b, FB_STRUCT_ttnn_CoreRange, ranges, count));
    return fb_end(&e->b, &row);
}

fb_ref fb_emit_core_range_set(emit *e, ir_attr set)
{
    ir_attr list = ir_attr_param(set, "core_ranges");
    size_t count = list ? list->count : 0;
    uint64_t(*ranges)[4] = (uint64_t(*)[4])tw_arena_alloc(&e->arena, 32 * count + 1);
    for (size_t i = 0; i < count; i++) {
        ir_attr start = ir_attr_param(list->items[i], "start_coord");
        ir_attr end = ir_attr_param(list->items[i], "end_coord");
        ranges[i][0] = (uint64_t)ir_attr_int(ir_attr_param(start, "x"), 0);
        ranges[i][1] = (uint64_t)ir_attr_int(ir_attr_param(start, "y"), 0);
        ranges[i][2] = (uint64_t)ir_attr_int(ir_attr_param(end, "x"), 0);
        ranges[i][3] = (uint64_t)ir_attr_int(ir_attr_param(end, "y"), 0);
    }
    return make_core_range_set(e, (const uint64_t(*)[4])ranges, count);
}

/* (0,0) to (x-1,y-1) of a grid given as y, x. */
static fb_ref grid_cores(emit *e, ir_attr shape)
{
    int64_t grid[2] = {1, 1};
    ir_attr_ints(shape, grid, 2);
    uint64_t range[1][4] = {{0, 0, (uint64_t)grid[1] - 1, (uint64_t)grid[0] - 1}};
    return make_core_range_set(e, (const uint64_t(*)[4])range, 1);
}

/* The shard's extents in elements; tiles count in the last two dimensions. */
static fb_ref shard_shape(emit *e, ir_attr layout)
{
    ir_type memref = fb_emit_layout_memref(layout);
    int64_t tile[2], dims[FB_MAX_FIELDS];
    tile_shape(layout, tile);
    size_t rank = TW_MIN(memref->count, (uint32_t)FB_MAX_FIELDS);
    for (size_t i = 0; i < rank; i++)
        dims[i] = memref->dims[i] * (i + 2 >= rank ? tile[i + 2 - rank] : 1);
    return fb_make_ints(&e->b, FB_I32, dims, rank);
}

static fb_ref make_shard_spec(emit *e, ir_attr layout)
{
    fb_row row;
    ir_attr cores = ir_attr_param(layout, "core_range_set");
    fb_start(&row, FB_TABLE_ttnn_ShardSpec);
    fb_put_ref(&row, FB_ttnn_ShardSpec_core_range_set,
               cores ? fb_emit_core_range_set(e, cores)
                     : grid_cores(e, ir_attr_param(layout, "grid_shape")));
    fb_put_ref(&row, FB_ttnn_ShardSpec_shape, shard_shape(e, layout));
    fb_put_int(&row, FB_ttnn_ShardSpec_orientation, FB_ttnn_ShardOrientation_RowMajor);
    return fb_end(&e->b, &row);
}

static fb_ref make_nd_shard_spec(emit *e, ir_attr layout)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_NDShardSpec);
    fb_put_ref(&row, FB_ttnn_NDShardSpec_core_range_set,
               grid_cores(e, ir_attr_param(ir_attr_param(layout, "grid"), "shape")));
    fb_put_ref(&row, FB_ttnn_NDShardSpec_shape, shard_shape(e, layout));
    fb_put_int(&row, FB_ttnn_NDShardSpec_orientation,
               fb_emit_case(ir_attr_param(layout, "shard_orientation"),
                            FB_ENUM_ttnn_ShardOrientation, 0));
    fb_put_int(&row, FB_ttnn_NDShardSpec_distribution_strategy,
               fb_emit_case(ir_attr_param(layout, "shard_distribution_strategy"),
                            FB_ENUM_ttnn_ShardDistributionStrategy, 0));
    return fb_end(&e->b, &row);
}

fb_ref fb_emit_memory_config(emit *e, ir_attr layout)
{
    if (!layout || buffer_type(layout) == FB_BufferType_SystemMemory)
        return 0;
    int64_t kind =
        fb_emit_case(ir_attr_param(layout, "mem_layout"), FB_ENUM_ttnn_TensorMemoryLayout,
                     FB_ttnn_TensorMemoryLayout_Interleaved);
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_MemoryConfig);
    fb_put_int(&row, FB_ttnn_MemoryConfig_tensor_memory_layout, kind);
    fb_put_int(&row, FB_ttnn_MemoryConfig_buffer_type, buffer_type(layout));
    if (is_attr(layout, TTNN_ATTR(ttnn_nd_layout)))
        fb_put_ref(&row, FB_ttnn_MemoryConfig_nd_shard_spec, make_nd_shard_spec(e, layout));
    else if (kind == FB_ttnn_TensorMemoryLayout_HeightSharded ||
             kind == FB_ttnn_TensorMemoryLayout_WidthSharded ||
             kind == FB_ttnn_TensorMemoryLayout_BlockSharded)
        fb_put_ref(&row, FB_ttnn_MemoryConfig_shard_spec, make_shard_spec(e, layout));
    return fb_end(&e->b, &row);
}

/* ---- tensors ------------------------------------------------------------------------ */

static fb_ref make_layout_desc(emit *e, int storage, const int64_t tile[2], int data_type,
                               fb_ref memory_config)
{
    fb_row memory, layout;
    fb_start(&memory, FB_TABLE_ttnn_MemoryDesc);
    fb_put_int(&memory, FB_ttnn_MemoryDesc_storage_type, storage);
    fb_put_dim2d(&memory, FB_ttnn_MemoryDesc_tile_shape, tile[0], tile[1]);
    fb_put_int(&memory, FB_ttnn_MemoryDesc_data_type, data_type);
    fb_put_ref(&memory, FB_ttnn_MemoryDesc_memory_config, memory_config);
    fb_start(&layout, FB_TABLE_ttnn_LayoutDesc);
    fb_put_int(&layout, FB_ttnn_LayoutDesc_oob_val, FB_OOBVal_Undef);
    fb_put_ref(&layout, FB_ttnn_LayoutDesc_memory_desc, fb_end(&e->b, &memory));
    return fb_end(&e->b, &layout);
}

static const int64_t one_by_one[2] = {1, 1};

/* Shard status and local shape, given by an argument's or result's attributes. */
static void put_local(emit *e, fb_row *row, ir_type type)
{
    ir_attr status = ir_dict_get(e->arg_attrs, TW_STR("ttcore.shard_status"));
    ir_attr local = ir_dict_get(e->arg_attrs, TW_STR("ttcore.local_shape"));
    ir_type shape = type;
    if (local) {
        ir_attr param = ir_attr_is(local, IR_ATTR_DIALECT) ? local->params[0] : local;
        if (ir_attr_is(param, IR_ATTR_TYPE) && ir_type_is_tensor(param->type))
            shape = param->type;
    }
    fb_put_int(
        row, FB_ttnn_TensorDesc_shard_status,
        fb_emit_case(status, FB_ENUM_ttnn_ShardStatus, FB_ttnn_ShardStatus_Unsharded));
    fb_put_ref(row, FB_ttnn_TensorDesc_local_shape,
               fb_make_ints(&e->b, FB_I32, shape->dims, shape->count));
}

static fb_ref make_desc(emit *e, ir_type type)
{
    ir_attr layout = fb_emit_layout_of(e, type);
    if (!layout)
        return 0;
    bool nd = is_attr(layout, TTNN_ATTR(ttnn_nd_layout));
    ir_attr mesh = nd ? NULL : ir_attr_param(layout, "tensor_mesh");
    bool host = buffer_type(layout) == FB_BufferType_SystemMemory && !mesh;
    int data_type = fb_emit_data_type(e, fb_emit_layout_memref(layout)->element);
    if (data_type < 0)
        return 0;
    int64_t tile[2];
    tile_shape(layout, tile);
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_TensorDesc);
    fb_put_ref(&row, FB_ttnn_TensorDesc_shape,
               fb_make_ints(&e->b, FB_I32, type->dims, type->count));
    fb_put_ref(&row, FB_ttnn_TensorDesc_mesh_shape,
               fb_make_ints(&e->b, FB_I32, mesh ? e->mesh : one_by_one, 2));
    fb_put_ref(
        &row, FB_ttnn_TensorDesc_layout,
        make_layout_desc(e, host ? FB_ttnn_StorageType_Host : FB_ttnn_StorageType_Device,
                         tile, data_type, fb_emit_memory_config(e, layout)));
    if (!nd)
        put_local(e, &row, type);
    return fb_end(&e->b, &row);
}

/* Tensors of one type share their description, unless attributes say more. */
static fb_ref shared_desc(emit *e, ir_type type)
{
    emit_value *known = ir_mapping_get(e->descs, type);
    if (e->arg_attrs || !known) {
        fb_ref desc = make_desc(e, type);
        if (!e->arg_attrs && desc) {
            known = TW_ARENA_NEW(&e->arena, emit_value);
            known->ref = desc;
            ir_mapping_set(e->descs, type, known);
        }
        return desc;
    }
    return known->ref;
}

static fb_ref make_tensor_ref(emit *e, uint32_t id, fb_ref desc)
{
    fb_row row;
    if (!desc)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_TensorRef);
    fb_put_int(&row, FB_ttnn_TensorRef_global_id, id);
    fb_put_ref(&row, FB_ttnn_TensorRef_desc, desc);
    return fb_end(&e->b, &row);
}

/* A number on the host: shape [1] without a local shape, or a trace id of rank 0. */
static fb_ref make_number_desc(emit *e, size_t rank)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_TensorDesc);
    fb_put_ref(&row, FB_ttnn_TensorDesc_shape,
               fb_make_ints(&e->b, FB_I32, one_by_one, rank));
    fb_put_ref(&row, FB_ttnn_TensorDesc_mesh_shape,
               fb_make_ints(&e->b, FB_I32, one_by_one, 2));
    fb_put_ref(
        &row, FB_ttnn_TensorDesc_layout,
        make_layout_desc(e, FB_ttnn_StorageType_Host, one_by_one, FB_DataType_UInt32, 0));
    return fb_end(&e->b, &row);
}

/* ---- values ------------------------------------------------------------------------- */

void fb_emit_remember(emit *e, const ir_value *value, uint32_t id, fb_ref ref)
{
    emit_value *known = TW_ARENA_NEW(&e->arena, emit_value);
    *known = (emit_value){id, ref};
    ir_mapping_set(e->values, value, known);
}

static bool is_type(ir_type type, const ir_type_def *def)
{
    return type->kind == IR_TYPE_DIALECT && type->def == def;
}

fb_ref fb_emit_value(emit *e, ir_value *value)
{
    emit_value *known = ir_mapping_get(e->values, value);
    if (known)
        return known->ref;
    uint32_t id = ++e->next_id;
    fb_ref ref = 0;
    fb_row row;
    if (ir_type_is_tensor(value->type) &&
        is_attr(value->type->encoding, TTNN_ATTR(trace_id)))
        ref = make_tensor_ref(e, id, make_number_desc(e, 0));
    else if (ir_type_is_tensor(value->type))
        ref = make_tensor_ref(e, id, shared_desc(e, value->type));
    else if (is_type(value->type, TTNN_TYPE(global_semaphore))) {
        fb_start(&row, FB_TABLE_ttnn_GlobalSemaphoreRef);
        fb_put_int(&row, FB_ttnn_GlobalSemaphoreRef_global_id, id);
        ref = fb_end(&e->b, &row);
    } else if (is_type(value->type, TTNN_TYPE(device)))
        fb_emit_error(e, "uses a device that no ttnn.get_device in the function gives");
    else if (value->type->width <= 32)
        ref = make_tensor_ref(e, id, make_number_desc(e, 1));
    else
        fb_emit_error(e, "has a value of type %s, which binaries cannot hold",
                      ir_type_text(e->ctx, value->type));
    if (ref)
        fb_emit_remember(e, value, id, ref);
    return ref;
}

fb_ref fb_emit_values(emit *e, ir_op *op, size_t start, size_t count, bool results)
{
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, count + 1);
    for (size_t i = 0; i < count; i++) {
        refs[i] = fb_emit_value(e, results ? ir_op_result(op, start + i)
                                           : ir_op_operand(op, start + i));
        if (!refs[i])
            return 0;
    }
    return fb_make_refs(&e->b, refs, count);
}
