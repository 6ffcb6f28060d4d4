/* sim.c: the public interface of the simulated device: runs a host function's operations.
 */
#include "grid/machine/sim.h"

#include "flatbuffer/verify.h"
#include "grid/machine/launch.h"
#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/func/func.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
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

/* A scalar that kernels get: one word, or less. */
static bool is_scalar(ir_type t, tw_dtype *out)
{
    bool tiled;
    *out = TW_U32;
    return t->kind == IR_TYPE_INDEX || (dev_element_type(t, out, &tiled) && !tiled);
}

static tw_status describe(tw_sim *sim, const ir_type *types, size_t n, const char *what,
                          bool scalars, tw_tensor_desc **out)
{
    *out = TW_ARENA_ARRAY(&sim->arena, tw_tensor_desc, n + 1);
    for (size_t i = 0; i < n; i++) {
        static const int64_t no_dims[1];
        dev_array a;
        tw_dtype dtype;
        if (scalars && is_scalar(types[i], &dtype)) {
            (*out)[i] = (tw_tensor_desc){dtype, 0, no_dims, tw_dtype_size(dtype)};
            continue;
        }
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

static tw_status read_text(tw_sim *sim, ir_watch *watch)
{
    const pass_config unchecked = {.no_verify = true};
    sim->module = ir_parse(sim->ctx, sim->log.quotes.text, sim->name, NULL);
    /* Pipelines from StableHLO leave the program in a module for the device; accessors with
     * a layout get the form that kernels execute. */
    ir_context_set_watch(sim->ctx, watch);
    bool lowered =
        sim->module &&
        tw_run_passes(sim->module,
                      "ttcore-unwrap-device-module,ttkernel-lower-tensor-accessors",
                      &unchecked);
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
    TW_TRY(describe(sim, type->type->types, sim->n_inputs, "argument", true, &sim->inputs));
    return describe(sim, ir_function_results(type->type), sim->n_outputs, "result", false,
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

TW_UNDER_GUARD run_sim(tw_sim *sim, const void *const *inputs, void *const *outputs)
{
    ir_diagnostic_log_clear(&sim->log);
    sim->profile.size = 0;
    if (sim->profile.data)
        sim->profile.data[0] = 0;
    dev_machine *m = dev_machine_create(sim->chip, sim->ctx, &sim->options);
    m->natives = &sim->natives;
    m->delays = sim->searched;
    m->speed = sim->speed;
    sim->debugger.debug.quit = false;
    if (sim->debugger.on_stop)
        m->debug = &sim->debugger.debug;
    m->profile.helps = sim->helps.json.size ? tw_strbuf_text(&sim->helps.json) : NULL;
    dev_delays replayed = {.given = &sim->replay.delays};
    if (!m->delays && sim->replay.delays.n)
        m->delays = &replayed;
    tw_status status = dev_host_run(sim, m, inputs, outputs);
    ir_flush_diagnostics(sim->ctx);
    sim->delays_met = replayed.taken.n;
    dev_delays_free(&replayed);
    dev_machine_destroy(m);
    return status;
}

TW_EXPORT tw_status tw_sim_run(tw_sim *sim, const void *const *inputs, void *const *outputs)
{
    TW_RETURN_GUARDED(run_sim(sim, inputs, outputs));
}
