/* import_attr.c: fields of flatbuffer tables as types and attributes. */
#include "ir/text.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/import_impl.h"
#include "ttnn/ttnn.h"

#include <ctype.h>

enum { MAX_PARAMS = 32, MAX_ITEMS = 4096 };

/* ---- names -------------------------------------------------------------------------- */

/* Whether `param` is `field` or ends with it, case and underscores aside; the emitter's
 * rule read backwards. */
static bool ends_with(const char *param, const char *field)
{
    size_t p = strlen(param), f = strlen(field);
    while (f) {
        if (field[f - 1] == '_') {
            f--;
            continue;
        }
        if (p && param[p - 1] == '_') {
            p--;
            continue;
        }
        if (!p ||
            tolower((unsigned char)param[p - 1]) != tolower((unsigned char)field[f - 1]))
            return false;
        p--;
        f--;
    }
    return true;
}

static bool is_name(const char *param, const char *field)
{
    return ends_with(param, field) && ends_with(field, param);
}

static int find_slot(const fb_table_def *table, const char *param)
{
    for (int exact = 1; exact >= 0; exact--)
        for (int slot = 0; slot < table->n_fields; slot++) {
            const fb_field *field = &table->fields[slot];
            if (field->kind != FB_KIND_UTYPE &&
                (exact ? is_name(param, field->name) : ends_with(param, field->name)))
                return slot;
        }
    return -1;
}

/* The dialect's case that has the name of the file's; -1 if there is none. */
static int64_t case_value(const ir_enum_def *def, unsigned fb_enum, int64_t value)
{
    const char *name = fb_enum_name((fb_enum_id)fb_enum, (uint64_t)value);
    for (uint32_t i = 0; name && i < def->cases.count; i++)
        if (strcmp(def->cases.at[i].symbol, name) == 0)
            return def->cases.at[i].value;
    return -1;
}

static tw_status no_way_back(const fb_field *field)
{
    return tw_error(TW_UNSUPPORTED, "field '%s' has no way back into an attribute",
                    field->name);
}

/* ---- dialect attributes ------------------------------------------------------------- */

tw_status fb_import_table(ir_context *ctx, const ir_attr_def *def, fb_view table,
                          ir_attr *out)
{
    ir_attr params[MAX_PARAMS] = {0};
    if (!table.at || def->params.count > MAX_PARAMS)
        return tw_error(TW_UNSUPPORTED, "'%s' has no way back", def->mnemonic);
    for (size_t i = 0; i < def->params.count; i++) {
        int slot = find_slot(table.def, def->params.at[i].name);
        if (slot >= 0)
            TW_TRY(fb_import_param(ctx, &def->params.at[i], table, slot, &params[i]));
        if (!params[i] && !def->params.at[i].optional && !def->params.at[i].array)
            return tw_error(TW_INVALID, "'%s' lacks %s", def->mnemonic,
                            def->params.at[i].name);
        if (!params[i] && def->params.at[i].array)
            params[i] = ir_array_attr(ctx, NULL, 0);
    }
    *out = ir_dialect_attr(ctx, def, params, def->params.count);
    return TW_SUCCESS;
}

/* A struct as an attribute whose parameters are its members. */
static tw_status struct_attr(ir_context *ctx, const ir_attr_def *def, unsigned id,
                             const uint8_t *at, ir_attr *out)
{
    const fb_struct_def *s = &fb_structs[id];
    ir_attr params[MAX_PARAMS] = {0};
    for (size_t i = 0; i < def->params.count && i < MAX_PARAMS; i++) {
        const ir_param_def *param = &def->params.at[i];
        const fb_member *m = NULL;
        for (size_t k = 0; k < s->n_members && !m; k++)
            if (is_name(param->name, s->members[k].name))
                m = &s->members[k];
        if (!m)
            return tw_error(TW_UNSUPPORTED, "'%s' has no way back", def->mnemonic);
        const ir_attr_def *nested =
            param->of ? ir_attr_def_find(ctx, tw_str_from(param->of)) : NULL;
        if (m->kind == FB_KIND_STRUCT && nested) {
            TW_TRY(struct_attr(ctx, nested, m->of, at + m->offset, &params[i]));
            continue;
        }
        int64_t value = fb_load_int(at + m->offset, m->scalar);
        if (m->kind == FB_KIND_ENUM && param->enumeration)
            value = case_value(param->enumeration, m->of, value);
        params[i] =
            param->kind == IR_PARAM_ATTR ? ir_i64_attr(ctx, value) : ir_raw_int(ctx, value);
    }
    *out = ir_dialect_attr(ctx, def, params, def->params.count);
    return TW_SUCCESS;
}

/* The extents in x and y as a grid; how it lies on the chip is not kept. */
static tw_status grid_attr(ir_context *ctx, const fb_field *field, const uint8_t *at,
                           ir_attr *out)
{
    ir_attr xy;
    if (field->of != FB_STRUCT_ttnn_CoreCoord)
        return no_way_back(field);
    TW_TRY(struct_attr(ctx, TTNN_ATTR(core_coord), field->of, at, &xy));
    ir_attr shape[] = {xy->params[1], xy->params[0]};
    ir_attr map = ir_affine_map_attr(ctx, ir_affine_map_get(ctx, 0, 0, NULL, 0));
    ir_attr params[] = {ir_array_attr(ctx, shape, 2), map, map};
    *out = ir_dialect_attr(ctx, TTCORE_ATTR(grid), params, 3);
    return TW_SUCCESS;
}

/* One attribute of a class out of a field that is not a vector of them. */
static tw_status class_attr(ir_context *ctx, const ir_attr_def *def, fb_view table,
                            int slot, ir_attr *out)
{
    const fb_field *field = &table.def->fields[slot];
    if (def->enumeration && field->kind == FB_KIND_ENUM && !field->vector) {
        int64_t value = case_value(def->enumeration, field->of, fb_get_int(table, slot));
        if (value < 0)
            return no_way_back(field);
        *out = ir_enum_attr(ctx, def, value);
        return TW_SUCCESS;
    }
    if (def->enumeration &&
        field->kind == FB_KIND_SCALAR) { /* kept by number (reduce_type) */
        *out = ir_enum_attr(ctx, def, fb_get_int(table, slot));
        return TW_SUCCESS;
    }
    if (field->vector && def->params.count == 1 &&
        def->params.at[0].array) { /* ttnn.shape */
        ir_attr list = NULL;
        TW_TRY(fb_import_param(ctx, &def->params.at[0], table, slot, &list));
        *out = ir_dialect_attr(ctx, def, &list, 1);
        return TW_SUCCESS;
    }
    if (field->kind == FB_KIND_STRUCT && !field->vector && def == TTCORE_ATTR(grid))
        return grid_attr(ctx, field, fb_get_struct(table, slot), out);
    if (field->kind == FB_KIND_STRUCT && !field->vector)
        return struct_attr(ctx, def, field->of, fb_get_struct(table, slot), out);
    if (field->kind == FB_KIND_TABLE && !field->vector)
        return fb_import_table(ctx, def, fb_get_table(table, slot), out);
    return no_way_back(field);
}

static tw_status import_array(ir_context *ctx, const ir_param_def *param, fb_view table,
                              int slot, ir_attr *out)
{
    fb_vec vec = fb_get_vec(table, slot);
    if (vec.count > MAX_ITEMS)
        return tw_error(TW_UNSUPPORTED, "'%s' has %u elements", vec.field->name, vec.count);
    const ir_attr_def *def =
        param->of ? ir_attr_def_find(ctx, tw_str_from(param->of)) : NULL;
    ir_attr *items = TW_ARENA_ARRAY(ir_context_arena(ctx), ir_attr, vec.count + 1);
    for (uint32_t i = 0; i < vec.count; i++) {
        if (vec.field->kind == FB_KIND_STRUCT && def)
            TW_TRY(struct_attr(ctx, def, vec.field->of, fb_vec_struct(vec, i), &items[i]));
        else if (vec.field->kind == FB_KIND_TABLE && def)
            TW_TRY(fb_import_table(ctx, def, fb_vec_table(vec, i), &items[i]));
        else if (vec.field->kind == FB_KIND_ENUM && param->enumeration)
            items[i] = ir_raw_int(
                ctx, case_value(param->enumeration, vec.field->of, fb_vec_int(vec, i)));
        else if (vec.field->kind != FB_KIND_SCALAR)
            return no_way_back(vec.field);
        else if (vec.field->scalar == FB_F64 || vec.field->scalar == FB_F32)
            items[i] = ir_f32_attr(ctx, fb_vec_real(vec, i));
        else
            items[i] = param->kind == IR_PARAM_ATTR ? ir_i64_attr(ctx, fb_vec_int(vec, i))
                                                    : ir_raw_int(ctx, fb_vec_int(vec, i));
    }
    *out = ir_array_attr(ctx, items, vec.count);
    return TW_SUCCESS;
}

tw_status fb_import_param(ir_context *ctx, const ir_param_def *param, fb_view table,
                          int slot, ir_attr *out)
{
    const fb_field *field = &table.def->fields[slot];
    bool scalar = field->kind == FB_KIND_SCALAR || field->kind == FB_KIND_ENUM;
    *out = NULL;
    if (!fb_has(table, slot) && (param->optional || !scalar || field->vector))
        return TW_SUCCESS;
    if (param->array)
        return import_array(ctx, param, table, slot, out);
    const ir_attr_def *def =
        param->of ? ir_attr_def_find(ctx, tw_str_from(param->of)) : NULL;
    if (param->kind == IR_PARAM_ATTR && def)
        return class_attr(ctx, def, table, slot, out);
    if (!scalar || field->vector)
        return no_way_back(field);
    int64_t value = fb_get_int(table, slot);
    if (param->kind == IR_PARAM_ENUM && field->kind == FB_KIND_ENUM)
        value = case_value(param->enumeration, field->of, value);
    if (param->kind == IR_PARAM_ATTR)
        *out = strcmp(param->cpp, "BoolAttr") == 0 ? ir_bool_attr(ctx, value != 0)
                                                   : ir_i64_attr(ctx, value);
    else
        *out = ir_raw_int(ctx, value);
    return TW_SUCCESS;
}

tw_status fb_import_named_param(ir_context *ctx, const ir_param_def *param, fb_view table,
                                ir_attr *out)
{
    int slot = find_slot(table.def, param->name);
    *out = NULL;
    return slot < 0 ? TW_SUCCESS : fb_import_param(ctx, param, table, slot, out);
}

/* ---- attributes of operations ------------------------------------------------------- */

ir_attr fb_import_number(ir_context *ctx, fb_view table, int slot)
{
    fb_number number;
    if (!fb_get_number(table, slot, &number))
        return NULL;
    return number.is_float ? ir_f32_attr(ctx, number.f) : ir_i32_attr(ctx, number.i);
}

/* The attribute whose class is the alternative's name: program configs. */
static tw_status union_attr(ir_context *ctx, fb_view table, int slot, ir_attr *out)
{
    fb_view value = fb_get_table(table, slot);
    const char *name = value.def ? fb_short_name(value.def->name) : "";
    size_t n = strlen(name);
    for (uint32_t i = 0; i < ttnn_dialect.attrs.count; i++) {
        const ir_attr_def *def = &ttnn_dialect.attrs.at[i];
        if (strncmp(def->cls, name, n) == 0 && strcmp(def->cls + n, "Attr") == 0)
            return fb_import_table(ctx, def, value, out);
    }
    return no_way_back(&table.def->fields[slot]);
}

static tw_status list_attr(ir_context *ctx, const char *storage, fb_vec vec, ir_attr *out)
{
    if (vec.field->kind != FB_KIND_SCALAR || vec.field->scalar >= FB_F32 ||
        vec.count > MAX_ITEMS)
        return no_way_back(vec.field);
    int64_t *values = TW_ARENA_ARRAY(ir_context_arena(ctx), int64_t, vec.count + 1);
    fb_vec_ints(vec, values, vec.count);
    if (strcmp(storage, "DenseI32ArrayAttr") == 0)
        *out = ir_dense_i32_array(ctx, values, vec.count);
    else if (strcmp(storage, "DenseI64ArrayAttr") == 0)
        *out = ir_dense_i64_array(ctx, values, vec.count);
    else
        *out = ir_i32_array_attr(ctx, values, vec.count);
    return TW_SUCCESS;
}

/* A float that represents an integer; out of range and NaN become 0, which verifiers
 * and kernels can take. */
static int64_t whole(double x)
{
    return x > -9.2e18 && x < 9.2e18 ? (int64_t)x : 0;
}

tw_status fb_import_attr(ir_context *ctx, const ir_attr_use *use, fb_view table, int slot,
                         ir_attr *out)
{
    const fb_field *field = &table.def->fields[slot];
    const char *storage = use->type->storage ? use->type->storage : "";
    bool scalar =
        !field->vector && (field->kind == FB_KIND_SCALAR || field->kind == FB_KIND_ENUM);
    bool real = scalar && (field->scalar == FB_F32 || field->scalar == FB_F64);
    *out = NULL;
    if (!fb_has(table, slot) && (use->optional || !scalar))
        return TW_SUCCESS;
    if (field->kind == FB_KIND_UNION) {
        *out = field->of == FB_UNION_ttnn_NumberType ? fb_import_number(ctx, table, slot)
                                                     : NULL;
        return *out ? TW_SUCCESS : union_attr(ctx, table, slot, out);
    }
    if (use->type->def && !use->type->as_integer) {
        const ir_attr_def *def = ir_attr_def_find(ctx, tw_str_from(use->type->def));
        if (def)
            return class_attr(ctx, def, table, slot, out);
    }
    if (field->vector)
        return list_attr(ctx, storage, fb_get_vec(table, slot), out);
    if (field->kind == FB_KIND_STRING)
        *out = ir_string_attr(ctx, fb_get_str(table, slot));
    else if (!scalar)
        return no_way_back(field);
    else if (real && strcmp(storage, "IntegerAttr") == 0) /* arange's bounds are floats */
        *out = ir_integer_attr(ir_parse_type(ctx, tw_str_from(use->type->value_type)),
                               whole(fb_get_real(table, slot)));
    else if (real)
        *out = ir_f32_attr(ctx, fb_get_real(table, slot));
    else if (strcmp(storage, "BoolAttr") == 0)
        *out = ir_bool_attr(ctx, fb_get_bool(table, slot));
    else if (use->type->value_type)
        *out = ir_integer_attr(ir_parse_type(ctx, tw_str_from(use->type->value_type)),
                               fb_get_int(table, slot));
    else
        *out = ir_i32_attr(ctx, fb_get_int(table, slot));
    return TW_SUCCESS;
}

/* ---- types -------------------------------------------------------------------------- */

ir_type fb_import_element(ir_context *ctx, int64_t data_type)
{
    switch (fb_dtype_from(data_type)) {
    case TW_F32:
        return ir_float_type(ctx, IR_F32);
    case TW_F16:
        return ir_float_type(ctx, IR_F16);
    case TW_BF16:
        return ir_float_type(ctx, IR_BF16);
    case TW_F64:
        return ir_float_type(ctx, IR_F64);
    case TW_U8:
        return ir_integer_type(ctx, 8, IR_UNSIGNED);
    case TW_U16:
        return ir_integer_type(ctx, 16, IR_UNSIGNED);
    case TW_U32:
        return ir_integer_type(ctx, 32, IR_UNSIGNED);
    case TW_U64:
        return ir_integer_type(ctx, 64, IR_UNSIGNED);
    case TW_I8:
        return ir_integer_type(ctx, 8, IR_SIGNED);
    case TW_I16:
        return ir_integer_type(ctx, 16, IR_SIGNED);
    case TW_I32:
        return ir_integer_type(ctx, 32, IR_SIGNED);
    case TW_I64:
        return ir_integer_type(ctx, 64, IR_SIGNED);
    case TW_BOOL:
        return ir_integer_type(ctx, 1, IR_SIGNLESS);
    default:
        return NULL;
    }
}

static ir_type tile_type(ir_context *ctx, const fb_tensor *t, int64_t data_type)
{
    ir_attr dims[] = {ir_raw_int(ctx, t->tile_y), ir_raw_int(ctx, t->tile_x)};
    int64_t ours = data_type == FB_DataType_Bool    ? TTCORE_DataType_Bool
                   : data_type == FB_DataType_Int8  ? TTCORE_DataType_Int8
                   : data_type == FB_DataType_Int16 ? TTCORE_DataType_Int16
                                                    : data_type;
    ir_attr params[] = {ir_array_attr(ctx, dims, 2), ir_raw_int(ctx, ours)};
    return ir_dialect_type(ctx, TTCORE_TYPE(tile), params, 2);
}

/* (d0, ..., dn) -> (row, column) of the shape padded to whole tiles in the last two
 * dimensions: the layout pass's collapse. */
static ir_attr linear_map(ir_context *ctx, const fb_tensor *t, int64_t out_extent[2])
{
    ir_affine row = ir_affine_constant(ctx, 0), results[2];
    int64_t stride = 1;
    for (size_t i = t->rank; i-- > 0;) {
        int64_t tile = i + 1 == t->rank ? t->tile_x : i + 2 == t->rank ? t->tile_y : 1;
        int64_t extent = (t->dims[i] + tile - 1) / tile * tile;
        if (i + 1 == t->rank) {
            out_extent[1] = extent;
            continue;
        }
        ir_affine d = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, (int64_t)i),
                                       ir_affine_constant(ctx, stride));
        row = stride == 1 && i + 2 == t->rank
                  ? d
                  : ir_affine_binary(ctx, IR_AFFINE_ADD, d, row);
        stride *= extent;
    }
    out_extent[0] = stride;
    results[0] = row;
    results[1] = t->rank ? ir_affine_dim(ctx, t->rank - 1) : ir_affine_constant(ctx, 0);
    return ir_affine_map_attr(ctx, ir_affine_map_get(ctx, t->rank, 0, results, 2));
}

static ir_attr core_ranges_attr(ir_context *ctx, fb_vec cores)
{
    ir_attr *items = TW_ARENA_ARRAY(ir_context_arena(ctx), ir_attr, cores.count + 1);
    const ir_attr_def *def = TTNN_ATTR(core_range);
    for (uint32_t i = 0; i < cores.count; i++)
        if (struct_attr(ctx, def, FB_STRUCT_ttnn_CoreRange, fb_vec_struct(cores, i),
                        &items[i]))
            return NULL;
    ir_attr list = ir_array_attr(ctx, items, cores.count);
    return ir_dialect_attr(ctx, TTNN_ATTR(core_range_set), &list, 1);
}

static ir_attr layout_attr(ir_context *ctx, const fb_tensor *t, ir_type element)
{
    int64_t extent[2] = {1, 1}, buffer = TTNN_BufferType_SystemMemory;
    ir_attr grid[] = {ir_raw_int(ctx, 1), ir_raw_int(ctx, 1)}, kind = NULL, cores = NULL;
    ir_attr map = linear_map(ctx, t, extent);
    const fb_memory_config *m = &t->memory;
    if (t->has_memory) {
        buffer = case_value(&ttnn_enum_BufferType, FB_ENUM_BufferType, m->buffer_type);
        kind = ir_enum_attr(ctx, TTNN_ATTR(tensor_memory_layout),
                            case_value(&ttnn_enum_TensorMemoryLayout,
                                       FB_ENUM_ttnn_TensorMemoryLayout, m->layout));
        if (m->has_shard && m->shard.rank == 2) {
            int64_t rows = (extent[0] + m->shard.shape[0] - 1) / m->shard.shape[0];
            int64_t columns = (extent[1] + m->shard.shape[1] - 1) / m->shard.shape[1];
            grid[0] = ir_raw_int(ctx, TW_MAX(rows, 1));
            grid[1] = ir_raw_int(ctx, TW_MAX(columns, 1));
            extent[0] = m->shard.shape[0];
            extent[1] = m->shard.shape[1];
            cores = core_ranges_attr(ctx, m->shard.cores);
        }
    }
    int64_t dims[] = {extent[0] / t->tile_y, extent[1] / t->tile_x};
    ir_attr space = ir_enum_attr(ctx, TTNN_ATTR(buffer_type), buffer);
    ir_attr params[] = {map,
                        ir_array_attr(ctx, grid, 2),
                        ir_type_attr(ir_memref_type(element, dims, 2, NULL, space)),
                        kind,
                        NULL,
                        ir_raw_int(ctx, 0),
                        cores};
    return ir_dialect_attr(ctx, TTNN_ATTR(ttnn_layout), params, TW_COUNT(params));
}

tw_status fb_import_type(ir_context *ctx, fb_view ref, ir_type *out)
{
    fb_tensor t = fb_read_tensor(ref);
    if (t.has_memory && t.memory.has_nd_shard)
        return tw_error(TW_UNSUPPORTED, "tensor %u: ND-sharded tensors", t.id);
    fb_view desc = fb_get_table(ref, FB_ttnn_TensorRef_desc);
    fb_view layout = fb_get_table(desc, FB_ttnn_TensorDesc_layout);
    int64_t data_type = fb_get_int(fb_get_table(layout, FB_ttnn_LayoutDesc_memory_desc),
                                   FB_ttnn_MemoryDesc_data_type);
    ir_type scalar = fb_import_element(ctx, data_type);
    ir_type tile = t.tiled ? tile_type(ctx, &t, data_type) : NULL;
    /* Block formats have no element type but the tile. */
    ir_type element = scalar ? scalar : tile;
    if (!element)
        return tw_error(TW_INVALID, "tensor %u has a block format but no tiles", t.id);
    *out =
        ir_tensor_type(element, t.dims, t.rank, layout_attr(ctx, &t, tile ? tile : scalar));
    return TW_SUCCESS;
}
