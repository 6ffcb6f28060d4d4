/* attributes.c: attributes of TTNN and layouts of its tensors as Python. */
#include "convert/ttnn_to_emitpy/ttnn_to_emitpy.h"
#include "dialect/emitpy/emitpy.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttnn/layout.h"
#include "dialect/ttnn/ttnn.h"
#include "support/strbuf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- names of cases ------------------------------------------------------------------ */

typedef struct case_name {
    int64_t value;
    const char *text;
} case_name;

static const case_name data_types[] = {
    {TTCORE_DataType_Float32, "ttnn.DataType.FLOAT32"},
    {TTCORE_DataType_BFloat16, "ttnn.DataType.BFLOAT16"},
    {TTCORE_DataType_BFP_BFloat8, "ttnn.DataType.BFLOAT8_B"},
    {TTCORE_DataType_BFP_BFloat4, "ttnn.DataType.BFLOAT4_B"},
    {TTCORE_DataType_UInt32, "ttnn.DataType.UINT32"},
    {TTCORE_DataType_UInt16, "ttnn.DataType.UINT16"},
    {TTCORE_DataType_UInt8, "ttnn.DataType.UINT8"},
    {TTCORE_DataType_Int32, "ttnn.DataType.INT32"},
    {0, NULL},
};
static const case_name layouts[] = {
    {TTNN_Layout_RowMajor, "ttnn.Layout.ROW_MAJOR"},
    {TTNN_Layout_Tile, "ttnn.Layout.TILE"},
    {0, NULL},
};
static const case_name buffers[] = {
    {TTNN_BufferType_DRAM, "ttnn.BufferType.DRAM"},
    {TTNN_BufferType_L1, "ttnn.BufferType.L1"},
    {TTNN_BufferType_L1Small, "ttnn.BufferType.L1_SMALL"},
    {TTNN_BufferType_Trace, "ttnn.BufferType.TRACE"},
    {0, NULL},
};
static const case_name fidelities[] = {
    {TTNN_MathFidelity_LoFi, "ttnn.MathFidelity.LoFi"},
    {TTNN_MathFidelity_HiFi2, "ttnn.MathFidelity.HiFi2"},
    {TTNN_MathFidelity_HiFi3, "ttnn.MathFidelity.HiFi3"},
    {TTNN_MathFidelity_HiFi4, "ttnn.MathFidelity.HiFi4"},
    {0, NULL},
};
static const case_name topologies[] = {
    {TTCORE_Topology_Ring, "ttnn.Topology.Ring"},
    {TTCORE_Topology_Linear, "ttnn.Topology.Linear"},
    {0, NULL},
};
static const case_name reductions[] = {
    {TTCORE_ReduceType_Sum, "\"add\""},  {TTCORE_ReduceType_Prod, "\"multiply\""},
    {TTCORE_ReduceType_Min, "\"amin\""}, {TTCORE_ReduceType_Max, "\"amax\""},
    {TTCORE_ReduceType_Invalid, "None"}, {0, NULL},
};

static const char *find_case(const case_name *rows, int64_t value)
{
    for (; rows->text; rows++)
        if (rows->value == value)
            return rows->text;
    return NULL;
}

/* ---- attributes ---------------------------------------------------------------------- */

/* The shortest text that is this number among those of its type. */
static void put_real(tw_strbuf *out, double v, ir_type type)
{
    char text[64];
    if (isnan(v) || isinf(v)) {
        tw_strbuf_printf(out, "float('%s')", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = strtod(text, NULL);
        if (back == v || (ir_type_is_float(type, IR_F32) && (float)back == (float)v))
            break;
    }
    tw_strbuf_puts(out, text);
    if (!strpbrk(text, ".e"))
        tw_strbuf_puts(out, ".0");
}

static void put_integer(tw_strbuf *out, ir_attr a)
{
    if (ir_attr_is_bool(a))
        tw_strbuf_puts(out, a->value ? "True" : "False");
    else if (a->type && a->type->kind == IR_TYPE_INTEGER && a->type->sign == IR_UNSIGNED)
        tw_strbuf_u64(out, (uint64_t)a->value);
    else
        tw_strbuf_i64(out, a->value);
}

static bool put_attr(tw_strbuf *out, ir_attr a);

static bool put_items(tw_strbuf *out, const ir_attr *items, uint32_t count)
{
    bool ok = true;
    tw_strbuf_putc(out, '[');
    for (uint32_t i = 0; ok && i < count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        ok = put_attr(out, items[i]);
    }
    tw_strbuf_putc(out, ']');
    return ok;
}

static bool put_elements(tw_strbuf *out, ir_attr a)
{
    bool real = a->type->element->kind == IR_TYPE_FLOAT;
    if (!real && a->type->element->kind != IR_TYPE_INTEGER)
        return false;
    int64_t n = ir_type_num_elements(a->type);
    tw_strbuf_putc(out, '[');
    for (int64_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        if (real)
            put_real(out, ir_dense_real(a, (size_t)i), a->type->element);
        else
            tw_strbuf_i64(out, ir_dense_int(a, (size_t)i));
    }
    tw_strbuf_putc(out, ']');
    return true;
}

static bool put_param(tw_strbuf *out, const ir_param_def *param, ir_attr a)
{
    static const struct {
        const char *enumeration;
        const case_name *rows;
    } tables[] = {
        {"DataType", data_types}, {"Layout", layouts}, {"MathFidelity", fidelities}};
    if (param->kind == IR_PARAM_BOOL) {
        tw_strbuf_puts(out, a->value ? "True" : "False");
        return true;
    }
    if (param->kind != IR_PARAM_ENUM)
        return put_attr(out, a);
    for (size_t i = 0; i < TW_COUNT(tables); i++)
        if (strcmp(tables[i].enumeration, param->enumeration->name) == 0) {
            const char *text = find_case(tables[i].rows, a->value);
            tw_strbuf_puts(out, text ? text : "");
            return text;
        }
    return false;
}

/* ttnn.WormholeComputeKernelConfig(math_fidelity=..., fp32_dest_acc_en=True): what is set,
 * by the names of the attribute's parameters */
static bool put_config(tw_strbuf *out, const char *class, ir_attr a)
{
    const char *separator = "";
    bool ok = true;
    tw_strbuf_printf(out, "%s(", class);
    for (uint32_t i = 0; ok && i < a->def->params.count; i++) {
        if (!a->params[i])
            continue;
        tw_strbuf_printf(out, "%s%s=", separator, a->def->params.at[i].name);
        separator = ", ";
        ok = put_param(out, &a->def->params.at[i], a->params[i]);
    }
    tw_strbuf_putc(out, ')');
    return ok;
}

/* ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(7, 7))]) */
static bool put_cores(tw_strbuf *out, ir_attr a)
{
    ir_attr ranges = a->params[0];
    tw_strbuf_puts(out, "ttnn.CoreRangeSet([");
    for (uint32_t i = 0; i < ranges->count; i++) {
        tw_strbuf_printf(out, "%sttnn.CoreRange(", i ? ", " : "");
        for (uint32_t c = 0; c < 2; c++) {
            ir_attr at = ranges->items[i]->params[c];
            tw_strbuf_printf(out, "%sttnn.CoreCoord(%lld, %lld)", c ? ", " : "",
                             (long long)at->params[0]->value,
                             (long long)at->params[1]->value);
        }
        tw_strbuf_putc(out, ')');
    }
    tw_strbuf_puts(out, "])");
    return true;
}

static bool put_case(tw_strbuf *out, const case_name *rows, ir_attr a)
{
    const char *text = find_case(rows, a->params[0]->value);
    tw_strbuf_puts(out, text ? text : "");
    return text;
}

static bool put_dialect_attr(tw_strbuf *out, ir_attr a)
{
    if (a->def == TTCORE_ATTR(supportedDataTypes))
        return put_case(out, data_types, a);
    if (a->def == TTCORE_ATTR(reduce_type))
        return put_case(out, reductions, a);
    if (a->def == TTCORE_ATTR(topology))
        return put_case(out, topologies, a);
    if (a->def == TTNN_ATTR(layout))
        return put_case(out, layouts, a);
    if (a->def == TTNN_ATTR(shape))
        return put_attr(out, a->params[0]);
    if (a->def == TTNN_ATTR(device_compute_kernel_config))
        return put_config(out, "ttnn.WormholeComputeKernelConfig", a);
    if (a->def == TTNN_ATTR(conv2d_config))
        return put_config(out, "ttnn.Conv2dConfig", a);
    if (a->def == TTNN_ATTR(core_range_set))
        return put_cores(out, a);
    return false;
}

static bool put_attr(tw_strbuf *out, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        put_integer(out, a);
        return true;
    case IR_ATTR_FLOAT:
        put_real(out, a->real, a->type);
        return true;
    case IR_ATTR_STRING:
        tw_strbuf_printf(out, "\"%.*s\"", (int)ir_attr_str(a).size, ir_attr_str(a).data);
        return true;
    case IR_ATTR_ARRAY:
        return put_items(out, a->items, a->count);
    case IR_ATTR_DENSE_ARRAY:
        tw_strbuf_putc(out, '[');
        for (uint32_t i = 0; i < a->count; i++) {
            tw_strbuf_puts(out, i ? ", " : "");
            tw_strbuf_i64(out, ir_dense_array_int(a, i));
        }
        tw_strbuf_putc(out, ']');
        return true;
    case IR_ATTR_DENSE:
        return put_elements(out, a);
    case IR_ATTR_DIALECT:
        return put_dialect_attr(out, a);
    default:
        return false;
    }
}

static ir_attr finish(ir_op *op, const char *name, tw_strbuf *text, bool ok)
{
    ir_attr made = ok ? py_opaque_attr(op->ctx, tw_strbuf_text(text)) : NULL;
    tw_strbuf_free(text);
    if (!made)
        ir_op_error(op, "has no form in Python yet: its %s", name);
    return made;
}

ir_attr py_attr(ir_op *op, const char *name, ir_attr a)
{
    tw_strbuf text = {0};
    bool ok = true;
    if (a)
        ok = put_attr(&text, a);
    else
        tw_strbuf_puts(&text, "None");
    return finish(op, name, &text, ok);
}

ir_attr py_pairs(ir_op *op, const char *name)
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

/* ---- properties of results ----------------------------------------------------------- */

static bool put_memory(tw_strbuf *out, const ttnn_layout *l)
{
    const char *buffer = find_case(buffers, l->buffer);
    if (ttnn_layout_on_host(l)) {
        tw_strbuf_puts(out, "None");
        return true;
    }
    if (!buffer || l->memory != TTNN_TensorMemoryLayout_Interleaved)
        return false;
    tw_strbuf_printf(
        out, "ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, %s, None)", buffer);
    return true;
}

ir_attr py_property(ir_op *op, const char *name)
{
    tw_strbuf text = {0};
    ttnn_layout layout;
    if (!op->n_results || op->results[0].type->kind != IR_TYPE_TENSOR)
        return finish(op, name, &text, false);
    ir_type type = op->results[0].type;
    if (strcmp(name, "shape") == 0) {
        tw_strbuf_puts(&text, "[");
        for (uint32_t i = 0; i < type->count; i++)
            tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)type->dims[i]);
        tw_strbuf_puts(&text, "]");
        return finish(op, name, &text, true);
    }
    if (!ttnn_layout_of(type, &layout)) {
        ir_op_error(op, "has a result without a layout; run ttnn-layout before");
        tw_strbuf_free(&text);
        return NULL;
    }
    bool ok = true;
    if (strcmp(name, "memory") == 0) {
        ok = put_memory(&text, &layout);
    } else {
        const char *found = strcmp(name, "dtype") == 0
                                ? find_case(data_types, layout.dtype)
                                : find_case(layouts, layout.tiled ? TTNN_Layout_Tile
                                                                  : TTNN_Layout_RowMajor);
        ok = found;
        tw_strbuf_puts(&text, found ? found : "");
    }
    return finish(op, name, &text, ok);
}
