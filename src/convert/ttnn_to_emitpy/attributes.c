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

/* ttnn.DataType.FLOAT32; false if the case has no name */
static bool put_case(tw_strbuf *out, const char *prefix, ttnn_name_kind kind, int64_t value)
{
    const char *name = ttnn_case_name(kind, value);
    if (name)
        tw_strbuf_printf(out, "%s%s", prefix, name);
    return name;
}

static bool put_dtype(tw_strbuf *out, int64_t value)
{
    return put_case(out, "ttnn.DataType.", TTNN_NAME_DTYPE, value);
}

static bool put_layout(tw_strbuf *out, int64_t value)
{
    return put_case(out, "ttnn.Layout.", TTNN_NAME_LAYOUT, value);
}

/* How scatter combines, as a string or None. */
static bool put_reduction(tw_strbuf *out, int64_t value)
{
    const char *name = ttnn_case_name(TTNN_NAME_SCATTER, value);
    if (name && *name)
        tw_strbuf_printf(out, "\"%s\"", name);
    else
        tw_strbuf_puts(out, "None");
    return name;
}

/* ---- attributes ---------------------------------------------------------------------- */

static void put_real(tw_strbuf *out, double v, ir_type type)
{
    if (isnan(v) || isinf(v))
        tw_strbuf_printf(out, "float('%s')", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    else
        ttnn_put_digits(out, v, ir_type_is_float(type, IR_F32));
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
    if (param->kind == IR_PARAM_BOOL) {
        tw_strbuf_puts(out, a->value ? "True" : "False");
        return true;
    }
    if (param->kind != IR_PARAM_ENUM)
        return put_attr(out, a);
    const char *name = param->enumeration->name;
    if (strcmp(name, "DataType") == 0)
        return put_dtype(out, a->value);
    if (strcmp(name, "Layout") == 0)
        return put_layout(out, a->value);
    return strcmp(name, "MathFidelity") == 0 &&
           put_case(out, "ttnn.MathFidelity.", TTNN_NAME_FIDELITY, a->value);
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

static bool put_dialect_attr(tw_strbuf *out, ir_attr a)
{
    if (a->def == TTCORE_ATTR(supportedDataTypes))
        return put_dtype(out, a->params[0]->value);
    if (a->def == TTCORE_ATTR(reduce_type))
        return put_reduction(out, a->params[0]->value);
    if (a->def == TTCORE_ATTR(topology))
        return put_case(out, "ttnn.Topology.", TTNN_NAME_TOPOLOGY, a->params[0]->value);
    if (a->def == TTNN_ATTR(layout))
        return put_layout(out, a->params[0]->value);
    if (a->def == TTNN_ATTR(shape))
        return put_attr(out, a->params[0]);
    if (a->def == TTNN_ATTR(device_compute_kernel_config))
        return put_config(out, "ttnn.WormholeComputeKernelConfig", a);
    if (a->def == TTNN_ATTR(conv2d_config))
        return put_config(out, "ttnn.Conv2dConfig", a);
    if (a->def == TTNN_ATTR(sdpa_program_config))
        return put_config(out, "ttnn.SDPAProgramConfig", a);
    if (a->def == TTNN_ATTR(core_range_set))
        return put_cores(out, a);
    if (a->def == TTNN_ATTR(core_coord)) {
        tw_strbuf_printf(out, "ttnn.CoreCoord(%lld, %lld)", (long long)a->params[0]->value,
                         (long long)a->params[1]->value);
        return true;
    }
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
    return ttnn_text_arg(&py_language, op, name, text, ok);
}

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

/* ---- properties of results ----------------------------------------------------------- */

static bool put_memory(tw_strbuf *out, ir_type type, const ttnn_layout *l)
{
    const char *buffer = ttnn_case_name(TTNN_NAME_BUFFER, l->buffer);
    const char *memory = ttnn_case_name(TTNN_NAME_MEMORY, l->memory);
    if (ttnn_layout_on_host(l)) {
        tw_strbuf_puts(out, "None");
        return true;
    }
    if (!buffer || !memory)
        return false;
    tw_strbuf_printf(out,
                     "ttnn.MemoryConfig(ttnn.TensorMemoryLayout.%s, ttnn.BufferType.%s, ",
                     memory, buffer);
    if (ttnn_memory_is_sharded(l->memory)) {
        int64_t shard[2];
        ttnn_layout_shard_elements(l, type->dims, type->count, shard);
        tw_strbuf_puts(out, "ttnn.ShardSpec(");
        put_cores(out, ttnn_layout_cores(type->ctx, l));
        tw_strbuf_printf(out, ", [%lld, %lld], ttnn.ShardOrientation.ROW_MAJOR))",
                         (long long)shard[0], (long long)shard[1]);
    } else {
        tw_strbuf_puts(out, "None)");
    }
    return true;
}

static ir_attr property(ir_op *op, const char *name)
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
    bool ok =
        strcmp(name, "memory") == 0 ? put_memory(&text, type, &layout)
        : strcmp(name, "dtype") == 0
            ? put_dtype(&text, layout.dtype)
            : put_layout(&text, layout.tiled ? TTNN_Layout_Tile : TTNN_Layout_RowMajor);
    return finish(op, name, &text, ok);
}

static ir_attr in_list(ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    tw_strbuf text = {0};
    if (!a)
        return py_opaque_attr(op->ctx, "None");
    tw_strbuf_putc(&text, '[');
    bool ok = put_attr(&text, a);
    tw_strbuf_putc(&text, ']');
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
    return finish(c->op, names + size + 1, &text, a && put_attr(&text, a));
}

static ir_attr own_form(ttnn_call *c, const char *source)
{
    if (strncmp(source, "list:", 5) == 0)
        return in_list(c->op, source + 5);
    if (strncmp(source, "or:", 3) == 0)
        return first_of(c, source + 3);
    return *source == '#' ? pairs(c->op, source + 1) : property(c->op, source + 1);
}

const ttnn_language py_language = {
    .name = "Python",
    .none = "None",
    .yes = "True",
    .no = "False",
    .opaque = py_opaque_attr,
    .put = put_attr,
    .list = py_list,
    .own = own_form,
};
