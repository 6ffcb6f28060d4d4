/* program.c: the public interface: text to a running program. */
#include "tilewright/tilewright.h"

#include "convert/registry.h"
#include "dialect/all.h"
#include "dialect/func/func.h"
#include "dialect/quant/quant.h"
#include "dialect/ttcore/ttcore.h"
#include "ir/bytecode.h"
#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "runtime/cache.h"
#include "runtime/checks.h"
#include "runtime/host.h"
#include "runtime/plan.h"
#include "runtime/wide.h"
#include "support/blockfloat.h"
#include "support/file.h"
#include "target/flatbuffer/emit.h"
#include "target/flatbuffer/import.h"
#include "transform/transform.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct tw_program {
    ir_context *ctx; /* constants live here */
    rt_plan *plan;   /* one of the two */
    rt_host *host;
    const void **given;         /* host: constant inputs */
    const volatile int *cancel; /* host: of runs */
    tw_tensor_desc *inputs, *outputs;
    size_t n_inputs, n_outputs;
    tw_arena arena;
    bool *constant; /* which inputs have been set */
    tw_check *checks;
    size_t n_checks;
    tw_cache_use cache_use;
};

TW_EXPORT const char *tw_version(void)
{
    return TW_VERSION;
}

/* ---- signatures --------------------------------------------------------------------- */

static bool host_dtype(ir_type t, tw_dtype *out)
{
    if (t->kind == IR_TYPE_FLOAT) {
        *out = t->sign == IR_BF16  ? TW_BF16
               : t->sign == IR_F16 ? TW_F16
               : t->sign == IR_F64 ? TW_F64
                                   : TW_F32;
        return t->sign == IR_BF16 || t->sign == IR_F16 || t->sign == IR_F32 ||
               t->sign == IR_F64;
    }
    if (t->kind == IR_TYPE_DIALECT && t->def == TTCORE_TYPE(tile)) {
        int64_t type = ir_attr_int(ir_type_param(t, "dataType"), -1);
        *out = type == TTCORE_DataType_Bool        ? TW_BOOL
               : tw_dtype_is_block((tw_dtype)type) ? TW_F32 /* as the host sees them */
                                                   : (tw_dtype)type;
        return type >= 0;
    }
    if (quant_is_uniform(t)) /* its codes */
        return host_dtype(quant_storage(t), out);
    if (t->kind != IR_TYPE_INTEGER)
        return false;
    bool is_unsigned = t->sign == IR_UNSIGNED;
    switch (t->width) {
    case 1:
        *out = TW_BOOL;
        return true;
    case 8:
        *out = is_unsigned ? TW_U8 : TW_I8;
        return true;
    case 16:
        *out = is_unsigned ? TW_U16 : TW_I16;
        return true;
    case 32:
        *out = is_unsigned ? TW_U32 : TW_I32;
        return true;
    case 64:
        *out = is_unsigned ? TW_U64 : TW_I64;
        return true;
    default:
        return false;
    }
}

/* Complex numbers cross as their parts, the real one first, in a last dimension of 2. */
static ir_type with_parts(ir_type t)
{
    int64_t dims[RT_MAX_RANK];
    if (!ir_type_is_tensor(t) || t->element->kind != IR_TYPE_COMPLEX ||
        t->count >= RT_MAX_RANK)
        return t;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[t->count] = 2;
    return ir_tensor_type(t->element->element, dims, t->count + 1, NULL);
}

/* An argument or result that cannot cross to the caller. */
static tw_status refuse_type(ir_op *func, const char *what, size_t i, ir_type t)
{
    ir_ident file;
    uint32_t line, column;
    tw_str name = ir_symbol_name(func);
    bool sizes = ir_type_is_tensor(t) && !ir_type_has_static_shape(t);
    tw_status status = tw_error(
        TW_UNSUPPORTED, "%s %zu of '@%.*s' has type '%s'; %s", what, i, (int)name.size,
        name.data, ir_type_text(t->ctx, t),
        sizes ? "sizes must be known: export with fixed shapes, or give them with "
                "stablehlo-opt --stablehlo-refine-arguments=types=... "
                "--stablehlo-refine-shapes"
              : "arguments and results must be tensors of floats (16, 32 or 64 bits) or "
                "integers (1, 8, 16, 32 or 64)");
    return ir_loc_position(func->ctx, func->loc, &file, &line, &column)
               ? tw_annotate(status, "%s:%u:%u", file->text, line, column)
               : status;
}

static tw_status describe(tw_program *p, ir_op *func, const char *what,
                          const ir_type *types, size_t n, tw_tensor_desc **out)
{
    *out = TW_ARENA_ARRAY(&p->arena, tw_tensor_desc, n + 1);
    for (size_t i = 0; i < n; i++) {
        tw_tensor_desc *d = &(*out)[i];
        ir_type t = with_parts(types[i]);
        if (!ir_type_is_tensor(t) || !ir_type_has_static_shape(t) ||
            !host_dtype(t->element, &d->dtype))
            return refuse_type(func, what, i, t);
        d->rank = (int)t->count;
        d->dims = (const int64_t *)(void *)tw_arena_copy(&p->arena, t->dims,
                                                         t->count * sizeof *t->dims);
        int64_t n = ir_type_num_elements(t);
        if (n < 0 || n > INT64_MAX / 8)
            return tw_error(TW_RESOURCE, "no device has memory for a tensor of type %s",
                            ir_type_text(t->ctx, t));
        d->bytes = (size_t)n * tw_dtype_size(d->dtype);
    }
    return TW_SUCCESS;
}

static tw_status interrupted(void)
{
    return tw_error(TW_CANCELLED, "interrupted");
}

/* ---- compiling ---------------------------------------------------------------------- */

static ir_op *find_entry(ir_op *module, const char *name)
{
    ir_op *only = NULL;
    if (name)
        return ir_symbol_lookup(module, tw_str_from(name));
    ir_op *main = ir_symbol_lookup(module, TW_STR("main"));
    for (ir_op *op = ir_op_body(module, 0)->first; op && !main; op = op->next) {
        ir_attr visibility = ir_op_attr(op, "sym_visibility");
        if (op->def == FUNC_OP(func) &&
            !(visibility && tw_str_is(ir_attr_str(visibility), "private")))
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

/* The stages, in order, and the dump that each leaves.  The embedded device has every
 * element type of the program, and every cast of it counts: no type is exchanged for one
 * that hardware has, casts in a row stay, and nothing is replaced by something similar. */
static const struct stage {
    const char *pipeline, *dump;
} stages[] = {
    {"stablehlo-total-order-to-integers,stablehlo-to-ttir-pipeline{enable-aggressive-"
     "simplification=false}",
     "ttir_initial.mlir"},
    {"ttnn-resolve-composites,ttcore-optimization-barrier-fold,ttir-dequantize-computation,"
     "ttnn-ttir-passes{enable-"
     "element-type-normalization=false "
     "enable-exact-fusing=true "
     "canonicalize-disable-patterns=ttir.MergeTypecasts}",
     "ttir_optimized.mlir"},
    {"ttnn-lowering-passes{signed-integers=true}", "ttnn.mlir"},
};

static bool run_stage(ir_context *ctx, ir_op *module, const char *pipeline,
                      const volatile int *cancel)
{
    pass_manager *pm = pass_manager_create(
        ctx, &tw_passes, &(pass_config){.no_verify = true, .cancel = cancel});
    bool ok = pass_manager_add(pm, tw_str_from(pipeline)) && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}

/* Has the program's floats computed in the format that the caller names. */
static bool set_format(ir_op *module, const char *dtype)
{
    tw_strbuf pass = {0};
    if (!dtype)
        return true;
    tw_strbuf_printf(&pass, "ttir-global-data-format-conversion{target-format=%s}", dtype);
    bool ok = run_stage(module->ctx, module, tw_strbuf_text(&pass), NULL);
    tw_strbuf_free(&pass);
    return ok;
}

static tw_status dump_binary(const char *dir, ir_op *module, ir_diagnostic_log *c)
{
    void *data;
    size_t size;
    if (!dir)
        return TW_SUCCESS;
    bool ok = run_stage(module->ctx, module, "ttnn-decompose-layouts", NULL) &&
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
                             ir_op **out)
{
    if (!binary) {
        *out = ir_parse(p->ctx, text, c->name, NULL);
        /* what jax.export writes is VHLO */
        bool ok = *out && (!ir_is_bytecode(text) ||
                           run_stage(p->ctx, *out, "vhlo-legalize-to-stablehlo", NULL));
        ir_flush_diagnostics(p->ctx);
        return ok ? TW_SUCCESS : tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->text));
    }
    fb_ttnn file;
    tw_status status = fb_ttnn_open(text.data, text.size, &file);
    if (!status)
        status = fb_import_ttnn(p->ctx, &file, out);
    return status ? tw_annotate(status, "%s", c->name) : TW_SUCCESS;
}

/* Reads the text, and puts what is called where it is called.  `on_device`: the device runs
 * all of it. */
static tw_status open_program(tw_program *p, tw_str text, const tw_compile_options *o,
                              ir_diagnostic_log *c, bool on_device, bool *out_binary,
                              ir_op **out_entry)
{
    ir_op *module;
    fb_file_id kind = FB_FILE_COUNT;
    tw_status_free(fb_detect(text.data, text.size, &kind));
    bool binary = *out_binary = kind == FB_FILE_TTNN;
    TW_TRY(read_module(p, text, c, binary, &module));
    if (!binary && !run_stage(p->ctx, module,
                              "ttcore-unwrap-device-module,convert-tosa-to-ttir", NULL)) {
        ir_flush_diagnostics(p->ctx);
        return tw_error(c->unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                        tw_strbuf_text(&c->text));
    }
    ir_op *entry = *out_entry = find_entry(module, o->entry);
    if (!entry || entry->def != FUNC_OP(func) || !ir_op_body(entry, 0))
        return no_entry(module, o->entry ? o->entry : "main");
    transform_keep_reached(entry);
    /* the plan itself runs once what depends on constants only */
    bool inlined = transform_inline_cached(entry);
    ir_flush_diagnostics(p->ctx);
    if (!inlined)
        return tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->text));
    if (binary && o->dtype)
        return tw_error(TW_INVALID, "a binary's formats are settled: '%s' cannot be set",
                        o->dtype);
    if (!binary && on_device)
        TW_TRY(rt_refuse_wide(module));
    if (!binary)
        TW_TRY(rt_checks_take(entry, on_device, &p->arena, &p->checks, &p->n_checks));
    ir_type type = ir_op_attr(entry, "function_type")->type;
    p->n_inputs = type->count;
    p->n_outputs = type->results;
    TW_TRY(describe(p, entry, "argument", type->types, type->count, &p->inputs));
    return describe(p, entry, "result", ir_function_results(type), type->results,
                    &p->outputs);
}

static tw_status lower(tw_program *p, tw_str text, const tw_compile_options *o,
                       ir_diagnostic_log *c, ir_op **out_func)
{
    ir_op *entry;
    bool binary;
    TW_TRY(open_program(p, text, o, c, true, &binary, &entry));
    ir_op *module = ir_op_parent(entry);
    tw_str name = ir_symbol_name(entry);
    if (binary) { /* it has been through all stages */
        *out_func = entry;
        return dump(o->dump_dir, "ttnn.mlir", module);
    }
    if (o->host && !o->dtype && rt_host_takes(module) && rt_wants_64_bits(module))
        return tw_error(TW_UNSUPPORTED, "the program needs 64 bits");
    TW_TRY(dump(o->dump_dir, "stablehlo.mlir", module));
    for (size_t i = 0; i < TW_COUNT(stages); i++) {
        bool ok = run_stage(p->ctx, module, stages[i].pipeline, o->cancel) &&
                  (i > 0 || set_format(module, o->dtype));
        ir_flush_diagnostics(p->ctx);
        if (o->cancel && __atomic_load_n(o->cancel, __ATOMIC_RELAXED))
            return interrupted();
        if (stages[i].dump)
            TW_TRY(dump(o->dump_dir, stages[i].dump, module));
        if (!ok)
            return tw_error(c->unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                            tw_strbuf_text(&c->text));
    }
    TW_TRY(dump_binary(o->dump_dir, module, c));
    *out_func = ir_symbol_lookup(module, name);
    return *out_func ? TW_SUCCESS : tw_error(TW_INTERNAL, "the entry function disappeared");
}

/* The program as an earlier compilation left it; *out_func stays NULL where there is none.
 */
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

/* Keeps what lower made, before a plan takes it. */
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

/* lower, by way of the cache folder.  Who wants dumps wants the stages to be run; functions
 * that check themselves are run once. */
static tw_status lower_or_load(tw_program *p, tw_str text, const tw_compile_options *o,
                               ir_diagnostic_log *c, ir_op **out_func)
{
    tw_strbuf path = {0};
    tw_status status = TW_SUCCESS;
    *out_func = NULL;
    if (!o->cache_dir)
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

static void open_context(tw_program *p, ir_diagnostic_log *c)
{
    p->ctx = ir_context_create();
    ir_register_all(p->ctx);
    ir_context_set_sink(p->ctx, ir_diagnostic_log_sink(c));
}

static tw_status compile_for_host(tw_program *p, tw_str text, const tw_compile_options *o,
                                  ir_diagnostic_log *c)
{
    ir_op *entry;
    bool binary;
    TW_TRY(open_program(p, text, o, c, false, &binary, &entry));
    ir_op *module = ir_op_parent(entry);
    if (binary || !rt_host_takes(module))
        return tw_error(TW_UNSUPPORTED, "only what is in StableHLO can run there");
    p->cache_use = TW_CACHE_NONE;
    TW_TRY(dump(o->dump_dir, "stablehlo.mlir", module));
    TW_TRY(rt_host_create(entry, o, &p->host));
    return dump(o->dump_dir, "host.mlir", module);
}

/* Begins anew with a program that the device refused.  What the host refuses, too, is the
 * device's to report, with what the host said. */
static tw_status try_host(tw_program *p, tw_str text, const tw_compile_options *o,
                          ir_diagnostic_log *c, tw_status refused)
{
    ir_context_destroy(p->ctx);
    ir_diagnostic_log_clear(c);
    open_context(p, c);
    tw_status status = compile_for_host(p, text, o, c);
    bool same = strcmp(tw_status_message(status), tw_status_message(refused)) == 0;
    if (tw_status_code(status) == TW_UNSUPPORTED && !same) {
        tw_status both =
            tw_error(TW_UNSUPPORTED, "%s\n%s: on the host: %s", tw_status_message(refused),
                     c->name, tw_status_message(status));
        tw_status_free(status);
        status = both;
    }
    tw_status_free(refused);
    return status;
}

TW_EXPORT tw_status tw_program_compile(const char *text, size_t size,
                                       const tw_compile_options *options,
                                       tw_program **out_program)
{
    static const tw_compile_options defaults;
    const tw_compile_options *o = options ? options : &defaults;
    *out_program = NULL;
    tw_program *p = tw_xcalloc(1, sizeof *p);
    ir_diagnostic_log c = {.source = {text, size}, .name = o->name ? o->name : "<program>"};
    open_context(p, &c);
    ir_op *func = NULL;
    tw_status status = lower_or_load(p, c.source, o, &c, &func);
    if (status == TW_SUCCESS)
        status = rt_plan_create(func, o->dram_fallback, o->threads, &p->plan);
    if (o->host && tw_status_code(status) == TW_UNSUPPORTED)
        status = try_host(p, c.source, o, &c, status);
    ir_context_set_sink(p->ctx, (ir_diagnostic_sink){0});
    tw_strbuf_free(&c.text);
    if (status != TW_SUCCESS) {
        tw_program_destroy(p);
        return status;
    }
    p->constant = TW_ARENA_ARRAY(&p->arena, bool, p->n_inputs + 1);
    p->given = TW_ARENA_ARRAY(&p->arena, const void *, p->n_inputs + 1);
    *out_program = p;
    return TW_SUCCESS;
}

TW_EXPORT void tw_program_destroy(tw_program *p)
{
    if (!p)
        return;
    rt_plan_destroy(p->plan);
    rt_host_destroy(p->host);
    ir_context_destroy(p->ctx);
    tw_arena_free(&p->arena);
    free(p);
}

/* ---- asking ------------------------------------------------------------------------- */

TW_EXPORT size_t tw_program_input_count(const tw_program *p)
{
    return p->n_inputs;
}

TW_EXPORT size_t tw_program_output_count(const tw_program *p)
{
    return p->n_outputs;
}

TW_EXPORT const tw_tensor_desc *tw_program_input(const tw_program *p, size_t i)
{
    return i < p->n_inputs ? &p->inputs[i] : NULL;
}

TW_EXPORT const tw_tensor_desc *tw_program_output(const tw_program *p, size_t i)
{
    return i < p->n_outputs ? &p->outputs[i] : NULL;
}

TW_EXPORT tw_cache_use tw_program_cache_use(const tw_program *p)
{
    return p->cache_use;
}

TW_EXPORT size_t tw_program_check_count(const tw_program *p)
{
    return p->n_checks;
}

TW_EXPORT const tw_check *tw_program_check(const tw_program *p, size_t i)
{
    return i < p->n_checks ? &p->checks[i] : NULL;
}

TW_EXPORT size_t tw_program_host_op_count(const tw_program *p)
{
    return p->host ? rt_host_op_count(p->host) : 0;
}

TW_EXPORT const tw_host_op *tw_program_host_op(const tw_program *p, size_t i)
{
    return p->host ? rt_host_op(p->host, i) : NULL;
}

/* The program whose step is asked for: `p` or one of the parts that its host calls. */
static const tw_program *of_step(const tw_program *p, size_t *i)
{
    for (size_t k = 0; p->host && k < rt_host_segment_count(p->host); k++) {
        const tw_program *part = rt_host_segment(p->host, k);
        size_t n = part ? tw_program_step_count(part) : 0;
        if (*i < n)
            return part;
        *i -= n;
    }
    return p->host ? NULL : p;
}

TW_EXPORT size_t tw_program_step_count(const tw_program *p)
{
    size_t n = 0;
    if (!p->host)
        return p->plan->settled ? p->plan->n_active : p->plan->n_steps;
    for (size_t k = 0; k < rt_host_segment_count(p->host); k++)
        if (rt_host_segment(p->host, k))
            n += tw_program_step_count(rt_host_segment(p->host, k));
    return n;
}

TW_EXPORT const char *tw_program_step_name(const tw_program *p, size_t i)
{
    p = of_step(p, &i);
    const rt_plan *plan = p ? p->plan : NULL;
    if (plan && plan->settled)
        return i < plan->n_active ? plan->active[i].name : NULL;
    return plan && i < plan->n_steps ? plan->steps[i].name : NULL;
}

TW_EXPORT uint64_t tw_program_step_time(const tw_program *p, size_t i)
{
    p = of_step(p, &i);
    const rt_plan *plan = p ? p->plan : NULL;
    return plan && plan->settled && i < plan->n_active ? plan->active[i].nanoseconds : 0;
}

TW_EXPORT void tw_program_set_profiling(tw_program *p, bool on)
{
    if (p->plan)
        p->plan->profiling = on;
    for (size_t k = 0; p->host && k < rt_host_segment_count(p->host); k++)
        if (rt_host_segment(p->host, k))
            tw_program_set_profiling(rt_host_segment(p->host, k), on);
}

TW_EXPORT tw_memory_use tw_program_memory(const tw_program *p)
{
    if (p->host) /* its parts follow one another: none is the whole */
        return (tw_memory_use){0};
    const rt_bank *l1 = &p->plan->device.bank[RT_L1],
                  *dram = &p->plan->device.bank[RT_DRAM];
    return (tw_memory_use){.l1_banks = (size_t)l1->count,
                           .l1_bank_bytes = (size_t)l1->bytes,
                           .l1_bank_peak = (size_t)l1->peak,
                           .dram_banks = (size_t)dram->count,
                           .dram_bank_bytes = (size_t)dram->bytes,
                           .dram_bank_peak = (size_t)dram->peak,
                           .dram_fallbacks = p->plan->device.fallbacks,
                           .host_bytes = p->plan->memory_bytes};
}

/* ---- running ------------------------------------------------------------------------ */

/* The device's integers have 32 bits: what does not fit is an error, not another number. */
static tw_status check_range(const tw_program *p, size_t i, const void *data)
{
    const int64_t *x = data;
    bool is_signed = p->inputs[i].dtype == TW_I64;
    if ((!is_signed && p->inputs[i].dtype != TW_U64) ||
        tw_dtype_size(p->plan->inputs[i]->dtype) == sizeof(*x))
        return TW_SUCCESS;
    for (size_t k = 0; k < p->inputs[i].bytes / sizeof(*x); k++)
        if (is_signed ? x[k] != (int32_t)x[k] : (uint64_t)x[k] > UINT32_MAX)
            return tw_error(TW_UNSUPPORTED,
                            "input %zu: element %zu is %lld, which does not fit the "
                            "device's integers of 32 bits",
                            i, k, (long long)x[k]);
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_program_set_constant(tw_program *p, size_t i, const void *data)
{
    if (i >= p->n_inputs)
        return tw_error(TW_INVALID, "the program has %zu inputs; there is no number %zu",
                        p->n_inputs, i);
    if (p->host) {
        p->given[i] = tw_arena_copy(&p->arena, data, p->inputs[i].bytes);
        p->constant[i] = true;
        return TW_SUCCESS;
    }
    TW_TRY(check_range(p, i, data));
    rt_value *v = p->plan->inputs[i];
    rt_own_memory(v->buffer);
    rt_convert_into(p->inputs[i].dtype, data, v);
    v->buffer->constant = true;
    p->constant[i] = true;
    p->plan->settled = false;
    return TW_SUCCESS;
}

static void bind_input(tw_program *p, size_t i, const void *data)
{
    rt_value *v = p->plan->inputs[i];
    if (v->format == p->inputs[i].dtype && !v->buffer->written) {
        v->buffer->data = (void *)(uintptr_t)data;
        return;
    }
    rt_own_memory(v->buffer); /* also where steps write into an argument */
    rt_convert_into(p->inputs[i].dtype, data, v);
}

/* A result may be written straight into the caller's memory if its buffer is the plan's
 * own, changes in every run and serves one output only. */
static bool writes_through(const tw_program *p, size_t i)
{
    const rt_value *v = p->plan->outputs[i];
    if (v->buffer->external || v->buffer->constant || v->dtype != p->outputs[i].dtype)
        return false;
    for (size_t k = 0; k < p->n_outputs; k++)
        if (k != i && p->plan->outputs[k]->buffer == v->buffer)
            return false;
    return true;
}

TW_EXPORT void tw_program_set_cancel(tw_program *p, const volatile int *cancel)
{
    p->cancel = cancel;
    if (p->plan)
        tw_threadpool_set_cancel(p->plan->pool, cancel);
}

/* A host's program: the evaluator takes bytes as they are. */
static tw_status run_host(tw_program *p, const void *const *inputs, void *const *outputs)
{
    const void **in = tw_xmalloc((p->n_inputs + 1) * sizeof *in);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < p->n_inputs; i++) {
        in[i] = p->constant[i] ? p->given[i] : inputs[i];
        if (!in[i] && p->inputs[i].bytes && !status)
            status = tw_error(TW_INVALID,
                              "input %zu is NULL and has not been set as a constant", i);
    }
    if (!status)
        status = rt_host_run(p->host, in, outputs, p->cancel);
    free(in);
    return status;
}

TW_EXPORT tw_status tw_program_run(tw_program *p, const void *const *inputs,
                                   void *const *outputs)
{
    if (p->host)
        return run_host(p, inputs, outputs);
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (p->constant[i])
            continue;
        if (!inputs[i] && p->inputs[i].bytes)
            return tw_error(TW_INVALID,
                            "input %zu is NULL and has not been set as a constant", i);
        TW_TRY(check_range(p, i, inputs[i]));
        bind_input(p, i, inputs[i]);
    }
    if (!p->plan->settled)
        rt_plan_settle(p->plan);
    if (!p->plan->settled)
        return interrupted();
    for (size_t i = 0; i < p->n_outputs; i++)
        if (writes_through(p, i))
            p->plan->outputs[i]->buffer->data = outputs[i];
    rt_plan_run(p->plan);
    const bool whole = !tw_threadpool_cancelled(p->plan->pool);
    for (size_t i = 0; i < p->n_outputs; i++) {
        const rt_value *v = p->plan->outputs[i];
        if (rt_data(v) != outputs[i] && whole)
            rt_convert(v->dtype, rt_data(v), p->outputs[i].dtype, outputs[i],
                       (size_t)v->count);
        else if (rt_data(v) == outputs[i])
            v->buffer->data = v->buffer->home;
    }
    return whole ? TW_SUCCESS : interrupted();
}
