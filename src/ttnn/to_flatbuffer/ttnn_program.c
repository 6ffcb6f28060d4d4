/* ttnn_program.c: reading programs, operations and tensors out of a .ttnn. */
#include "ttnn/to_flatbuffer/ttnn_program.h"

fb_program fb_ttnn_program(const fb_ttnn *file, size_t i)
{
    fb_view table = fb_vec_table(file->programs, i);
    fb_dim2d mesh = fb_get_dim2d(table, FB_ttnn_Program_mesh_shape);
    fb_vec operations = fb_get_vec(table, FB_ttnn_Program_operations);
    return (fb_program){
        .table = table,
        .name = fb_get_str(table, FB_ttnn_Program_name),
        .is_private = fb_get_bool(table, FB_ttnn_Program_private),
        .mesh_y = mesh.y ? mesh.y : 1,
        .mesh_x = mesh.x ? mesh.x : 1,
        .inputs = fb_get_vec(table, FB_ttnn_Program_inputs),
        .outputs = fb_get_vec(table, FB_ttnn_Program_outputs),
        .operations = operations,
        .n_operations = operations.count,
    };
}

int fb_ttnn_find(const fb_ttnn *file, tw_str name)
{
    for (size_t i = 0; i < file->programs.count; i++)
        if (tw_str_equal(fb_get_str(fb_vec_table(file->programs, i), FB_ttnn_Program_name),
                         name))
            return (int)i;
    return -1;
}

fb_op fb_program_op(const fb_program *program, size_t i)
{
    fb_view operation = fb_vec_table(program->operations, i);
    return (fb_op){
        .kind = fb_get_utype(operation, FB_ttnn_Operation_type),
        .table = fb_get_table(operation, FB_ttnn_Operation_type),
        .debug = fb_get_str(operation, FB_ttnn_Operation_debug_info),
        .loc = fb_get_str(operation, FB_ttnn_Operation_loc_info),
    };
}

const char *fb_op_kind_name(fb_op_kind kind)
{
    const fb_union_def *def = &fb_unions[FB_UNION_ttnn_OpType];
    return kind < def->n_alternatives ? def->alternatives[kind].name : "NONE";
}

/* ---- tensors ------------------------------------------------------------------------ */

/* By FB_DataType_*; the two enumerations agree up to Int32 only. */
static const struct {
    uint8_t ours;
} dtypes[] = {
    [FB_DataType_Float32] = {TW_F32},         [FB_DataType_Float16] = {TW_F16},
    [FB_DataType_BFloat16] = {TW_BF16},       [FB_DataType_BFP_Float8] = {TW_BFP_F8},
    [FB_DataType_BFP_BFloat8] = {TW_BFP_BF8}, [FB_DataType_BFP_Float4] = {TW_BFP_F4},
    [FB_DataType_BFP_BFloat4] = {TW_BFP_BF4}, [FB_DataType_BFP_Float2] = {TW_BFP_F2},
    [FB_DataType_BFP_BFloat2] = {TW_BFP_BF2}, [FB_DataType_UInt32] = {TW_U32},
    [FB_DataType_UInt16] = {TW_U16},          [FB_DataType_UInt8] = {TW_U8},
    [FB_DataType_Int32] = {TW_I32},           [FB_DataType_Float64] = {TW_F64},
    [FB_DataType_Int64] = {TW_I64},           [FB_DataType_UInt64] = {TW_U64},
    [FB_DataType_Int16] = {TW_I16},           [FB_DataType_Int8] = {TW_I8},
    [FB_DataType_Bool] = {TW_BOOL},
};

tw_dtype fb_dtype_from(int64_t data_type)
{
    if (data_type < 0 || (size_t)data_type >= TW_COUNT(dtypes))
        return TW_DTYPE_COUNT;
    return (tw_dtype)dtypes[data_type].ours;
}

int fb_dtype_to(tw_dtype dtype)
{
    for (size_t i = 0; i < TW_COUNT(dtypes); i++)
        if (dtypes[i].ours == dtype)
            return (int)i;
    return -1;
}

static fb_shard read_shard(fb_view spec, int cores, int shape, int orientation)
{
    fb_vec dims = fb_get_vec(spec, shape);
    fb_view set = fb_get_table(spec, cores);
    fb_shard shard = {
        .cores = fb_get_vec(set, FB_ttnn_CoreRangeSet_core_ranges),
        .rank = (uint8_t)TW_MIN(dims.count, (uint32_t)FB_MAX_RANK),
        .col_major = fb_get_int(spec, orientation) == FB_ttnn_ShardOrientation_ColMajor,
    };
    fb_vec_ints(dims, shard.shape, FB_MAX_RANK);
    return shard;
}

static fb_memory_config read_memory_config(fb_view config)
{
    fb_memory_config out = {
        .layout = (uint8_t)fb_get_int(config, FB_ttnn_MemoryConfig_tensor_memory_layout),
        .buffer_type = (uint8_t)fb_get_int(config, FB_ttnn_MemoryConfig_buffer_type),
    };
    fb_view spec = fb_get_table(config, FB_ttnn_MemoryConfig_shard_spec);
    fb_view nd = fb_get_table(config, FB_ttnn_MemoryConfig_nd_shard_spec);
    if (spec.at) {
        out.has_shard = true;
        out.shard = read_shard(spec, FB_ttnn_ShardSpec_core_range_set,
                               FB_ttnn_ShardSpec_shape, FB_ttnn_ShardSpec_orientation);
    } else if (nd.at) {
        out.has_nd_shard = true;
        out.shard = read_shard(nd, FB_ttnn_NDShardSpec_core_range_set,
                               FB_ttnn_NDShardSpec_shape, FB_ttnn_NDShardSpec_orientation);
        out.shard.distribution =
            (uint8_t)fb_get_int(nd, FB_ttnn_NDShardSpec_distribution_strategy);
    }
    return out;
}

fb_tensor fb_read_tensor(fb_view ref)
{
    fb_view desc = fb_get_table(ref, FB_ttnn_TensorRef_desc);
    fb_view layout = fb_get_table(desc, FB_ttnn_TensorDesc_layout);
    fb_view memory = fb_get_table(layout, FB_ttnn_LayoutDesc_memory_desc);
    fb_view config = fb_get_table(memory, FB_ttnn_MemoryDesc_memory_config);
    fb_vec shape = fb_get_vec(desc, FB_ttnn_TensorDesc_shape);
    fb_dim2d tile = fb_get_dim2d(memory, FB_ttnn_MemoryDesc_tile_shape);
    fb_tensor out = {
        .id = (uint32_t)fb_get_int(ref, FB_ttnn_TensorRef_global_id),
        .rank = (uint8_t)TW_MIN(shape.count, (uint32_t)FB_MAX_RANK),
        .tiled = tile.y != 1 || tile.x != 1,
        .on_device = fb_get_int(memory, FB_ttnn_MemoryDesc_storage_type) ==
                     FB_ttnn_StorageType_Device,
        .has_memory = config.at != NULL,
        .shard_status = (uint8_t)fb_get_int(desc, FB_ttnn_TensorDesc_shard_status),
        .tile_y = tile.y,
        .tile_x = tile.x,
        .dtype = fb_dtype_from(fb_get_int(memory, FB_ttnn_MemoryDesc_data_type)),
    };
    fb_vec_ints(shape, out.dims, FB_MAX_RANK);
    if (config.at)
        out.memory = read_memory_config(config);
    return out;
}

bool fb_get_tensor(fb_view table, int slot, fb_tensor *out)
{
    fb_view ref = fb_get_table(table, slot);
    if (ref.at)
        *out = fb_read_tensor(ref);
    return ref.at != NULL;
}

uint32_t fb_tensor_id(fb_view table, int slot)
{
    fb_view ref = fb_get_table(table, slot);
    return ref.at ? (uint32_t)fb_get_int(ref, FB_ttnn_TensorRef_global_id) : 0;
}

uint32_t fb_vec_tensor_id(fb_vec vec, size_t i)
{
    return (uint32_t)fb_get_int(fb_vec_table(vec, i), FB_ttnn_TensorRef_global_id);
}

static tw_status each_tensor(fb_view table, bool outputs, fb_tensor_fn *fn, void *user);

/* Tensor references are members, elements of vectors, or inside parameter tables. */
static tw_status visit(fb_view at, bool is_output, bool outputs, fb_tensor_fn *fn,
                       void *user)
{
    if (!at.at)
        return TW_SUCCESS;
    if (at.def == &fb_tables[FB_TABLE_ttnn_TensorRef])
        return is_output == outputs ? fn(user, at, is_output) : TW_SUCCESS;
    return outputs ? TW_SUCCESS : each_tensor(at, false, fn, user);
}

static tw_status each_tensor(fb_view table, bool outputs, fb_tensor_fn *fn, void *user)
{
    for (int slot = 0; slot < table.def->n_fields; slot++) {
        const fb_field *field = &table.def->fields[slot];
        if (field->kind != FB_KIND_TABLE && field->kind != FB_KIND_UNION)
            continue;
        if (!field->vector) {
            TW_TRY(visit(fb_get_table(table, slot), field->output, outputs, fn, user));
            continue;
        }
        fb_vec vec = fb_get_vec(table, slot);
        for (size_t i = 0; i < vec.count; i++)
            TW_TRY(visit(fb_vec_table(vec, i), field->output, outputs, fn, user));
    }
    return TW_SUCCESS;
}

tw_status fb_op_each_tensor(const fb_op *op, fb_tensor_fn *fn, void *user)
{
    TW_TRY(each_tensor(op->table, false, fn, user));
    return each_tensor(op->table, true, fn, user);
}

/* ---- attributes --------------------------------------------------------------------- */

bool fb_get_number(fb_view table, int slot, fb_number *out)
{
    fb_view number = fb_get_table(table, slot);
    if (!number.at)
        return false;
    if (number.def == &fb_tables[FB_TABLE_ttnn_FloatingPointType]) {
        float f = (float)fb_get_real(number, FB_ttnn_FloatingPointType_value);
        *out = (fb_number){.is_float = true, .f = f};
    } else {
        int32_t i = (int32_t)fb_get_int(number, FB_ttnn_IntegralType_value);
        *out = (fb_number){.f = (float)i, .i = i};
    }
    return true;
}

/* The enum field `type` of tables that represent several operations, -1 if there is none.
 */
static int subtype_slot(const fb_op *op)
{
    int slot = op->table.at ? fb_slot(op->table, "type") : -1;
    return slot >= 0 && op->table.def->fields[slot].kind == FB_KIND_ENUM ? slot : -1;
}

int fb_op_subtype(const fb_op *op)
{
    int slot = subtype_slot(op);
    return slot < 0 ? -1 : (int)fb_get_int(op->table, slot);
}

const char *fb_op_subtype_name(const fb_op *op)
{
    int slot = subtype_slot(op);
    if (slot < 0)
        return NULL;
    return fb_enum_name(op->table.def->fields[slot].of,
                        (uint64_t)fb_get_int(op->table, slot));
}
