/* diagnostic.c: collects a diagnostic with its notes and passes it to the sink. */
#include "ir/context_impl.h"
#include "ir/op.h"
#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>

ir_diagnostic_sink ir_context_set_sink(ir_context *ctx, ir_diagnostic_sink sink)
{
    ir_flush_diagnostics(ctx);
    ir_diagnostic_sink old = ctx->sink;
    ctx->sink = sink;
    return old;
}

const ir_op_def *ir_context_set_custom_op(ir_context *ctx, const ir_op_def *op)
{
    const ir_op_def *old = ctx->custom_op;
    ctx->custom_op = op;
    return old;
}

size_t ir_context_error_count(const ir_context *ctx)
{
    return ctx->errors;
}

size_t ir_context_parse_count(const ir_context *ctx)
{
    return ctx->parses;
}

void ir_flush_diagnostics(ir_context *ctx)
{
    if (!ctx->has_pending)
        return;
    ctx->has_pending = false;
    ctx->pending.notes = ctx->notes;
    ctx->pending.n_notes = ctx->n_notes;
    ctx->telling = true;
    if (ctx->sink.handle)
        ctx->sink.handle(ctx->sink.user, ctx, &ctx->pending);
    ctx->telling = false;
    ctx->n_notes = 0;
    tw_arena_reset(&ctx->messages);
}

static char *format_message(ir_context *ctx, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = tw_arena_alloc(&ctx->messages, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, args);
    return text;
}

bool ir_report(ir_context *ctx, ir_severity severity, ir_loc loc, ir_op *op,
               const char *format, va_list args)
{
    /* Errors caused by the sink itself are counted, but not reported, to prevent
     * recursion. */
    if (ctx->telling) {
        ctx->errors += severity == IR_ERROR;
        return false;
    }
    /* Format first: arguments may be texts that live until the flush. */
    char *text = format_message(ctx, format, args);
    if (severity == IR_ERROR && ctx->custom_op)
        text = tw_arena_printf(&ctx->messages, "custom op '%s' %s", ctx->custom_op->name,
                               text);
    if (severity == IR_NOTE && ctx->has_pending) {
        ir_diagnostic note = {.severity = IR_NOTE, .loc = loc, .text = text, .op = op};
        TW_PUSH(ctx->notes, ctx->n_notes, ctx->notes_capacity, note);
        return false;
    }
    if (ctx->has_pending) {
        char *kept = tw_xstrdup(text);
        ir_flush_diagnostics(ctx);
        text = tw_arena_copy(&ctx->messages, kept, strlen(kept));
        free(kept);
    }
    ctx->pending = (ir_diagnostic){.severity = severity,
                                   .loc = loc,
                                   .text = text,
                                   .op = op,
                                   .rule = op ? op->def->name : NULL};
    ctx->has_pending = true;
    if (severity == IR_ERROR)
        ctx->errors++;
    return false;
}

#define REPORTER(name, severity)                                                           \
    bool name(ir_context *ctx, ir_loc loc, const char *format, ...)                        \
    {                                                                                      \
        va_list args;                                                                      \
        va_start(args, format);                                                            \
        ir_report(ctx, severity, loc, NULL, format, args);                                 \
        va_end(args);                                                                      \
        return false;                                                                      \
    }
REPORTER(ir_error, IR_ERROR)
REPORTER(ir_warning, IR_WARNING)
REPORTER(ir_remark, IR_REMARK)
REPORTER(ir_note, IR_NOTE)

void ir_help(ir_context *ctx, const char *format, ...)
{
    va_list args;
    if (!ctx->has_pending)
        return;
    va_start(args, format);
    ctx->pending.help = format_message(ctx, format, args);
    va_end(args);
}

bool ir_rule(ir_context *ctx, const char *rule)
{
    if (ctx->has_pending)
        ctx->pending.rule = rule;
    return false;
}

bool ir_unlowered(ir_context *ctx)
{
    if (ctx->has_pending)
        ctx->pending.unlowered = true;
    return false;
}

bool ir_error_unlowered(ir_context *ctx, ir_loc loc, const char *name, const char *why)
{
    ir_error(ctx, loc,
             "failed to legalize operation '%s' that was explicitly marked illegal%s%s",
             name, why ? ": " : "", why ? why : "");
    return ir_unlowered(ctx);
}

void ir_help_nearest(ir_context *ctx, tw_nearest nearest)
{
    if (nearest.best)
        ir_help(ctx, "did you mean '%s'?", nearest.best);
}

void ir_help_op_name(ir_context *ctx, tw_str name)
{
    const char *dot = name.data ? memchr(name.data, '.', name.size) : NULL;
    tw_str prefix = {name.data, dot ? (size_t)(dot - name.data) : 0};
    const ir_dialect *dialect = ir_context_dialect(ctx, prefix);
    tw_nearest n = tw_nearest_to(dialect ? (tw_str){dot, name.size - prefix.size} : prefix);
    for (size_t i = 0; !dialect && i < ir_context_dialect_count(ctx); i++)
        tw_nearest_try(&n, prefix, ir_context_dialect_at(ctx, i)->name);
    if (!dialect && n.best)
        ir_help(ctx, "no dialect is called '%.*s'; did you mean '%s'?", (int)prefix.size,
                prefix.data, n.best);
    for (uint32_t i = 0; dialect && i < dialect->ops.count; i++)
        tw_nearest_try(&n, name, dialect->ops.at[i].name);
    if (dialect)
        ir_help_nearest(ctx, n);
}

void ir_context_note_operations(ir_context *ctx, bool on)
{
    ctx->note_ops = on;
}

/* Prints the operation now: it may be erased when the diagnostic is shown. */
static void note_op(ir_op *op)
{
    tw_strbuf text = {0};
    op->ctx->noting = true; /* printing must not report recursively */
    ir_print_op_in_message(op, &text);
    op->ctx->noting = false;
    while (text.size && text.data[text.size - 1] == '\n')
        text.size--;
    ir_note(op->ctx, op->loc, "see current operation: %s%.*s",
            text.size && memchr(text.data, '\n', text.size) ? "\n" : "", (int)text.size,
            text.data);
    tw_strbuf_free(&text);
}

static void report_at(ir_op *op, ir_severity severity, const char *format, va_list args)
{
    ir_report(op->ctx, severity, op->loc, op, format, args);
    if (op->ctx->note_ops && !op->ctx->noting)
        note_op(op);
}

static void report_op(ir_op *op, ir_severity severity, const char *format, va_list args)
{
    report_at(op, severity,
              tw_arena_printf(&op->ctx->messages, "'%s' op %s", op->def->name, format),
              args);
}

#define OP_REPORTER(name, report, severity)                                                \
    bool name(ir_op *op, const char *format, ...)                                          \
    {                                                                                      \
        va_list args;                                                                      \
        va_start(args, format);                                                            \
        report(op, severity, format, args);                                                \
        va_end(args);                                                                      \
        return false;                                                                      \
    }
OP_REPORTER(ir_op_error, report_op, IR_ERROR)
OP_REPORTER(ir_op_warning, report_op, IR_WARNING)
OP_REPORTER(ir_error_at_op, report_at, IR_ERROR)

const char *ir_type_text(ir_context *ctx, ir_type type)
{
    tw_strbuf text = {0};
    if (type)
        ir_print_type(type, &text);
    else
        tw_strbuf_puts(&text, "<<NULL TYPE>>");
    const char *copy = tw_arena_copy(&ctx->messages, text.data, text.size);
    tw_strbuf_free(&text);
    return copy;
}

const char *ir_attr_text(ir_context *ctx, ir_attr attr)
{
    tw_strbuf text = {0};
    if (attr)
        ir_print_attr(attr, &text);
    else
        tw_strbuf_puts(&text, "<<NULL ATTRIBUTE>>");
    const char *copy = tw_arena_copy(&ctx->messages, text.data, text.size);
    tw_strbuf_free(&text);
    return copy;
}
