/* expand_threads.c: each thread of a ttl.kernel becomes a function.
 *
 * What a thread uses of the kernel's body (buffers, pipes, semaphores, constants) is made
 * again in the function; the kernel's tensors that it uses become its arguments, with their
 * numbers in the kernel, and inputs among compile_time_args constants.  A thread may name
 * its function: {name = "reader"}.  Threads on some cores only (kernels.c) are within a
 * condition: a launch is of the whole grid. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttkernel/ttkernel.h"
#include "ttl/passes/kernels.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

typedef struct expansion {
    ir_op *kernel, *func;
    ir_block *entry;
    ir_op *end; /* what the thread's own operations go in front of */
    ir_mapping *map;
    ir_attr *numbers; /* of its tensors */
    size_t n_numbers, capacity;
    bool failed;
} expansion;

static void import(expansion *e, ir_value *v);

static ir_walk import_operands(ir_op *op, void *user)
{
    expansion *e = user;
    for (uint32_t i = 0; i < op->n_operands && !e->failed; i++)
        import(e, op->operands[i].value);
    return e->failed ? IR_WALK_STOP : IR_WALK_ON;
}

/* The constant that an input among compile_time_args is; NULL for another one. */
static ir_op *baked_in(const ir_op *kernel, uint32_t input)
{
    ir_attr known = ir_op_attr(kernel, "compile_time_args");
    ir_op *def =
        input < kernel->n_operands ? ir_value_def(ir_op_operand(kernel, input)) : NULL;
    for (uint32_t i = 0; known && i < known->count; i++)
        if (ir_attr_int(known->items[i], -1) == input)
            return ir_op_is(def, ARITH_OP(constant)) ? def : NULL;
    return NULL;
}

/* Makes a value of the kernel's body available in the function. */
static void import(expansion *e, ir_value *v)
{
    ir_context *ctx = e->kernel->ctx;
    ir_block *body = ir_op_body(e->kernel, 0);
    if (ir_value_block(v) != body || ir_mapping_get(e->map, v))
        return;
    ir_op *def = v->is_argument ? baked_in(e->kernel, v->index) : ir_value_def(v);
    if (v->is_argument && !def) {
        ir_value *arg = ir_block_add_arg(ctx, e->entry, v->type, ir_value_loc(v));
        TW_PUSH(e->numbers, e->n_numbers, e->capacity, ir_i32_attr(ctx, v->index));
        ir_mapping_set(e->map, v, arg);
        return;
    }
    if (def->n_regions) {
        ir_op_error(def, "is used by threads, but only buffers, pipes, semaphores and "
                         "plain values can be");
        e->failed = true;
        return;
    }
    import_operands(def, e);
    ir_op *copy = ir_op_clone(def, e->map);
    ir_op_insert_before(copy, e->end);
    for (uint32_t i = 0; i < def->n_results; i++)
        ir_mapping_set(e->map, &def->results[i], &copy->results[i]);
    if (v->is_argument)
        ir_mapping_set(e->map, v, &copy->results[0]);
}

/* Its own name, or that of the function that it stands in. */
static tw_str kernel_name(const ir_op *kernel)
{
    ir_op *host = ttl_function_of((ir_op *)kernel);
    tw_str own = ir_symbol_name(kernel);
    return own.size ? own : host ? ir_symbol_name(host) : TW_STR("kernel");
}

/* Given, or the first number that no thread of its kind in the function has. */
static ir_attr name_of(const ir_op *kernel, const ir_op *thread, ir_op *module,
                       unsigned number)
{
    ir_attr name = ir_op_attr(thread, "name");
    if (ir_attr_is(name, IR_ATTR_STRING))
        return name;
    tw_str prefix = kernel_name(kernel);
    tw_strbuf text = {0};
    do {
        text.size = 0;
        tw_strbuf_printf(&text, "%.*s_%s%u", (int)prefix.size, prefix.data,
                         thread->def == TTL_OP(compute_thread) ? "compute" : "datamovement",
                         number++);
        name = ir_string_attr(kernel->ctx, (tw_str){text.data, text.size});
    } while (ir_symbol_lookup(module, ir_attr_str(name)));
    tw_strbuf_free(&text);
    return name;
}

/* For hosts: the kernel, the types of its tensors, and what these do not say. */
static void name_kernel(ir_op *func, const ir_op *kernel)
{
    const ir_block *body = ir_op_body(kernel, 0);
    ir_attr *types = tw_xmalloc((body->n_args + 1) * sizeof *types);
    for (uint32_t i = 0; i < body->n_args; i++)
        types[i] = ir_type_attr(body->args[i]->type);
    ir_op_set_attr(func, "ttl.of_kernel", ir_string_attr(func->ctx, kernel_name(kernel)));
    ir_op_set_attr(func, "ttl.tensor_types", ir_array_attr(func->ctx, types, body->n_args));
    ir_op_set_attr(func, "ttl.tensor_places", ir_op_attr(kernel, "ttl.tensor_places"));
    free(types);
}

static ir_op *make_function(ir_op *kernel, ir_op *thread, unsigned number, ir_op *after)
{
    ir_context *ctx = kernel->ctx;
    int64_t buffers = 0;
    for (ir_op *o = ir_op_body(kernel, 0)->first; o; o = o->next)
        buffers += o->def == TTL_OP(bind_cb);
    int64_t kind = thread->def == TTL_OP(compute_thread) ? TTKERNEL_ThreadType_Compute
                                                         : TTKERNEL_ThreadType_Noc;
    ir_builder b = ir_builder_after(after);
    b.loc = thread->loc;
    ir_op *func = func_create(&b, name_of(kernel, thread, ir_op_parent(after), number),
                              ir_function_type(ctx, NULL, 0, NULL, 0), false);
    ir_op_set_attr(func, "ttl.kernel_thread",
                   ir_enum_attr(ctx, TTKERNEL_ATTR(thread), kind));
    ir_op_set_attr(func, "ttl.base_cta_index", ir_i32_attr(ctx, buffers));
    ir_op_set_attr(func, "grid", ir_op_attr(kernel, "grid"));
    ir_op_set_attr(func, "memory_space", ir_op_attr(kernel, "memory_space"));
    ir_op_set_attr(func, "compute_config", ir_op_attr(kernel, "compute_config"));
    name_kernel(func, kernel);
    func_add_body(func);
    return func;
}

static bool expand_thread(ir_op *kernel, ir_op *thread, ir_op *func)
{
    ir_context *ctx = kernel->ctx;
    expansion e = {.kernel = kernel, .func = func, .entry = ir_op_body(func, 0)};
    ir_builder b = ir_builder_at_end(ctx, e.entry, thread->loc);
    e.end = ir_build_op(&b, FUNC_OP(return ), NULL, 0, NULL, 0, NULL, 0, 0);
    ir_op *last = ttl_limit_to_cores(kernel, thread, e.end);
    if (!last)
        return false;
    if (last != e.end)
        e.end = ir_op_parent(last); /* what it uses is made in front of the condition */
    e.map = ir_mapping_create();
    ir_walk_pre(thread, import_operands, &e);
    for (ir_op *o = ir_op_body(thread, 0)->first; o && !e.failed; o = o->next) {
        ir_op *copy = ir_op_clone(o, e.map);
        ir_op_insert_before(copy, last);
        for (uint32_t i = 0; i < o->n_results; i++)
            ir_mapping_set(e.map, &o->results[i], &copy->results[i]);
    }
    ir_type *inputs = tw_xmalloc((e.entry->n_args + 1) * sizeof *inputs);
    for (uint32_t i = 0; i < e.entry->n_args; i++)
        inputs[i] = e.entry->args[i]->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(ctx, inputs, e.entry->n_args, NULL, 0)));
    ir_op_set_attr(func, "ttl.crta_indices", ir_array_attr(ctx, e.numbers, e.n_numbers));
    free(inputs);
    free(e.numbers);
    ir_mapping_free(e.map);
    return !e.failed;
}

static bool expand_kernel(ir_op *kernel)
{
    unsigned counts[2] = {0, 0};
    ir_op *host = ttl_function_of(kernel), *after = host ? host : kernel;
    for (ir_op *o = ir_op_body(kernel, 0)->first; o; o = o->next) {
        bool compute = o->def == TTL_OP(compute_thread);
        if (!compute && o->def != TTL_OP(datamovement_thread))
            continue;
        after = make_function(kernel, o, counts[compute]++, after);
        if (!expand_thread(kernel, o, after))
            return false;
    }
    ir_op_erase(kernel);
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def == TTL_OP(kernel))
        *ok = expand_kernel(op);
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = ttl_settle_kernels(module);
    if (ok)
        ir_walk_post(module, visit, &ok);
    return ok;
}

const pass_def ttl_expand_threads_pass = {
    .name = "ttl-expand-threads",
    .summary = "Make each thread of a ttl.kernel a function",
    .anchor = "builtin.module",
    .run = run,
};
