/* transform.c: runs passes over a module given as text. */
#include "tilewright/transform.h"
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

typedef struct transform {
    const tw_transform_options *options;
    ir_diagnostic_log log;
} transform;

static void dump(void *user, tw_str text)
{
    const transform *t = user;
    t->options->dump(t->options->user, text.data, text.size);
}

static bool run(transform *t, ir_context *ctx, ir_op *module)
{
    const tw_transform_options *o = t->options;
    if (!o->pipeline)
        return true;
    pass_config config = {.print_after_all = o->dump != NULL,
                          .print = {.debug_info = o->locations, .generic = o->generic},
                          .write = o->dump ? dump : NULL,
                          .user = t,
                          .cancel = o->cancel};
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &config);
    bool ok =
        pass_manager_add(pm, tw_str_from(o->pipeline)) && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}

static bool write(const transform *t, ir_op *module, tw_strbuf *out)
{
    if (t->options->kernels_cpp)
        return cpp_emit_kernels(module, out);
    ir_print_options print = {.debug_info = t->options->locations,
                              .generic = t->options->generic};
    ir_print_op(module, &print, out);
    return true;
}

TW_UNDER_GUARD guarded_transform(const char *text, size_t size,
                                 const tw_transform_options *options, char **out_text,
                                 size_t *out_size)
{
    static const tw_transform_options defaults;
    transform t = {.options = options ? options : &defaults,
                   .log.quotes.text = {text, size}};
    t.log.quotes.name = t.options->name ? t.options->name : "<program>";
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, ir_diagnostic_log_sink(&t.log));
    ir_op *module = ir_parse(ctx, t.log.quotes.text, t.log.quotes.name, NULL);
    tw_strbuf out = {0};
    ir_context_set_watch(ctx, t.options->watch);
    bool ok = module && run(&t, ctx, module) && write(&t, module, &out);
    ir_flush_diagnostics(ctx);
    tw_status status = TW_SUCCESS;
    if (ok) {
        tw_strbuf_text(&out); /* NUL-terminated, for callers that print it */
        *out_text = out.data;
        *out_size = out.size;
    } else {
        const volatile int *cancel = t.options->cancel;
        status = cancel && *cancel
                     ? tw_error(TW_CANCELLED, "interrupted")
                     : tw_error(TW_INVALID, "%s", tw_strbuf_text(&t.log.text));
        tw_strbuf_free(&out);
    }
    tw_strbuf_free(&t.log.text);
    ir_context_destroy(ctx);
    return status;
}

TW_EXPORT tw_status tw_transform(const char *text, size_t size,
                                 const tw_transform_options *options, char **out_text,
                                 size_t *out_size)
{
    TW_RETURN_GUARDED(guarded_transform(text, size, options, out_text, out_size));
}
