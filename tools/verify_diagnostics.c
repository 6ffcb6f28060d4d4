/* verify_diagnostics.c: `// expected-error @+1 {{text}}` and its kin.
 *
 * A comment names a severity, optionally "-re" (regular expressions inside {{ }} of the
 * text), a place (@above, @below, @+N, @-N, @unknown; default the same line) and text. */
#include "verify_diagnostics.h"

#include "ir/text.h"
#include "support/arena.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct expected {
    ir_severity severity;
    uint32_t line, written_at;
    const char *at; /* "expected-..." in the source */
    size_t width;
    bool unknown, regex, met;
    tw_str text;
} expected;

struct diag_checker {
    ir_context *ctx;
    const char *name;
    tw_str source;
    expected *list;
    size_t count, capacity;
    bool only_expected, failed;
};

static const char *const words[] = {"error", "warning", "remark", "note"};

static bool matches(const expected *e, const char *text)
{
    if (!e->regex)
        return memmem(text, strlen(text), e->text.data, e->text.size) != NULL;
    /* literal pieces are escaped, {{...}} is taken as it is */
    tw_strbuf pattern = {0};
    for (size_t i = 0; i < e->text.size; i++) {
        const char *c = e->text.data + i;
        if (c[0] == '{' && i + 1 < e->text.size && c[1] == '{') {
            const char *close = memmem(c, e->text.size - i, "}}", 2);
            if (close) {
                tw_strbuf_putc(&pattern, '(');
                tw_strbuf_append(&pattern, c + 2, (size_t)(close - c - 2));
                tw_strbuf_putc(&pattern, ')');
                i += (size_t)(close - c) + 1;
                continue;
            }
        }
        if (strchr("\\^$.|?*+()[]{}", *c))
            tw_strbuf_putc(&pattern, '\\');
        tw_strbuf_putc(&pattern, *c);
    }
    regex_t compiled;
    bool ok = regcomp(&compiled, tw_strbuf_text(&pattern), REG_EXTENDED | REG_NOSUB) == 0;
    if (ok) {
        ok = regexec(&compiled, text, 0, NULL, 0) == 0;
        regfree(&compiled);
    }
    tw_strbuf_free(&pattern);
    return ok;
}

/* The source line and a mark below `width` characters from 1-based `column`. */
static void show_line(const diag_checker *c, uint32_t line, uint32_t column, size_t width)
{
    const char *at = c->source.data, *end = at + c->source.size;
    for (uint32_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || at >= end)
        return;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    fprintf(stderr, "%.*s\n", (int)(stop - at), at);
    for (uint32_t i = 1; i < column && at + i - 1 < stop; i++)
        fputc(at[i - 1] == '\t' ? '\t' : ' ', stderr);
    fputc('^', stderr);
    for (size_t i = 1; i < width; i++)
        fputc('~', stderr);
    fputc('\n', stderr);
}

static void check_one(diag_checker *c, const ir_diagnostic *d)
{
    ir_ident file;
    uint32_t line = 0, column = 0;
    bool placed = ir_loc_position(c->ctx, d->loc, &file, &line, &column) &&
                  strcmp(file->text, c->name) == 0;
    for (size_t i = 0; i < c->count; i++) {
        expected *e = &c->list[i];
        if (e->met || e->severity != d->severity || !matches(e, d->text))
            continue;
        if (e->unknown ? !placed : placed && e->line == line) {
            e->met = true;
            return;
        }
    }
    if (c->only_expected)
        return;
    c->failed = true;
    if (!placed) {
        fprintf(stderr, "<unknown>:0: error: unexpected %s: %s\n", words[d->severity],
                d->text);
        return;
    }
    fprintf(stderr, "%s:%u:%u: error: unexpected %s: %s\n", c->name, line, column,
            words[d->severity], d->text);
    show_line(c, line, column, 1);
}

static void receive(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)ctx;
    check_one(user, d);
    for (size_t i = 0; i < d->n_notes; i++)
        check_one(user, &d->notes[i]);
}

/* The place after the severity: @above, @below, @unknown, @+N, @-N. */
static const char *read_place(const char *c, const char *end, uint32_t line,
                              uint32_t last_plain, uint32_t next_plain, expected *e)
{
    e->line = line;
    while (c < end && *c == ' ')
        c++;
    if (c == end || *c != '@')
        return c;
    c++;
    static const char above[] = "above", below[] = "below", unknown[] = "unknown";
    if ((size_t)(end - c) > 5 && strncmp(c, above, 5) == 0) {
        e->line = last_plain;
        return c + 5;
    }
    if ((size_t)(end - c) > 5 && strncmp(c, below, 5) == 0) {
        e->line = next_plain;
        return c + 5;
    }
    if ((size_t)(end - c) > 7 && strncmp(c, unknown, 7) == 0) {
        e->unknown = true;
        return c + 7;
    }
    char *after;
    bool plus = *c == '+';
    long n = strtol(c + 1, &after, 10);
    e->line = plus ? line + (uint32_t)n : line - (uint32_t)n;
    return after;
}

static bool has_expectation(const char *c, size_t n)
{
    return memmem(c, n, "expected-", 9) != NULL;
}

static void read_line(diag_checker *c, const char *at, const char *end, uint32_t line,
                      uint32_t last_plain, uint32_t next_plain)
{
    while ((at = memmem(at, (size_t)(end - at), "expected-", 9))) {
        expected e = {.written_at = line, .at = at};
        size_t k = 0;
        at += 9;
        while (k < 4 && strncmp(at, words[k], strlen(words[k])) != 0)
            k++;
        if (k == 4)
            continue;
        e.severity = (ir_severity)k;
        at += strlen(words[k]);
        if (strncmp(at, "-re", 3) == 0) {
            e.regex = true;
            at += 3;
        }
        at = read_place(at, end, line, last_plain, next_plain, &e);
        const char *open = at < end ? memmem(at, (size_t)(end - at), "{{", 2) : NULL;
        if (!open)
            return;
        for (const char *x = at; x < open; x++)
            if (*x != ' ') {
                open = NULL;
                break;
            }
        if (!open)
            continue;
        /* the text ends at the last }} before the next expectation or the line's end */
        const char *stop = end, *next = memmem(open, (size_t)(end - open), "expected-", 9);
        if (next)
            stop = next;
        const char *close = NULL;
        for (const char *x = open + 2; x + 1 < stop; x++)
            if (x[0] == '}' && x[1] == '}')
                close = x;
        if (!close)
            return;
        e.text = (tw_str){open + 2, (size_t)(close - open - 2)};
        e.width = e.text.size;
        TW_PUSH(c->list, c->count, c->capacity, e);
        at = close + 2;
    }
}

diag_checker *diag_checker_create(ir_context *ctx, tw_str text, const char *name,
                                  bool only_expected)
{
    diag_checker *c = tw_xcalloc(1, sizeof *c);
    c->ctx = ctx;
    c->name = name;
    c->source = text;
    c->only_expected = only_expected;
    const char *at = text.data, *end = at + text.size;
    uint32_t line = 1, last_plain = 1;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (has_expectation(at, (size_t)(stop - at))) {
            /* the next line without an expectation */
            uint32_t next_plain = line;
            const char *x = stop;
            while (x < end) {
                const char *start = x + 1;
                const char *e =
                    start < end ? memchr(start, '\n', (size_t)(end - start)) : NULL;
                e = e ? e : end;
                next_plain++;
                if (start >= end || !has_expectation(start, (size_t)(e - start)))
                    break;
                x = e;
            }
            read_line(c, at, stop, line, last_plain, next_plain);
        } else {
            last_plain = line;
        }
        at = stop + 1;
        line++;
    }
    ir_context_set_sink(ctx, (ir_diagnostic_sink){receive, c});
    return c;
}

bool diag_checker_finish(diag_checker *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const expected *e = &c->list[i];
        if (e->met)
            continue;
        const char *start = e->at;
        while (start > c->source.data && start[-1] != '\n')
            start--;
        uint32_t column = (uint32_t)(e->at - start) + 1;
        fprintf(stderr, "%s:%u:%u: error: expected %s \"%.*s\" was not produced\n", c->name,
                e->written_at, column, words[e->severity], (int)e->text.size, e->text.data);
        show_line(c, e->written_at, column, e->width);
        c->failed = true;
    }
    bool ok = !c->failed;
    free(c->list);
    free(c);
    return ok;
}
