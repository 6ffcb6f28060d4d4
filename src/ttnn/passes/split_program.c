/* split_program.c: programs for Python in parts: ttnn-split-forward-func-args-by-type
 * passes activations as a tuple and weights as a dictionary,
 * ttnn-prepare-const-eval-caching keeps what depends on weights only in a dictionary that
 * one function fills, ttnn-file-split moves such functions into a file of their own. */
#include "emitpy/emitpy.h"
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

static bool is_kind(const ir_op *func, const char *kind)
{
    ir_attr type = func->def == FUNC_OP(func) ? ir_op_attr(func, "tt.function_type") : NULL;
    return ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), kind);
}

static void set_kind(ir_op *func, const char *kind)
{
    ir_op_set_attr(func, "tt.function_type", ir_string_attr(func->ctx, tw_str_from(kind)));
}

static ir_type dict_type(ir_context *ctx)
{
    return ir_dialect_type(ctx, TTCORE_TYPE(dict), NULL, 0);
}

static ir_attr joined(ir_context *ctx, const char *first, tw_str second)
{
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s%.*s", first, (int)second.size, second.data);
    ir_attr made = ir_string_attr(ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return made;
}

/* ---- ttnn-split-forward-func-args-by-type */

/* Of one kind of arguments: which they are, and their names. */
typedef struct share {
    const char *word; /* activation or weight */
    uint32_t *args;
    ir_attr *names;
    ir_type *types;
    uint32_t n;
} share;

static share new_share(const char *word, uint32_t capacity)
{
    return (share){.word = word,
                   .args = tw_xmalloc((capacity + 1) * sizeof(uint32_t)),
                   .names = tw_xmalloc((capacity + 1) * sizeof(ir_attr)),
                   .types = tw_xmalloc((capacity + 1) * sizeof(ir_type))};
}

static void free_share(share *s)
{
    free(s->args);
    free(s->names);
    free(s->types);
}

static void add_to(share *s, ir_op *func, uint32_t arg, ir_type type)
{
    ir_attr name = func_arg_attr(func, arg, "ttir.name");
    s->args[s->n] = arg;
    s->types[s->n] = type;
    if (!ir_attr_is(name, IR_ATTR_STRING)) {
        tw_strbuf text = {0};
        tw_strbuf_printf(&text, "%s_%u", s->word, s->n);
        name = ir_string_attr(func->ctx, (tw_str){text.data, text.size});
        tw_strbuf_free(&text);
    }
    s->names[s->n++] = name;
}

/* The new argument for a share; NULL for none. */
static ir_value *add_arg(ir_op *func, const share *s, ir_type type)
{
    return s->n ? ir_block_add_arg(func->ctx, ir_op_body(func, 0), type, func->loc) : NULL;
}

static void name_arg(ir_op *func, const share *s, uint32_t *at, const char *attr,
                     const char *name)
{
    if (!s->n)
        return;
    ir_context *ctx = func->ctx;
    func_set_arg_attr(func, *at, "emitpy.name", ir_string_attr(ctx, tw_str_from(name)));
    func_set_arg_attr(func, (*at)++, attr, ir_array_attr(ctx, s->names, s->n));
}

static void split_args(ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_block *body = ir_op_body(func, 0);
    uint32_t n = body->n_args;
    share inputs = new_share("activation", n), weights = new_share("weight", n);
    ir_attr *kinds = tw_xmalloc((n + 1) * sizeof *kinds);
    for (uint32_t i = 0; i < n; i++) {
        kinds[i] = func_arg_attr(func, i, "ttcore.argument_type");
        bool input = ir_enum_value(kinds[i], -1) == TTCORE_ArgumentType_Input;
        add_to(input ? &inputs : &weights, func, i, body->args[i]->type);
    }
    ir_value *tuple = add_arg(func, &inputs, ir_tuple_type(ctx, inputs.types, inputs.n));
    ir_value *dict = add_arg(func, &weights, dict_type(ctx));
    ir_builder b = ir_builder_at_start(ctx, body, func->loc);
    b.before = body->first;
    for (uint32_t i = 0, a = 0, w = 0; i < n; i++) {
        ir_value *v;
        if (a < inputs.n && inputs.args[a] == i) {
            v = ir_build1(
                &b, TTCORE_OP(get_tuple_element), body->args[i]->type, IR_VALUES(tuple),
                IR_ATTRS({"index", ir_i32_attr(ctx, a)}, {"emitpy.name", inputs.names[a]}));
            a++;
        } else {
            v = ir_build1(&b, TTCORE_OP(get_key_value), body->args[i]->type,
                          IR_VALUES(dict), IR_ATTRS({"key", weights.names[w]}));
            w++;
        }
        ir_value_replace_uses(body->args[i], v);
    }
    for (uint32_t i = n; i-- > 0;)
        ir_block_erase_arg(body, i);
    ir_op_set_attr(func, "arg_attrs", NULL);
    func_refresh_type(func);
    ir_op_set_attr(func, "ttcore.original_argument_types", ir_array_attr(ctx, kinds, n));
    ir_op_set_attr(func, "tt.has_split_func_args_by_type", ir_unit_attr(ctx));
    uint32_t at = 0;
    name_arg(func, &inputs, &at, "ttcore.original_activation_names", "activations");
    name_arg(func, &weights, &at, "ttcore.original_weight_names", "weights");
    free(kinds);
    free_share(&inputs);
    free_share(&weights);
}

static bool all_args_have_kinds(const ir_op *func)
{
    const ir_block *body = ir_op_body(func, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!ir_type_is_tensor(body->args[i]->type) ||
            !func_arg_attr(func, i, "ttcore.argument_type"))
            return false;
    return body->n_args > 0;
}

static bool run_split_args(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (is_kind(op, "forward_device") && ir_op_body(op, 0) && all_args_have_kinds(op))
            split_args(op);
    return true;
}

const pass_def ttnn_split_forward_func_args_by_type_pass = {
    .name = "ttnn-split-forward-func-args-by-type",
    .title = "TTNNSplitForwardFuncArgsByType",
    .summary = "Pass activations as a tuple, weights as a dictionary",
    .anchor = "builtin.module",
    .run = run_split_args,
};

/* ---- ttnn-prepare-const-eval-caching */

/* The arguments that the function which fills the dictionary needs: the weights where they
 * are apart, else all. */
static size_t filler_args(const ir_op *func, ir_value **out)
{
    const ir_block *body = ir_op_body(func, 0);
    bool split = ir_op_attr(func, "tt.has_split_func_args_by_type") != NULL;
    size_t n = 0;
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!split || func_arg_attr(func, i, "ttcore.original_weight_names"))
            out[n++] = body->args[i];
    return n;
}

/* Marks the loads and what they read, in the function's block. */
static void mark_needed(ir_op *func, ir_mapping *needed)
{
    for (ir_op *op = ir_op_body(func, 0)->last; op; op = op->prev) {
        if (op->def == TTCORE_OP(load_cached))
            ir_mapping_set(needed, op, op);
        if (!ir_mapping_get(needed, op))
            continue;
        for (uint32_t i = 0; i < op->n_operands; i++) {
            ir_op *def = ir_value_def(op->operands[i].value);
            if (def)
                ir_mapping_set(needed, def, def);
        }
    }
}

/* consteval_<f>(dictionary, arguments): loads each constant, puts it into the dictionary
 * under its function's name, returns the dictionary. */
static ir_op *make_filler(ir_op *func, ir_value *const *args, size_t n, ir_mapping *needed)
{
    ir_context *ctx = func->ctx;
    ir_builder b = ir_builder_after(func);
    b.loc = func->loc;
    ir_op *made = func_create(&b, joined(ctx, "consteval_", ir_symbol_name(func)),
                              ir_function_type(ctx, NULL, 0, NULL, 0), false);
    set_kind(made, "const_eval_wrapper");
    ir_block *block = func_add_body(made);
    ir_mapping *copies = ir_mapping_create();
    ir_value *dict = ir_block_add_arg(ctx, block, dict_type(ctx), func->loc);
    for (size_t i = 0; i < n; i++)
        ir_mapping_set(copies, args[i],
                       ir_block_add_arg(ctx, block, args[i]->type, func->loc));
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next) {
        if (!ir_mapping_get(needed, op))
            continue;
        ir_op *copy = ir_op_clone(op, copies);
        ir_block_append(block, copy);
        if (op->def != TTCORE_OP(load_cached))
            continue;
        ir_value **values = tw_xmalloc((op->n_results + 1u) * sizeof *values);
        values[0] = dict;
        for (uint32_t i = 0; i < op->n_results; i++)
            values[i + 1] = &copy->results[i];
        ir_builder end = ir_builder_at_end(ctx, block, op->loc);
        tw_str key = ir_symbol_leaf(ir_op_attr(op, "callee"));
        ir_build_op(&end, TTCORE_OP(set_key_value), NULL, 0, values, op->n_results + 1u,
                    IR_ATTRS({"key", ir_string_attr(ctx, key)}), 0);
        free(values);
    }
    ir_mapping_free(copies);
    ir_builder end = ir_builder_at_end(ctx, block, func->loc);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, &dict, 1, NULL, 0, 0);
    func_refresh_type(made);
    func_set_arg_attr(made, 0, "emitpy.name", ir_string_attr(ctx, TW_STR("ce_cache")));
    for (size_t i = 0; i < n; i++)
        func_set_arg_attr(made, i + 1, "emitpy.name",
                          func_arg_attr(func, args[i]->index, "emitpy.name"));
    return made;
}

/* Loads become lookups in the dictionary that the filler gives. */
static void replace_loads(ir_op *func, ir_value *filled, ir_mapping *needed)
{
    for (ir_op *op = ir_op_body(func, 0)->last, *before; op; op = before) {
        before = op->prev;
        if (!ir_mapping_get(needed, op))
            continue;
        if (op->def == TTCORE_OP(load_cached)) {
            ir_builder b = ir_builder_after(op);
            ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
            for (uint32_t i = 0; i < op->n_results; i++)
                types[i] = op->results[i].type;
            tw_str key = ir_symbol_leaf(ir_op_attr(op, "callee"));
            ir_op *get =
                ir_build_op(&b, TTCORE_OP(get_key_value), types, op->n_results, &filled, 1,
                            IR_ATTRS({"key", ir_string_attr(op->ctx, key)}), 0);
            free(types);
            for (uint32_t i = 0; i < op->n_results; i++)
                ir_value_replace_uses(&op->results[i], &get->results[i]);
        }
        if (ir_op_is_unused(op))
            ir_op_erase(op);
    }
}

static void cache_constants(ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *needed = ir_mapping_create();
    mark_needed(func, needed);
    ir_value **args = tw_xmalloc((body->n_args + 2u) * sizeof *args);
    size_t n = filler_args(func, args + 1);
    ir_op *filler = make_filler(func, args + 1, n, needed);
    ir_attr cache = joined(ctx, "ce_cache_", ir_symbol_name(func));
    ir_type type = dict_type(ctx);
    ir_builder before = ir_builder_before(func);
    ir_build_op(&before, TTCORE_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", cache}, {"type", ir_type_attr(type)}), 0);
    ir_builder b = ir_builder_at_start(ctx, body, func->loc);
    args[0] =
        ir_build1(&b, TTCORE_OP(get_global), type, NULL, 0, IR_ATTRS({"sym_name", cache}));
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), &type, 1, args, n + 1,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_symbol_name(filler))},
                             {"emitpy.name", cache}),
                    0);
    replace_loads(func, &call->results[0], needed);
    free(args);
    ir_mapping_free(needed);
}

static bool run_caching(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first, *next; op; op = next) {
        next = op->next;
        bool loads = false;
        ir_block *body = op->def == FUNC_OP(func) ? ir_op_body(op, 0) : NULL;
        for (ir_op *o = body ? body->first : NULL; o; o = o->next)
            loads |= o->def == TTCORE_OP(load_cached);
        if (loads)
            cache_constants(op);
    }
    return true;
}

const pass_def ttnn_prepare_const_eval_caching_pass = {
    .name = "ttnn-prepare-const-eval-caching",
    .title = "TTNNPrepareConstEvalCaching",
    .summary = "Keep what depends on weights only in a dictionary",
    .anchor = "builtin.module",
    .run = run_caching,
};

/* ---- ttnn-file-split */

static ir_block *new_file(ir_op *module, const char *name)
{
    ir_builder b = ir_builder_at_end(module->ctx, ir_op_body(module, 0), module->loc);
    ir_op *file =
        ir_build_op(&b, EMITPY_OP(file), NULL, 0, NULL, 0,
                    IR_ATTRS({"id", ir_string_attr(module->ctx, tw_str_from(name))}), 1);
    ir_block *block = ir_block_create(module->ctx);
    ir_region_append(&file->regions[0], block);
    return block;
}

static void move_to(ir_block *block, ir_op *op)
{
    ir_op_remove(op);
    ir_block_append(block, op);
}

typedef struct call_search {
    tw_str callee;
} call_search;

static ir_walk find_call(ir_op *op, void *user)
{
    const call_search *s = user;
    return op->def == FUNC_OP(call) &&
                   tw_str_equal(ir_symbol_leaf(ir_op_attr(op, "callee")), s->callee)
               ? IR_WALK_STOP
               : IR_WALK_ON;
}

static bool calls(ir_block *file, tw_str callee)
{
    call_search s = {callee};
    return ir_walk_pre(file->region->owner, find_call, &s) == IR_WALK_STOP;
}

/* The main file declares what it imports. */
static void declare_import(ir_block *main, ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_builder b = ir_builder_at_end(ctx, main, func->loc);
    ir_op *made = func_create(&b, ir_string_attr(ctx, ir_symbol_name(func)),
                              ir_op_attr(func, "function_type")->type, true);
    set_kind(made, "imported_declaration");
    ir_op_set_attr(made, "tt.imported_from", ir_string_attr(ctx, TW_STR("consteval")));
}

static bool run_file_split(ir_op *module, pass_run *run)
{
    ir_block *body = ir_op_body(module, 0);
    bool constants = false;
    if (!tw_str_is(pass_option_str(run, "target"), "emitpy"))
        return ir_op_error(module, "ttnn-file-split: expected target emitpy, found '%.*s'",
                           (int)pass_option_str(run, "target").size,
                           pass_option_str(run, "target").data);
    for (ir_op *op = body->first; op; op = op->next)
        constants |= is_kind(op, "const_eval");
    if (!constants)
        return true;
    ir_block *main = new_file(module, "main"), *file = new_file(module, "consteval");
    ir_op *device = body->first;
    for (; device && device->def != TTCORE_OP(device); device = device->next)
        ;
    if (device) { /* in both files, where layouts of tensors look for it */
        ir_block_append(file, ir_op_clone(device, NULL));
        move_to(main, device);
    }
    for (ir_op *op = body->first, *next; op && op->def != EMITPY_OP(file); op = next) {
        next = op->next;
        if (!is_kind(op, "const_eval") && !is_kind(op, "const_eval_wrapper"))
            continue;
        if (is_kind(op, "const_eval_wrapper"))
            declare_import(main, op);
        move_to(file, op);
    }
    for (ir_op *op = body->first, *next; op && op->def != EMITPY_OP(file); op = next) {
        next = op->next;
        if (!is_kind(op, "forward_cpu_declaration"))
            move_to(main, op);
    }
    for (ir_op *op = body->first, *next; op && op->def != EMITPY_OP(file); op = next) {
        next = op->next;
        bool here = calls(main, ir_symbol_name(op)),
             there = calls(file, ir_symbol_name(op));
        if (here && there)
            ir_block_append(main, ir_op_clone(op, NULL));
        move_to(there ? file : main, op);
    }
    return true;
}

const pass_def ttnn_file_split_pass = {
    .name = "ttnn-file-split",
    .title = "TTNNFileSplit",
    .summary = "Move functions of constants into a file of their own",
    .anchor = "builtin.module",
    .run = run_file_split,
    .options = IR_LIST(pass_option_def,
                       {"target", PASS_STRING, "emitpy", "The files' dialect: emitpy"}),
};
