/* positions.c: source positions, and errors at them. */
#include "ir/text/text_impl.h"

#include <stdio.h>

ir_loc ir_loc_at(ir_parser *p, const char *at)
{
    if (at < p->line_start) { /* an earlier position: count again from the start */
        p->line_start = p->line_seen = p->begin;
        p->line = 1;
    }
    while (p->line_seen < at) {
        const char *newline = memchr(p->line_seen, '\n', (size_t)(at - p->line_seen));
        p->line_seen = newline ? newline + 1 : at;
        p->line_start = newline ? newline + 1 : p->line_start;
        p->line += newline != NULL;
    }
    if (!p->file)
        p->file = ir_ident_get(p->ctx, (tw_str){p->begin, (size_t)(p->end - p->begin)});
    return ir_loc_file(p->ctx, p->file, p->line, (uint32_t)(at - p->line_start) + 1);
}

bool ir_fail(ir_parser *p, const char *at, const char *format, ...)
{
    if (!p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        ir_report(p->ctx, IR_ERROR, ir_loc_at(p, at), NULL, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

/* Errors about a missing token point after the previous token, before blanks, line ends and
 * comments, as MLIR's do. */
static const char *after_last_token(const ir_parser *p)
{
    const char *begin = p->begin, *c = p->tok.at;
    if (p->tok.kind == IR_TOK_EOF && c > begin)
        c--;
    const char *original = c;
    for (;;) {
        while (c > begin && (c[-1] == ' ' || c[-1] == '\t'))
            c--;
        if (c == begin)
            return original;
        if (c[-1] != '\n' && c[-1] != '\r')
            return c;
        c--;
        const char *line = c;
        while (line > begin && line[-1] != '\n' && line[-1] != '\r')
            line--;
        for (const char *slash = line; slash + 1 < c; slash++)
            if (slash[0] == '/' && slash[1] == '/')
                c = slash;
    }
}

bool ir_fail_here(ir_parser *p, const char *format, ...)
{
    if (!p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        bool missing = strncmp(format, "expected", 8) == 0;
        ir_report(p->ctx, IR_ERROR, ir_loc_at(p, missing ? after_last_token(p) : p->tok.at),
                  NULL, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

/* In the reader of a custom form, whose messages say so. */
static void fail_own(ir_parser *p, bool report, const char *at, const char *format,
                     va_list args)
{
    if (report && !p->quiet) {
        const ir_op_def *before = ir_context_set_custom_op(p->ctx, p->custom_op);
        ir_report(p->ctx, IR_ERROR, ir_loc_at(p, at), NULL, format, args);
        ir_context_set_custom_op(p->ctx, before);
    }
    p->failed = true;
}

bool ir_fail_own(ir_parser *p, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_own(p, !p->failed, at, format, args);
    va_end(args);
    return false;
}

bool ir_fail_also(ir_parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_own(p, p->failed, p->tok.at, format, args);
    va_end(args);
    return false;
}

bool ir_fail_also_at(ir_parser *p, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_own(p, p->failed, at, format, args);
    va_end(args);
    return false;
}
