/* lower.c: a program's module through the stages to TTNN, and the folder that keeps it. */
#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/func/func.h"
#include "pipelines/registry.h"
#include "pipelines/stages.h"
#include "runtime/cache.h"
#include "runtime/compilation.h"
#include "support/file.h"
#include "ttnn/layout.h"
#include "ttnn/to_flatbuffer/emit.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

tw_status rt_dump(const char *dir, const char *name, ir_op *module)
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

bool rt_run_passes(ir_op *module, const char *pipeline, const volatile int *cancel)
{
    return tw_run_passes(module, pipeline,
                         &(pass_config){.no_verify = true, .cancel = cancel});
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

typedef struct leftover {
    bool generic; /* kernels of its own */
    bool found;   /* something that a stage would replace */
} leftover;

static bool has_layout(const ir_value *v)
{
    ttnn_layout l;
    return v->type->kind != IR_TYPE_TENSOR || ttnn_layout_of(v->type, &l);
}

static ir_walk look_for_leftovers(ir_op *op, void *user)
{
    leftover *left = user;
    left->generic |= op->def == TTNN_OP(generic);
    if (op->def == FUNC_OP(func))
        return IR_WALK_ON;
    left->found |= op->def != FUNC_OP(return ) && !rt_takes(op->def);
    for (uint32_t i = 0; i < op->n_operands; i++)
        left->found |= !has_layout(op->operands[i].value);
    for (uint32_t i = 0; i < op->n_results; i++)
        left->found |= !has_layout(&op->results[i]);
    return IR_WALK_ON;
}

bool rt_is_lowered(const rt_compilation *c)
{
    const tw_compile_options *o = c->options;
    leftover left = {0};
    if (c->binary)
        return true;
    ir_walk_pre(c->entry, look_for_leftovers, &left);
    if (left.generic)
        return true;
    const bool asks = o->dtype || (o->pipeline_options && *o->pipeline_options);
    return !left.found && !asks && ttnn_device_of(c->module);
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

tw_status rt_check_options(const rt_compilation *c, bool lowered)
{
    const char *given = c->options->pipeline_options;
    const tw_str unknown = tw_unknown_option(given);
    if (unknown.size)
        return tw_error(TW_INVALID,
                        "pipeline option '%.*s': neither %s nor %s nor %s has it",
                        (int)unknown.size, unknown.data, tw_stages[0].pipeline,
                        tw_stages[1].pipeline, tw_stages[2].pipeline);
    if (given && *given && lowered)
        ir_warning(c->module->ctx, c->entry->loc,
                   "pipeline options have no effect: the program is lowered to TTNN");
    return TW_SUCCESS;
}

tw_status rt_lower(rt_compilation *c, ir_op **out_func)
{
    const tw_compile_options *o = c->options;
    ir_op *module = c->module;
    tw_str name = ir_symbol_name(c->entry);
    if (rt_is_lowered(c)) { /* it has been through all stages */
        *out_func = c->entry;
        c->program->n_narrowed = narrowed(c->program, module);
        TW_TRY(rt_dump(o->dump_dir, "ttnn.mlir", module));
        return c->binary ? TW_SUCCESS : dump_binary(o->dump_dir, module, &c->log);
    }
    for (size_t i = 0; i < TW_STAGES; i++) {
        tw_strbuf text = {0};
        tw_stage_text(&tw_stages[i], o->as_written, o->pipeline_options, &text);
        bool ok = tw_run_passes(module, tw_strbuf_text(&text),
                                &(pass_config){.no_verify = true,
                                               .cancel = o->cancel,
                                               .progress = o->progress,
                                               .stage = i,
                                               .stages = TW_STAGES}) &&
                  (i > 0 || set_format(module, o->dtype));
        tw_strbuf_free(&text);
        ir_flush_diagnostics(module->ctx);
        if (tw_is_cancelled(o->cancel))
            return rt_interrupted();
        if (!ok) /* a module that failed halfway must not run */
            return rt_reported(c);
        TW_TRY(rt_dump(o->dump_dir, tw_stages[i].dump, module));
    }
    TW_TRY(dump_binary(o->dump_dir, module, &c->log));
    *out_func = ir_symbol_lookup(module, name);
    return *out_func ? TW_SUCCESS : tw_error(TW_INTERNAL, "the entry function disappeared");
}

/* ---- the cache folder ---------------------------------------------------------------- */

/* The folder holds programs of the device only, in 32 bits; passes that are observed have
 * to run. */
bool rt_uses_cache(const rt_compilation *c)
{
    const tw_compile_options *o = c->options;
    return o->cache_dir && !o->host && !o->as_written && !o->pipeline_options &&
           !ir_context_watch(c->program->ctx);
}

/* A module that was not text is known by what it prints. */
void rt_cache_name(const rt_compilation *c, tw_strbuf *out)
{
    const tw_compile_options *o = c->options;
    tw_strbuf text = {0};
    if (c->module)
        ir_print_op(c->module,
                    &(ir_print_options){.debug_info = true, .assume_verified = true},
                    &text);
    rt_cache_path(o->cache_dir,
                  c->module ? (tw_str){text.data, text.size} : c->log.quotes.text, o->entry,
                  o->dtype, out);
    tw_strbuf_free(&text);
}

tw_status rt_load_cached(tw_program *p, const char *path, ir_op **out_func)
{
    rt_cached found;
    *out_func = NULL;
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

void rt_keep_cached(tw_program *p, const char *dir, const char *path, ir_op *func)
{
    tw_strbuf text = {0};
    ir_op *module = ir_op_parent(func);
    if (p->n_checks) { /* it is run once */
        p->cache_use = TW_CACHE_NONE;
        return;
    }
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
