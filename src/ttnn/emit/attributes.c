/* attributes.c: attributes of TTNN and layouts of its tensors as text of a language. */
#include "ttnn/emit/ttnn_calls.h"

#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

static const struct {
    ttnn_name_kind kind;
    int64_t value;
    const char *text;
} case_names[] = {
    {TTNN_NAME_DTYPE, TTCORE_DataType_Float32, "FLOAT32"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_BFloat16, "BFLOAT16"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_BFP_BFloat8, "BFLOAT8_B"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_BFP_BFloat4, "BFLOAT4_B"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_UInt32, "UINT32"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_UInt16, "UINT16"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_UInt8, "UINT8"},
    {TTNN_NAME_DTYPE, TTCORE_DataType_Int32, "INT32"},
    {TTNN_NAME_LAYOUT, TTNN_Layout_RowMajor, "ROW_MAJOR"},
    {TTNN_NAME_LAYOUT, TTNN_Layout_Tile, "TILE"},
    {TTNN_NAME_BUFFER, TTNN_BufferType_DRAM, "DRAM"},
    {TTNN_NAME_BUFFER, TTNN_BufferType_L1, "L1"},
    {TTNN_NAME_BUFFER, TTNN_BufferType_L1Small, "L1_SMALL"},
    {TTNN_NAME_BUFFER, TTNN_BufferType_Trace, "TRACE"},
    {TTNN_NAME_MEMORY, TTNN_TensorMemoryLayout_Interleaved, "INTERLEAVED"},
    {TTNN_NAME_MEMORY, TTNN_TensorMemoryLayout_HeightSharded, "HEIGHT_SHARDED"},
    {TTNN_NAME_MEMORY, TTNN_TensorMemoryLayout_WidthSharded, "WIDTH_SHARDED"},
    {TTNN_NAME_MEMORY, TTNN_TensorMemoryLayout_BlockSharded, "BLOCK_SHARDED"},
    {TTNN_NAME_ORIENTATION, TTNN_ShardOrientation_RowMajor, "ROW_MAJOR"},
    {TTNN_NAME_ORIENTATION, TTNN_ShardOrientation_ColMajor, "COL_MAJOR"},
    {TTNN_NAME_FIDELITY, TTNN_MathFidelity_LoFi, "LoFi"},
    {TTNN_NAME_FIDELITY, TTNN_MathFidelity_HiFi2, "HiFi2"},
    {TTNN_NAME_FIDELITY, TTNN_MathFidelity_HiFi3, "HiFi3"},
    {TTNN_NAME_FIDELITY, TTNN_MathFidelity_HiFi4, "HiFi4"},
    {TTNN_NAME_TOPOLOGY, TTCORE_Topology_Ring, "Ring"},
    {TTNN_NAME_TOPOLOGY, TTCORE_Topology_Linear, "Linear"},
    {TTNN_NAME_SCATTER, TTCORE_ReduceType_Sum, "add"},
    {TTNN_NAME_SCATTER, TTCORE_ReduceType_Prod, "multiply"},
    {TTNN_NAME_SCATTER, TTCORE_ReduceType_Min, "amin"},
    {TTNN_NAME_SCATTER, TTCORE_ReduceType_Max, "amax"},
    {TTNN_NAME_SCATTER, TTCORE_ReduceType_Invalid, ""},
};

const char *ttnn_case_name(ttnn_name_kind kind, int64_t value)
{
    for (size_t i = 0; i < TW_COUNT(case_names); i++)
        if (case_names[i].kind == kind && case_names[i].value == value)
            return case_names[i].text;
    return NULL;
}

void ttnn_put_upper(tw_strbuf *out, const char *text)
{
    bool joined = strncmp(text, "is_", 3) == 0 || strncmp(text, "soft", 4) == 0;
    for (; *text; text++)
        if (!joined || *text != '_')
            tw_strbuf_putc(out, (char)toupper((unsigned char)*text));
}

void ttnn_put_digits(tw_strbuf *out, double v, bool single)
{
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = strtod(text, NULL);
        if (back == v || (single && (float)back == (float)v))
            break;
    }
    tw_strbuf_puts(out, text);
    if (!strpbrk(text, ".e"))
        tw_strbuf_puts(out, ".0");
}

/* ---- numbers and lists --------------------------------------------------------------- */

void ttnn_put_integer(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    if (ir_attr_is_bool(a))
        tw_strbuf_puts(out, a->value ? l->yes : l->no);
    else if (a->type && a->type->kind == IR_TYPE_INTEGER && a->type->sign == IR_UNSIGNED)
        tw_strbuf_u64(out, (uint64_t)a->value);
    else
        tw_strbuf_i64(out, a->value);
}

void ttnn_put_list(const ttnn_language *l, tw_strbuf *out, const int64_t *values, size_t n)
{
    tw_strbuf_puts(out, l->list[0]);
    for (size_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_i64(out, values[i]);
    }
    tw_strbuf_puts(out, l->list[1]);
}

/* Elements that tensors are made of. */
static bool put_elements(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    ir_type element = a->type->element;
    bool real = element->kind == IR_TYPE_FLOAT;
    if (!real && element->kind != IR_TYPE_INTEGER)
        return false;
    int64_t n = ir_type_num_elements(a->type);
    tw_strbuf_printf(out, "%s%s", real ? l->floats : l->integers, l->list[0]);
    for (int64_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        if (real)
            l->put_real(out, ir_dense_real(a, (size_t)i), element);
        else
            tw_strbuf_i64(out, ir_dense_int(a, (size_t)i));
    }
    tw_strbuf_puts(out, l->list[1]);
    return true;
}

/* ---- objects ------------------------------------------------------------------------- */

bool ttnn_put_case(const ttnn_language *l, tw_strbuf *out, ttnn_name_kind kind,
                   int64_t value)
{
    const char *name = ttnn_case_name(kind, value);
    if (name)
        tw_strbuf_printf(out, "%s%s", l->prefixes[kind], name);
    return name;
}

static bool put_enum(const ttnn_language *l, tw_strbuf *out, const ir_enum_def *e,
                     int64_t value)
{
    static const struct {
        const char *name;
        ttnn_name_kind kind;
    } rows[] = {
        {"DataType", TTNN_NAME_DTYPE},
        {"Layout", TTNN_NAME_LAYOUT},
        {"MathFidelity", TTNN_NAME_FIDELITY},
        {"TensorMemoryLayout", TTNN_NAME_MEMORY},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (strcmp(rows[i].name, e->name) == 0)
            return ttnn_put_case(l, out, rows[i].kind, value);
    return l->put_enum && l->put_enum(out, e, value);
}

bool ttnn_put_param(const ttnn_language *l, tw_strbuf *out, const ir_param_def *param,
                    ir_attr a)
{
    if (param->kind == IR_PARAM_BOOL) {
        tw_strbuf_puts(out, a->value ? l->yes : l->no);
        return true;
    }
    return param->kind == IR_PARAM_ENUM ? put_enum(l, out, param->enumeration, a->value)
                                        : ttnn_put_attr(l, out, a);
}

/* Fields of products have capitals where ours cannot tell them apart. */
const char *ttnn_field_name(const ir_param_def *param)
{
    return strcmp(param->name, "per_core_m") == 0   ? "per_core_M"
           : strcmp(param->name, "per_core_n") == 0 ? "per_core_N"
                                                    : param->name;
}

/* Type{.field = value, .other = value}, Type(field=value, other=value): what is set, by the
 * names of the parameters */
static bool put_fields(const ttnn_language *l, tw_strbuf *out, const char *type, ir_attr a)
{
    const char *separator = "";
    bool ok = true;
    tw_strbuf_printf(out, "%s%s", type, l->object[0]);
    for (uint32_t i = 0; ok && i < a->def->params.count; i++) {
        const ir_param_def *param = &a->def->params.at[i];
        if (!a->params[i] || strcmp(param->name, "hop_cores") == 0)
            continue;
        tw_strbuf_printf(out, "%s%s%s%s", separator, l->field[0], ttnn_field_name(param),
                         l->field[1]);
        separator = ", ";
        ok = ttnn_put_param(l, out, param, a->params[i]);
    }
    tw_strbuf_puts(out, l->object[1]);
    return ok;
}

static void put_coord(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    tw_strbuf_printf(out, "%sCoreCoord%s%lld, %lld%s", l->scope, l->object[0],
                     (long long)a->params[0]->value, (long long)a->params[1]->value,
                     l->object[1]);
}

static void put_cores(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    ir_attr ranges = a->params[0];
    tw_strbuf_printf(out, "%sCoreRangeSet%s%s%s", l->scope, l->object[0], l->ranges,
                     l->list[0]);
    for (uint32_t i = 0; ranges && i < ranges->count; i++) {
        tw_strbuf_printf(out, "%s%sCoreRange%s", i ? ", " : "", l->scope, l->object[0]);
        put_coord(l, out, ranges->items[i]->params[0]);
        tw_strbuf_puts(out, ", ");
        put_coord(l, out, ranges->items[i]->params[1]);
        tw_strbuf_puts(out, l->object[1]);
    }
    tw_strbuf_printf(out, "%s%s", l->list[1], l->object[1]);
}

bool ttnn_put_memory(const ttnn_language *l, tw_strbuf *out, int64_t memory, int64_t buffer,
                     ir_attr cores, const int64_t shape[2], int64_t order)
{
    tw_strbuf_printf(out, "%sMemoryConfig%s", l->scope, l->object[0]);
    bool ok = ttnn_put_case(l, out, TTNN_NAME_MEMORY, memory);
    tw_strbuf_puts(out, ", ");
    ok = ttnn_put_case(l, out, TTNN_NAME_BUFFER, buffer) && ok;
    tw_strbuf_puts(out, ", ");
    if (cores) {
        tw_strbuf_printf(out, "%sShardSpec%s", l->scope, l->object[0]);
        put_cores(l, out, cores);
        tw_strbuf_printf(out, ", %s", l->pair);
        ttnn_put_list(l, out, shape, 2);
        tw_strbuf_puts(out, ", ");
        ok = ttnn_put_case(l, out, TTNN_NAME_ORIENTATION, order) && ok;
        tw_strbuf_puts(out, l->object[1]);
    } else {
        tw_strbuf_puts(out, l->none);
    }
    tw_strbuf_puts(out, l->object[1]);
    return ok;
}

/* How scatter combines; nothing where it overwrites. */
static bool put_reduction(const ttnn_language *l, tw_strbuf *out, int64_t value)
{
    const char *name = ttnn_case_name(TTNN_NAME_SCATTER, value);
    if (name && *name)
        tw_strbuf_printf(out, "\"%s\"", name);
    else
        tw_strbuf_puts(out, l->none);
    return name;
}

static bool put_dialect_attr(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    for (const ttnn_structure *s = l->structures; s->def; s++)
        if (s->def == a->def)
            return put_fields(l, out, s->type, a);
    if (a->def == TTCORE_ATTR(supportedDataTypes))
        return ttnn_put_case(l, out, TTNN_NAME_DTYPE, a->params[0]->value);
    if (a->def == TTCORE_ATTR(reduce_type))
        return put_reduction(l, out, a->params[0]->value);
    if (a->def == TTCORE_ATTR(topology))
        return ttnn_put_case(l, out, TTNN_NAME_TOPOLOGY, a->params[0]->value);
    if (a->def == TTNN_ATTR(layout))
        return ttnn_put_case(l, out, TTNN_NAME_LAYOUT, a->params[0]->value);
    if (a->def == TTNN_ATTR(core_coord)) {
        put_coord(l, out, a);
        return true;
    }
    if (a->def == TTNN_ATTR(core_range_set)) {
        put_cores(l, out, a);
        return true;
    }
    return l->put_other(out, a);
}

bool ttnn_put_attr(const ttnn_language *l, tw_strbuf *out, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        ttnn_put_integer(l, out, a);
        return true;
    case IR_ATTR_FLOAT:
        l->put_real(out, a->real, a->type);
        return true;
    case IR_ATTR_STRING:
        tw_strbuf_printf(out, "\"%.*s\"", (int)ir_attr_str(a).size, ir_attr_str(a).data);
        return true;
    case IR_ATTR_DENSE:
        return put_elements(l, out, a);
    case IR_ATTR_DIALECT:
        return put_dialect_attr(l, out, a);
    default:
        return l->put_other(out, a);
    }
}

/* ---- meshes -------------------------------------------------------------------------- */

static void put_sizes(tw_strbuf *out, ir_attr sizes)
{
    for (uint32_t i = 0; i < sizes->count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_i64(out, sizes->items[i]->value);
    }
}

bool ttnn_put_mesh(const ttnn_language *l, const ttnn_mesh_texts *texts, ir_attr config,
                   tw_strbuf *out_list, tw_strbuf *out_shape)
{
    if (!ir_attr_is(config, IR_ATTR_DIALECT))
        return false;
    const ir_attr list = config->params[0], shape = config->params[1];
    tw_strbuf_puts(out_list, l->list[0]);
    if (config->def != TTNN_ATTR(mesh_mapper_config))
        put_sizes(out_list, list);
    for (uint32_t i = 0; config->def == TTNN_ATTR(mesh_mapper_config) && i < list->count;
         i++) {
        const ir_attr dim = list->items[i]->params[1];
        const bool shards = list->items[i]->params[0]->value == TTNN_PlacementType_Shard;
        if (shards && !dim)
            return false;
        tw_strbuf_puts(out_list, i ? ", " : "");
        if (shards)
            tw_strbuf_printf(out_list, "%s%lld%s", texts->shard[0], (long long)dim->value,
                             texts->shard[1]);
        else
            tw_strbuf_puts(out_list, texts->replicate);
    }
    tw_strbuf_puts(out_list, l->list[1]);
    if (!shape || !shape->count)
        return true;
    tw_strbuf_puts(out_shape, texts->shape[0]);
    put_sizes(out_shape, shape);
    tw_strbuf_puts(out_shape, texts->shape[1]);
    return true;
}

/* ---- properties of results ----------------------------------------------------------- */

bool ttnn_put_layout_memory(const ttnn_language *l, tw_strbuf *out, ir_type type,
                            const ttnn_layout *layout)
{
    int64_t shard[2] = {0, 0};
    ir_attr cores = NULL;
    if (ttnn_layout_on_host(layout)) {
        tw_strbuf_puts(out, l->none);
        return true;
    }
    if (ttnn_memory_is_sharded(layout->memory)) {
        ttnn_layout_shard_elements(layout, type->dims, type->count, shard);
        cores = ttnn_layout_cores(type->ctx, layout);
    }
    return ttnn_put_memory(l, out, layout->memory, layout->buffer, cores, shard,
                           TTNN_ShardOrientation_RowMajor);
}

ir_attr ttnn_property_arg(const ttnn_language *l, ir_op *op, const char *name)
{
    tw_strbuf text = {0};
    ttnn_layout layout;
    bool ok;
    if (!op->n_results || op->results[0].type->kind != IR_TYPE_TENSOR)
        return ttnn_text_arg(l, op, name, &text, false);
    ir_type type = op->results[0].type;
    if (!ttnn_layout_of(type, &layout)) {
        ir_op_error(op, "has a result without a layout; run ttnn-layout before");
        return NULL;
    }
    if (strcmp(name, "memory") == 0)
        ok = ttnn_put_layout_memory(l, &text, type, &layout);
    else if (strcmp(name, "layout") == 0)
        ok = ttnn_put_case(l, &text, TTNN_NAME_LAYOUT,
                           layout.tiled ? TTNN_Layout_Tile : TTNN_Layout_RowMajor);
    else if (strcmp(name, "dtype") == 0)
        ok = ttnn_put_case(l, &text, TTNN_NAME_DTYPE, layout.dtype);
    else
        ok = l->put_property(&text, op, name, &layout);
    return ttnn_text_arg(l, op, name, &text, ok);
}
