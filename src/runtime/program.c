/* program.c: the public interface: text to a running program. */
#include "support/guard.h"
#include "tilewright/tilewright.h"

#include "ir/bytecode.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/func/func.h"
#include "mlir/passes/passes.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "runtime/cache.h"
#include "runtime/checks.h"
#include "runtime/hoisted.h"
#include "runtime/program_impl.h"
#include "runtime/validate/validate.h"
#include "runtime/wide.h"
#include "sdy/single_device.h"
#include "support/file.h"
#include "ttnn/to_flatbuffer/emit.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/ttnn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

TW_EXPORT const char *tw_version(void)
{
    return TW_VERSION;
}

/* ---- compiling ---------------------------------------------------------------------- */

tw_status rt_interrupted(void)
{
    return tw_error(TW_CANCELLED, "interrupted");
}

static ir_op *find_entry(ir_op *module, const char *name)
{
    ir_op *only = NULL;
    if (name)
        return ir_symbol_lookup(module, tw_str_from(name));
    ir_op *main = ir_symbol_lookup(module, TW_STR("main"));
    for (ir_op *op = ir_op_body(module, 0)->first; op && !main; op = op->next) {
        if (op->def == FUNC_OP(func) && !ir_symbol_is_private(op))
            only = only ? only : op;
    }
    return main ? main : only;
}

static tw_status no_entry(ir_op *module, const char *name)
{
    tw_strbuf there = {0};
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        tw_str symbol = ir_symbol_name(op);
        if (op->def == FUNC_OP(func) && ir_op_body(op, 0))
            tw_strbuf_printf(&there, "%s'%.*s'", there.size ? ", " : "", (int)symbol.size,
                             symbol.data);
    }
    tw_status status =
        tw_error(TW_NOT_FOUND, "the program has no function '%s' to run; it has %s", name,
                 there.size ? tw_strbuf_text(&there) : "none");
    tw_strbuf_free(&there);
    return status;
}

static tw_status dump(const char *dir, const char *name, ir_op *module)
{
    if (!dir)
        return TW_SUCCESS;
    TW_TRY(tw_folder_make(dir));
    tw_strbuf text = {0}, path = {0};
    ir_print_op(module, &(ir_print_options){.assume_verified = true}, &text);
    tw_strbuf_printf(&path, "%s/%s", dir, name);
    tw_status status = tw_file_write(path.data, text.data, text.size);
    tw_strbuf_free(&text);
    tw_strbuf_free(&path);
    return status;
}

/* The stages, in order, and the dump of each. The embedded device supports every element
 * type of the program, and preserves every cast: no type is replaced by one that
 * hardware supports, consecutive casts are kept, and no operation is replaced by an
 * approximation. */
#define OPTIMIZE(...)                                                                      \
    "ttnn-resolve-composites,ttcore-optimization-barrier-fold,ttir-dequantize-"            \
    "computation,ttnn-ttir-passes{enable-element-type-normalization=false " __VA_ARGS__    \
    " canonicalize-disable-patterns=ttir.MergeTypecasts}"
static const struct stage {
    const char *pipeline, *dump, *as_written;
} stages[] = {
    {"stablehlo-total-order-to-integers,stablehlo-to-ttir-pipeline{enable-aggressive-"
     "simplification=false enable-cpu-fallback=false}",
     "ttir_initial.mlir"},
    {OPTIMIZE("enable-exact-fusing=true"), "ttir_optimized.mlir",
     OPTIMIZE("enable-fusing-pass=false")},
    {"ttnn-lowering-passes{signed-integers=true}", "ttnn.mlir"},
};

static bool run_stage(ir_op *module, const char *pipeline, const pass_config *config)
{
    pass_manager *pm = pass_manager_create(module->ctx, &tw_passes, config);
    bool ok = pass_manager_add(pm, tw_str_from(pipeline)) && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}

bool rt_run_passes(ir_op *module, const char *pipeline, const volatile int *cancel)
{
    return run_stage(module, pipeline, &(pass_config){.no_verify = true, .cancel = cancel});
}

/* Converts the program's float computation to `dtype`. */
static bool set_format(ir_op *module, const char *dtype)
{
    tw_strbuf pass = {0};
    if (!dtype)
        return true;
    tw_strbuf_printf(&pass, "ttir-global-data-format-conversion{target-format=%s}", dtype);
    bool ok = rt_run_passes(module, tw_strbuf_text(&pass), NULL);
    tw_strbuf_free(&pass);
    return ok;
}

static tw_status dump_binary(const char *dir, ir_op *module, ir_diagnostic_log *c)
{
    void *data;
    size_t size;
    if (!dir)
        return TW_SUCCESS;
    bool ok = rt_run_passes(module, "ttnn-decompose-layouts", NULL) &&
              fb_emit_ttnn(module, NULL, &data, &size);
    ir_flush_diagnostics(module->ctx);
    if (!ok)
        return tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->text));
    tw_strbuf path = {0};
    tw_strbuf_printf(&path, "%s/program.ttnn.fb", dir);
    tw_status status = tw_file_write(path.data, data, size);
    tw_strbuf_free(&path);
    free(data);
    return status;
}

static tw_status read_module(tw_program *p, tw_str text, ir_diagnostic_log *c, bool binary,
                             bool numbered, ir_op **out)
{
    if (!binary) {
        *out = ir_parse(p->ctx, text, c->quotes.name, NULL);
        /* jax.export writes VHLO */
        bool ok = *out && (!ir_is_bytecode(text) ||
                           rt_run_passes(*out, "vhlo-legalize-to-stablehlo", NULL));
        ir_flush_diagnostics(p->ctx);
        return ok ? TW_SUCCESS : tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->text));
    }
    fb_ttnn file;
    tw_status status = fb_ttnn_open(text.data, text.size, &file);
    if (!status)
        status = fb_import_ttnn(p->ctx, &file, numbered, out);
    return status ? tw_annotate(status, "%s", c->quotes.name) : TW_SUCCESS;
}

static ir_walk look_for_exchange(ir_op *op, void *user)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (!ir_op_attr(op, "source_target_pairs") &&
        (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2 ||
         groups->type->dims[1] <= 1))
        return IR_WALK_ON;
    *(ir_op **)user = op;
    return IR_WALK_STOP;
}

/* Rejects a sum over several devices, of which only one exists here: the value would be
 * wrong. */
static tw_status refuse_exchanges(ir_op *module)
{
    ir_op *op = NULL;
    ir_ident file;
    uint32_t line, column;
    ir_walk_pre(module, look_for_exchange, &op);
    if (!op)
        return TW_SUCCESS;
    ir_attr groups = ir_op_attr(op, "replica_groups");
    tw_status status =
        groups ? tw_error(TW_UNSUPPORTED,
                          "'%s' has groups of %lld devices; programs run on one: export it "
                          "for one device",
                          op->def->name, (long long)groups->type->dims[1])
               : tw_error(TW_UNSUPPORTED,
                          "'%s' sends between devices; programs run on one: export it for "
                          "one device",
                          op->def->name);
    return ir_loc_position(op->ctx, op->loc, &file, &line, &column)
               ? tw_annotate(status, "%s:%u:%u", file->text, line, column)
               : status;
}

static bool is_sink(const ir_op *op)
{
    ir_attr target = ir_op_attr(op, "call_target_name");
    return op->n_results == 0 && ir_attr_is(target, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(target), "dce_sink");
}

/* Erases the calls by which JAX keeps an unused value in the program's text. */
static void drop_sinks(ir_op *module)
{
    ir_op_list sinks = ir_ops_in(module, is_sink);
    for (size_t i = 0; i < sinks.n; i++)
        ir_op_erase(sinks.at[i]);
    ir_op_list_free(&sinks);
}

/* Reads the text, and inlines calls. `on_device`: the device runs all of it. */
static tw_status open_program(tw_program *p, tw_str text, const tw_compile_options *o,
                              ir_diagnostic_log *c, bool on_device, bool *out_binary,
                              ir_op **out_entry)
{
    ir_op *module;
    fb_file_id kind = FB_FILE_COUNT;
    tw_status_free(fb_detect(text.data, text.size, &kind));
    bool binary = *out_binary = kind == FB_FILE_TTNN, inlined;
    TW_TRY(read_module(p, text, c, binary, o->observer != NULL, &module));
    TW_TRY(rt_inline_hoisted(module, &inlined));
    ir_flush_diagnostics(p->ctx);
    if (!inlined)
        return tw_error(c->unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                        tw_strbuf_text(&c->text));
    if (!binary &&
        !rt_run_passes(module, "ttcore-unwrap-device-module,convert-tosa-to-ttir", NULL)) {
        ir_flush_diagnostics(p->ctx);
        return tw_error(c->unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                        tw_strbuf_text(&c->text));
    }
    if (!binary) {
        transform_drop_shardings(module);
        transform_drop_exchanges(module);
        drop_sinks(module);
    }
    ir_op *entry = *out_entry = find_entry(module, o->entry);
    if (!entry || entry->def != FUNC_OP(func) || !ir_op_body(entry, 0))
        return no_entry(module, o->entry ? o->entry : "main");
    transform_keep_reached(entry);
    /* the plan itself runs operations on constants once */
    inlined = transform_inline_cached(entry);
    ir_flush_diagnostics(p->ctx);
    if (!inlined)
        return tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->text));
    if (binary && o->dtype)
        return tw_error(TW_INVALID, "a binary's formats are fixed: '%s' cannot be set",
                        o->dtype);
    if (!binary)
        TW_TRY(refuse_exchanges(module));
    if (!binary && on_device)
        TW_TRY(rt_refuse_wide(module));
    if (!binary)
        TW_TRY(rt_checks_take(entry, on_device, &p->arena, &p->checks, &p->n_checks));
    ir_type type = ir_op_attr(entry, "function_type")->type;
    p->n_inputs = type->count;
    p->n_outputs = type->results;
    if (on_device && !binary) {
        TW_TRY(rt_refuse_host_types(entry, "argument", type->types, type->count));
        TW_TRY(rt_refuse_host_types(entry, "result", ir_function_results(type),
                                    type->results));
    }
    TW_TRY(rt_describe(entry, "argument", type->types, type->count, &p->arena, &p->inputs));
    return rt_describe(entry, "result", ir_function_results(type), type->results, &p->arena,
                       &p->outputs);
}

static ir_walk stop_at_generic(ir_op *op, void *user)
{
    (void)user;
    return op->def == TTNN_OP(generic) ? IR_WALK_STOP : IR_WALK_ON;
}

/* True for a function of TTNN with kernels of its own, which no stage makes. */
static bool holds_kernels(ir_op *func)
{
    return ir_walk_pre(func, stop_at_generic, NULL) == IR_WALK_STOP;
}

static bool is_of_type(ir_type t, tw_dtype wanted)
{
    tw_dtype dtype;
    return rt_dtype_of(ir_type_element(t), true, &dtype) && dtype == wanted;
}

static ir_walk count_narrowing(ir_op *op, void *user)
{
    const bool converts =
        op->n_operands == 1 && op->n_results == 1 &&
        (ir_op_is(op, TTNN_OP(typecast)) || ir_op_is(op, TTNN_OP(to_layout)) ||
         ir_op_is(op, TTNN_OP(to_memory_config)));
    *(size_t *)user += converts && is_of_type(ir_op_operand(op, 0)->type, TW_F32) &&
                       is_of_type(ir_op_result(op, 0)->type, TW_BF16);
    return IR_WALK_ON;
}

/* Returns the conversions from f32 to bf16 within a binary whose arguments and results have
 * no bf16. */
static size_t narrowed(const tw_program *p, ir_op *module)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_inputs; i++)
        if (p->inputs[i].dtype == TW_BF16)
            return 0;
    for (size_t i = 0; i < p->n_outputs; i++)
        if (p->outputs[i].dtype == TW_BF16)
            return 0;
    ir_walk_pre(module, count_narrowing, &n);
    return n;
}

static tw_status lower(tw_program *p, tw_str text, const tw_compile_options *o,
                       ir_diagnostic_log *c, ir_op **out_func)
{
    ir_op *entry;
    bool binary;
    TW_TRY(open_program(p, text, o, c, true, &binary, &entry));
    ir_op *module = ir_op_parent(entry);
    tw_str name = ir_symbol_name(entry);
    if (binary || holds_kernels(entry)) { /* it has been through all stages */
        *out_func = entry;
        p->n_narrowed = narrowed(p, module);
        return dump(o->dump_dir, "ttnn.mlir", module);
    }
    if (o->host && !o->dtype && rt_host_takes(module) && rt_wants_64_bits(module))
        return tw_error(TW_UNSUPPORTED, "the program needs 64 bits");
    TW_TRY(dump(o->dump_dir, "stablehlo.mlir", module));
    for (size_t i = 0; i < TW_COUNT(stages); i++) {
        const bool other = o->as_written && stages[i].as_written;
        bool ok = run_stage(module, other ? stages[i].as_written : stages[i].pipeline,
                            &(pass_config){.no_verify = true,
                                           .cancel = o->cancel,
                                           .progress = o->progress,
                                           .stage = i,
                                           .stages = TW_COUNT(stages)}) &&
                  (i > 0 || set_format(module, o->dtype));
        ir_flush_diagnostics(p->ctx);
        if (tw_is_cancelled(o->cancel))
            return rt_interrupted();
        if (ok) /* a module that failed halfway must not run */
            TW_TRY(dump(o->dump_dir, stages[i].dump, module));
        if (!ok)
            return tw_error(c->unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                            tw_strbuf_text(&c->text));
    }
    TW_TRY(dump_binary(o->dump_dir, module, c));
    *out_func = ir_symbol_lookup(module, name);
    return *out_func ? TW_SUCCESS : tw_error(TW_INTERNAL, "the entry function disappeared");
}

/* Loads the program as an earlier compilation stored it; *out_func stays NULL if there is
 * none. */
static tw_status lower_cached(tw_program *p, const char *path, ir_op **out_func)
{
    rt_cached found;
    p->cache_use = rt_cache_load(path, &p->arena, &found);
    if (p->cache_use != TW_CACHE_HIT)
        return TW_SUCCESS;
    ir_op *module = ir_parse(p->ctx, found.text, path, NULL);
    ir_op *func = module ? ir_symbol_lookup(module, found.name) : NULL;
    if (!func)
        return tw_error(TW_INTERNAL, "the cached program '%s' cannot be read; remove it",
                        path);
    p->inputs = found.inputs;
    p->outputs = found.outputs;
    p->n_inputs = found.n_inputs;
    p->n_outputs = found.n_outputs;
    *out_func = func;
    return TW_SUCCESS;
}

/* Stores the lowered program before a plan consumes it. */
static void keep(tw_program *p, const char *dir, const char *path, ir_op *func)
{
    tw_strbuf text = {0};
    ir_op *module = ir_op_parent(func);
    ir_print_op(module, &(ir_print_options){.assume_verified = true}, &text);
    const rt_cached program = {.name = ir_symbol_name(func),
                               .inputs = p->inputs,
                               .outputs = p->outputs,
                               .n_inputs = p->n_inputs,
                               .n_outputs = p->n_outputs,
                               .text = {text.data, text.size}};
    if (!rt_cache_store(dir, path, &program))
        p->cache_use = TW_CACHE_NOT_KEPT;
    tw_strbuf_free(&text);
}

/* Lowers the program, through the cache folder. Dumps require the stages to run; functions
 * that check themselves are run once and not cached. */
static tw_status lower_or_load(tw_program *p, tw_str text, const tw_compile_options *o,
                               ir_diagnostic_log *c, ir_op **out_func)
{
    tw_strbuf path = {0};
    tw_status status = TW_SUCCESS;
    *out_func = NULL;
    /* The cache holds programs of the device only, in 32 bits; passes that are observed
     * have to run. */
    if (!o->cache_dir || o->host || o->as_written || ir_context_watch(p->ctx))
        return lower(p, text, o, c, out_func);
    rt_cache_path(o->cache_dir, text, o->entry, o->dtype, &path);
    if (!o->dump_dir)
        status = lower_cached(p, path.data, out_func);
    if (!status && !*out_func) {
        status = lower(p, text, o, c, out_func);
        if (!status && !p->n_checks)
            keep(p, o->cache_dir, path.data, *out_func);
        else
            p->cache_use = TW_CACHE_NONE;
    }
    tw_strbuf_free(&path);
    return status;
}

static void open_context(tw_program *p, const tw_compile_options *o, ir_diagnostic_log *c)
{
    p->ctx = ir_context_create();
    ir_context_set_watch(p->ctx, o->watch);
    ir_register_all(p->ctx);
    ir_context_set_sink(p->ctx, ir_diagnostic_log_sink(c));
}

static tw_status compile_for_host(tw_program *p, tw_str text, const tw_compile_options *o,
                                  ir_diagnostic_log *c, bool *out_named)
{
    ir_op *entry;
    bool binary;
    *out_named = false;
    TW_TRY(open_program(p, text, o, c, false, &binary, &entry));
    ir_op *module = ir_op_parent(entry);
    if (binary || !rt_host_takes(module))
        return tw_error(TW_UNSUPPORTED, "only what is in StableHLO can run there");
    p->cache_use = TW_CACHE_NONE;
    TW_TRY(dump(o->dump_dir, "stablehlo.mlir", module));
    TW_TRY(rt_host_create(entry, o, &p->host, out_named));
    return dump(o->dump_dir, "host.mlir", module);
}

/* Recompiles for the host a program that the device rejected. If the host rejects it too,
 * the operation that neither supports is reported first: the device's message may name a
 * loop around it, which the host would run. */
static tw_status try_host(tw_program *p, tw_str text, const tw_compile_options *o,
                          ir_diagnostic_log *c, tw_status refused)
{
    ir_context_destroy(p->ctx);
    ir_diagnostic_log_clear(c);
    if (c->list) {
        tw_diagnostics_destroy(c->list);
        c->list = tw_diagnostics_create();
    }
    open_context(p, o, c);
    bool named;
    tw_status status = compile_for_host(p, text, o, c, &named);
    bool same = strcmp(tw_status_message(status), tw_status_message(refused)) == 0;
    if (tw_status_code(status) == TW_UNSUPPORTED && !same) {
        tw_status first = named ? status : refused, second = named ? refused : status;
        tw_status both =
            tw_error(TW_UNSUPPORTED, "%s\n%s: on the %s: %s", tw_status_message(first),
                     c->quotes.name, named ? "device" : "host", tw_status_message(second));
        tw_status_free(status);
        status = both;
    }
    tw_status_free(refused);
    return status;
}

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

static void keep_source(tw_program *p, tw_str text, const tw_compile_options *o)
{
    p->text = (tw_str){tw_arena_copy(&p->arena, text.data, text.size), text.size};
    p->options = (tw_compile_options){.name = copied(p, o->name),
                                      .entry = copied(p, o->entry),
                                      .threads = o->threads,
                                      .dram_fallback = o->dram_fallback,
                                      .host = true};
}

/* Finishes a compilation: returns the program, or destroys it on failure. */
static tw_status finish_compile(tw_program *p, ir_diagnostic_log *c, tw_status status,
                                tw_program **out_program)
{
    ir_context_set_sink(p->ctx, (ir_diagnostic_sink){0});
    tw_strbuf_free(&c->text);
    if (status != TW_SUCCESS) {
        tw_program_destroy(p);
        return status;
    }
    p->constant = TW_ARENA_ARRAY(&p->arena, bool, p->n_inputs + 1);
    p->given = TW_ARENA_ARRAY(&p->arena, const void *, p->n_inputs + 1);
    *out_program = p;
    return TW_SUCCESS;
}

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

static tw_status compile_stages(tw_program *p, tw_str text, const tw_compile_options *o,
                                ir_diagnostic_log *c)
{
    ir_op *func = NULL;
    tw_status status = lower_or_load(p, text, o, c, &func);
    if (status == TW_SUCCESS)
        status = rt_plan_create(func, o, &p->plan);
    if (o->host && tw_status_code(status) == TW_UNSUPPORTED)
        status = try_host(p, text, o, c, status);
    if (status == TW_SUCCESS && o->host && !o->dtype && p->plan && has_wide_inputs(p))
        keep_source(p, text, o);
    return status;
}

TW_UNDER_GUARD guarded_program_compile(const char *text, size_t size,
                                       const tw_compile_options *options,
                                       tw_program **out_program)
{
    static const tw_compile_options defaults;
    const tw_compile_options *o = options ? options : &defaults;
    *out_program = NULL;
    tw_program *p = tw_xcalloc(1, sizeof *p);
    ir_diagnostic_log c = {.quotes = {{text, size}, o->name ? o->name : "<program>"},
                           .list = o->diagnostics ? tw_diagnostics_create() : NULL};
    open_context(p, o, &c);
    /* A caller with an observer of its own validates by itself, or does not want to. */
    validator *v = o->watch ? NULL : validator_from_environment(NULL);
    if (v)
        ir_context_set_watch(p->ctx, validator_watch(v));
    tw_status status = is_ttm(c.quotes.text)
                           ? open_queue(p, c.quotes.text, c.quotes.name, o)
                           : compile_stages(p, c.quotes.text, o, &c);
    ir_context_set_watch(p->ctx, NULL);
    if (status != TW_SUCCESS && v && validator_tally(v).differing) {
        tw_status wrong = tw_error(TW_INTERNAL, "%s", tw_status_message(status));
        tw_status_free(status);
        status = wrong;
    }
    validator_destroy(v);
    status = finish_compile(p, &c, status, out_program);
    for (size_t i = 0; c.list && i < tw_diagnostics_count(c.list); i++)
        tw_diagnostics_add(o->diagnostics, tw_diagnostics_at(c.list, i));
    tw_diagnostics_destroy(c.list);
    return status;
}

TW_EXPORT tw_status tw_program_compile(const char *text, size_t size,
                                       const tw_compile_options *options,
                                       tw_program **out_program)
{
    TW_RETURN_GUARDED(guarded_program_compile(text, size, options, out_program));
}

tw_status rt_compile_for_host(tw_str text, const tw_compile_options *o,
                              tw_program **out_program)
{
    tw_program *p = tw_xcalloc(1, sizeof *p);
    ir_diagnostic_log c = {.quotes = {text, o->name ? o->name : "<program>"}};
    open_context(p, o, &c);
    bool named;
    return finish_compile(p, &c, compile_for_host(p, text, o, &c, &named), out_program);
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
    ir_context_destroy(p->ctx);
    tw_arena_free(&p->arena);
    free(p);
}
