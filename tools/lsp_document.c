/* lsp_document.c: see lsp_document.h. */
#include "lsp_document.h"

#include "ir/text.h"
#include "lsp_text.h"
#include "pipelines/dialects.h"
#include "support/arena.h"

#include <stdlib.h>

enum { MAX_DIAGNOSTICS = 500 }; /* of one document */

static void forget(lsp_document *d)
{
    for (size_t i = 0; i < d->n_chunks; i++)
        ir_context_destroy(d->chunks[i].ctx);
    for (size_t i = 0; i < d->n_fixes; i++)
        lsp_fix_free(&d->fixes[i]);
    d->n_chunks = d->n_fixes = 0;
}

void lsp_document_free(lsp_document *d)
{
    forget(d);
    free(d->chunks);
    free(d->fixes);
    free(d->uri);
    tw_strbuf_free(&d->text);
}

/* ---- changes ------------------------------------------------------------------------ */

static size_t offset_of_position(const tw_strbuf *text, json_t *position)
{
    return lsp_offset(text, json_integer_value(json_object_get(position, "line")),
                      json_integer_value(json_object_get(position, "character")));
}

static void splice(tw_strbuf *text, size_t start, size_t end, json_t *with)
{
    tw_strbuf out = {0};
    tw_strbuf_append(&out, tw_strbuf_text(text), start);
    tw_strbuf_append(&out, json_string_value(with), json_string_length(with));
    tw_strbuf_append(&out, tw_strbuf_text(text) + end, text->size - end);
    tw_strbuf_free(text);
    *text = out;
}

void lsp_document_change(lsp_document *d, json_t *changes)
{
    size_t i;
    json_t *change;
    json_array_foreach(changes, i, change)
    {
        json_t *text = json_object_get(change, "text");
        json_t *range = json_object_get(change, "range");
        if (!json_is_string(text))
            continue;
        size_t start =
            range ? offset_of_position(&d->text, json_object_get(range, "start")) : 0;
        size_t end = range ? offset_of_position(&d->text, json_object_get(range, "end"))
                           : d->text.size;
        splice(&d->text, TW_MIN(start, end), TW_MAX(start, end), text);
        d->stale = true;
    }
}

/* ---- diagnostics -------------------------------------------------------------------- */

typedef struct collector {
    lsp_document *d;
    json_t *list;
    uint32_t first_line;  /* of the chunk in the document, from 0 */
    size_t start;         /* the chunk's */
    size_t line_at, line; /* where that line of the chunk begins; lines mostly ascend */
    lsp_cursor cursor;
} collector;

/* The offset of a diagnostic's line and column in the chunk that is parsed. */
static size_t offset_of(collector *c, uint32_t line, uint32_t column)
{
    const tw_strbuf *text = &c->d->text;
    if (line < c->line) {
        c->line = 1;
        c->line_at = c->start;
    }
    for (; c->line < line && c->line_at < text->size; c->line_at++)
        c->line += text->data[c->line_at] == '\n';
    return TW_MIN(c->line_at + (column ? column - 1 : 0), text->size);
}

static void collect(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    static const int severities[] = {1, 2, 3, 3}; /* error, warning, remark, note */
    collector *c = user;
    const tw_strbuf *text = &c->d->text;
    ir_ident file;
    uint32_t line = 0, column = 0;
    size_t at = c->start, end;
    if (json_array_size(c->list) > MAX_DIAGNOSTICS)
        return;
    const bool last = json_array_size(c->list) == MAX_DIAGNOSTICS;
    if (ir_loc_position(ctx, diagnostic->loc, &file, &line, &column) && line)
        at = offset_of(c, line, column);
    for (end = at; end < text->size && lsp_is_word(text->data[end]);)
        end++;
    tw_strbuf message = {0};
    tw_strbuf_puts(&message, last ? "more diagnostics are not shown; the next one: " : "");
    tw_strbuf_puts(&message, diagnostic->text);
    for (size_t i = 0; i < diagnostic->n_notes; i++)
        tw_strbuf_printf(&message, "\nnote: %s", diagnostic->notes[i].text);
    if (diagnostic->help)
        tw_strbuf_printf(&message, "\nhelp: %s", diagnostic->help);
    lsp_fix fix;
    if (lsp_fix_find(text, at, diagnostic, &fix))
        TW_PUSH(c->d->fixes, c->d->n_fixes, c->d->fixes_capacity, fix);
    json_t *quoted = json_stringn(message.data, message.size);
    if (quoted) /* text that is not UTF-8 cannot be sent */
        json_array_append_new(c->list, json_pack("{s:o,s:i,s:s,s:o}", "range",
                                                 lsp_range(&c->cursor, at, end), "severity",
                                                 severities[diagnostic->severity], "source",
                                                 "tilewright", "message", quoted));
    tw_strbuf_free(&message);
}

/* Where the line after the next one that begins with "// -----" starts; `*stop`: where
 * that line does.  The text's size if there is none. */
static size_t next_chunk(const tw_strbuf *text, size_t at, size_t *stop)
{
    static const char marker[] = "// -----";
    while (at + sizeof marker - 1 <= text->size) {
        const char *line = text->data + at;
        const char *newline = memchr(line, '\n', text->size - at);
        size_t after = newline ? (size_t)(newline - text->data) + 1 : text->size;
        if (memcmp(line, marker, sizeof marker - 1) == 0) {
            *stop = at;
            return after;
        }
        at = after;
    }
    *stop = text->size;
    return text->size;
}

static void read_chunk(lsp_document *d, lsp_chunk chunk, collector *c)
{
    c->first_line = chunk.line;
    c->start = c->line_at = chunk.start;
    c->line = 1;
    chunk.ctx = ir_context_create();
    ir_register_all(chunk.ctx);
    ir_context_set_sink(chunk.ctx, (ir_diagnostic_sink){collect, c});
    chunk.module = ir_parse(chunk.ctx, (tw_str){d->text.data + chunk.start, chunk.size},
                            "document", NULL);
    ir_flush_diagnostics(chunk.ctx);
    ir_context_set_sink(chunk.ctx, (ir_diagnostic_sink){0});
    TW_PUSH(d->chunks, d->n_chunks, d->chunks_capacity, chunk);
}

json_t *lsp_document_read(lsp_document *d)
{
    if (!d->stale)
        return NULL;
    d->stale = false;
    forget(d);
    tw_strbuf_append(&d->text, "", 0); /* ensures that the text is not NULL */
    collector c = {.d = d, .list = json_array(), .cursor = {.text = &d->text}};
    lsp_chunk chunk = {0};
    for (;;) {
        size_t stop, next = next_chunk(&d->text, chunk.start, &stop);
        chunk.size = stop - chunk.start;
        read_chunk(d, chunk, &c);
        if (stop == d->text.size)
            return c.list;
        for (size_t i = chunk.start; i < next; i++)
            chunk.line += d->text.data[i] == '\n';
        chunk.start = next;
    }
}
