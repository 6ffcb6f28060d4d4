/* convert_ttnn_to_emitpy.c: functions of TTNN become Python in emitpy.
 *
 * Operations are converted in order, so that operands are Python values already. */
#include "emitpy/emitpy.h"
#include "ir/text.h"
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#include <stdio.h>
#include <stdlib.h>

static ir_type convert_type(ir_type t)
{
    if (t->kind == IR_TYPE_TENSOR)
        return py_opaque_type(t->ctx, "ttnn.Tensor");
    if (t->kind == IR_TYPE_TUPLE)
        return py_opaque_type(t->ctx, "[ttnn.Tensor]");
    if (t->kind != IR_TYPE_DIALECT)
        return t;
    if (t->def == TTCORE_TYPE(dict))
        return ir_dialect_type(t->ctx, EMITPY_TYPE(dict), (ir_attr[2]){0}, 2);
    if (t->def == TTNN_TYPE(device))
        return py_opaque_type(t->ctx, "ttnn.Device");
    if (t->def == TTNN_TYPE(global_semaphore))
        return py_opaque_type(t->ctx, "ttnn.GlobalSemaphore");
    return t;
}

/* ---- calls --------------------------------------------------------------------------- */

ir_value *py_list(ir_builder *b, ir_value *const *values, uint32_t count)
{
    return ir_build1(
        b, EMITPY_OP(call_opaque), py_opaque_type(b->ctx, "[ttnn.Tensor]"), values, count,
        IR_ATTRS({"callee", ir_string_attr(b->ctx, TW_STR("util_create_list"))}));
}

static void finish_call(ttnn_call *c, const char *callee)
{
    ir_op *op = c->op;
    ir_context *ctx = op->ctx;
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = convert_type(op->results[i].type);
    ir_attr_by_name attrs[] = {
        {"callee", ir_string_attr(ctx, tw_str_from(callee))},
        {"args", ir_array_attr(ctx, c->args, c->n_args)},
        {"keyword_args", ir_array_attr(ctx, c->keywords, c->n_args)},
    };
    ir_op *made = ir_build_op(&c->b, EMITPY_OP(call_opaque), types, op->n_results,
                              c->operands, c->n_operands, attrs, TW_COUNT(attrs), 0);
    free(types);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
}

static bool convert_call(ir_op *op)
{
    const ttnn_call_row *row = ttnn_find_call(py_calls, op->def);
    ttnn_call c = {.language = &py_language, .b = ir_builder_before(op), .op = op};
    if (!row)
        return ttnn_no_form(&py_language, op);
    if (!ttnn_call_arguments(&c, row->args))
        return false;
    finish_call(&c, row->callee ? row->callee : op->def->name);
    return true;
}

/* utils.DeviceGetter.get_device((1, 1), fabric_config=...); chips of a mesh are joined in
 * rings where its topology says so. */
static bool convert_get_device(ir_op *op)
{
    ttnn_call c = {.language = &py_language, .b = ir_builder_before(op), .op = op};
    ir_attr shape = ir_op_attr(op, "mesh_shape"), device = ttnn_device_of(op);
    char text[64];
    if (shape)
        snprintf(text, sizeof text, "(%lld, %lld)", (long long)shape->params[0]->value,
                 (long long)shape->params[1]->value);
    c.args[0] = py_opaque_attr(op->ctx, shape ? text : "None");
    c.keywords[c.n_args++] = ir_string_attr(op->ctx, TW_STR(""));
    if (device) {
        ir_attr chips = ir_attr_param(device, "chipIds");
        ir_attr topology = ir_attr_param(device, "meshTopology");
        bool ring = false;
        for (uint32_t i = 0; topology && i < topology->count; i++) {
            int64_t axis = ir_enum_value(topology->items[i], 0);
            ring |= axis == TTCORE_Topology_Ring || axis == TTCORE_Topology_Torus;
        }
        c.args[c.n_args] = py_opaque_attr(
            op->ctx, !chips || chips->count <= 1 ? "ttnn.FabricConfig.DISABLED"
                     : ring                      ? "ttnn.FabricConfig.FABRIC_1D_RING"
                                                 : "ttnn.FabricConfig.FABRIC_1D");
        c.keywords[c.n_args++] = ir_string_attr(op->ctx, TW_STR("fabric_config"));
    }
    finish_call(&c, "utils.DeviceGetter.get_device");
    return true;
}

/* ---- tuples and cached functions ----------------------------------------------------- */

ir_value *py_element(ir_builder *b, ir_value *list, int64_t i)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)i);
    ir_value *index =
        ir_build1(b, EMITPY_OP(literal), ir_index_type(b->ctx), NULL, 0,
                  IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
    return ir_build1(b, EMITPY_OP(subscript), py_opaque_type(b->ctx, "ttnn.Tensor"),
                     IR_VALUES(list, index), NULL, 0);
}

/* The device that a function takes last, in TTNN or in Python; NULL if it takes none. */
static ir_value *device_argument(const ir_op *func)
{
    const ir_block *body = func ? ir_op_body(func, 0) : NULL;
    ir_value *last = body && body->n_args ? body->args[body->n_args - 1] : NULL;
    ir_type device = ir_dialect_type(func->ctx, TTNN_TYPE(device), NULL, 0);
    return last && (last->type == device || last->type == convert_type(device)) ? last
                                                                                : NULL;
}

/* A function of lists is called with a list, or with nothing where it takes nothing, and
 * gives a list. One that takes a device gets the caller's. */
static void convert_load_cached(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_op *called = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
    ir_value *device =
        called && device_argument(called) ? device_argument(ir_op_parent(op)) : NULL;
    ir_value **values = tw_xmalloc((op->n_operands + 1) * sizeof *values);
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = op->operands[i].value;
    ir_value *args[2];
    size_t n_args = 0;
    if (op->n_operands)
        args[n_args++] = py_list(&b, values, op->n_operands);
    if (device)
        args[n_args++] = device;
    free(values);
    tw_str callee = ir_symbol_leaf(ir_op_attr(op, "callee"));
    ir_value *result = ir_build1(&b, EMITPY_OP(call_opaque),
                                 py_opaque_type(op->ctx, "[ttnn.Tensor]"), args, n_args,
                                 IR_ATTRS({"callee", ir_string_attr(op->ctx, callee)},
                                          {PY_CONST_EVALED, ir_unit_attr(op->ctx)}));
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], py_element(&b, result, i));
    ir_op_erase(op);
}

/* ---- dictionaries and global variables */

static ir_value *key_of(ir_builder *b, ir_attr key)
{
    if (key->kind == IR_ATTR_INTEGER) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)key->value);
        return ir_build1(b, EMITPY_OP(literal), ir_index_type(b->ctx), NULL, 0,
                         IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
    }
    tw_strbuf text = {0};
    tw_str name = ir_attr_str(key);
    tw_strbuf_putc(&text, '"');
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\')
            tw_strbuf_putc(&text, '\\');
        tw_strbuf_putc(&text, name.data[i]);
    }
    tw_strbuf_putc(&text, '"');
    ir_attr value = py_opaque_attr(b->ctx, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return ir_build1(b, EMITPY_OP(constant),
                     ir_dialect_type(b->ctx, EMITPY_TYPE(str), NULL, 0), NULL, 0,
                     IR_ATTRS({"value", value}));
}

/* Several values of one key are a list. */
static bool convert_get_key(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *dict = op->operands[0].value, *key = key_of(&b, ir_op_attr(op, "key"));
    bool one = op->n_results == 1;
    ir_value *found = ir_build1(&b, EMITPY_OP(subscript),
                                one ? convert_type(op->results[0].type)
                                    : py_opaque_type(op->ctx, "[ttnn.Tensor]"),
                                IR_VALUES(dict, key), NULL, 0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], one ? found : py_element(&b, found, i));
    ir_op_erase(op);
    return true;
}

/* dictionary[key] = value; the left side is an expression, which has no name. */
static bool convert_set_key(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *dict = op->operands[0].value, *key = key_of(&b, ir_op_attr(op, "key"));
    ir_value **values = tw_xmalloc((op->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 1; i < op->n_operands; i++)
        values[i - 1] = op->operands[i].value;
    ir_value *value =
        op->n_operands == 2 ? values[0] : py_list(&b, values, op->n_operands - 1);
    free(values);
    ir_value *target[] = {dict, key};
    ir_op *made =
        ir_build_op(&b, EMITPY_OP(expression), &value->type, 1, target, 2, NULL, 0, 1);
    ir_block *block = ir_block_create(op->ctx);
    ir_region_append(&made->regions[0], block);
    for (size_t i = 0; i < 2; i++)
        target[i] = ir_block_add_arg(op->ctx, block, target[i]->type, op->loc);
    ir_builder in = ir_builder_at_end(op->ctx, block, op->loc);
    ir_value *at = ir_build1(&in, EMITPY_OP(subscript), value->type, target, 2, NULL, 0);
    ir_build_op(&in, EMITPY_OP(yield), NULL, 0, &at, 1, NULL, 0, 0);
    ir_value *sides[] = {&made->results[0], value};
    ir_build_op(&b, EMITPY_OP(assign), NULL, 0, sides, 2, NULL, 0, 0);
    ir_op_erase(op);
    return true;
}

static void convert_global(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_attr type = ir_op_attr(op, "type");
    bool dict = type && type->type->def == TTCORE_TYPE(dict);
    ir_build_op(&b, EMITPY_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", ir_op_attr(op, "sym_name")},
                         {"initial_value", py_opaque_attr(op->ctx, dict ? "{}" : "None")}),
                0);
    ir_op_erase(op);
}

static bool convert_op(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *made = NULL;
    if (op->def == TTNN_OP(get_device))
        return convert_get_device(op);
    if (strncmp(op->def->name, "ttnn.", 5) == 0)
        return convert_call(op);
    if (op->def == TTCORE_OP(load_cached)) {
        convert_load_cached(op);
        return true;
    }
    if (op->def == TTCORE_OP(get_key_value))
        return convert_get_key(op);
    if (op->def == TTCORE_OP(set_key_value))
        return convert_set_key(op);
    if (op->def == TTCORE_OP(get_tuple_element)) {
        made = py_element(&b, op->operands[0].value, ir_op_attr(op, "index")->value);
        ir_op_set_attr(ir_value_def(made), "emitpy.name", ir_op_attr(op, "emitpy.name"));
    } else if (op->def == TTCORE_OP(get_global)) {
        made = ir_build1(
            &b, EMITPY_OP(global_statement), convert_type(op->results[0].type), NULL, 0,
            IR_ATTRS(
                {"name", ir_symbol_ref(op->ctx, ir_attr_str(ir_op_attr(op, "sym_name")))}));
    } else if (op->def == TTCORE_OP(tuple)) {
        ir_value **values = tw_xmalloc((op->n_operands + 1) * sizeof *values);
        for (uint32_t i = 0; i < op->n_operands; i++)
            values[i] = op->operands[i].value;
        made = py_list(&b, values, op->n_operands);
        free(values);
    } else if (op->def == ARITH_OP(constant)) {
        made = ir_build1(&b, EMITPY_OP(constant), op->results[0].type, NULL, 0,
                         IR_ATTRS({"value", ir_op_attr(op, "value")}));
    } else if (op->def == FUNC_OP(call)) {
        for (uint32_t i = 0; i < op->n_results; i++)
            op->results[i].type = convert_type(op->results[i].type);
        return true;
    } else if (op->def == FUNC_OP(return ) || strncmp(op->def->name, "emitpy.", 7) == 0) {
        return true;
    } else {
        return ttnn_no_form(&py_language, op);
    }
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
    return true;
}

static ir_type convert_any(ir_type t, void *user)
{
    (void)user;
    return convert_type(t);
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool convert_function(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    func_convert_types(func, convert_any, NULL);
    if (!entry)
        return true;
    if (entry->next)
        return ir_op_error(func, "has branches; there is no form of them in Python yet");
    for (uint32_t i = 0; i < entry->n_args; i++)
        entry->args[i]->type = convert_type(entry->args[i]->type);
    bool ok = true;
    for (ir_op *op = entry->first, *next; op && ok; op = next) {
        next = op->next;
        ok = convert_op(op);
    }
    return ok;
}

static bool is_global(const ir_op *op)
{
    return op->def == TTCORE_OP(global);
}

static bool is_function(const ir_op *op)
{
    return op->def == FUNC_OP(func);
}

/* Devices are found while functions are converted, so they go last. */
static bool is_device(const ir_op *op)
{
    return op->def == TTCORE_OP(device);
}

static bool convert_all(ir_op *module)
{
    bool ok = true;
    ir_visit_ops(module, is_global, convert_global);
    ir_op_list functions = ir_ops_in(module, is_function);
    for (size_t i = 0; i < functions.n && ok; i++)
        ok = convert_function(functions.at[i]);
    ir_op_list_free(&functions);
    if (!ok)
        return false;
    ir_visit_ops(module, is_device, ir_op_erase);
    while (module->attrs && module->attrs->count) /* they describe a program of TTNN */
        ir_op_set_attr(module, module->attrs->entries[0].name->text, NULL);
    return true;
}

/* In a module for export, functions that @forward calls take its device instead of asking
 * for one. */
static ir_walk give_device(ir_op *op, void *user)
{
    ir_op *get = NULL;
    (void)user;
    if (op->def != FUNC_OP(func) || !ir_op_body(op, 0) || device_argument(op))
        return IR_WALK_ON;
    ir_block *body = ir_op_body(op, 0);
    for (ir_op *o = body->first; o && !get; o = o->next)
        get = o->def == TTNN_OP(get_device) ? o : NULL;
    if (!get)
        return IR_WALK_SKIP;
    ir_value *device = ir_block_add_arg(op->ctx, body, get->results[0].type, op->loc);
    for (ir_op *o = body->first, *next; o; o = next) {
        next = o->next;
        if (o->def != TTNN_OP(get_device))
            continue;
        ir_value_replace_uses(&o->results[0], device);
        ir_op_erase(o);
    }
    func_refresh_type(op);
    func_set_arg_attr(op, body->n_args - 1, "emitpy.name",
                      ir_string_attr(op->ctx, TW_STR("device")));
    return IR_WALK_SKIP;
}

static ir_walk pass_device(ir_op *op, void *user)
{
    ir_op *called =
        op->def == FUNC_OP(call) ? ir_symbol_resolve(op, ir_op_attr(op, "callee")) : NULL;
    ir_value *device =
        called && device_argument(called) ? device_argument(ir_op_parent(op)) : NULL;
    (void)user;
    if (device && op->n_operands + 1 == ir_op_body(called, 0)->n_args)
        ir_op_splice_operands(op, op->n_operands, 0, &device, 1);
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    if (!py_convert_traces(op, pass_option_bool(run, "target-module")))
        return false;
    if (pass_option_bool(run, "target-module")) {
        ir_walk_pre(op, give_device, NULL);
        ir_walk_pre(op, pass_device, NULL);
    }
    return convert_all(op);
}

const pass_def convert_ttnn_to_emitpy_pass = {
    .name = "convert-ttnn-to-emitpy",
    .title = "ConvertTTNNToEmitPy",
    .summary = "Convert TTNN dialect to EmitPy dialect",
    .run = run,
    .options = IR_LIST(pass_option_def, {"target-module", PASS_BOOL, "false",
                                         "Functions that @forward calls take its device"}),
};
