/* attributes.c: attributes of TTNN and layouts of its tensors as C++. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/ttnn.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cases and numbers --------------------------------------------------------------- */

static bool put_enum(tw_strbuf *out, const ir_enum_def *e, int64_t value)
{
    const char *prefix =
        strcmp(e->name, "Conv2dSliceType") == 0 ? "ttnn::Conv2dSliceConfig::SliceType::"
        : strcmp(e->name, "UnaryOpType") == 0   ? "::ttnn::operations::unary::UnaryOpType::"
                                                : NULL;
    const ir_enum_case *c = ir_enum_by_value(e, value);
    if (!prefix || !c)
        return false;
    tw_strbuf_puts(out, prefix);
    ttnn_put_upper(out, c->text);
    return true;
}

static void put_real(tw_strbuf *out, double v, ir_type type)
{
    (void)type;
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
    ttnn_put_list(&cpp_language, out, values, n);
}

/* ---- objects ------------------------------------------------------------------------- */

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
    return ttnn_put_memory(&cpp_language, out, memory, a->params[1]->params[0]->value,
                           cores, shape, order);
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
            ir_attr v = params->items[i];
            put_real(out, v->kind == IR_ATTR_FLOAT ? v->real : (double)v->value, v->type);
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

static bool put_other(tw_strbuf *out, ir_attr a)
{
    if (a->kind != IR_ATTR_DIALECT)
        return false;
    if (a->def == TTNN_ATTR(tensor_memory_layout))
        return ttnn_put_case(&cpp_language, out, TTNN_NAME_MEMORY, a->params[0]->value);
    return a->def == TTNN_ATTR(shape)              ? put_shape(out, a)
           : a->def == TTNN_ATTR(memory_config)    ? put_memory_config(out, a)
           : a->def == TTNN_ATTR(unary_with_param) ? put_unary(out, a)
                                                   : false;
}

static const ttnn_structure structures[] = {
    {TTNN_ATTR(device_compute_kernel_config), "::ttnn::WormholeComputeKernelConfig"},
    {TTNN_ATTR(conv2d_config), "::ttnn::Conv2dConfig"},
    {TTNN_ATTR(conv2d_slice_config), "::ttnn::Conv2dSliceConfig"},
    {TTNN_ATTR(sdpa_program_config), "::ttnn::operations::transformer::SDPAProgramConfig"},
    {TTNN_ATTR(layernorm_sharded_multicore_program_config),
     "::ttnn::prim::LayerNormShardedMultiCoreProgramConfig"},
    {TTNN_ATTR(matmul_multi_core_reuse_multi_cast_1d_program_config),
     "::ttnn::operations::matmul::MatmulMultiCoreReuseMultiCast1DProgramConfig"},
    {.def = NULL},
};

/* ---- properties of results ----------------------------------------------------------- */

/* Everything about a tensor that is made of elements. */
static bool put_spec(tw_strbuf *out, ir_type type, const ttnn_layout *l)
{
    tw_strbuf_puts(out, "::ttnn::TensorSpec(::ttnn::Shape(");
    put_list(out, type->dims, type->count);
    tw_strbuf_puts(out, "), ::ttnn::TensorLayout(");
    bool ok = ttnn_put_case(&cpp_language, out, TTNN_NAME_DTYPE, l->dtype);
    tw_strbuf_puts(out, ", ::ttnn::PageConfig(");
    ok = ttnn_put_case(&cpp_language, out, TTNN_NAME_LAYOUT,
                       l->tiled ? TTNN_Layout_Tile : TTNN_Layout_RowMajor) &&
         ok;
    tw_strbuf_puts(out, "), ");
    if (ttnn_layout_on_host(l))
        tw_strbuf_puts(out, "::ttnn::MemoryConfig{}");
    else
        ok = ttnn_put_layout_memory(&cpp_language, out, type, l) && ok;
    tw_strbuf_puts(out, "))");
    return ok;
}

static bool is_retyped(ir_op *op, const ttnn_layout *l)
{
    ttnn_layout from;
    return !op->n_operands || !ttnn_layout_of(op->operands[0].value->type, &from) ||
           from.dtype != l->dtype;
}

static bool put_property(tw_strbuf *out, ir_op *op, const char *name, const ttnn_layout *l)
{
    if (strcmp(name, "spec") == 0)
        return put_spec(out, op->results[0].type, l);
    if (strcmp(name, "retype") != 0)
        return false;
    if (is_retyped(op, l))
        return ttnn_put_case(&cpp_language, out, TTNN_NAME_DTYPE, l->dtype);
    tw_strbuf_puts(out, cpp_language.none);
    return true;
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
        ttnn_put_integer(&cpp_language, out, a);
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
        return ttnn_put_attr(&cpp_language, out, a);
    tw_strbuf_puts(out, "::tt::tt_fabric::Topology::Linear");
    return true;
}

static bool put_fused(tw_strbuf *out, ir_attr a)
{
    tw_strbuf_puts(out, "::ttnn::operations::unary::utils::string_to_unary_with_param(");
    bool ok = ttnn_put_attr(&cpp_language, out, a);
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
            ok = ttnn_put_param(&cpp_language, out, param, a->params[i]);
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

/* A reference to what a unique pointer owns, in a variable that the function has once. */
static ir_value *owned(ttnn_call *c, ir_value *pointer, const char *type)
{
    char text[64];
    size_t n = 0;
    for (ir_op *o = c->op->block->first; o; o = o->next)
        n += o->def == EMITC_OP(verbatim);
    snprintf(text, sizeof text, "auto &ref_%zu = *{};", n);
    ir_build_op(&c->b, EMITC_OP(verbatim), NULL, 0, &pointer, 1,
                IR_ATTRS({"value", ir_string_attr(c->b.ctx, tw_str_from(text))}), 0);
    snprintf(text, sizeof text, "ref_%zu", n);
    return emitc_literal(&c->b, emitc_opaque_type(c->b.ctx, type), text);
}

/* What a configuration of the device's mesh makes: a mapper or a composer of tensors. */
static ir_attr mesh_arg(ttnn_call *c, const char *name)
{
#define MESH "::ttnn::distributed::"
#define PLACEMENT MESH "MeshMapperConfig::Placement{" MESH "MeshMapperConfig::"
    static const ttnn_mesh_texts texts = {.replicate = PLACEMENT "Replicate{}}",
                                          .shard = {PLACEMENT "Shard{", "}}"},
                                          .shape = {", " MESH "MeshShape({", "})"}};
    ir_builder *b = &c->b;
    ir_attr config = ir_op_attr(c->op, name);
    const bool maps = config && config->def == TTNN_ATTR(mesh_mapper_config);
    const char *class = maps ? MESH "MeshMapperConfig" : MESH "MeshComposerConfig";
    tw_strbuf text = {0}, list = {0}, shape = {0};
    const bool ok = ttnn_put_mesh(&cpp_language, &texts, config, &list, &shape);
    tw_strbuf_printf(&text, "%s{%s%s}", class, tw_strbuf_text(&list),
                     tw_strbuf_text(&shape));
    tw_strbuf_free(&list);
    tw_strbuf_free(&shape);
    ir_attr value = ttnn_text_arg(&cpp_language, c->op, name, &text, ok);
    if (!value)
        return NULL;
    ir_value *args[2];
    args[0] =
        ir_build1(b, EMITC_OP(apply), emitc_opaque_type(b->ctx, CPP_DEVICE_TYPE "&"),
                  IR_VALUES(ir_op_operand_named(c->op, "mesh_device")),
                  IR_ATTRS({"applicableOperator", ir_string_attr(b->ctx, TW_STR("*"))}));
    args[1] = ir_build1(b, EMITC_OP(constant), emitc_opaque_type(b->ctx, class), NULL, 0,
                        IR_ATTRS({"value", value}));
    ir_value *made = cpp_call(
        b, maps ? MESH "create_mesh_mapper" : MESH "create_mesh_composer",
        emitc_opaque_type(b->ctx, maps ? "::std::unique_ptr<" MESH "TensorToMesh>"
                                       : "::std::unique_ptr<" MESH "MeshToTensor>"),
        args, 2, NULL, NULL);
    return ttnn_value_arg(
        c, owned(c, made, maps ? MESH "TensorToMesh&" : MESH "MeshToTensor&"));
#undef PLACEMENT
#undef MESH
}

static ir_attr own_form(ttnn_call *c, const char *source)
{
    if (strncmp(source, "mesh:", 5) == 0)
        return mesh_arg(c, source + 5);
    if (*source == '@')
        return ttnn_property_arg(&cpp_language, c->op, source + 1);
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
    .scope = "::ttnn::",
    .prefixes = {[TTNN_NAME_DTYPE] = "::ttnn::DataType::",
                 [TTNN_NAME_LAYOUT] = "::ttnn::Layout::",
                 [TTNN_NAME_BUFFER] = "::ttnn::BufferType::",
                 [TTNN_NAME_MEMORY] = "::ttnn::TensorMemoryLayout::",
                 [TTNN_NAME_ORIENTATION] = "::ttnn::types::ShardOrientation::",
                 [TTNN_NAME_FIDELITY] = "::tt::tt_metal::MathFidelity::",
                 [TTNN_NAME_TOPOLOGY] = "::tt::tt_fabric::Topology::"},
    .object = {"{", "}"},
    .list = {"{", "}"},
    .field = {".", " = "},
    .floats = "::std::vector<float>",
    .integers = "::std::vector<int32_t>",
    .pair = "::std::array<uint32_t, 2>",
    .ranges = "::std::vector<::ttnn::CoreRange>",
    .structures = structures,
    .opaque = emitc_opaque_attr,
    .put_real = put_real,
    .put_other = put_other,
    .put_enum = put_enum,
    .put_property = put_property,
    .make_list = cpp_list,
    .words =
        "@spec @retype i32s: i64s: i32v: u32v: u2: u3: u24: u12: pool: pairs: sub: queue: "
        "coord: rounding: line: fused: mask: conv3d: span: scalar: ref: maybe: mesh:",
    .own = own_form,
};
