/* attributes.c: attributes of TTNN and layouts of its tensors as C++. */
#include "convert/ttnn_to_emitc/ttnn_to_emitc.h"
#include "dialect/emitc/emitc.h"
#include "dialect/emitc/emitc_build.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttnn/layout.h"
#include "dialect/ttnn/ttnn.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cases --------------------------------------------------------------------------- */

static bool put_case(tw_strbuf *out, const char *prefix, ttnn_name_kind kind, int64_t value)
{
    const char *name = ttnn_case_name(kind, value);
    if (name)
        tw_strbuf_printf(out, "%s%s", prefix, name);
    return name;
}

static bool put_dtype(tw_strbuf *out, int64_t value)
{
    return put_case(out, "::ttnn::DataType::", TTNN_NAME_DTYPE, value);
}

static bool put_layout(tw_strbuf *out, int64_t value)
{
    return put_case(out, "::ttnn::Layout::", TTNN_NAME_LAYOUT, value);
}

/* SCREAMING_SNAKE_CASE of a case's text; questions such as is_inf and softplus are one
 * word. */
static void put_upper(tw_strbuf *out, const char *text)
{
    bool joined = strncmp(text, "is_", 3) == 0 || strncmp(text, "soft", 4) == 0;
    for (; *text; text++)
        if (!joined || *text != '_')
            tw_strbuf_putc(out, (char)toupper((unsigned char)*text));
}

static bool put_enum(tw_strbuf *out, const ir_enum_def *e, int64_t value)
{
    static const struct {
        const char *name, *prefix;
        int kind; /* of the shared names; -1: the case's own, in capitals */
    } rows[] = {
        {"DataType", "::ttnn::DataType::", TTNN_NAME_DTYPE},
        {"Layout", "::ttnn::Layout::", TTNN_NAME_LAYOUT},
        {"MathFidelity", "::tt::tt_metal::MathFidelity::", TTNN_NAME_FIDELITY},
        {"TensorMemoryLayout", "::ttnn::TensorMemoryLayout::", TTNN_NAME_MEMORY},
        {"Conv2dSliceType", "ttnn::Conv2dSliceConfig::SliceType::", -1},
        {"UnaryOpType", "::ttnn::operations::unary::UnaryOpType::", -1},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++) {
        if (strcmp(rows[i].name, e->name) != 0)
            continue;
        if (rows[i].kind >= 0)
            return put_case(out, rows[i].prefix, (ttnn_name_kind)rows[i].kind, value);
        const ir_enum_case *c = ir_enum_by_value(e, value);
        tw_strbuf_puts(out, rows[i].prefix);
        put_upper(out, c ? c->text : "");
        return c;
    }
    return false;
}

/* ---- numbers and lists --------------------------------------------------------------- */

static void put_real(tw_strbuf *out, double v)
{
    v = (float)v;
    if (isnan(v)) {
        tw_strbuf_puts(out, "::std::numeric_limits<float>::quiet_NaN()");
    } else if (isinf(v)) {
        tw_strbuf_printf(out, "%s::std::numeric_limits<float>::infinity()",
                         v < 0 ? "-" : "");
    } else {
        ttnn_put_digits(out, v, true);
        tw_strbuf_putc(out, 'f');
    }
}

static void put_integer(tw_strbuf *out, ir_attr a)
{
    if (ir_attr_is_bool(a))
        tw_strbuf_puts(out, a->value ? "true" : "false");
    else if (a->type && a->type->kind == IR_TYPE_INTEGER && a->type->sign == IR_UNSIGNED)
        tw_strbuf_u64(out, (uint64_t)a->value);
    else
        tw_strbuf_i64(out, a->value);
}

/* Integers of an attribute: an array, or elements, or a shape; SIZE_MAX if it has none. */
static size_t integers(ir_attr a, int64_t *out, size_t most)
{
    if (a && a->kind == IR_ATTR_DIALECT && a->def == TTNN_ATTR(shape))
        a = a->params[0];
    bool array = ir_attr_is(a, IR_ATTR_ARRAY), dense = ir_attr_is(a, IR_ATTR_DENSE_ARRAY);
    bool elements =
        ir_attr_is(a, IR_ATTR_DENSE) && a->type->element->kind == IR_TYPE_INTEGER;
    if (ir_attr_is(a, IR_ATTR_INTEGER) && most) {
        *out = a->value;
        return 1;
    }
    if (!array && !dense && !elements)
        return SIZE_MAX;
    size_t n = elements ? (size_t)ir_type_num_elements(a->type) : a->count;
    if (n > most)
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (array && !ir_attr_is(a->items[i], IR_ATTR_INTEGER))
            return SIZE_MAX;
        out[i] = array   ? a->items[i]->value
                 : dense ? ir_dense_array_int(a, (uint32_t)i)
                         : ir_dense_int(a, i);
    }
    return n;
}

static void put_list(tw_strbuf *out, const int64_t *values, size_t n)
{
    tw_strbuf_putc(out, '{');
    for (size_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_i64(out, values[i]);
    }
    tw_strbuf_putc(out, '}');
}

/* ---- structures ---------------------------------------------------------------------- */

static bool put_attr(tw_strbuf *out, ir_attr a);

static bool put_param(tw_strbuf *out, const ir_param_def *param, ir_attr a)
{
    if (param->kind == IR_PARAM_BOOL) {
        tw_strbuf_puts(out, a->value ? "true" : "false");
        return true;
    }
    return param->kind == IR_PARAM_ENUM ? put_enum(out, param->enumeration, a->value)
                                        : put_attr(out, a);
}

/* Type{.field = value, .other = value}: what is set, by the names of the parameters */
static bool put_fields(tw_strbuf *out, const char *type, ir_attr a)
{
    const char *separator = "";
    bool ok = true;
    tw_strbuf_printf(out, "%s{", type);
    for (uint32_t i = 0; ok && i < a->def->params.count; i++) {
        const ir_param_def *param = &a->def->params.at[i];
        if (!a->params[i] || strcmp(param->name, "hop_cores") == 0)
            continue;
        /* fields of products have capitals where ours cannot tell them apart */
        const char *name = strcmp(param->name, "per_core_m") == 0   ? "per_core_M"
                           : strcmp(param->name, "per_core_n") == 0 ? "per_core_N"
                                                                    : param->name;
        tw_strbuf_printf(out, "%s.%s = ", separator, name);
        separator = ", ";
        ok = put_param(out, param, a->params[i]);
    }
    tw_strbuf_putc(out, '}');
    return ok;
}

static void put_coord(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_printf(out, "::ttnn::CoreCoord{%lld, %lld}", (long long)a->params[0]->value,
                     (long long)a->params[1]->value);
}

static bool put_cores(tw_strbuf *out, ir_attr a)
{
    ir_attr ranges = a->params[0];
    tw_strbuf_puts(out, "::ttnn::CoreRangeSet{::std::vector<::ttnn::CoreRange>{");
    for (uint32_t i = 0; ranges && i < ranges->count; i++) {
        tw_strbuf_printf(out, "%s::ttnn::CoreRange{", i ? ", " : "");
        put_coord(out, ranges->items[i]->params[0]);
        tw_strbuf_puts(out, ", ");
        put_coord(out, ranges->items[i]->params[1]);
        tw_strbuf_putc(out, '}');
    }
    tw_strbuf_puts(out, "}}");
    return true;
}

static bool put_shard(tw_strbuf *out, ir_attr cores, const int64_t shape[2], int64_t order)
{
    tw_strbuf_puts(out, "::ttnn::ShardSpec{");
    put_cores(out, cores);
    tw_strbuf_puts(out, ", ::std::array<uint32_t, 2>");
    put_list(out, shape, 2);
    tw_strbuf_puts(out, ", ");
    bool ok =
        put_case(out, "::ttnn::types::ShardOrientation::", TTNN_NAME_ORIENTATION, order);
    tw_strbuf_putc(out, '}');
    return ok;
}

static bool put_memory(tw_strbuf *out, int64_t memory, int64_t buffer, ir_attr cores,
                       const int64_t shape[2], int64_t order)
{
    tw_strbuf_puts(out, "::ttnn::MemoryConfig{");
    bool ok = put_case(out, "::ttnn::TensorMemoryLayout::", TTNN_NAME_MEMORY, memory);
    tw_strbuf_puts(out, ", ");
    ok = put_case(out, "::ttnn::BufferType::", TTNN_NAME_BUFFER, buffer) && ok;
    tw_strbuf_puts(out, ", ");
    if (cores)
        ok = put_shard(out, cores, shape, order) && ok;
    else
        tw_strbuf_puts(out, "::std::nullopt");
    tw_strbuf_putc(out, '}');
    return ok;
}

static bool put_memory_config(tw_strbuf *out, ir_attr a)
{
    ir_attr shard = a->params[2], cores = NULL;
    int64_t shape[2] = {0, 0}, order = TTNN_ShardOrientation_RowMajor;
    if (a->params[3])
        return false;
    if (shard) {
        cores = shard->params[0];
        order = shard->params[2]->params[0]->value;
        if (integers(shard->params[1], shape, 2) != 2)
            return false;
    }
    int64_t memory =
        a->params[0] ? a->params[0]->params[0]->value : TTNN_TensorMemoryLayout_Interleaved;
    return put_memory(out, memory, a->params[1]->params[0]->value, cores, shape, order);
}

static bool put_unary(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_puts(out, "::ttnn::operations::unary::UnaryWithParam(");
    bool ok = put_enum(out, &ttnn_enum_UnaryOpType, a->params[0]->value);
    ir_attr params = a->params[1];
    if (params && params->count) {
        tw_strbuf_puts(out, ", ::std::vector<float>{");
        for (uint32_t i = 0; i < params->count; i++) {
            tw_strbuf_puts(out, i ? ", " : "");
            put_real(out, params->items[i]->kind == IR_ATTR_FLOAT
                              ? params->items[i]->real
                              : (double)params->items[i]->value);
        }
        tw_strbuf_putc(out, '}');
    }
    tw_strbuf_putc(out, ')');
    return ok;
}

/* ::ttnn::Shape({2, 3}) */
static bool put_shape(tw_strbuf *out, ir_attr a)
{
    int64_t dims[TTNN_MAX_RANK];
    size_t n = integers(a, dims, TTNN_MAX_RANK);
    if (n == SIZE_MAX)
        return false;
    tw_strbuf_puts(out, "::ttnn::Shape(");
    put_list(out, dims, n);
    tw_strbuf_putc(out, ')');
    return true;
}

/* How scatter combines; nothing where it overwrites. */
static bool put_reduction(tw_strbuf *out, int64_t value)
{
    const char *name = ttnn_case_name(TTNN_NAME_SCATTER, value);
    if (name && *name)
        tw_strbuf_printf(out, "\"%s\"", name);
    else
        tw_strbuf_puts(out, "::std::nullopt");
    return name;
}

static bool put_dialect_attr(tw_strbuf *out, ir_attr a)
{
    static const struct {
        const ir_attr_def *def;
        const char *type;
    } structures[] = {
        {TTNN_ATTR(device_compute_kernel_config), "::ttnn::WormholeComputeKernelConfig"},
        {TTNN_ATTR(conv2d_config), "::ttnn::Conv2dConfig"},
        {TTNN_ATTR(conv2d_slice_config), "::ttnn::Conv2dSliceConfig"},
        {TTNN_ATTR(sdpa_program_config),
         "::ttnn::operations::transformer::SDPAProgramConfig"},
        {TTNN_ATTR(layernorm_sharded_multicore_program_config),
         "::ttnn::prim::LayerNormShardedMultiCoreProgramConfig"},
        {TTNN_ATTR(matmul_multi_core_reuse_multi_cast_1d_program_config),
         "::ttnn::operations::matmul::MatmulMultiCoreReuseMultiCast1DProgramConfig"},
    };
    for (size_t i = 0; i < TW_COUNT(structures); i++)
        if (structures[i].def == a->def)
            return put_fields(out, structures[i].type, a);
    if (a->def == TTCORE_ATTR(supportedDataTypes))
        return put_dtype(out, a->params[0]->value);
    if (a->def == TTCORE_ATTR(reduce_type))
        return put_reduction(out, a->params[0]->value);
    if (a->def == TTCORE_ATTR(topology))
        return put_case(out, "::tt::tt_fabric::Topology::", TTNN_NAME_TOPOLOGY,
                        a->params[0]->value);
    if (a->def == TTNN_ATTR(layout))
        return put_layout(out, a->params[0]->value);
    if (a->def == TTNN_ATTR(tensor_memory_layout))
        return put_enum(out, &ttnn_enum_TensorMemoryLayout, a->params[0]->value);
    if (a->def == TTNN_ATTR(core_coord)) {
        put_coord(out, a);
        return true;
    }
    return a->def == TTNN_ATTR(shape)              ? put_shape(out, a)
           : a->def == TTNN_ATTR(core_range_set)   ? put_cores(out, a)
           : a->def == TTNN_ATTR(memory_config)    ? put_memory_config(out, a)
           : a->def == TTNN_ATTR(unary_with_param) ? put_unary(out, a)
                                                   : false;
}

/* ::std::vector<float>{...}: elements that tensors are made of */
static bool put_elements(tw_strbuf *out, ir_attr a)
{
    ir_type element = a->type->element;
    bool real = element->kind == IR_TYPE_FLOAT;
    if (!real && element->kind != IR_TYPE_INTEGER)
        return false;
    int64_t n = ir_type_num_elements(a->type);
    tw_strbuf_printf(out, "::std::vector<%s>{", real ? "float" : "int32_t");
    for (int64_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        if (real)
            put_real(out, ir_dense_real(a, (size_t)i));
        else
            tw_strbuf_i64(out, ir_dense_int(a, (size_t)i));
    }
    tw_strbuf_putc(out, '}');
    return true;
}

static bool put_attr(tw_strbuf *out, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        put_integer(out, a);
        return true;
    case IR_ATTR_FLOAT:
        put_real(out, a->real);
        return true;
    case IR_ATTR_STRING:
        tw_strbuf_printf(out, "\"%.*s\"", (int)ir_attr_str(a).size, ir_attr_str(a).data);
        return true;
    case IR_ATTR_DENSE:
        return put_elements(out, a);
    case IR_ATTR_DIALECT:
        return put_dialect_attr(out, a);
    default:
        return false;
    }
}

/* ---- properties of results ----------------------------------------------------------- */

static bool put_layout_memory(tw_strbuf *out, ir_type type, const ttnn_layout *l)
{
    if (ttnn_layout_on_host(l)) {
        tw_strbuf_puts(out, "::std::nullopt");
        return true;
    }
    if (!ttnn_memory_is_sharded(l->memory))
        return put_memory(out, l->memory, l->buffer, NULL, NULL, 0);
    int64_t shard[2];
    ttnn_layout_shard_elements(l, type->dims, type->count, shard);
    return put_memory(out, l->memory, l->buffer, ttnn_layout_cores(type->ctx, l), shard,
                      TTNN_ShardOrientation_RowMajor);
}

/* Everything about a tensor that is made of elements. */
static bool put_spec(tw_strbuf *out, ir_type type, const ttnn_layout *l)
{
    tw_strbuf_puts(out, "::ttnn::TensorSpec(::ttnn::Shape(");
    put_list(out, type->dims, type->count);
    tw_strbuf_puts(out, "), ::ttnn::TensorLayout(");
    bool ok = put_dtype(out, l->dtype);
    tw_strbuf_puts(out, ", ::ttnn::PageConfig(");
    ok = put_layout(out, l->tiled ? TTNN_Layout_Tile : TTNN_Layout_RowMajor) && ok;
    tw_strbuf_puts(out, "), ");
    if (ttnn_layout_on_host(l))
        tw_strbuf_puts(out, "::ttnn::MemoryConfig{}");
    else
        ok = put_layout_memory(out, type, l) && ok;
    tw_strbuf_puts(out, "))");
    return ok;
}

static bool is_retyped(ir_op *op, const ttnn_layout *l)
{
    ttnn_layout from;
    return !op->n_operands || !ttnn_layout_of(op->operands[0].value->type, &from) ||
           from.dtype != l->dtype;
}

static ir_attr property(ir_op *op, const char *name)
{
    tw_strbuf text = {0};
    ttnn_layout layout;
    if (!op->n_results || op->results[0].type->kind != IR_TYPE_TENSOR)
        return ttnn_text_arg(&cpp_language, op, name, &text, false);
    ir_type type = op->results[0].type;
    if (!ttnn_layout_of(type, &layout)) {
        ir_op_error(op, "has a result without a layout; run ttnn-layout before");
        return NULL;
    }
    bool ok = true;
    if (strcmp(name, "memory") == 0)
        ok = put_layout_memory(&text, type, &layout);
    else if (strcmp(name, "layout") == 0)
        ok = put_layout(&text, layout.tiled ? TTNN_Layout_Tile : TTNN_Layout_RowMajor);
    else if (strcmp(name, "spec") == 0)
        ok = put_spec(&text, type, &layout);
    else if (strcmp(name, "retype") == 0 && !is_retyped(op, &layout))
        tw_strbuf_puts(&text, cpp_language.none);
    else
        ok = put_dtype(&text, layout.dtype);
    return ttnn_text_arg(&cpp_language, op, name, &text, ok);
}

/* ---- forms of its own ---------------------------------------------------------------- */

typedef bool put_form(tw_strbuf *out, ir_attr a);

/* A container of the attribute's integers; `least` to `most` of them. */
static bool put_container(tw_strbuf *out, const char *type, ir_attr a, size_t least,
                          size_t most)
{
    int64_t values[TTNN_MAX_RANK];
    size_t n = integers(a, values, TTNN_MAX_RANK);
    if (n == SIZE_MAX || n < least || n > most)
        return false;
    tw_strbuf_puts(out, type);
    put_list(out, values, n);
    return true;
}

static bool put_i32s(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::ttsl::SmallVector<int32_t>", a, 0, TTNN_MAX_RANK);
}

static bool put_i64s(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::ttsl::SmallVector<int64_t>", a, 0, TTNN_MAX_RANK);
}

static bool put_i32v(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::std::vector<int32_t>", a, 0, TTNN_MAX_RANK);
}

static bool put_u32v(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::std::vector<uint32_t>", a, 0, TTNN_MAX_RANK);
}

static bool put_u2(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::std::array<uint32_t, 2>", a, 2, 2);
}

static bool put_u3(tw_strbuf *out, ir_attr a)
{
    return put_container(out, "::std::array<uint32_t, 3>", a, 3, 3);
}

static bool put_u24(tw_strbuf *out, ir_attr a)
{
    int64_t values[4];
    return integers(a, values, 4) == 4
               ? put_container(out, "::std::array<uint32_t, 4>", a, 4, 4)
               : put_u2(out, a);
}

/* One number, or two. */
static bool put_u12(tw_strbuf *out, ir_attr a)
{
    if (ir_attr_is(a, IR_ATTR_INTEGER)) {
        put_integer(out, a);
        return true;
    }
    return put_container(out, "::std::array<int32_t, 2>", a, 2, 2);
}

/* Ours are top, left, bottom, right. */
static bool put_pool(tw_strbuf *out, ir_attr a)
{
    int64_t v[4];
    if (integers(a, v, 4) != 4)
        return put_u2(out, a);
    tw_strbuf_printf(out, "::std::array<uint32_t, 4>{%lld, %lld, %lld, %lld}",
                     (long long)v[0], (long long)v[2], (long long)v[1], (long long)v[3]);
    return true;
}

static bool put_pairs(tw_strbuf *out, ir_attr a)
{
    int64_t v[2 * TTNN_MAX_RANK];
    size_t n = integers(a, v, TW_COUNT(v));
    if (n == SIZE_MAX || n % 2)
        return false;
    tw_strbuf_puts(out, "::ttsl::SmallVector<::std::array<uint32_t, 2>>{");
    for (size_t i = 0; i < n; i += 2) {
        tw_strbuf_printf(out, "%s::std::array<uint32_t, 2>", i ? ", " : "");
        put_list(out, v + i, 2);
    }
    tw_strbuf_putc(out, '}');
    return true;
}

static bool put_sub(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_printf(out, "std::make_optional<::tt::tt_metal::SubDeviceId>(%lld)",
                     (long long)a->value);
    return true;
}

static bool put_queue(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_printf(out, "::ttnn::QueueId(%lld)", a ? (long long)a->value : 0);
    return true;
}

static bool put_mesh_coord(tw_strbuf *out, ir_attr a)
{
    int64_t values[8];
    size_t n = integers(a, values, TW_COUNT(values));
    if (n == SIZE_MAX)
        return false;
    tw_strbuf_puts(out, "::ttnn::MeshCoordinate(ttsl::Span<const uint32_t>");
    put_list(out, values, n);
    tw_strbuf_putc(out, ')');
    return true;
}

static bool put_rounding(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_printf(out, "::ttml::metal::StochasticRounding::%s",
                     a && a->value ? "Enabled" : "Disabled");
    return true;
}

/* Where no topology is given, a line: every mesh has one. */
static bool put_line(tw_strbuf *out, ir_attr a)
{
    if (a)
        return put_attr(out, a);
    tw_strbuf_puts(out, "::tt::tt_fabric::Topology::Linear");
    return true;
}

static bool put_fused(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_puts(out, "::ttnn::operations::unary::utils::string_to_unary_with_param(");
    bool ok = put_attr(out, a);
    tw_strbuf_putc(out, ')');
    return ok;
}

static bool put_mask(tw_strbuf *out, ir_attr a)
{
    static const char *const names[] = {"None", "Causal", "Arbitrary"};
    int64_t value = ir_enum_value(a, -1);
    if (value < 0 || value > 2)
        return false;
    tw_strbuf_printf(out, "::ttml::metal::AttentionMaskType::%s", names[value]);
    return true;
}

/* Block sizes are members with a capital; the rest of the structure keeps its defaults. */
static bool put_conv3d(tw_strbuf *out, ir_attr a)
{
    bool ok = true;
    tw_strbuf_puts(out,
                   "[&]() { auto config = ::ttnn::experimental::prim::Conv3dConfig(); ");
    for (uint32_t i = 0; a && ok && i < a->def->params.count; i++) {
        const ir_param_def *param = &a->def->params.at[i];
        if (!a->params[i])
            continue;
        bool block = strstr(param->name, "_block");
        tw_strbuf_printf(out, "config.%c%s = ",
                         block ? toupper((unsigned char)*param->name) : *param->name,
                         param->name + 1);
        if (a->params[i]->kind == IR_ATTR_DIALECT) {
            int64_t grid[2];
            ok = integers(a->params[i]->params[0], grid, 2) == 2;
            tw_strbuf_printf(out, "tt::tt_metal::CoreCoord{%lld, %lld}",
                             ok ? (long long)grid[0] : 0, ok ? (long long)grid[1] : 0);
        } else {
            ok = put_param(out, param, a->params[i]);
        }
        tw_strbuf_puts(out, "; ");
    }
    tw_strbuf_puts(out, "return config; }()");
    return ok;
}

static const struct {
    const char *name;
    put_form *put;
    bool always; /* also where the attribute is left out */
} forms[] = {
    {"i32s", put_i32s, false},
    {"i64s", put_i64s, false},
    {"i32v", put_i32v, false},
    {"u32v", put_u32v, false},
    {"u2", put_u2, false},
    {"u3", put_u3, false},
    {"u24", put_u24, false},
    {"u12", put_u12, false},
    {"pool", put_pool, false},
    {"pairs", put_pairs, false},
    {"sub", put_sub, false},
    {"queue", put_queue, true},
    {"coord", put_mesh_coord, false},
    {"rounding", put_rounding, true},
    {"line", put_line, true},
    {"fused", put_fused, false},
    {"mask", put_mask, true},
    {"conv3d", put_conv3d, true},
};

/* A vector in a variable of its own, and what looks at it. */
static ir_attr span_arg(ttnn_call *c, const char *name)
{
    tw_strbuf text = {0};
    ir_builder *b = &c->b;
    ir_attr list = ttnn_text_arg(&cpp_language, c->op, name, &text,
                                 put_i32s(&text, ir_op_attr(c->op, name)));
    if (!list)
        return NULL;
    ir_value *vector = ir_build1(b, EMITC_OP(constant),
                                 emitc_opaque_type(b->ctx, "::ttsl::SmallVector<int32_t>"),
                                 NULL, 0, IR_ATTRS({"value", list}));
    ir_value *span = cpp_call(b, "ttsl::make_const_span",
                              emitc_opaque_type(b->ctx, "::ttsl::Span<const int32_t>"),
                              &vector, 1, NULL, NULL);
    return ttnn_value_arg(c, span);
}

/* The operand of that name behind an operator or a function; nothing without one. */
static ir_attr operand_arg(ttnn_call *c, const char *form, const char *name)
{
    size_t start, count, group = ir_op_operand_index(c->op->def, name);
    ir_builder *b = &c->b;
    if (group == SIZE_MAX || !ir_op_operand_group(c->op, group, &start, &count))
        return NULL;
    if (!count)
        return emitc_opaque_attr(b->ctx, cpp_language.none);
    ir_value *v = c->op->operands[start].value;
    if (strcmp(form, "scalar") == 0)
        return ttnn_value_arg(c, cpp_call(b, "::ttnn::getScalarFromTensor",
                                          ir_integer_type(b->ctx, 32, IR_SIGNLESS), &v, 1,
                                          NULL, NULL));
    const char *type = strcmp(form, "ref") == 0
                           ? CPP_DEVICE_TYPE "&"
                           : "::std::optional<::std::reference_wrapper<" CPP_DEVICE_TYPE
                             ">>";
    return ttnn_value_arg(
        c,
        ir_build1(b, EMITC_OP(apply), emitc_opaque_type(b->ctx, type), IR_VALUES(v),
                  IR_ATTRS({"applicableOperator", ir_string_attr(b->ctx, TW_STR("*"))})));
}

static ir_attr own_form(ttnn_call *c, const char *source)
{
    if (*source == '@')
        return property(c->op, source + 1);
    const char *name = strchr(source, ':') + 1;
    size_t size = (size_t)(name - source) - 1;
    for (size_t i = 0; i < TW_COUNT(forms); i++) {
        if (strlen(forms[i].name) != size || strncmp(forms[i].name, source, size) != 0)
            continue;
        ir_attr a = ir_op_attr(c->op, name);
        tw_strbuf text = {0};
        if (!a && !forms[i].always)
            return emitc_opaque_attr(c->op->ctx, cpp_language.none);
        return ttnn_text_arg(&cpp_language, c->op, name, &text, forms[i].put(&text, a));
    }
    char form[16];
    snprintf(form, sizeof form, "%.*s", (int)size, source);
    return strcmp(form, "span") == 0 ? span_arg(c, name) : operand_arg(c, form, name);
}

const ttnn_language cpp_language = {
    .name = "C++",
    .none = "::std::nullopt",
    .yes = "true",
    .no = "false",
    .opaque = emitc_opaque_attr,
    .put = put_attr,
    .list = cpp_list,
    .own = own_form,
};
