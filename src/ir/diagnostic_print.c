/* diagnostic_print.c: see diagnostic_print.h. */
#include "ir/diagnostic_print.h"

#include "ir/text.h"
#include "support/arena.h"
#include "support/file.h"

#include <stdlib.h>
#include <sys/stat.h>

static const char *const words[] = {"error", "warning", "remark", "note"};
static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;34m",
                                     "\033[1;36m"};

tw_str ir_source_line(tw_str source, uint32_t line)
{
    if (!source.data || line == 0)
        return (tw_str){0};
    const char *c = source.data, *end = c + source.size;
    while (c && line > 1) {
        c = memchr(c, '\n', (size_t)(end - c));
        c = c ? c + 1 : NULL;
        line--;
    }
    if (!c || c > end)
        return (tw_str){0};
    const char *stop = memchr(c, '\n', (size_t)(end - c));
    return (tw_str){c, (size_t)((stop ? stop : end) - c)};
}

/* Special files that may block readers count as empty. */
void ir_source_read(const char *file, tw_strbuf *out)
{
    enum { CAPACITY = 1 << 23 };
    struct stat s;
    if (stat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size && s.st_size <= CAPACITY)
        tw_status_free(tw_file_read(file, out));
}

/* A file's text: the known one, else read from disk (into `room`), as MLIR does. */
static tw_str text_of(const ir_quotes *quotes, const char *file, tw_strbuf *room)
{
    if (quotes->name && strcmp(file, quotes->name) == 0)
        return quotes->text;
    tw_str found = quotes->find ? quotes->find(quotes->user, file) : (tw_str){0};
    if (found.data)
        return found;
    ir_source_read(file, room);
    return (tw_str){room->data, room->size};
}

/* The line, and a caret below the column. */
static void quote(tw_str source, uint32_t line, uint32_t column, bool color, tw_strbuf *out)
{
    tw_str text = ir_source_line(source, line);
    if (!text.data || column == 0 || column > text.size + 1)
        return;
    tw_strbuf_str(out, text);
    tw_strbuf_putc(out, '\n');
    for (uint32_t i = 1; i < column; i++)
        tw_strbuf_putc(out, text.data[i - 1] == '\t' ? '\t' : ' ');
    tw_strbuf_puts(out, color ? "\033[1;32m^\033[0m\n" : "^\n");
}

static void print_one(ir_context *ctx, const ir_diagnostic *d, const ir_quotes *quotes,
                      bool color, bool with_source, tw_strbuf *out)
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
    if (with_source && placed) {
        tw_strbuf room = {0};
        quote(text_of(quotes, file->text, &room), line, column, color, out);
        tw_strbuf_free(&room);
    }
}

void ir_diagnostic_print(ir_context *ctx, const ir_diagnostic *d, const ir_quotes *quotes,
                         bool color, tw_strbuf *out)
{
    print_one(ctx, d, quotes, color, true, out);
    ir_loc loc = d->loc;
    for (size_t i = 0; i < d->n_notes; i++) {
        /* the line is shown once for notes at the same location */
        print_one(ctx, &d->notes[i], quotes, color, !ir_loc_equal(loc, d->notes[i].loc),
                  out);
        loc = d->notes[i].loc;
    }
    if (d->help)
        tw_strbuf_printf(out, "%shelp:%s %s\n", color ? "\033[1;32m" : "",
                         color ? "\033[0m" : "", d->help);
}

static tw_location location(ir_context *ctx, ir_loc loc)
{
    ir_ident file;
    uint32_t line, column;
    if (!ir_loc_position(ctx, loc, &file, &line, &column))
        return (tw_location){0};
    return (tw_location){file->text, line, column};
}

void ir_diagnostic_record(ir_context *ctx, const ir_diagnostic *d, tw_diagnostics *list)
{
    tw_diagnostic_note *notes = tw_xmalloc((d->n_notes + 1) * sizeof *notes);
    for (size_t i = 0; i < d->n_notes; i++)
        notes[i] = (tw_diagnostic_note){location(ctx, d->notes[i].loc), d->notes[i].text};
    tw_diagnostics_add(
        list, &(tw_diagnostic){.severity = d->severity == IR_ERROR     ? TW_SEVERITY_ERROR
                                           : d->severity == IR_WARNING ? TW_SEVERITY_WARNING
                                                                       : TW_SEVERITY_REMARK,
                               .rule = d->rule ? d->rule
                                       : d->op ? d->op->def->name
                                               : NULL,
                               .at = location(ctx, d->loc),
                               .text = d->text,
                               .notes = notes,
                               .n_notes = d->n_notes,
                               .help = d->help});
    free(notes);
}

static void collect(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    ir_diagnostic_log *log = user;
    log->unsupported |= d->unlowered;
    if (d->severity == IR_ERROR && !log->rule)
        log->rule = d->rule;
    ir_diagnostic_print(ctx, d, &log->quotes, false, &log->text);
    if (log->list)
        ir_diagnostic_record(ctx, d, log->list);
}

ir_diagnostic_sink ir_diagnostic_log_sink(ir_diagnostic_log *log)
{
    return (ir_diagnostic_sink){collect, log};
}

void ir_diagnostic_log_clear(ir_diagnostic_log *log)
{
    log->text.size = 0;
    log->rule = NULL;
    if (log->text.data)
        log->text.data[0] = 0;
}
