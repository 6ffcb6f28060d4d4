/* convert_cpu_functions.c: convert-ttir-cpu-to-emitpy: a function of the host becomes a
 * function of ttnn's tensors in Python whose nested body calls ttir_cpu's functions, one
 * for each operation of TTIR, on tensors of torch; capture-mesh-shape notes the mesh, over
 * whose parts the body runs.
 *
 *   def f(arg_0, arg_1):
 *     def f_impl(arg_0, arg_1): ...
 *     return utils.execute_cpu_hoisted_function([arg_0, arg_1], f_impl)
 *
 * Operands are positional arguments, attributes keywords, under torch's names where tt-mlir
 * uses those. */
#include "emitpy/emitpy.h"
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttir/ttir.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"

#include <math.h>
#include <stdlib.h>

/* ---- attributes as Python ------------------------------------------------------------ */

static void put_float(ir_attr a, tw_strbuf *out)
{
    if (isnan(a->real) || isinf(a->real))
        tw_strbuf_printf(out, "float('%s')",
                         isnan(a->real) ? "nan"
                         : a->real > 0  ? "inf"
                                        : "-inf");
    else
        ir_print_float(a->real, a->bits, a->type, out);
}

static void put_literal(ir_attr a, tw_strbuf *out);

static void put_elements(ir_attr a, uint32_t count, ir_attr (*at)(ir_attr, size_t),
                         tw_strbuf *out)
{
    tw_strbuf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        put_literal(at(a, i), out);
    }
    tw_strbuf_putc(out, ']');
}

static ir_attr item(ir_attr a, size_t i)
{
    return a->items[i];
}

static ir_attr array_element(ir_attr a, size_t i)
{
    int64_t value = ir_dense_array_int(a, i);
    return a->type->kind == IR_TYPE_INTEGER && a->type->width == 1
               ? ir_bool_attr(a->ctx, value)
               : ir_i64_attr(a->ctx, value);
}

/* Attributes without a form in Python are their text, which the library parses. */
static void put_literal(ir_attr a, tw_strbuf *out)
{
    if (a->kind == IR_ATTR_INTEGER && ir_attr_is_bool(a))
        tw_strbuf_puts(out, a->value ? "True" : "False");
    else if (a->kind == IR_ATTR_INTEGER)
        tw_strbuf_i64(out, a->value);
    else if (a->kind == IR_ATTR_UNIT)
        tw_strbuf_puts(out, "True");
    else if (a->kind == IR_ATTR_FLOAT)
        put_float(a, out);
    else if (a->kind == IR_ATTR_ARRAY)
        put_elements(a, a->count, item, out);
    else if (a->kind == IR_ATTR_DENSE_ARRAY && a->type->kind == IR_TYPE_INTEGER)
        put_elements(a, a->count, array_element, out);
    else if (a->kind == IR_ATTR_STRING)
        tw_strbuf_printf(out, "\"%.*s\"", (int)ir_attr_str(a).size, ir_attr_str(a).data);
    else
        tw_strbuf_printf(out, "r'''%s'''", ir_attr_text(a->ctx, a));
}

static const char *torch_type(ir_type element)
{
    static const char *const integers[2][4] = {
        {"torch.int8", "torch.int16", "torch.int32", "torch.int64"},
        {"torch.uint8", "torch.uint16", "torch.uint32", "torch.uint64"}};
    if (element->kind == IR_TYPE_FLOAT)
        return element->sign == IR_F32    ? "torch.float32"
               : element->sign == IR_BF16 ? "torch.bfloat16"
               : element->sign == IR_F16  ? "torch.float16"
                                          : NULL;
    if (element->kind != IR_TYPE_INTEGER)
        return NULL;
    for (int i = 0; i < 4; i++)
        if (element->width == 8u << i)
            return integers[element->sign == IR_UNSIGNED][i];
    return element->width == 1 ? "torch.bool" : NULL;
}

/* ---- calls --------------------------------------------------------------------------- */

typedef struct py_call {
    ir_builder b;
    ir_op *op;
    ir_value **operands;
    ir_attr *args, *keywords;
    size_t n_operands, n_args, operands_capacity, args_capacity, keywords_capacity;
} py_call;

static void add(py_call *c, const char *keyword, ir_attr value)
{
    size_t n = c->n_args;
    TW_PUSH(c->keywords, n, c->keywords_capacity,
            ir_string_attr(c->b.ctx, tw_str_from(keyword)));
    TW_PUSH(c->args, c->n_args, c->args_capacity, value);
}

static void add_value(py_call *c, const char *keyword, ir_value *v)
{
    add(c, keyword, ir_index_attr(c->b.ctx, c->n_operands));
    TW_PUSH(c->operands, c->n_operands, c->operands_capacity, v);
}

static void add_text(py_call *c, const char *keyword, const char *text)
{
    add(c, keyword, py_opaque_attr(c->b.ctx, text));
}

static void add_literal(py_call *c, const char *keyword, ir_attr value)
{
    tw_strbuf text = {0};
    put_literal(value, &text);
    add_text(c, keyword, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
}

/* An operand group that may have several values is a list; behind an absent one, operands
 * are given by name. */
static void add_operands(py_call *c)
{
    const ir_op *op = c->op;
    bool named = false;
    for (uint32_t g = 0; g < op->def->operands.count; g++) {
        size_t start, count;
        const char *name = op->def->operands.at[g].name;
        if (!ir_op_operand_group(op, g, &start, &count))
            continue;
        bool list = op->def->operands.at[g].arity == IR_VARIADIC;
        named |= !count && !list;
        if (!list && count == 1)
            add_value(c, named ? name : "", op->operands[start].value);
        if (!list)
            continue;
        ir_value **values = tw_xmalloc((count + 1) * sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = op->operands[start + i].value;
        ir_value *made = ir_build1(
            &c->b, EMITPY_OP(call_opaque), py_opaque_type(c->b.ctx, "[torch.Tensor]"),
            values, count,
            IR_ATTRS({"callee", ir_string_attr(c->b.ctx, TW_STR("util_create_list"))}));
        free(values);
        add_value(c, named ? name : "", made);
    }
}

/* Attributes with another name in Python; NULL for those that follow the operands without
 * a name. */
static const struct {
    const char *op, *attr, *keyword;
} renamed[] = {
    {NULL, "dim_arg", "dim"},
    {NULL, "keep_dim", "keepdim"},
    {"ttir.softmax", "dimension", "dim"},
    {"ttir.leaky_relu", "parameter", "negative_slope"},
    {"ttir.reshape", "shape", NULL},
    {"ttir.permute", "permutation", NULL},
    {"ttir.transpose", "dim0", NULL},
    {"ttir.transpose", "dim1", NULL},
    {"ttir.squeeze", "dim", NULL},
    {"ttir.unsqueeze", "dim", NULL},
    {"ttir.repeat", "repeat_dimensions", NULL},
    {"ttir.pad", "padding", NULL},
    {"ttir.pad", "value", NULL},
    {"ttir.slice_static", "begins", NULL},
    {"ttir.slice_static", "ends", NULL},
    {"ttir.slice_static", "step", NULL},
    {"ttir.clamp_scalar", "min", NULL},
    {"ttir.clamp_scalar", "max", NULL},
    {"ttir.arange", "start", NULL},
    {"ttir.arange", "end", NULL},
    {"ttir.arange", "step", NULL},
};

static const char *keyword_of(const ir_op *op, const char *attr)
{
    for (size_t i = 0; i < TW_COUNT(renamed); i++)
        if ((!renamed[i].op || strcmp(renamed[i].op, op->def->name) == 0) &&
            strcmp(renamed[i].attr, attr) == 0)
            return renamed[i].keyword ? renamed[i].keyword : "";
    return attr;
}

static ir_attr shape_of(const ir_value *v)
{
    return ir_i64_array_attr(v->type->ctx, v->type->dims, v->type->count);
}

/* A constant is one value, or all in a list. */
static void add_constant(py_call *c)
{
    ir_attr value = ir_op_attr(c->op, "value");
    add_literal(c, "shape", shape_of(&c->op->results[0]));
    if (value->splat) {
        add_literal(c, "fill_value", ir_dense_element(value, 0));
        return;
    }
    tw_strbuf text = {0};
    tw_strbuf_putc(&text, '[');
    size_t n = (size_t)ir_type_num_elements(value->type);
    for (size_t i = 0; i < n; i++) {
        tw_strbuf_puts(&text, i ? ", " : "");
        put_literal(ir_dense_element(value, i), &text);
    }
    tw_strbuf_putc(&text, ']');
    add_text(c, "data", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
}

static void add_attributes(py_call *c)
{
    const ir_op *op = c->op;
    if (op->def == TTIR_OP(constant)) {
        add_constant(c);
        return;
    }
    if (op->def == TTIR_OP(broadcast)) {
        add_literal(c, "", shape_of(&op->results[0]));
        return;
    }
    for (uint32_t i = 0; i < op->def->attrs.count; i++) {
        const char *name = op->def->attrs.at[i].name;
        ir_attr value = ir_op_attr(op, name);
        if (value && op->def != TTIR_OP(typecast))
            add_literal(c, keyword_of(op, name), value);
    }
    if (op->def == TTIR_OP(arange) || op->def == TTIR_OP(empty))
        add_literal(c, "shape", shape_of(&op->results[0]));
}

/* The results' element type where it is not the first operand's. */
static bool add_type(py_call *c)
{
    const ir_op *op = c->op;
    ir_type element = op->results[0].type->element;
    const char *type = torch_type(element);
    if (!type)
        return ir_op_error(c->op,
                           "cannot be written as Python: torch has no element type %s",
                           ir_type_text(op->ctx, element));
    if (!op->n_operands || op->operands[0].value->type->element != element ||
        op->def == TTIR_OP(typecast))
        add_text(c, "dtype", type);
    return true;
}

static void finish_call(py_call *c)
{
    ir_op *op = c->op;
    ir_context *ctx = op->ctx;
    tw_strbuf callee = {0};
    tw_strbuf_printf(&callee, "ttir_cpu.%s", op->def->name + strlen("ttir."));
    ir_type *types = tw_xmalloc(op->n_results * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = py_opaque_type(ctx, "torch.Tensor");
    ir_op *made = ir_build_op(
        &c->b, EMITPY_OP(call_opaque), types, op->n_results, c->operands, c->n_operands,
        IR_ATTRS({"callee", ir_string_attr(ctx, tw_str_from(tw_strbuf_text(&callee)))},
                 {"args", ir_array_attr(ctx, c->args, c->n_args)},
                 {"keyword_args", ir_array_attr(ctx, c->keywords, c->n_args)}),
        0);
    tw_strbuf_free(&callee);
    free(types);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
}

static bool convert_op(ir_op *op)
{
    if (strncmp(op->def->name, "ttir.", 5) != 0 || !op->n_results)
        return ir_op_error(op,
                           "cannot be written as Python: ttir_cpu has no function for it");
    py_call c = {.b = ir_builder_before(op), .op = op};
    add_operands(&c);
    add_attributes(&c);
    bool ok = add_type(&c);
    if (ok)
        finish_call(&c);
    free(c.operands);
    free(c.args);
    free(c.keywords);
    return ok;
}

/* ---- functions ----------------------------------------------------------------------- */

/* The body moves into a nested function of tensors of torch. */
static ir_attr nest_body(ir_op *func, ir_block *body)
{
    ir_context *ctx = func->ctx;
    tw_strbuf name = {0};
    tw_str of = ir_symbol_name(func);
    tw_strbuf_printf(&name, "%.*s_impl", (int)of.size, of.data);
    ir_attr text = ir_string_attr(ctx, (tw_str){name.data, name.size});
    tw_strbuf_free(&name);
    ir_builder b = ir_builder_at_end(ctx, body, func->loc);
    ir_op *nested = ir_build_op(&b, EMITPY_OP(nested_func), NULL, 0, NULL, 0,
                                IR_ATTRS({"sym_name", text}), 1);
    ir_block *inner = ir_block_create(ctx);
    ir_region_append(&nested->regions[0], inner);
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(
            body->args[i],
            ir_block_add_arg(ctx, inner, py_opaque_type(ctx, "torch.Tensor"), func->loc));
    if (body->first != nested)
        ir_block_splice(inner, NULL, body, body->first, nested->prev);
    ir_op *ret = inner->last;
    ir_value **results = tw_xmalloc((ret->n_operands + 1u) * sizeof *results);
    for (uint32_t i = 0; i < ret->n_operands; i++)
        results[i] = ret->operands[i].value;
    ir_builder end = ir_builder_at_end(ctx, inner, ret->loc);
    ir_build_op(&end, EMITPY_OP(nested_func_return), NULL, 0, results, ret->n_operands,
                NULL, 0, 0);
    free(results);
    ir_op_erase(ret);
    return text;
}

static void call_body(ir_op *func, ir_block *body, uint32_t n_results, ir_attr name)
{
    ir_context *ctx = func->ctx;
    ir_builder b = ir_builder_at_end(ctx, body, func->loc);
    ir_value *list = py_list(&b, body->args, body->n_args);
    ir_attr mesh = ir_op_attr(func, "ttcore.device_mesh_shape");
    ir_attr none = ir_string_attr(ctx, TW_STR(""));
    ir_attr args[3] = {ir_index_attr(ctx, 0), py_opaque_attr(ctx, name->ident->text)};
    ir_attr names[3] = {none, none, ir_string_attr(ctx, TW_STR("mesh_shape"))};
    size_t n = 2;
    if (ir_attr_is(mesh, IR_ATTR_ARRAY)) {
        tw_strbuf text = {0};
        for (uint32_t i = 0; i < mesh->count; i++)
            tw_strbuf_printf(&text, "%s%lld", i ? ", " : "(",
                             (long long)mesh->items[i]->value);
        tw_strbuf_puts(&text, mesh->count == 1 ? ",)" : ")");
        args[n++] = py_opaque_attr(ctx, tw_strbuf_text(&text));
        tw_strbuf_free(&text);
    }
    ir_type *types = tw_xmalloc((n_results + 1) * sizeof *types);
    for (uint32_t i = 0; i < n_results; i++)
        types[i] = py_opaque_type(ctx, "ttnn.Tensor");
    ir_op *made = ir_build_op(
        &b, EMITPY_OP(call_opaque), types, n_results, &list, 1,
        IR_ATTRS(
            {"callee", ir_string_attr(ctx, TW_STR("utils.execute_cpu_hoisted_function"))},
            {"args", ir_array_attr(ctx, args, n)},
            {"keyword_args", ir_array_attr(ctx, names, n)}),
        0);
    free(types);
    ir_value **results = tw_xmalloc((n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < n_results; i++)
        results[i] = &made->results[i];
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, results, n_results, NULL, 0, 0);
    free(results);
}

static bool convert_function(ir_op *func)
{
    static const char *const dropped[] = {"arg_attrs", "arg_ranks", "func_hash",
                                          "result_ranks"};
    ir_context *ctx = func->ctx;
    ir_block *body = ir_op_body(func, 0);
    bool ok = true;
    /* From the last, so that an operation still sees its operands' types. */
    for (ir_op *op = body->last->prev, *before; op && ok; op = before) {
        before = op->prev;
        ok = convert_op(op);
    }
    if (!ok)
        return false;
    for (uint32_t i = 0; i < body->n_args; i++)
        body->args[i]->type = py_opaque_type(ctx, "ttnn.Tensor");
    uint32_t n_results = body->last->n_operands;
    ir_attr name = nest_body(func, body);
    call_body(func, body, n_results, name);
    func_refresh_type(func);
    for (size_t i = 0; i < TW_COUNT(dropped); i++)
        ir_op_set_attr(func, dropped[i], NULL);
    return true;
}

static bool is_host_function(const ir_op *op)
{
    ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    return ir_op_body(op, 0) && ir_attr_is(type, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(type), "forward_cpu");
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_host_function, convert_function);
}

const pass_def convert_ttir_cpu_to_emitpy_pass = {
    .name = "convert-ttir-cpu-to-emitpy",
    .title = "ConvertTTIRCPUToEmitPy",
    .summary = "Convert functions of the host to EmitPy dialect",
    .anchor = "builtin.module",
    .run = run,
};

/* ---- capture-mesh-shape */

static bool is_device(const ir_op *op)
{
    return op->def == TTCORE_OP(device);
}

static bool run_capture(ir_op *root, pass_run *run)
{
    (void)run;
    ir_op_list devices = ir_ops_in(root, is_device);
    ir_attr device = devices.n ? ir_op_attr(devices.at[0], "device_attr") : NULL;
    ir_attr shape = device ? ir_attr_param(device, "meshShape") : NULL;
    ir_op_list_free(&devices);
    if (!shape || !shape->count)
        return true;
    int64_t *mesh = tw_xmalloc(shape->count * sizeof *mesh);
    for (uint32_t i = 0; i < shape->count; i++)
        mesh[i] = shape->items[i]->value;
    ir_op_list all = ir_ops_in(root, is_host_function);
    for (size_t i = 0; i < all.n; i++)
        ir_op_set_attr(all.at[i], "ttcore.device_mesh_shape",
                       ir_i64_array_attr(root->ctx, mesh, shape->count));
    ir_op_list_free(&all);
    free(mesh);
    return true;
}

const pass_def capture_mesh_shape_pass = {
    .name = "capture-mesh-shape",
    .title = "CaptureMeshShape",
    .summary = "Note the device's mesh at functions of the host",
    .anchor = "builtin.module",
    .run = run_capture,
};
