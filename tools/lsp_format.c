/* lsp_format.c: see lsp_format.h. */
#include "lsp_format.h"

#include "ir/text.h"
#include "pipelines/dialects.h"
#include "support/arena.h"

#include <stdlib.h>
#include <string.h>

/* A comment, and the line of the chunk (from 1) that it is on. */
typedef struct comment {
    tw_str text;
    uint32_t line;
    bool alone; /* nothing is before it on its line */
} comment;

/* The line of an operation in the parsed chunk and its offset in the printed text. */
typedef struct op_position {
    uint32_t line;
    size_t offset;
} op_position;

typedef struct formatter {
    comment *comments;
    size_t n_comments, comments_capacity;
    op_position *ops;
    size_t n_ops, ops_capacity;
    ir_ident file;
    bool has_locations;
} formatter;

static tw_str trimmed(const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return (tw_str){start, (size_t)(end - start)};
}

/* Comments, and whether the text has locations. */
static void scan(formatter *f, tw_str text)
{
    const char *c = text.data, *end = c + text.size, *line_start = c;
    uint32_t line = 1;
    for (; c < end; c++) {
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        } else if (*c == '"') {
            for (c++; c < end && *c != '"' && *c != '\n'; c++)
                c += *c == '\\' && c + 1 < end;
        } else if (*c == '/' && c + 1 < end && c[1] == '/') {
            const char *stop = memchr(c, '\n', (size_t)(end - c));
            stop = stop ? stop : end;
            size_t blanks = strspn(line_start, " \t");
            comment found = {trimmed(c, stop), line, line_start + blanks == c};
            TW_PUSH(f->comments, f->n_comments, f->comments_capacity, found);
            c = stop - 1;
        } else if (end - c > 4 && memcmp(c, "loc(", 4) == 0) {
            f->has_locations = true;
        }
    }
}

static void note_op(void *user, ir_op *op, size_t offset)
{
    formatter *f = user;
    ir_ident file;
    uint32_t line = 0, column = 0;
    op_position at = {0, offset};
    if (ir_loc_position(op->ctx, op->loc, &file, &line, &column) && file == f->file)
        at.line = line;
    if (at.line)
        TW_PUSH(f->ops, f->n_ops, f->ops_capacity, at);
}

/* ---- comments ----------------------------------------------------------------------- */

/* Attaches a comment to a line of the printed text: before or after its code. */
typedef struct insertion {
    const comment *what;
    size_t line_start;
} insertion;

static size_t start_of_line(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* The line of the operation that a comment precedes or follows, in the order of both texts;
 * a comment after all operations goes to the end.  Comments are passed in order: `*from` is
 * the first operation that is not above the last one. */
static size_t place_of(const formatter *f, const comment *c, const tw_strbuf *printed,
                       size_t *from)
{
    while (*from < f->n_ops && f->ops[*from].line < c->line)
        ++*from;
    bool here = *from < f->n_ops && (c->alone || f->ops[*from].line == c->line);
    if (!here && (c->alone || *from == 0))
        return printed->size;
    return start_of_line(printed->data, f->ops[here ? *from : *from - 1].offset);
}

static int by_place(const void *a, const void *b)
{
    const insertion *x = a, *y = b;
    if (x->line_start != y->line_start)
        return x->line_start < y->line_start ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

/* The printed text with its comments. */
static void weave(const formatter *f, const tw_strbuf *printed, tw_strbuf *out)
{
    insertion *list = tw_xcalloc(f->n_comments + 1, sizeof *list);
    size_t k = 0, from = 0;
    for (size_t i = 0; i < f->n_comments; i++)
        list[i] =
            (insertion){&f->comments[i], place_of(f, &f->comments[i], printed, &from)};
    qsort(list, f->n_comments, sizeof *list, by_place);
    for (size_t at = 0; at <= printed->size;) {
        const char *line = printed->data + at;
        const char *newline = memchr(line, '\n', printed->size - at);
        size_t size = newline ? (size_t)(newline - line) : printed->size - at;
        size_t first = k, indent = strspn(line, " ");
        for (; k < f->n_comments && list[k].line_start == at; k++)
            if (list[k].what->alone)
                tw_strbuf_printf(out, "%*s%.*s\n", (int)indent, "",
                                 (int)list[k].what->text.size, list[k].what->text.data);
        tw_strbuf_append(out, line, size);
        for (size_t i = first; i < k; i++)
            if (!list[i].what->alone)
                tw_strbuf_printf(out, " %.*s", (int)list[i].what->text.size,
                                 list[i].what->text.data);
        if (newline)
            tw_strbuf_putc(out, '\n');
        at += size + 1;
    }
    free(list);
}

/* ---- the text ----------------------------------------------------------------------- */

/* True if the chunk has an explicit module. */
static bool writes_module(const lsp_document *d, const lsp_chunk *chunk)
{
    ir_ident file;
    uint32_t line = 0, column = 0;
    const ir_op *module = chunk->module;
    const char *c = d->text.data + chunk->start, *end = c + chunk->size;
    if (module->attrs && module->attrs->count)
        return true;
    if (!ir_loc_position(module->ctx, module->loc, &file, &line, &column) || !line)
        return false;
    for (uint32_t i = 1; i < line && c < end; c++)
        i += *c == '\n';
    c += TW_MIN((size_t)(end - c), (size_t)(column ? column - 1 : 0));
    static const char *const names[] = {"module", "builtin.module", "\"builtin.module\""};
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if ((size_t)(end - c) > strlen(names[i]) &&
            memcmp(c, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Removes the lines "module {" and "}", and two blanks before each line between. */
static void unwrap(tw_strbuf *text)
{
    tw_strbuf out = {0};
    bool inside = false;
    for (size_t at = 0; at < text->size;) {
        const char *line = text->data + at;
        const char *newline = memchr(line, '\n', text->size - at);
        size_t size = newline ? (size_t)(newline - line) + 1 : text->size - at;
        at += size;
        if (!inside && size >= 8 && memcmp(line, "module {", 8) == 0)
            inside = true;
        else if (inside && *line == '}')
            inside = false;
        else
            tw_strbuf_append(&out, line + (inside && memcmp(line, "  ", 2) == 0 ? 2 : 0),
                             size - (inside && memcmp(line, "  ", 2) == 0 ? 2 : 0));
    }
    tw_strbuf_free(text);
    *text = out;
}

/* True if a text prints as the module does; with locations, whose lines have changed, if it
 * parses. */
static bool means_the_same(const tw_strbuf *text, const tw_strbuf *printed,
                           const ir_print_options *print)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    tw_strbuf again = {0};
    ir_op *other = ir_parse(ctx, (tw_str){text->data, text->size}, "document", NULL);
    if (other && !print->debug_info)
        ir_print_op(other, print, &again);
    bool same = other &&
                (print->debug_info || (again.size == printed->size &&
                                       memcmp(again.data, printed->data, again.size) == 0));
    tw_strbuf_free(&again);
    ir_context_destroy(ctx);
    return same;
}

static const char *format_chunk(const lsp_document *d, const lsp_chunk *chunk,
                                tw_strbuf *out)
{
    formatter f = {.file = ir_ident_from(chunk->ctx, "document")};
    tw_strbuf printed = {0}, text = {0};
    const char *why = NULL;
    scan(&f, (tw_str){d->text.data + chunk->start, chunk->size});
    ir_print_options print = {.debug_info = f.has_locations};
    ir_print_options noted = print;
    noted.at_op = note_op;
    noted.at_op_user = &f;
    ir_print_op(chunk->module, &noted, &printed);
    weave(&f, &printed, &text);
    if (!writes_module(d, chunk) && !f.has_locations)
        unwrap(&text);
    if (f.n_comments && !f.n_ops)
        why = "comments have no operations to stand at";
    else if (!means_the_same(&text, &printed, &print))
        why = "the formatted text would mean something else";
    else
        tw_strbuf_append(out, text.data, text.size);
    tw_strbuf_free(&printed);
    tw_strbuf_free(&text);
    free(f.comments);
    free(f.ops);
    return why;
}

const char *lsp_format(const lsp_document *d, tw_strbuf *out)
{
    tw_strbuf text = {0};
    const char *why = NULL;
    for (size_t i = 0; i < d->n_chunks && !why; i++) {
        const lsp_chunk *chunk = &d->chunks[i];
        if (i) { /* the line between unchanged, with the blank line that follows */
            size_t at = d->chunks[i - 1].start + d->chunks[i - 1].size;
            tw_strbuf_putc(&text, '\n');
            tw_strbuf_append(&text, d->text.data + at, chunk->start - at);
            tw_strbuf_putc(&text, '\n');
        }
        why = chunk->module ? format_chunk(d, chunk, &text)
                            : "the document has errors: nothing is formatted";
    }
    if (!why)
        tw_strbuf_append(out, text.data, text.size);
    tw_strbuf_free(&text);
    return why;
}
