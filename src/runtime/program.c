/* program.c: the public interface: text or a module to a running program. */
#include "support/guard.h"
#include "tilewright/tilewright.h"

#include "flatbuffer/verify.h"
#include "ir/watch.h"
#include "pipelines/dialects.h"
#include "pipelines/module.h"
#include "runtime/compilation.h"
#include "runtime/validate/validate.h"
#include "runtime/wide.h"

#include <stdlib.h>

TW_EXPORT const char *tw_version(void)
{
    return TW_VERSION;
}

tw_status rt_interrupted(void)
{
    return tw_error(TW_CANCELLED, "interrupted");
}

/* ---- the host ------------------------------------------------------------------------ */

/* Arguments with 64-bit integers may need the host. */
static bool has_wide_inputs(const tw_program *p)
{
    for (size_t i = 0; i < p->n_inputs; i++)
        if (p->inputs[i].dtype == TW_I64 || p->inputs[i].dtype == TW_U64)
            return true;
    return false;
}

static const char *copied(tw_program *p, const char *text)
{
    return text ? tw_arena_copy(&p->arena, text, strlen(text)) : NULL;
}

/* Keeps the program as it was before it was lowered. */
static void keep_source(tw_program *p, ir_op *entry, const tw_compile_options *o)
{
    p->source = entry;
    p->options = (tw_compile_options){.name = copied(p, o->name),
                                      .threads = o->threads,
                                      .dram_fallback = o->dram_fallback,
                                      .host = true};
}

/* Both messages; the one that names an operation that neither supports comes first: the
 * device's may name a loop around it, which the host would run. */
static tw_status refused_by_both(rt_compilation *c, tw_status device, tw_status host,
                                 bool named)
{
    tw_status first = named ? host : device, second = named ? device : host;
    tw_status both =
        tw_error(TW_UNSUPPORTED, "%s\n%s: on the %s: %s", tw_status_message(first),
                 c->log.quotes.name, named ? "device" : "host", tw_status_message(second));
    tw_status_free(device);
    tw_status_free(host);
    return both;
}

/* Lets the host run a program that the device refused; `entry` is its function as written,
 * NULL if it is in no dialect that the host has. */
static tw_status compile_for_host(rt_compilation *c, ir_op *entry, tw_status refused)
{
    const char *dir = c->options->dump_dir;
    bool named = false;
    ir_diagnostic_log_clear(&c->log);
    if (c->log.list) {
        tw_diagnostics_destroy(c->log.list);
        c->log.list = tw_diagnostics_create();
    }
    tw_status status =
        entry ? rt_host_create(entry, c->options, &c->program->host, &named)
              : tw_error(TW_UNSUPPORTED, "only what is in StableHLO can run there");
    if (!status)
        status = rt_dump(dir, "host.mlir", ir_op_parent(entry));
    if (tw_status_code(status) == TW_UNSUPPORTED)
        return refused_by_both(c, refused, status, named);
    tw_status_free(refused);
    c->program->cache_use = TW_CACHE_NONE;
    return status;
}

/* ---- compiling ----------------------------------------------------------------------- */

static ir_op *copy_of_entry(const rt_compilation *c)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(c->module, map);
    ir_mapping_free(map);
    return ir_symbol_lookup(copy, ir_symbol_name(c->entry));
}

/* What the device refuses in a program is asked before it is lowered, as far as types and
 * rows can tell. A conversion that does not take an operation's form refuses it later; the
 * host then gets the copy that was made before. `path` is that of the program in the cache
 * folder, or NULL. */
static tw_status compile_module(rt_compilation *c, const char *path)
{
    tw_program *p = c->program;
    const tw_compile_options *o = c->options;
    TW_TRY(rt_open(c));
    tw_status refused = rt_refuse_values(c);
    if (refused && (!o->host || tw_status_code(refused) != TW_UNSUPPORTED))
        return refused;
    tw_status status = rt_describe_program(c);
    if (status)
        return refused && tw_status_code(status) == TW_UNSUPPORTED
                   ? refused_by_both(c, refused, status, false)
                   : status;
    const bool lowered = rt_is_lowered(c);
    status = rt_check_options(c, lowered);
    if (status) {
        tw_status_free(refused);
        return status;
    }
    ir_op *entry = o->host && !lowered && rt_host_takes(c->module) ? c->entry : NULL;
    if (!refused && entry && !o->dtype && rt_wants_64_bits(c->module))
        refused = tw_error(TW_UNSUPPORTED, "the program needs 64 bits");
    if (!refused && entry)
        refused = rt_refuse_by_rows(c);
    if (!lowered)
        TW_TRY(rt_dump(o->dump_dir, "stablehlo.mlir", c->module));
    if (!refused) {
        ir_op *func;
        entry = entry ? copy_of_entry(c) : NULL;
        refused = rt_lower(c, &func);
        if (!refused && path)
            rt_keep_cached(p, o->cache_dir, path, func);
        if (!refused)
            refused = rt_plan_create(func, o, &p->plan);
        if (!refused && entry && !o->dtype && has_wide_inputs(p))
            keep_source(p, entry, o);
        else if (!refused && entry)
            ir_op_erase(ir_op_parent(entry));
    }
    if (!o->host || tw_status_code(refused) != TW_UNSUPPORTED)
        return refused;
    return compile_for_host(c, entry, refused);
}

/* ---- binaries with kernels */

static size_t describe_queue(tw_program *p,
                             const tw_tensor_desc *(*get)(const void *queue, size_t i),
                             tw_tensor_desc **out)
{
    size_t n = 0;
    while (get(p->queue, n))
        n++;
    *out = TW_ARENA_ARRAY(&p->arena, tw_tensor_desc, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = *get(p->queue, i);
    return n;
}

/* A .ttm: its kernels and commands are run as they are. */
static tw_status open_queue(tw_program *p, tw_str bytes, const char *name,
                            const tw_compile_options *o)
{
    p->engine = o->kernels;
    if (!p->engine)
        return tw_error(TW_UNSUPPORTED,
                        "%s is a .ttm, and this program was compiled without a grid to run "
                        "its kernels; use tilewright run or ttrt",
                        name);
    if (o->dtype)
        return tw_error(TW_INVALID, "a binary's formats are fixed: '%s' cannot be set",
                        o->dtype);
    TW_TRY(p->engine->open(bytes, o, &p->queue));
    p->n_inputs = describe_queue(p, p->engine->input, &p->inputs);
    p->n_outputs = describe_queue(p, p->engine->output, &p->outputs);
    return TW_SUCCESS;
}

static bool is_ttm(tw_str bytes)
{
    fb_file_id kind = FB_FILE_COUNT;
    tw_status_free(fb_detect(bytes.data, bytes.size, &kind));
    return kind == FB_FILE_TTM;
}

/* A file of the cache folder if there is one. Dumps require the stages to run. */
static tw_status compile_or_load(rt_compilation *c)
{
    tw_program *p = c->program;
    tw_strbuf path = {0};
    ir_op *func = NULL;
    if (!rt_uses_cache(c))
        return compile_module(c, NULL);
    rt_cache_name(c, &path);
    tw_status status =
        c->options->dump_dir ? TW_SUCCESS : rt_load_cached(p, tw_strbuf_text(&path), &func);
    if (!status)
        status = func ? rt_plan_create(func, c->options, &p->plan)
                      : compile_module(c, tw_strbuf_text(&path));
    tw_strbuf_free(&path);
    return status;
}

static void begin(rt_compilation *c)
{
    c->log.list = c->options->diagnostics ? tw_diagnostics_create() : NULL;
    c->outer = ir_context_set_sink(c->program->ctx, ir_diagnostic_log_sink(&c->log));
}

/* Returns the program, or destroys it on failure. */
static tw_status finish(rt_compilation *c, tw_status status, tw_program **out_program)
{
    tw_program *p = c->program;
    ir_flush_diagnostics(p->ctx);
    ir_context_set_sink(p->ctx, c->outer);
    tw_strbuf_free(&c->log.text);
    for (size_t i = 0; c->log.list && i < tw_diagnostics_count(c->log.list); i++)
        tw_diagnostics_add(c->options->diagnostics, tw_diagnostics_at(c->log.list, i));
    tw_diagnostics_destroy(c->log.list);
    if (status != TW_SUCCESS) {
        tw_program_destroy(p);
        return status;
    }
    p->constant = TW_ARENA_ARRAY(&p->arena, bool, p->n_inputs + 1);
    p->given = TW_ARENA_ARRAY(&p->arena, const void *, p->n_inputs + 1);
    *out_program = p;
    return TW_SUCCESS;
}

static const char *name_of(const tw_compile_options *o)
{
    return o->name ? o->name : "<program>";
}

/* Compiles what `c` holds in a context of the program's own. */
static tw_status compile_watched(rt_compilation *c, tw_program **out_program)
{
    ir_context *ctx = c->program->ctx;
    const tw_compile_options *o = c->options;
    *out_program = NULL;
    ir_context_set_watch(ctx, o->watch);
    begin(c);
    /* A caller with an observer of its own validates by itself, or does not want to. */
    validator *v = o->watch ? NULL : validator_from_environment(NULL);
    if (v)
        ir_context_set_watch(ctx, validator_watch(v));
    tw_status status =
        !c->module && is_ttm(c->log.quotes.text)
            ? open_queue(c->program, c->log.quotes.text, c->log.quotes.name, o)
            : compile_or_load(c);
    ir_context_set_watch(ctx, NULL);
    if (status != TW_SUCCESS && v && validator_tally(v).differing) {
        tw_status wrong = tw_error(TW_INTERNAL, "%s", tw_status_message(status));
        tw_status_free(status);
        status = wrong;
    }
    validator_destroy(v);
    return finish(c, status, out_program);
}

static const tw_compile_options defaults;

TW_UNDER_GUARD guarded_program_compile(const char *text, size_t size,
                                       const tw_compile_options *options,
                                       tw_program **out_program)
{
    const tw_compile_options *o = options ? options : &defaults;
    tw_program *p = tw_xcalloc(1, sizeof *p);
    rt_compilation c = {
        .program = p, .options = o, .log.quotes = {{text, size}, name_of(o)}};
    p->ctx = ir_context_create();
    ir_register_all(p->ctx);
    return compile_watched(&c, out_program);
}

TW_EXPORT tw_status tw_program_compile(const char *text, size_t size,
                                       const tw_compile_options *options,
                                       tw_program **out_program)
{
    TW_RETURN_GUARDED(guarded_program_compile(text, size, options, out_program));
}

TW_UNDER_GUARD guarded_compile_module(tw_module *module, const tw_compile_options *options,
                                      tw_program **out_program)
{
    const tw_compile_options *o = options ? options : &defaults;
    tw_program *p = tw_xcalloc(1, sizeof *p);
    rt_compilation c = {.program = p,
                        .options = o,
                        .log.quotes.name = name_of(o),
                        .verified = module->verified};
    c.module = tw_module_take(module, &p->ctx);
    return compile_watched(&c, out_program);
}

TW_EXPORT tw_status tw_program_compile_module(tw_module *module,
                                              const tw_compile_options *options,
                                              tw_program **out_program)
{
    TW_RETURN_GUARDED(guarded_compile_module(module, options, out_program));
}

/* ---- parts of a program -------------------------------------------------------------- */

tw_status rt_compile_part(ir_op *module, const tw_compile_options *options,
                          tw_program **out_program)
{
    tw_program *p = tw_xcalloc(1, sizeof *p);
    rt_compilation c = {.program = p,
                        .options = options,
                        .log.quotes.name = name_of(options),
                        .module = module,
                        .verified = true};
    p->ctx = module->ctx;
    p->borrows = true;
    begin(&c);
    return finish(&c, compile_module(&c, NULL), out_program);
}

tw_status rt_compile_wide(tw_program *program)
{
    tw_program *p = tw_xcalloc(1, sizeof *p);
    rt_compilation c = {.program = p,
                        .options = &program->options,
                        .log.quotes.name = name_of(&program->options)};
    bool named;
    p->ctx = program->ctx;
    p->borrows = true;
    p->inputs = program->inputs, p->n_inputs = program->n_inputs;
    p->outputs = program->outputs, p->n_outputs = program->n_outputs;
    begin(&c);
    tw_status status = rt_host_create(program->source, &program->options, &p->host, &named);
    program->source = NULL; /* the host has changed it */
    return finish(&c, status, &program->wide);
}

TW_EXPORT void tw_program_destroy(tw_program *p)
{
    if (!p)
        return;
    rt_plan_destroy(p->plan);
    rt_host_destroy(p->host);
    if (p->queue)
        p->engine->close(p->queue);
    tw_program_destroy(p->wide);
    if (!p->borrows)
        ir_context_destroy(p->ctx);
    tw_arena_free(&p->arena);
    free(p);
}
