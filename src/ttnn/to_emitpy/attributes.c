/* attributes.c: attributes of TTNN and layouts of its tensors as Python. */
#include "emitpy/emitpy.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ir_type py_opaque_type(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_type(ctx, EMITPY_TYPE(opaque), &param, 1);
}

ir_attr py_opaque_attr(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_attr(ctx, EMITPY_ATTR(opaque), &param, 1);
}

/* ---- attributes ---------------------------------------------------------------------- */

static void put_real(tw_strbuf *out, double v, ir_type type)
{
    if (isnan(v) || isinf(v))
        tw_strbuf_printf(out, "float('%s')", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    else
        ttnn_put_digits(out, v, ir_type_is_float(type, IR_F32));
}

static bool put_items(tw_strbuf *out, const ir_attr *items, uint32_t count)
{
    bool ok = true;
    tw_strbuf_putc(out, '[');
    for (uint32_t i = 0; ok && i < count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        ok = ttnn_put_attr(&py_language, out, items[i]);
    }
    tw_strbuf_putc(out, ']');
    return ok;
}

static bool put_enum(tw_strbuf *out, const ir_enum_def *e, int64_t value)
{
    static const char *const slices[] = {
        [TTNN_Conv2dSliceType_DramHeight] = "ttnn.Conv2dDRAMSliceHeight",
        [TTNN_Conv2dSliceType_DramWidth] = "ttnn.Conv2dDRAMSliceWidth",
        [TTNN_Conv2dSliceType_L1Full] = "ttnn.Conv2dL1Full"};
    const ir_enum_case *c = ir_enum_by_value(e, value);
    if (c && e == &ttnn_enum_Conv2dSliceType) {
        tw_strbuf_puts(out, slices[value]);
        return true;
    }
    if (!c || e != &ttnn_enum_UnaryOpType)
        return false;
    tw_strbuf_puts(out, "ttnn.UnaryOpType.");
    ttnn_put_upper(out, c->text);
    return true;
}

/* ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU, [0.5]) */
static bool put_unary(tw_strbuf *out, ir_attr a)
{
    ir_attr params = a->params[1];
    tw_strbuf_puts(out, "ttnn.UnaryWithParam(");
    bool ok = put_enum(out, &ttnn_enum_UnaryOpType, a->params[0]->value);
    if (params && params->count) {
        tw_strbuf_puts(out, ", ");
        ok = put_items(out, params->items, params->count) && ok;
    }
    tw_strbuf_putc(out, ')');
    return ok;
}

static bool put_memory_config(tw_strbuf *out, ir_attr a)
{
    ir_attr shard = a->params[2];
    int64_t shape[2] = {0, 0}, order = TTNN_ShardOrientation_RowMajor;
    const int64_t memory =
        a->params[0] ? a->params[0]->params[0]->value : TTNN_TensorMemoryLayout_Interleaved;
    if (a->params[3] || (shard && ir_attr_ints(shard->params[1]->params[0], shape, 2) != 2))
        return false;
    if (shard)
        order = shard->params[2]->params[0]->value;
    return ttnn_put_memory(&py_language, out, memory, a->params[1]->params[0]->value,
                           shard ? shard->params[0] : NULL, shape, order);
}

/* Rows and columns of a grid as the core behind its last one. */
static bool put_grid(tw_strbuf *out, ir_attr a)
{
    int64_t shape[2];
    if (ir_attr_ints(ir_attr_param(a, "shape"), shape, 2) != 2)
        return false;
    tw_strbuf_printf(out, "ttnn.CoreCoord(%lld, %lld)", (long long)shape[1],
                     (long long)shape[0]);
    return true;
}

static bool put_other(tw_strbuf *out, ir_attr a)
{
    if (a->kind == IR_ATTR_DIALECT && a->def == TTCORE_ATTR(grid))
        return put_grid(out, a);
    if (a->kind == IR_ATTR_DIALECT && a->def == TTNN_ATTR(shape))
        return ttnn_put_attr(&py_language, out, a->params[0]);
    if (a->kind == IR_ATTR_DIALECT && a->def == TTNN_ATTR(tensor_memory_layout))
        return ttnn_put_case(&py_language, out, TTNN_NAME_MEMORY, a->params[0]->value);
    if (a->kind == IR_ATTR_DIALECT && a->def == TTNN_ATTR(memory_config))
        return put_memory_config(out, a);
    if (a->kind == IR_ATTR_DIALECT && a->def == TTNN_ATTR(unary_with_param))
        return put_unary(out, a);
    if (a->kind == IR_ATTR_ARRAY)
        return put_items(out, a->items, a->count);
    if (a->kind != IR_ATTR_DENSE_ARRAY)
        return false;
    tw_strbuf_putc(out, '[');
    for (uint32_t i = 0; i < a->count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_i64(out, ir_dense_array_int(a, i));
    }
    tw_strbuf_putc(out, ']');
    return true;
}

static const ttnn_structure structures[] = {
    {TTNN_ATTR(device_compute_kernel_config), "ttnn.WormholeComputeKernelConfig"},
    {TTNN_ATTR(conv2d_config), "ttnn.Conv2dConfig"},
    {TTNN_ATTR(conv2d_slice_config), "ttnn.Conv2dSliceConfig"},
    {TTNN_ATTR(conv3d_config), "ttnn.Conv3dConfig"},
    {TTNN_ATTR(layernorm_sharded_multicore_program_config),
     "ttnn.LayerNormShardedMultiCoreProgramConfig"},
    {TTNN_ATTR(matmul_multi_core_reuse_multi_cast_1d_program_config),
     "ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig"},
    {TTNN_ATTR(matmul_multi_core_reuse_multi_cast_dram_sharded_program_config),
     "ttnn.MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"},
    {TTNN_ATTR(matmul_multi_core_reuse_multi_cast_program_config),
     "ttnn.MatmulMultiCoreReuseMultiCastProgramConfig"},
    {TTNN_ATTR(matmul_multi_core_reuse_program_config),
     "ttnn.MatmulMultiCoreReuseProgramConfig"},
    {TTNN_ATTR(sdpa_program_config), "ttnn.SDPAProgramConfig"},
    {.def = NULL},
};

static ir_attr finish(ir_op *op, const char *name, tw_strbuf *text, bool ok)
{
    return ttnn_text_arg(&py_language, op, name, text, ok);
}

static bool put_property(tw_strbuf *out, ir_op *op, const char *name, const ttnn_layout *l)
{
    (void)l;
    if (strcmp(name, "shape") != 0)
        return false;
    ttnn_put_list(&py_language, out, op->results[0].type->dims, op->results[0].type->count);
    return true;
}

/* ---- forms of its own ---------------------------------------------------------------- */

static ir_attr pairs(ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    tw_strbuf text = {0};
    bool ok = ir_attr_is(a, IR_ATTR_DENSE_ARRAY) && a->count % 2 == 0;
    tw_strbuf_putc(&text, '[');
    for (uint32_t i = 0; ok && i < a->count; i += 2)
        tw_strbuf_printf(&text, "%s[%lld, %lld]", i ? ", " : "",
                         (long long)ir_dense_array_int(a, i),
                         (long long)ir_dense_array_int(a, i + 1));
    tw_strbuf_putc(&text, ']');
    return finish(op, name, &text, ok);
}

static ir_attr in_list(ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    tw_strbuf text = {0};
    if (!a)
        return py_opaque_attr(op->ctx, "None");
    tw_strbuf_putc(&text, '[');
    bool ok = ttnn_put_attr(&py_language, &text, a);
    tw_strbuf_putc(&text, ']');
    return finish(op, name, &text, ok);
}

/* Coordinates in the mesh. */
static ir_attr coordinates(ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "ttnn.MeshCoordinate(");
    const bool ok = a && ttnn_put_attr(&py_language, &text, a);
    tw_strbuf_putc(&text, ')');
    return finish(op, name, &text, ok);
}

/* The operand of the first name, or else the attribute of the second. */
static ir_attr first_of(ttnn_call *c, const char *names)
{
    char operand[64];
    size_t start, count, size = strcspn(names, ":");
    snprintf(operand, sizeof operand, "%.*s", (int)size, names);
    size_t group = ir_op_operand_index(c->op->def, operand);
    if (group != SIZE_MAX && ir_op_operand_group(c->op, group, &start, &count) && count)
        return ttnn_group_arg(c, group);
    tw_strbuf text = {0};
    ir_attr a = ir_op_attr(c->op, names + size + 1);
    return finish(c->op, names + size + 1, &text,
                  a && ttnn_put_attr(&py_language, &text, a));
}

/* The integer that a tensor of one element holds, read when the program runs. */
static ir_attr scalar_of(ttnn_call *c, const char *name)
{
    ir_value *v = ir_op_operand_named(c->op, name);
    return ttnn_value_arg(
        c,
        ir_build1(
            &c->b, EMITPY_OP(call_opaque), py_opaque_type(c->op->ctx, "int"), &v, 1,
            IR_ATTRS({"callee", ir_string_attr(c->op->ctx, TW_STR("utils.get_scalar_from_"
                                                                  "tensor"))})));
}

/* What a configuration of the device's mesh makes: a mapper or a composer of tensors. */
static ir_attr mesh_form(ttnn_call *c, const char *name)
{
    static const ttnn_mesh_texts texts = {.replicate = "ttnn.PlacementReplicate()",
                                          .shard = {"ttnn.PlacementShard(", ")"},
                                          .shape = {"ttnn.MeshShape([", "])"}};
    ir_attr config = ir_op_attr(c->op, name), args[2];
    const bool maps = config && config->def == TTNN_ATTR(mesh_mapper_config);
    tw_strbuf list = {0}, shape = {0};
    const bool ok = ttnn_put_mesh(&py_language, &texts, config, &list, &shape);
    const bool has_shape = shape.size;
    args[0] = finish(c->op, name, &list, ok);
    args[1] = py_opaque_attr(c->op->ctx, tw_strbuf_text(&shape));
    tw_strbuf_free(&shape);
    if (!ok)
        return NULL;
    ir_attr positions[2] = {ir_string_attr(c->op->ctx, TW_STR("")),
                            ir_string_attr(c->op->ctx, TW_STR(""))};
    const tw_str class =
        maps ? TW_STR("ttnn.MeshMapperConfig") : TW_STR("ttnn.MeshComposerConfig");
    ir_value *made = ir_build1(
        &c->b, EMITPY_OP(call_opaque), py_opaque_type(c->op->ctx, class.data), NULL, 0,
        IR_ATTRS(
            {"callee", ir_string_attr(c->op->ctx, class)},
            {"args", ir_array_attr(c->op->ctx, args, has_shape ? 2 : 1)},
            {"keyword_args", ir_array_attr(c->op->ctx, positions, has_shape ? 2 : 1)}));
    return ttnn_value_arg(
        c, ir_build1(
               &c->b, EMITPY_OP(call_opaque),
               py_opaque_type(c->op->ctx, maps ? "ttnn.TensorToMesh" : "ttnn.MeshToTensor"),
               IR_VALUES(ir_op_operand_named(c->op, "mesh_device"), made),
               IR_ATTRS({"callee",
                         ir_string_attr(c->op->ctx,
                                        maps ? TW_STR("ttnn.create_mesh_mapper")
                                             : TW_STR("ttnn.create_mesh_composer"))})));
}

static ir_attr own_form(ttnn_call *c, const char *source)
{
    if (strncmp(source, "coord:", 6) == 0)
        return coordinates(c->op, source + 6);
    if (strncmp(source, "mesh:", 5) == 0)
        return mesh_form(c, source + 5);
    if (strncmp(source, "list:", 5) == 0)
        return in_list(c->op, source + 5);
    if (strncmp(source, "scalar:", 7) == 0)
        return scalar_of(c, source + 7);
    if (strncmp(source, "or:", 3) == 0)
        return first_of(c, source + 3);
    return *source == '#' ? pairs(c->op, source + 1)
                          : ttnn_property_arg(&py_language, c->op, source + 1);
}

const ttnn_language py_language = {
    .name = "Python",
    .none = "None",
    .yes = "True",
    .no = "False",
    .scope = "ttnn.",
    .prefixes = {[TTNN_NAME_DTYPE] = "ttnn.DataType.",
                 [TTNN_NAME_LAYOUT] = "ttnn.Layout.",
                 [TTNN_NAME_BUFFER] = "ttnn.BufferType.",
                 [TTNN_NAME_MEMORY] = "ttnn.TensorMemoryLayout.",
                 [TTNN_NAME_ORIENTATION] = "ttnn.ShardOrientation.",
                 [TTNN_NAME_FIDELITY] = "ttnn.MathFidelity.",
                 [TTNN_NAME_TOPOLOGY] = "ttnn.Topology."},
    .object = {"(", ")"},
    .list = {"[", "]"},
    .field = {"", "="},
    .floats = "",
    .integers = "",
    .pair = "",
    .ranges = "",
    .structures = structures,
    .opaque = py_opaque_attr,
    .put_real = put_real,
    .put_other = put_other,
    .put_enum = put_enum,
    .put_property = put_property,
    .make_list = py_list,
    .words = "@shape list: scalar: or: coord: mesh: #",
    .own = own_form,
};
