/* codegen.c: programs get the shape that generated code has: ttnn-tuplify-tensors passes
 * tensors as one tuple; ttnn-create-input-gens and ttnn-load-input-tensors add functions
 * that make or load such tuples, and a main that calls everything;
 * ttnn-prepare-module-for-export makes @forward, which takes tensors of the host and a
 * device. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

static bool is_kind(const ir_op *func, const char *kind)
{
    ir_attr type = ir_op_attr(func, "tt.function_type");
    return ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), kind);
}

/* @main is what is generated: the program's own is renamed. */
static void free_main(ir_op *module)
{
    ir_op *main = ir_symbol_lookup(module, TW_STR("main"));
    if (main && main->def == FUNC_OP(func))
        ir_op_set_attr(main, "sym_name", ir_string_attr(module->ctx, TW_STR("_main")));
}

/* ---- ttnn-tuplify-tensors ----------------------------------------------------------- */

static bool all_tensors(const ir_type *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ir_type_is_tensor(types[i]))
            return false;
    return true;
}

static void tuplify_inputs(ir_op *func)
{
    ir_block *block = ir_op_body(func, 0);
    ir_type f = ir_op_attr(func, "function_type")->type;
    ir_context *ctx = func->ctx;
    uint32_t n = block->n_args;
    ir_type tuple = ir_tuple_type(ctx, f->types, n);
    ir_value *arg = ir_block_add_arg(ctx, block, tuple, func->loc);
    ir_op *first = block->first;
    for (uint32_t i = 0; i < n; i++) {
        ir_builder b = ir_builder_before(first);
        b.loc = func->loc;
        ir_type i32 = ir_integer_type(ctx, 32, IR_SIGNLESS);
        ir_value *v =
            ir_build1(&b, TTCORE_OP(get_tuple_element), f->types[i], IR_VALUES(arg),
                      IR_ATTRS({"index", ir_integer_attr(i32, i)}));
        ir_value_replace_uses(block->args[i], v);
    }
    for (uint32_t i = n; i-- > 0;)
        ir_block_erase_arg(block, i);
    ir_op_set_attr(func, "arg_attrs", NULL);
}

static void tuplify_results(ir_op *func)
{
    ir_op *ret = ir_op_body(func, 0)->last;
    ir_context *ctx = func->ctx;
    ir_type *types = tw_xmalloc((ret->n_operands + 1) * sizeof *types);
    ir_value **values = tw_xmalloc((ret->n_operands + 1) * sizeof *values);
    for (uint32_t i = 0; i < ret->n_operands; i++) {
        values[i] = ret->operands[i].value;
        types[i] = values[i]->type;
    }
    ir_builder b = ir_builder_before(ret);
    ir_value *tuple =
        ir_build1(&b, TTCORE_OP(tuple), ir_tuple_type(ctx, types, ret->n_operands), values,
                  ret->n_operands, NULL, 0);
    ir_op_splice_operands(ret, 0, ret->n_operands, &tuple, 1);
    ir_op_set_attr(func, "res_attrs", NULL);
    free(types);
    free(values);
}

static void tuplify(ir_op *func, bool empty)
{
    if (!ir_op_body(func, 0) ||
        (ir_symbol_is_private(func) && !is_kind(func, "const_eval")))
        return;
    ir_type f = ir_op_attr(func, "function_type")->type;
    bool inputs = f->count || (empty && is_kind(func, "forward_device"));
    if (f->results && all_tensors(ir_function_results(f), f->results))
        tuplify_results(func);
    if (inputs && all_tensors(f->types, f->count))
        tuplify_inputs(func);
    func_refresh_type(func);
}

/* The functions of the module, or of the device's module in it. */
static bool run_tuplify(ir_op *module, pass_run *run)
{
    bool empty = pass_option_bool(run, "tuplify-input-if-empty");
    free_main(module);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func))
            tuplify(op, empty);
        else if (op->def == TTCORE_OP(device_module))
            run_tuplify(ir_op_body(op, 0)->first, run);
    return true;
}

const pass_def ttnn_tuplify_tensors_pass = {
    .name = "ttnn-tuplify-tensors",
    .title = "TTNNTuplifyTensors",
    .summary = "Pass and return tensors as one tuple",
    .anchor = "builtin.module",
    .run = run_tuplify,
    .options = IR_LIST(pass_option_def, {"tuplify-input-if-empty", PASS_BOOL, "false",
                                         "Also where there are none"}),
};

/* ---- inputs ------------------------------------------------------------------------- */

typedef struct inputs {
    ir_op *module;
    const char *prefix;     /* of the functions' names */
    tw_str directory, file; /* of tensors on disk; unused when they are made */
    bool load;
} inputs;

static ir_op *new_function(ir_op *module, tw_str name, const char *kind, ir_loc loc)
{
    ir_context *ctx = module->ctx;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), loc);
    ir_op *made = func_create(&b, ir_string_attr(ctx, name),
                              ir_function_type(ctx, NULL, 0, NULL, 0), false);
    ir_op_set_attr(made, "tt.function_type", ir_string_attr(ctx, tw_str_from(kind)));
    func_add_body(made);
    return made;
}

static bool is_on_host(ir_type t)
{
    ttnn_layout l;
    return ttnn_layout_of(t, &l) && ttnn_layout_on_host(&l);
}

/* A device as the first operation, where tensors need one. */
static ir_value *device_for(ir_op *func, ir_type t)
{
    ir_block *block = ir_op_body(func, 0);
    if (is_on_host(t))
        return NULL;
    if (block->first && block->first->def == TTNN_OP(get_device))
        return ir_op_result(block->first, 0);
    int64_t mesh[2];
    ir_context *ctx = func->ctx;
    ttnn_device_mesh(func, mesh);
    ir_attr shape[] = {ir_raw_int(ctx, mesh[0]), ir_raw_int(ctx, mesh[1])};
    ir_attr zero[] = {ir_raw_int(ctx, 0), ir_raw_int(ctx, 0)};
    ir_builder b = ir_builder_at_start(ctx, block, func->loc);
    return ir_build1(
        &b, TTNN_OP(get_device), ir_dialect_type(ctx, TTNN_TYPE(device), NULL, 0), NULL, 0,
        IR_ATTRS({"mesh_shape", ir_dialect_attr(ctx, TTNN_ATTR(mesh_shape), shape, 2)},
                 {"mesh_offset", ir_dialect_attr(ctx, TTNN_ATTR(mesh_offset), zero, 2)}));
}

static ir_value *make_input(const inputs *in, ir_op *func, ir_type t, uint32_t i)
{
    ir_context *ctx = func->ctx;
    ir_value *device = device_for(func, t);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(func, 0), func->loc);
    if (!in->load)
        return ir_op_result(
            ir_build_op(&b, TTNN_OP(ones), &t, 1, &device, 1,
                        IR_ATTRS({"shape", tnb_shape(ctx, t->dims, t->count)}), 0),
            0);
    tw_strbuf path = {0};
    tw_strbuf_append(&path, in->directory.data, in->directory.size);
    if (in->directory.size && in->directory.data[in->directory.size - 1] != '/')
        tw_strbuf_putc(&path, '/');
    tw_strbuf_printf(&path, "%.*s%u.tensorbin", (int)in->file.size, in->file.data, i);
    ir_attr where = ir_string_attr(ctx, (tw_str){path.data, path.size});
    tw_strbuf_free(&path);
    return ir_op_result(ir_build_op(&b, TTNN_OP(load_tensor), &t, 1, &device, 1,
                                    IR_ATTRS({"file_path", where}), 0),
                        0);
}

/* @<prefix><what>_for_<f> */
static ir_op *new_generator(const inputs *in, ir_op *func, const char *what)
{
    tw_strbuf name = {0};
    tw_str of = ir_symbol_name(func);
    tw_strbuf_printf(&name, "%s%s_for_%.*s", in->prefix, what, (int)of.size, of.data);
    ir_op *made = new_function(in->module, (tw_str){name.data, name.size},
                               "input_generator", func->loc);
    tw_strbuf_free(&name);
    return made;
}

/* The number that the i-th activation or weight had among the function's arguments, before
 * they were split by kind. */
static uint32_t original_number(const ir_op *func, bool weight, uint32_t i)
{
    ir_attr kinds = ir_op_attr(func, "ttcore.original_argument_types");
    for (uint32_t k = 0; kinds && k < kinds->count; k++) {
        bool input = ir_enum_value(kinds->items[k], -1) == TTCORE_ArgumentType_Input;
        if (input != weight && !i--)
            return k;
    }
    return i;
}

/* Gives the dictionary of weights, a global variable: each under the key by which the
 * function finds it. */
static ir_op *make_weights(const inputs *in, ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_type dict = ir_dialect_type(ctx, TTCORE_TYPE(dict), NULL, 0);
    tw_strbuf name = {0};
    tw_str of = ir_symbol_name(func);
    tw_strbuf_printf(&name, "%.*s_weights", (int)of.size, of.data);
    ir_attr global = ir_string_attr(ctx, (tw_str){name.data, name.size});
    tw_strbuf_free(&name);
    ir_builder at = ir_builder_at_end(ctx, ir_op_body(in->module, 0), func->loc);
    ir_build_op(&at, TTCORE_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", global}, {"type", ir_type_attr(dict)}), 0);
    ir_op *made = new_generator(in, func, "weights");
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(made, 0), func->loc);
    ir_value *all =
        ir_build1(&b, TTCORE_OP(get_global), dict, NULL, 0, IR_ATTRS({"sym_name", global}));
    uint32_t i = 0;
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next) {
        if (op->def != TTCORE_OP(get_key_value))
            continue;
        ir_value *v =
            make_input(in, made, op->results[0].type, original_number(func, true, i++));
        b = ir_builder_at_end(ctx, ir_op_body(made, 0), func->loc);
        ir_build_op(&b, TTCORE_OP(set_key_value), NULL, 0, (ir_value *[]){all, v}, 2,
                    IR_ATTRS({"key", ir_op_attr(op, "key")}), 0);
    }
    b = ir_builder_at_end(ctx, ir_op_body(made, 0), func->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, &all, 1, NULL, 0, 0);
    func_refresh_type(made);
    return made;
}

/* Gives the tuple that f takes. */
static ir_op *make_generator(const inputs *in, ir_op *func, const char *what, ir_type tuple)
{
    bool split = ir_op_attr(func, "tt.has_split_func_args_by_type") != NULL;
    ir_op *made = new_generator(in, func, what);
    ir_value **values = tw_xmalloc((tuple->count + 1) * sizeof *values);
    for (uint32_t i = 0; i < tuple->count; i++)
        values[i] = make_input(in, made, tuple->types[i],
                               split ? original_number(func, false, i) : i);
    ir_builder b = ir_builder_at_end(func->ctx, ir_op_body(made, 0), func->loc);
    ir_value *v = ir_build1(&b, TTCORE_OP(tuple), tuple, values, tuple->count, NULL, 0);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, &v, 1, NULL, 0, 0);
    free(values);
    func_refresh_type(made);
    return made;
}

static ir_op *call(ir_builder *b, ir_op *func, ir_value *const *args, size_t n)
{
    ir_type f = ir_op_attr(func, "function_type")->type;
    return ir_build_op(b, FUNC_OP(call), ir_function_results(f), f->results, args, n,
                       IR_ATTRS({"callee", ir_symbol_ref(b->ctx, ir_symbol_name(func))}),
                       0);
}

/* A function that main calls, and those that make its arguments. */
typedef struct called {
    ir_op *func, *makers[2];
    size_t n_makers;
} called;

/* main calls each function with the inputs that its generators make, and returns 0. */
static void add_main(ir_op *module, const called *all, size_t n)
{
    ir_context *ctx = module->ctx;
    ir_op *main = new_function(module, TW_STR("main"), "main", module->loc);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(main, 0), module->loc);
    for (size_t i = 0; i < n; i++) {
        ir_value *args[2];
        b.loc = all[i].func->loc;
        for (size_t k = 0; k < all[i].n_makers; k++)
            args[k] = ir_op_result(call(&b, all[i].makers[k], NULL, 0), 0);
        call(&b, all[i].func, args, all[i].n_makers);
    }
    ir_type i32 = ir_integer_type(ctx, 32, IR_SIGNLESS);
    b.loc = IR_LOC_UNKNOWN;
    ir_value *zero = ir_build1(&b, ARITH_OP(constant), i32, NULL, 0,
                               IR_ATTRS({"value", ir_integer_attr(i32, 0)}));
    b.loc = main->loc;
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, &zero, 1, NULL, 0, 0);
    func_refresh_type(main);
}

static bool add_makers(const inputs *in, called *c)
{
    ir_type f = ir_op_attr(c->func, "function_type")->type;
    bool split = ir_op_attr(c->func, "tt.has_split_func_args_by_type") != NULL;
    if (!split && (f->count != 1 || f->types[0]->kind != IR_TYPE_TUPLE))
        return ir_op_error(c->func,
                           "takes no single tuple; run --ttnn-tuplify-tensors first");
    for (uint32_t i = 0; i < f->count && i < TW_COUNT(c->makers); i++)
        c->makers[c->n_makers++] =
            f->types[i]->kind == IR_TYPE_TUPLE
                ? make_generator(in, c->func, split ? "activations" : "inputs", f->types[i])
                : make_weights(in, c->func);
    return true;
}

static bool add_inputs(const inputs *in)
{
    ir_op *module = in->module;
    called *calls = NULL;
    size_t n = 0, capacity = 0;
    bool ok = true;
    free_main(module);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func) && !ir_symbol_is_private(op) &&
            is_kind(op, "forward_device") && ir_op_attr(op, "function_type")->type->count)
            TW_PUSH(calls, n, capacity, (called){.func = op});
    for (size_t i = 0; ok && i < n; i++)
        ok = add_makers(in, &calls[i]);
    if (ok)
        add_main(module, calls, n);
    free(calls);
    return ok;
}

static bool run_create(ir_op *module, pass_run *run)
{
    (void)run;
    return add_inputs(&(inputs){.module = module, .prefix = "create_"});
}

const pass_def ttnn_create_input_gens_pass = {
    .name = "ttnn-create-input-gens",
    .title = "TTNNCreateInputGenerators",
    .summary = "Add functions that make inputs, and a main",
    .anchor = "builtin.module",
    .run = run_create,
};

static bool run_load(ir_op *module, pass_run *run)
{
    return add_inputs(&(inputs){.module = module,
                                .prefix = "load_",
                                .directory = pass_option_str(run, "tensor-load-directory"),
                                .file = pass_option_str(run, "tensor-load-file-prefix"),
                                .load = true});
}

const pass_def ttnn_load_input_tensors_pass = {
    .name = "ttnn-load-input-tensors",
    .title = "TTNNLoadInputTensors",
    .summary = "Add functions that load inputs, and a main",
    .anchor = "builtin.module",
    .run = run_load,
    .options = IR_LIST(
        pass_option_def, {"tensor-load-directory", PASS_STRING, "", "Where they are"},
        {"tensor-load-file-prefix", PASS_STRING, "arg", "Names are <prefix><n>.tensorbin"}),
};

/* ---- ttnn-prepare-module-for-export */

/* The function's own devices become an argument. */
static ir_value *take_device(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_type type = ir_dialect_type(func->ctx, TTNN_TYPE(device), NULL, 0);
    ir_value *device = ir_block_add_arg(func->ctx, body, type, func->loc);
    for (ir_op *op = body->first, *next; op; op = next) {
        next = op->next;
        if (op->def != TTNN_OP(get_device))
            continue;
        ir_value_replace_uses(&op->results[0], device);
        ir_op_erase(op);
    }
    return device;
}

/* A tensor of the tuple comes as rows on the host: it is brought into its layout there and
 * sent to the device. */
static ir_type stage_input(ir_op *element, ir_value *device)
{
    ir_value *v = &element->results[0];
    ir_type target = v->type;
    ttnn_layout l;
    if (!ttnn_layout_of(target, &l) || ttnn_layout_on_host(&l))
        return target;
    ttnn_layout rows = ttnn_layout_host(l.dtype), staged = rows;
    staged.tiled = l.tiled;
    ir_builder b = ir_builder_after(element);
    ir_value *first = ir_build1(&b, TTNN_OP(to_layout), ttnn_tensor_with(target, &staged),
                                IR_VALUES(v), NULL, 0);
    ir_value *sent =
        ir_build1(&b, TTNN_OP(to_device), target, IR_VALUES(first, device), NULL, 0);
    ir_value_replace_uses(v, sent);
    ir_op_set_operand(ir_value_def(first), 0, v);
    v->type = ttnn_tensor_with(target, &rows);
    return v->type;
}

static void stage_inputs(ir_op *func, ir_value *device)
{
    ir_block *body = ir_op_body(func, 0);
    ir_value *tuple = body->args[0];
    ir_type *types = tw_xmalloc((tuple->type->count + 1) * sizeof *types);
    memcpy(types, tuple->type->types, tuple->type->count * sizeof *types);
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == TTCORE_OP(get_tuple_element) && op->operands[0].value == tuple)
            types[ir_op_int(op, "index", 0)] = stage_input(op, device);
    tuple->type = ir_tuple_type(func->ctx, types, tuple->type->count);
    free(types);
}

static bool run_export(ir_op *module, pass_run *run)
{
    ir_context *ctx = module->ctx;
    ir_op *func = ir_op_body(module, 0)->first;
    (void)run;
    while (func && (func->def != FUNC_OP(func) || !is_kind(func, "forward_device") ||
                    ir_symbol_is_private(func) || !ir_op_body(func, 0)))
        func = func->next;
    if (!func)
        return true;
    ir_block *body = ir_op_body(func, 0);
    if (body->n_args != 1 || body->args[0]->type->kind != IR_TYPE_TUPLE)
        return ir_op_error(func, "takes no single tuple; run "
                                 "--ttnn-tuplify-tensors=tuplify-input-if-empty=true "
                                 "first");
    ir_op *other = ir_symbol_lookup(module, TW_STR("forward"));
    if (other && other != func)
        return ir_op_error(func, "becomes @forward, but there is another operation of "
                                 "that name");
    ir_op_set_attr(func, "sym_name", ir_string_attr(ctx, TW_STR("forward")));
    stage_inputs(func, take_device(func));
    func_refresh_type(func);
    func_set_arg_attr(func, 0, "emitpy.name", ir_string_attr(ctx, TW_STR("input")));
    func_set_arg_attr(func, 1, "emitpy.name", ir_string_attr(ctx, TW_STR("device")));
    return true;
}

const pass_def ttnn_prepare_module_for_export_pass = {
    .name = "ttnn-prepare-module-for-export",
    .title = "TTNNPrepareModuleForExport",
    .summary = "Make @forward, which takes tensors of the host and a device",
    .anchor = "builtin.module",
    .run = run_export,
};
