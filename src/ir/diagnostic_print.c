/* diagnostic_print.c: see diagnostic_print.h. */
#include "ir/diagnostic_print.h"

#include "ir/text.h"

static const char *const words[] = {"error", "warning", "remark", "note"};
static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;34m",
                                     "\033[1;36m"};

/* The text of a 1-based line, without its newline. */
static tw_str line_of(tw_str source, uint32_t line)
{
    const char *c = source.data, *end = c + source.size;
    while (c && line > 1) {
        c = memchr(c, '\n', (size_t)(end - c));
        c = c ? c + 1 : NULL;
        line--;
    }
    if (!c || c > end || line == 0)
        return (tw_str){0};
    const char *stop = memchr(c, '\n', (size_t)(end - c));
    return (tw_str){c, (size_t)((stop ? stop : end) - c)};
}

static void print_one(ir_context *ctx, const ir_diagnostic *d, tw_str source,
                      const char *name, bool color, bool with_source, tw_strbuf *out)
{
    ir_ident file;
    uint32_t line, column;
    bool placed = ir_loc_position(ctx, d->loc, &file, &line, &column);
    if (color)
        tw_strbuf_puts(out, "\033[1m");
    if (placed)
        tw_strbuf_printf(out, "%s:%u:%u: ", file->text, line, column);
    else if (d->loc.bits) {
        ir_print_loc(ctx, d->loc, out);
        tw_strbuf_puts(out, ": ");
    } else
        tw_strbuf_puts(out, "<unknown>:0: ");
    tw_strbuf_printf(out, "%s%s: %s%s%s\n", color ? colors[d->severity] : "",
                     words[d->severity], color ? "\033[0;1m" : "", d->text,
                     color ? "\033[0m" : "");
    tw_str text = with_source && placed && name && strcmp(file->text, name) == 0
                      ? line_of(source, line)
                      : (tw_str){0};
    if (!text.data || column == 0 || column > text.size + 1)
        return;
    tw_strbuf_str(out, text);
    tw_strbuf_putc(out, '\n');
    for (uint32_t i = 1; i < column; i++)
        tw_strbuf_putc(out, text.data[i - 1] == '\t' ? '\t' : ' ');
    tw_strbuf_puts(out, color ? "\033[1;32m^\033[0m\n" : "^\n");
}

void ir_diagnostic_print(ir_context *ctx, const ir_diagnostic *d, tw_str source,
                         const char *name, bool color, tw_strbuf *out)
{
    print_one(ctx, d, source, name, color, true, out);
    ir_loc loc = d->loc;
    for (size_t i = 0; i < d->n_notes; i++) {
        /* the line is shown once for notes at the same place */
        print_one(ctx, &d->notes[i], source, name, color,
                  !ir_loc_equal(loc, d->notes[i].loc), out);
        loc = d->notes[i].loc;
    }
    if (d->help)
        tw_strbuf_printf(out, "%shelp:%s %s\n", color ? "\033[1;32m" : "",
                         color ? "\033[0m" : "", d->help);
}

static void collect(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    ir_diagnostic_log *log = user;
    if (d->severity == IR_ERROR && strncmp(d->text, "failed to legalize", 18) == 0)
        log->unsupported = true;
    ir_diagnostic_print(ctx, d, log->source, log->name, false, &log->text);
}

ir_diagnostic_sink ir_diagnostic_log_sink(ir_diagnostic_log *log)
{
    return (ir_diagnostic_sink){collect, log};
}

void ir_diagnostic_log_clear(ir_diagnostic_log *log)
{
    log->text.size = 0;
    if (log->text.data)
        log->text.data[0] = 0;
}
