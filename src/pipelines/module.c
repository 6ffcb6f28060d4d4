/* module.c: modules in memory, and passes over a module given as text. */
#include "pipelines/module.h"
#include "support/guard.h"

#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "support/base.h"
#include "support/status.h"
#include "support/strbuf.h"

#include <stdlib.h>

static const tw_transform_options defaults;

/* ---- a call on a module -------------------------------------------------------------- */

typedef struct call {
    tw_module *module;
    const tw_transform_options *options;
    ir_diagnostic_log log;
    ir_diagnostic_sink outer;
} call;

static call begin(tw_module *module, const tw_transform_options *options, tw_str text)
{
    call c = {.module = module, .options = options ? options : &defaults};
    const char *name = c.options->name;
    c.log.quotes = (ir_quotes){.text = text, .name = name ? name : "<program>"};
    return c;
}

static void listen(call *c)
{
    c->outer = ir_context_set_sink(c->module->ctx, ir_diagnostic_log_sink(&c->log));
}

static tw_status finish(call *c, bool ok)
{
    const volatile int *cancel = c->options->cancel;
    ir_flush_diagnostics(c->module->ctx);
    ir_context_set_sink(c->module->ctx, c->outer);
    tw_status status =
        ok ? TW_SUCCESS
        : cancel && *cancel
            ? tw_error(TW_CANCELLED, "interrupted")
            : tw_classify(tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->log.text)),
                          c->log.rule);
    tw_strbuf_free(&c->log.text);
    return status;
}

static bool read_text(call *c)
{
    tw_module *m = c->module;
    m->op = ir_parse(m->ctx, c->log.quotes.text, c->log.quotes.name, NULL);
    m->verified = m->op != NULL;
    return m->verified;
}

static void dump(void *user, tw_str text)
{
    const call *c = user;
    c->options->dump(c->options->user, text.data, text.size);
}

static bool run(call *c)
{
    tw_module *m = c->module;
    const tw_transform_options *o = c->options;
    if (!m->verified && !(m->passed && o->unverified) && !ir_verify(m->op))
        return false;
    m->verified = true;
    if (!o->pipeline)
        return true;
    m->passed = true;
    m->verified = !o->unverified;
    pass_config config = {.no_verify = o->unverified,
                          .print_after_all = o->dump != NULL,
                          .print = {.debug_info = o->locations, .generic = o->generic},
                          .write = o->dump ? dump : NULL,
                          .user = c,
                          .cancel = o->cancel};
    pass_manager *pm = pass_manager_create(m->ctx, &tw_passes, &config);
    ir_context_set_watch(m->ctx, o->watch);
    bool ok = pass_manager_add(pm, tw_str_from(o->pipeline)) && pass_manager_run(pm, m->op);
    ir_context_set_watch(m->ctx, NULL);
    pass_manager_destroy(pm);
    return ok;
}

static bool write(const call *c, tw_strbuf *out)
{
    if (c->options->kernels_cpp)
        return cpp_emit_kernels(c->module->op, out);
    ir_print_options print = {.debug_info = c->options->locations,
                              .generic = c->options->generic};
    ir_print_op(c->module->op, &print, out);
    return true;
}

/* Hands the text over, or frees it after a failure. */
static tw_status hand_over(tw_status status, tw_strbuf *out, char **out_text,
                           size_t *out_size)
{
    if (status) {
        tw_strbuf_free(out);
        return status;
    }
    tw_strbuf_text(out); /* NUL-terminated, for callers that print it */
    *out_text = out->data;
    *out_size = out->size;
    return TW_SUCCESS;
}

/* ---- modules ------------------------------------------------------------------------- */

static void open_context(tw_module *m)
{
    m->ctx = ir_context_create();
    ir_register_all(m->ctx);
}

tw_module *tw_module_create(void)
{
    tw_module *m = tw_xcalloc(1, sizeof *m);
    open_context(m);
    m->op = ir_module_create(m->ctx, (ir_loc){0});
    return m;
}

ir_op *tw_module_take(tw_module *module, ir_context **out_ctx)
{
    ir_op *op = module->op;
    *out_ctx = module->ctx;
    free(module);
    return op;
}

TW_EXPORT void tw_module_destroy(tw_module *module)
{
    if (!module)
        return;
    ir_context_destroy(module->ctx);
    free(module);
}

TW_UNDER_GUARD guarded_module_read(const char *text, size_t size, const char *name,
                                   tw_module **out_module)
{
    const tw_transform_options o = {.name = name};
    tw_module *m = tw_xcalloc(1, sizeof *m);
    open_context(m);
    call c = begin(m, &o, (tw_str){text, size});
    listen(&c);
    tw_status status = finish(&c, read_text(&c));
    if (status)
        tw_module_destroy(m);
    else
        *out_module = m;
    return status;
}

TW_EXPORT tw_status tw_module_read(const char *text, size_t size, const char *name,
                                   tw_module **out_module)
{
    TW_RETURN_GUARDED(guarded_module_read(text, size, name, out_module));
}

TW_UNDER_GUARD guarded_module_transform(tw_module *module,
                                        const tw_transform_options *options)
{
    call c = begin(module, options, (tw_str){0});
    listen(&c);
    return finish(&c, run(&c));
}

TW_EXPORT tw_status tw_module_transform(tw_module *module,
                                        const tw_transform_options *options)
{
    TW_RETURN_GUARDED(guarded_module_transform(module, options));
}

TW_UNDER_GUARD guarded_module_print(tw_module *module, const tw_transform_options *options,
                                    char **out_text, size_t *out_size)
{
    tw_strbuf out = {0};
    call c = begin(module, options, (tw_str){0});
    listen(&c);
    return hand_over(finish(&c, write(&c, &out)), &out, out_text, out_size);
}

TW_EXPORT tw_status tw_module_print(tw_module *module, const tw_transform_options *options,
                                    char **out_text, size_t *out_size)
{
    TW_RETURN_GUARDED(guarded_module_print(module, options, out_text, out_size));
}

TW_UNDER_GUARD guarded_module_emit(tw_module *module, const tw_transform_options *options,
                                   char **out_text, size_t *out_size)
{
    tw_strbuf out = {0};
    tw_module copy = *module;
    ir_mapping *map = ir_mapping_create();
    copy.op = ir_op_clone(module->op, map);
    ir_mapping_free(map);
    call c = begin(&copy, options, (tw_str){0});
    listen(&c);
    tw_status status = finish(&c, run(&c) && write(&c, &out));
    ir_op_erase(copy.op);
    return hand_over(status, &out, out_text, out_size);
}

TW_EXPORT tw_status tw_module_emit(tw_module *module, const tw_transform_options *options,
                                   char **out_text, size_t *out_size)
{
    TW_RETURN_GUARDED(guarded_module_emit(module, options, out_text, out_size));
}

TW_EXPORT size_t tw_module_parse_count(const tw_module *module)
{
    return ir_context_parse_count(module->ctx);
}

/* ---- text ---------------------------------------------------------------------------- */

TW_UNDER_GUARD guarded_transform(const char *text, size_t size,
                                 const tw_transform_options *options, char **out_text,
                                 size_t *out_size)
{
    tw_module m = {0};
    tw_strbuf out = {0};
    open_context(&m);
    call c = begin(&m, options, (tw_str){text, size});
    listen(&c);
    tw_status status = finish(&c, read_text(&c) && run(&c) && write(&c, &out));
    ir_context_destroy(m.ctx);
    return hand_over(status, &out, out_text, out_size);
}

TW_EXPORT tw_status tw_transform(const char *text, size_t size,
                                 const tw_transform_options *options, char **out_text,
                                 size_t *out_size)
{
    TW_RETURN_GUARDED(guarded_transform(text, size, options, out_text, out_size));
}
