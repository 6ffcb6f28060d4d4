/* convert_ttnn_to_emitpy.c: functions of TTNN become Python in emitpy, and passes that
 * make it read well: names for values, imports.
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

static ir_value *element(ir_builder *b, ir_value *list, int64_t i)
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
    ir_value *result =
        ir_build1(&b, EMITPY_OP(call_opaque), py_opaque_type(op->ctx, "[ttnn.Tensor]"),
                  args, n_args, IR_ATTRS({"callee", ir_string_attr(op->ctx, callee)}));
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], element(&b, result, i));
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
    if (op->def == TTCORE_OP(get_tuple_element)) {
        made = element(&b, op->operands[0].value, ir_op_attr(op, "index")->value);
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

/* ---- functions of the host ----------------------------------------------------------- */

static bool is_host_declaration(const ir_op *func)
{
    ir_attr type = ir_op_attr(func, "tt.function_type");
    return !ir_op_body(func, 0) && ir_attr_is(type, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(type), "forward_cpu_declaration");
}

/* The function's definition in the module for the host beside the one for the device. */
static ir_op *host_definition(ir_op *declaration)
{
    ir_op *root = declaration;
    while (ir_op_parent(root))
        root = ir_op_parent(root);
    for (ir_op *op = ir_op_body(root, 0)->first; op; op = op->next)
        if (op->def == TTCORE_OP(cpu_module) && ir_op_body(op, 0) &&
            ir_op_body(op, 0)->first)
            return ir_symbol_lookup(ir_op_body(op, 0)->first, ir_symbol_name(declaration));
    return NULL;
}

/* ttir_cpu.function(r"""the function's text"""), without attributes that only lowering to
 * machine code reads. */
static void put_host_function(ir_op *definition, tw_strbuf *out)
{
    static const char *const dropped[] = {"arg_attrs", "arg_ranks", "func_hash",
                                          "result_ranks", "tt.function_type"};
    ir_op *copy = ir_op_clone(definition, NULL);
    for (size_t i = 0; i < TW_COUNT(dropped); i++)
        ir_op_set_attr(copy, dropped[i], NULL);
    tw_strbuf_puts(out, "ttir_cpu.function(r\"\"\"");
    ir_print_op(copy, &(ir_print_options){.assume_verified = true}, out);
    while (out->size && out->data[out->size - 1] == '\n')
        out->size--;
    tw_strbuf_puts(out, "\"\"\")");
    ir_op_erase(copy);
}

/* The declaration becomes a function that runs the definition's text on the host. */
static bool define_host_function(ir_op *func)
{
    ir_op *definition = host_definition(func);
    if (!definition)
        return ir_op_error(func, "has no body in a ttcore.cpu_module of the program");
    ir_context *ctx = func->ctx;
    tw_strbuf text = {0};
    put_host_function(definition, &text);
    func_convert_types(func, convert_any, NULL);
    ir_block *body = func_add_body(func);
    ir_builder b = ir_builder_at_end(ctx, body, func->loc);
    ir_value *list = py_list(&b, body->args, body->n_args);
    ir_type f = ir_op_attr(func, "function_type")->type;
    ir_attr args[] = {ir_integer_attr(ir_index_type(ctx), 0),
                      py_opaque_attr(ctx, tw_strbuf_text(&text))};
    tw_strbuf_free(&text);
    ir_attr none = ir_string_attr(ctx, TW_STR("")), names[] = {none, none};
    ir_op *made = ir_build_op(
        &b, EMITPY_OP(call_opaque), ir_function_results(f), f->results, IR_VALUES(list),
        IR_ATTRS(
            {"callee", ir_string_attr(ctx, TW_STR("utils.execute_cpu_hoisted_function"))},
            {"args", ir_array_attr(ctx, args, 2)},
            {"keyword_args", ir_array_attr(ctx, names, 2)}),
        0);
    ir_value **results = tw_xmalloc((f->results + 1) * sizeof *results);
    for (uint32_t i = 0; i < f->results; i++)
        results[i] = &made->results[i];
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, results, f->results, NULL, 0, 0);
    free(results);
    ir_op_set_attr(func, "sym_visibility", NULL);
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool convert_function(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    if (is_host_declaration(func))
        return define_host_function(func);
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

static ir_walk visit_function(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    *ok &= convert_function(op);
    return *ok ? IR_WALK_SKIP : IR_WALK_STOP;
}

/* Devices are found while functions are converted, so they go last. */
static ir_walk erase_device(ir_op *op, void *user)
{
    (void)user;
    if (op->def == BUILTIN_OP(module)) {
        ir_op_set_attr(op, "ttcore.system_desc", NULL);
        for (ir_op *o = ir_op_body(op, 0)->first, *next; o; o = next) {
            next = o->next;
            if (o->def == TTCORE_OP(device))
                ir_op_erase(o);
        }
    }
    return IR_WALK_ON;
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
    bool ok = true;
    if (pass_option_bool(run, "target-module")) {
        ir_walk_pre(op, give_device, NULL);
        ir_walk_pre(op, pass_device, NULL);
    }
    ir_walk_pre(op, visit_function, &ok);
    if (ok)
        ir_walk_pre(op, erase_device, NULL);
    return ok;
}

const pass_def convert_ttnn_to_emitpy_pass = {
    .name = "convert-ttnn-to-emitpy",
    .title = "ConvertTTNNToEmitPy",
    .summary = "Convert TTNN dialect to EmitPy dialect",
    .run = run,
    .options = IR_LIST(pass_option_def, {"target-module", PASS_BOOL, "false",
                                         "Functions that @forward calls take its device"}),
};

/* ---- names --------------------------------------------------------------------------- */

/* name_N, N counted by name */
static void set_numbered_name(ir_op *op, ir_mapping *counts, tw_str name)
{
    ir_attr key = ir_string_attr(op->ctx, name);
    uintptr_t n = (uintptr_t)ir_mapping_get(counts, key);
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%.*s_%u", (int)name.size, name.data, (unsigned)n);
    ir_mapping_set(counts, key, (void *)(n + 1));
    ir_op_set_attr(op, "emitpy.name",
                   ir_string_attr(op->ctx, (tw_str){text.data, text.size}));
    tw_strbuf_free(&text);
}

static ir_walk name_op(ir_op *op, void *user)
{
    char text[32];
    if (op->def == FUNC_OP(func) && ir_op_body(op, 0)) {
        uint32_t n = ir_op_body(op, 0)->n_args;
        for (uint32_t i = 0; i < n; i++) {
            snprintf(text, sizeof text, n == 1 ? "arg" : "arg_%u", i);
            if (!func_arg_attr(op, i, "emitpy.name"))
                func_set_arg_attr(op, i, "emitpy.name",
                                  ir_string_attr(op->ctx, tw_str_from(text)));
        }
    }
    if (ir_op_attr(op, "emitpy.name"))
        return IR_WALK_ON;
    if (op->def == EMITPY_OP(call_opaque))
        set_numbered_name(op, user, ir_attr_str(ir_op_attr(op, "callee")));
    else if (op->def == FUNC_OP(call))
        set_numbered_name(op, user, ir_symbol_leaf(ir_op_attr(op, "callee")));
    else if (op->def == EMITPY_OP(constant))
        set_numbered_name(op, user, TW_STR("const"));
    else if (op->def == EMITPY_OP(subscript))
        set_numbered_name(op, user, TW_STR("item"));
    return IR_WALK_ON;
}

static bool run_names(ir_op *op, pass_run *run)
{
    (void)run;
    ir_mapping *counts = ir_mapping_create();
    ir_walk_pre(op, name_op, counts);
    ir_mapping_free(counts);
    return true;
}

const pass_def emitpy_name_vars_pass = {
    .name = "emitpy-name-vars",
    .title = "EmitPyNameVars",
    .summary = "Name variables after what is called and where it goes",
    .run = run_names,
};

/* ---- imports ------------------------------------------------------------------------- */

static ir_walk find_host_function(ir_op *op, void *user)
{
    ir_attr callee = op->def == EMITPY_OP(call_opaque) ? ir_op_attr(op, "callee") : NULL;
    (void)user;
    return callee && tw_str_is(ir_attr_str(callee), "utils.execute_cpu_hoisted_function")
               ? IR_WALK_STOP
               : IR_WALK_ON;
}

static bool run_imports(ir_op *module, pass_run *run)
{
    (void)run;
    static const char *const names[] = {"ttnn", "utils", "ttir_cpu"};
    ir_builder b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), module->loc);
    bool host = ir_walk_pre(module, find_host_function, NULL) == IR_WALK_STOP;
    for (size_t i = 0; i < TW_COUNT(names) - !host; i++)
        ir_build_op(
            &b, EMITPY_OP(import), NULL, 0, NULL, 0,
            IR_ATTRS({"module_name", ir_string_attr(module->ctx, tw_str_from(names[i]))}),
            0);
    return true;
}

const pass_def emitpy_add_imports_pass = {
    .name = "emitpy-add-imports",
    .title = "EmitPyAddImports",
    .summary = "Import the modules that generated Python uses",
    .run = run_imports,
};
