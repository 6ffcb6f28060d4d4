/* watch.c: see watch.h. */
#include "ir/watch.h"

#include "ir/context_impl.h"

void ir_context_set_watch(ir_context *ctx, ir_watch *watch)
{
    ctx->watch = watch;
}

ir_watch *ir_context_watch(const ir_context *ctx)
{
    return ctx->watch;
}

void ir_watch_before_pass(ir_context *ctx, const char *pass, ir_op *op)
{
    for (ir_watch *w = ctx->watch; w; w = w->next)
        if (w->before_pass)
            w->before_pass(w, pass, op);
}

bool ir_watch_after_pass(ir_context *ctx, const char *pass, ir_op *op)
{
    bool ok = true;
    for (ir_watch *w = ctx->watch; w; w = w->next)
        if (w->after_pass)
            ok &= w->after_pass(w, pass, op);
    return ok;
}

void ir_watch_rewrote(ir_context *ctx, void (*rule)(void), const char *op, ir_loc loc)
{
    for (ir_watch *w = ctx->watch; w; w = w->next)
        if (w->rewrote)
            w->rewrote(w, rule, op, loc);
}
