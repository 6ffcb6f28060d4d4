/* sim.c: the public interface of the simulated device: runs a host function's operations.
 */
#include "grid/machine/sim.h"

#include "flatbuffer/verify.h"
#include "grid/machine/launch.h"
#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "support/bf16_f16.h"
#include "support/guard.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_accessors.h"
#include "ttmetal/to_flatbuffer/import_ttm.h"
#include "ttmetal/ttmetal.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- loading ----------------------------------------------------------------------- */

static ir_walk has_program(ir_op *op, void *user)
{
    bool *found = user;
    *found |= op->def == TTMETAL_OP(enqueue_program);
    return *found ? IR_WALK_STOP : IR_WALK_ON;
}

static tw_status find_entry(tw_sim *sim, const char *name)
{
    if (name) {
        sim->entry = ir_symbol_lookup(sim->module, tw_str_from(name));
        return sim->entry && sim->entry->def == FUNC_OP(func)
                   ? TW_SUCCESS
                   : tw_error(TW_NOT_FOUND, "%s has no function @%s", sim->name, name);
    }
    for (ir_op *op = ir_op_body(sim->module, 0)->first; op; op = op->next) {
        bool found = false;
        if (op->def != FUNC_OP(func))
            continue;
        ir_walk_pre(op, has_program, &found);
        if (found && sim->entry)
            return tw_error(TW_INVALID,
                            "%s has several functions that enqueue programs: name one",
                            sim->name);
        if (found)
            sim->entry = op;
    }
    return sim->entry
               ? TW_SUCCESS
               : tw_error(TW_INVALID,
                          "%s has no function with ttmetal.enqueue_program: the host "
                          "side that launches the kernels",
                          sim->name);
}

static tw_status describe(tw_sim *sim, const ir_type *types, size_t n, const char *what,
                          tw_tensor_desc **out)
{
    *out = TW_ARENA_ARRAY(&sim->arena, tw_tensor_desc, n + 1);
    for (size_t i = 0; i < n; i++) {
        dev_array a;
        if (!dev_array_describe(types[i], &a))
            return tw_error(TW_UNSUPPORTED,
                            "%s %zu of the host function must be a static memref of "
                            "numbers of at most 32 bits",
                            what, i);
        (*out)[i] =
            (tw_tensor_desc){a.dtype, (int)types[i]->count, types[i]->dims, a.bytes};
    }
    return TW_SUCCESS;
}

/* Pipelines from StableHLO leave the program in a module for the device; accessors with a
 * layout get the form that kernels execute. */
static bool prepare(ir_op *module)
{
    pass_manager *passes =
        pass_manager_create(module->ctx, &tw_passes, &(pass_config){.no_verify = true});
    bool ok = pass_manager_add(passes, TW_STR("ttcore-unwrap-device-module")) &&
              pass_manager_add(passes, TW_STR("ttkernel-lower-tensor-accessors")) &&
              pass_manager_run(passes, module);
    pass_manager_destroy(passes);
    return ok;
}

static tw_status read_text(tw_sim *sim, ir_watch *watch)
{
    sim->module = ir_parse(sim->ctx, sim->log.quotes.text, sim->name, NULL);
    ir_context_set_watch(sim->ctx, watch);
    bool lowered = sim->module && prepare(sim->module);
    ir_context_set_watch(sim->ctx, NULL);
    ir_flush_diagnostics(sim->ctx);
    return lowered ? TW_SUCCESS
                   : tw_error(TW_INVALID, "%s", tw_strbuf_text(&sim->log.text));
}

/* The C++ of kernels whose functions have no body, but it as an attribute. */
static tw_status add_sources(tw_sim *sim)
{
    ir_op *next;
    for (ir_op *op = ir_op_body(sim->module, 0)->first; op; op = next) {
        next = op->next; /* the kernel's function replaces this one */
        ir_attr source = ir_op_attr(op, ttm_source_attr);
        tw_str name = ir_symbol_name(op), text = source ? ir_attr_str(source) : (tw_str){0};
        if (source && !ir_op_body(op, 0))
            TW_TRY(tw_sim_add_cpp(
                sim,
                &(tw_cpp_kernel){.name = tw_arena_copy(&sim->arena, name.data, name.size),
                                 .text = tw_arena_copy(&sim->arena, text.data, text.size),
                                 .size = text.size,
                                 .defines = "#define TW_EMITTED 1\n"}));
    }
    return TW_SUCCESS;
}

static tw_status read_binary(tw_sim *sim, tw_str bytes, bool cpp)
{
    fb_view root;
    sim->log.quotes.text = (tw_str){0}; /* no lines to quote */
    tw_status status = fb_open(bytes.data, bytes.size, FB_FILE_TTM, &root);
    if (!status)
        status = ttm_import(sim->ctx, root, cpp, &sim->module);
    if (!status && !ttkernel_lower_tensor_accessors(sim->module))
        status = tw_error(TW_INVALID, "%s", tw_strbuf_text(&sim->log.text));
    if (!status)
        status = add_sources(sim);
    return status ? tw_annotate(status, "%s", sim->name) : TW_SUCCESS;
}

/* The chip that is named, else that of the system which a binary is for. */
static tw_status find_chip(tw_sim *sim, const char *name)
{
    if (!name)
        name = sim->module && ttnn_chip_int(sim->module, "arch", TTCORE_Arch_WormholeB0) ==
                                  TTCORE_Arch_Blackhole
                   ? "p150"
                   : "n150";
    sim->chip = dev_chip_find(tw_str_from(name));
    return sim->chip ? TW_SUCCESS
                     : tw_error(TW_NOT_FOUND, "no chip '%s': there are n150, n300 and p150",
                                name);
}

static tw_status load(tw_sim *sim, const tw_sim_options *o, tw_str bytes)
{
    fb_file_id kind = FB_FILE_COUNT;
    tw_status_free(fb_detect(bytes.data, bytes.size, &kind));
    sim->ctx = ir_context_create();
    ir_register_all(sim->ctx);
    ir_context_set_sink(sim->ctx, dev_natives_sink(&sim->natives, &sim->log));
    if (o->chip)
        TW_TRY(find_chip(sim, o->chip));
    TW_TRY(kind == FB_FILE_TTM ? read_binary(sim, bytes, o->cpp)
                               : read_text(sim, o->watch));
    if (!o->chip)
        TW_TRY(find_chip(sim, NULL));
    TW_TRY(find_entry(sim, o->entry));
    ir_attr type = ir_op_attr(sim->entry, "function_type");
    ir_block *body = ir_op_body(sim->entry, 0);
    if (!type || !body || body->next)
        return tw_error(TW_UNSUPPORTED, "the host function must have one block");
    sim->n_inputs = ir_function_inputs(type->type);
    sim->n_outputs = type->type->results;
    TW_TRY(describe(sim, type->type->types, sim->n_inputs, "argument", &sim->inputs));
    return describe(sim, ir_function_results(type->type), sim->n_outputs, "result",
                    &sim->outputs);
}

TW_UNDER_GUARD guarded_sim_load(const char *text, size_t size,
                                const tw_sim_options *options, tw_sim **out_sim)
{
    static const tw_sim_options defaults = {0};
    const tw_sim_options *o = options ? options : &defaults;
    tw_sim *sim = tw_xcalloc(1, sizeof *sim);
    sim->text = tw_xmalloc(size + 1);
    memcpy(sim->text, text, size);
    sim->text[size] = 0;
    sim->name = tw_xstrdup(o->name ? o->name : "<program>");
    sim->log.quotes.text = (tw_str){sim->text, size};
    sim->log.quotes.name = sim->name;
    sim->log.list = o->diagnostics;
    sim->options = (dev_options){.seed = o->seed,
                                 .budget = o->budget,
                                 .numerics = (dev_numerics)o->numerics,
                                 .profile = o->profile,
                                 .two_threads = o->threads == 2,
                                 .no_races = o->no_races};
    if (o->observer)
        sim->observer = *o->observer;
    if ((unsigned)o->numerics >= DEV_NUMERICS) {
        tw_sim_destroy(sim);
        return tw_error(TW_INVALID, "there is no level of numerics %d", (int)o->numerics);
    }
    if (o->threads < 0 || o->threads > 2) {
        tw_sim_destroy(sim);
        return tw_error(TW_INVALID, "a grid runs on 1 or 2 threads of the host, not %d",
                        o->threads);
    }
    tw_status status = load(sim, o, (tw_str){text, size});
    if (status != TW_SUCCESS) {
        tw_sim_destroy(sim);
        return status;
    }
    *out_sim = sim;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_sim_load(const char *text, size_t size,
                                const tw_sim_options *options, tw_sim **out_sim)
{
    TW_RETURN_GUARDED(guarded_sim_load(text, size, options, out_sim));
}

TW_UNDER_GUARD guarded_sim_add_cpp(tw_sim *sim, const tw_cpp_kernel *kernel)
{
    dev_native_source source;
    TW_TRY(dev_native_source_of(&sim->arena, kernel, &source));
    ir_op *old = ir_symbol_lookup(sim->module, tw_str_from(kernel->name));
    if (!old || old->def != FUNC_OP(func) || !ir_op_attr(old, "ttkernel.thread"))
        return tw_error(TW_NOT_FOUND, "%s has no kernel @%s", sim->name, kernel->name);
    if (!dev_code_kind(old, &source.compute))
        return tw_error(TW_INVALID, "%s", tw_strbuf_text(&sim->log.text));
    dev_native_remove(&sim->natives, old);
    dev_native_add(&sim->natives, sim->ctx, sim->module, &source);
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_sim_add_cpp(tw_sim *sim, const tw_cpp_kernel *kernel)
{
    TW_RETURN_GUARDED(guarded_sim_add_cpp(sim, kernel));
}

TW_EXPORT void tw_sim_destroy(tw_sim *sim)
{
    if (!sim)
        return;
    dev_natives_free(&sim->natives);
    if (sim->module)
        ir_op_erase(sim->module);
    if (sim->ctx)
        ir_context_destroy(sim->ctx);
    tw_arena_free(&sim->arena);
    tw_strbuf_free(&sim->log.text);
    tw_strbuf_free(&sim->profile);
    tw_strbuf_free(&sim->json);
    tw_strbuf_free(&sim->html);
    tw_strbuf_free(&sim->delays);
    tw_strbuf_free(&sim->helps.text);
    tw_strbuf_free(&sim->helps.json);
    tw_arena_free(&sim->helps.arena);
    dev_debug_free(&sim->debugger.debug);
    free(sim->replay.delays.at);
    free(sim->text);
    free(sim->name);
    free(sim);
}

TW_EXPORT size_t tw_sim_input_count(const tw_sim *sim)
{
    return sim->n_inputs;
}

TW_EXPORT size_t tw_sim_output_count(const tw_sim *sim)
{
    return sim->n_outputs;
}

TW_EXPORT const tw_tensor_desc *tw_sim_input(const tw_sim *sim, size_t i)
{
    return i < sim->n_inputs ? &sim->inputs[i] : NULL;
}

TW_EXPORT const tw_tensor_desc *tw_sim_output(const tw_sim *sim, size_t i)
{
    return i < sim->n_outputs ? &sim->outputs[i] : NULL;
}

TW_EXPORT void tw_sim_set_cancel(tw_sim *sim, const volatile int *cancel)
{
    sim->options.cancel = cancel;
}

TW_EXPORT const char *tw_sim_log(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->log.text);
}

TW_EXPORT const char *tw_sim_profile(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->profile);
}

TW_EXPORT const char *tw_sim_operation(size_t i, bool *out_executed)
{
    if (i >= TTKERNEL_OP_COUNT)
        return NULL;
    *out_executed = dev_code_executes(&ttkernel_ops[i]);
    return ttkernel_ops[i].name;
}

TW_EXPORT const char *tw_sim_trace_json(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->json);
}

TW_EXPORT const char *tw_sim_trace_html(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->html);
}

/* ---- running the host function ----------------------------------------------------- */

typedef struct host {
    tw_sim *sim;
    dev_machine *m;
    ir_mapping *arrays;    /* value to dev_array */
    ir_mapping *buffers;   /* value to 1 + index of the buffer */
    uint32_t n_semaphores; /* made so far; the ids of programs go around */
    tw_arena arena;
} host;

static dev_array *array_of(host *h, ir_value *v)
{
    return ir_mapping_get(h->arrays, v);
}

static bool buffer_of(host *h, ir_op *op, ir_value *v, size_t *out)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(h->buffers, v);
    if (!known || !h->m->tensors.buffers[known - 1].live)
        return ir_op_error(op, "uses a tensor that is not on the device (any more)");
    *out = known - 1;
    return true;
}

/* Returns NULL for a type other than an array's; its `data` is NULL if out of memory. */
static dev_array *new_array(host *h, ir_type type)
{
    dev_array *a = TW_ARENA_NEW(&h->arena, dev_array);
    if (!dev_array_describe(type, a))
        return NULL;
    a->data = tw_arena_try_alloc(&h->arena, a->bytes + 1);
    if (a->data)
        memset(a->data, 0, a->bytes);
    return a;
}

static tw_status no_memory(const char *what, const dev_array *a)
{
    return tw_error(TW_RESOURCE, "no memory for the %zu bytes of %s", a->bytes, what);
}

/* Element by element: the arrays may be padded differently. */
static bool copy_array(host *h, ir_op *op)
{
    ir_type types[2];
    const dev_array *a[2];
    int64_t strides[2][DEV_MAX_SHARD_DIMS];
    for (size_t i = 0; i < 2; i++) {
        types[i] = ir_op_operand(op, i)->type;
        a[i] = array_of(h, ir_op_operand(op, i));
        if (!a[i] || !dev_array_strides(types[i], strides[i]))
            return ir_op_error(op, "needs arrays of the host");
    }
    size_t size = tw_dtype_size(a[0]->dtype);
    int64_t n = ir_type_num_elements(types[0]);
    for (int64_t e = 0; e < n; e++) {
        int64_t at[2] = {0, 0}, rest = e;
        for (uint32_t d = types[0]->count; d-- > 0; rest /= types[0]->dims[d])
            for (size_t i = 0; i < 2; i++)
                at[i] += rest % types[0]->dims[d] * strides[i][d];
        memcpy(a[1]->data + (size_t)at[1] * size, a[0]->data + (size_t)at[0] * size, size);
    }
    return true;
}

/* The values of a memref.global. */
static bool get_global(host *h, ir_op *op)
{
    ir_op *global = ir_symbol_resolve(op, ir_op_attr(op, "name"));
    ir_attr dense = global ? ir_op_attr(global, "initial_value") : NULL;
    dev_array *a = new_array(h, ir_op_result(op, 0)->type);
    if (!a || !a->data || !ir_attr_is(dense, IR_ATTR_DENSE) ||
        ir_op_result(op, 0)->type->encoding)
        return ir_op_error(op, "needs a global with values of at most 32 bits");
    size_t size = tw_dtype_size(a->dtype);
    for (size_t i = 0; i < a->bytes / size; i++) {
        if (dense->type->element->kind == IR_TYPE_FLOAT) {
            float value = (float)ir_dense_real(dense, i);
            if (a->dtype == TW_F32)
                memcpy(a->data + i * size, &value, size);
            else {
                uint16_t half = a->dtype == TW_BF16 ? tw_bf16_nearest_even(value)
                                                    : tw_f16_nearest_even(value);
                memcpy(a->data + i * size, &half, size);
            }
        } else {
            int64_t value = ir_dense_int(dense, i);
            memcpy(a->data + i * size, &value, size);
        }
    }
    ir_mapping_set(h->arrays, ir_op_result(op, 0), a);
    return true;
}

static bool create_semaphore(host *h, ir_op *op)
{
    ir_mapping_set(h->buffers, ir_op_result(op, 0),
                   (void *)((uintptr_t)(h->n_semaphores++ % DEV_MAX_SEMAPHORES) + 1));
    h->m->n_semaphores = TW_MIN(h->n_semaphores, (uint32_t)DEV_MAX_SEMAPHORES);
    return true;
}

static tw_status enqueue(host *h, ir_op *op)
{
    dev_operand *operands = TW_ARENA_ARRAY(&h->arena, dev_operand, op->n_operands + 1);
    for (size_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        ir_op *def = ir_value_def(v);
        uintptr_t known = (uintptr_t)ir_mapping_get(h->buffers, v);
        if (def && def->def == TTMETAL_OP(create_local_semaphore))
            operands[i] = (dev_operand){DEV_OPERAND_SEMAPHORE, (int64_t)known - 1};
        else if (def && def->def == ARITH_OP(constant))
            operands[i] =
                (dev_operand){DEV_OPERAND_NUMBER, ir_attr_int(ir_op_attr(def, "value"), 0)};
        else if (known && h->m->tensors.buffers[known - 1].live)
            operands[i] = (dev_operand){DEV_OPERAND_BUFFER, (int64_t)known - 1};
        else if (known) {
            ir_op_error(op,
                        "operand %zu has been given back; deallocate a buffer after "
                        "the last program that uses it",
                        i);
            return tw_error(TW_INVALID, "the program cannot be launched");
        }
    }
    return dev_launch(h->m, op, operands, &h->sim->profile, &h->sim->json, &h->sim->html);
}

static bool create_buffer(host *h, ir_op *op)
{
    size_t index;
    if (!dev_buffer_create(h->m, op, ir_op_result(op, 0)->type,
                           (uint64_t)ir_op_int(op, "address", 0), &index))
        return false;
    ir_mapping_set(h->buffers, ir_op_result(op, 0), (void *)((uintptr_t)index + 1));
    return true;
}

static bool transfer(host *h, ir_op *op, bool write)
{
    size_t buffer;
    dev_array *a = array_of(h, ir_op_operand(op, write ? 0 : 1));
    if (!buffer_of(h, op, ir_op_operand(op, write ? 1 : 0), &buffer))
        return false;
    if (!a)
        return ir_op_error(op, "needs an array of the host");
    tw_status status =
        write ? dev_buffer_write(h->m, buffer, a) : dev_buffer_read(h->m, buffer, a);
    if (status == TW_SUCCESS)
        return true;
    ir_op_error(op, "%s", tw_status_message(status));
    tw_status_free(status);
    return false;
}

/* False after a diagnostic; *status is set if there is more to report. */
static bool step(host *h, ir_op *op, tw_status *status)
{
    size_t buffer;
    if (op->def == ARITH_OP(constant) || op->def == TTMETAL_OP(finish) ||
        op->def == MEMREF_OP(dealloc))
        return true;
    if (op->def == TTMETAL_OP(create_buffer))
        return create_buffer(h, op);
    if (op->def == TTMETAL_OP(create_local_semaphore))
        return create_semaphore(h, op);
    if (op->def == TTMETAL_OP(enqueue_write_buffer))
        return transfer(h, op, true);
    if (op->def == TTMETAL_OP(enqueue_read_buffer))
        return transfer(h, op, false);
    if (op->def == TTMETAL_OP(enqueue_program)) {
        *status = enqueue(h, op);
        return *status == TW_SUCCESS;
    }
    if (op->def == TTMETAL_OP(deallocate_buffer)) {
        if (!buffer_of(h, op, ir_op_operand(op, 0), &buffer))
            return false;
        h->m->tensors.buffers[buffer].live = false;
        return true;
    }
    if (op->def == MEMREF_OP(copy))
        return copy_array(h, op);
    if (op->def == MEMREF_OP(get_global))
        return get_global(h, op);
    if (op->def == MEMREF_OP(alloc)) {
        dev_array *a = new_array(h, ir_op_result(op, 0)->type);
        ir_mapping_set(h->arrays, ir_op_result(op, 0), a);
        if (a && !a->data)
            *status = no_memory(op->def->name, a);
        return a ? a->data != NULL
                 : ir_op_error(op, "needs a static memref of numbers of at most 32 bits");
    }
    *status = tw_error(TW_UNSUPPORTED, "a host operation is not executed");
    return ir_op_error(op, "is not executed by the simulated device's host");
}

static void notify(const tw_sim *sim, const ir_op *op, int64_t number, bool before)
{
    const tw_op_event event = {
        .name = op->def->name, .before = before, .program = -1, .operation = number};
    if (sim->observer.notify)
        sim->observer.notify(sim->observer.user, &event);
}

static tw_status run_host(host *h, const void *const *inputs, void *const *outputs)
{
    tw_sim *sim = h->sim;
    ir_block *body = ir_op_body(sim->entry, 0);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < sim->n_inputs; i++) {
        dev_array *a = new_array(h, body->args[i]->type);
        if (!a->data)
            return no_memory("an argument", a);
        memcpy(a->data, inputs[i], a->bytes);
        ir_mapping_set(h->arrays, body->args[i], a);
    }
    int64_t number = 0;
    for (ir_op *op = body->first; op && op != body->last; op = op->next, number++) {
        notify(sim, op, number, true);
        if (!step(h, op, &status))
            return status ? status : tw_error(TW_INVALID, "the host function failed");
        notify(sim, op, number, false);
    }
    for (size_t i = 0; i < sim->n_outputs; i++) {
        dev_array *a = array_of(h, ir_op_operand(body->last, i));
        if (!a)
            return tw_error(TW_UNSUPPORTED, "result %zu is not an array of the host", i);
        memcpy(outputs[i], a->data, a->bytes);
    }
    return TW_SUCCESS;
}

TW_UNDER_GUARD run_sim(tw_sim *sim, const void *const *inputs, void *const *outputs)
{
    host h = {.sim = sim, .arrays = ir_mapping_create(), .buffers = ir_mapping_create()};
    ir_diagnostic_log_clear(&sim->log);
    sim->profile.size = 0;
    if (sim->profile.data)
        sim->profile.data[0] = 0;
    h.m = dev_machine_create(sim->chip, sim->ctx, &sim->options);
    h.m->natives = &sim->natives;
    h.m->delays = sim->searched;
    h.m->speed = sim->speed;
    sim->debugger.debug.quit = false;
    if (sim->debugger.on_stop)
        h.m->debug = &sim->debugger.debug;
    h.m->profile.helps = sim->helps.json.size ? tw_strbuf_text(&sim->helps.json) : NULL;
    dev_delays replayed = {.given = &sim->replay.delays};
    if (!h.m->delays && sim->replay.delays.n)
        h.m->delays = &replayed;
    tw_status status = run_host(&h, inputs, outputs);
    ir_flush_diagnostics(sim->ctx);
    sim->delays_met = replayed.taken.n;
    dev_delays_free(&replayed);
    dev_machine_destroy(h.m);
    ir_mapping_free(h.arrays);
    ir_mapping_free(h.buffers);
    tw_arena_free(&h.arena);
    return status;
}

TW_EXPORT tw_status tw_sim_run(tw_sim *sim, const void *const *inputs, void *const *outputs)
{
    TW_RETURN_GUARDED(run_sim(sim, inputs, outputs));
}
