/* verify_diagnostics.c: `// expected-error @+1 {{text}}` and the other severities.
 *
 * A comment names a severity, optionally "-re" (regular expressions inside {{ }} of the
 * text), a location (@above, @below, @+N, @-N, @unknown; default the same line) and text.
 * The syntax, and the reports of unmet expectations, are mlir-opt's. */
#include "verify_diagnostics.h"

#include "ir/text.h"
#include "support/arena.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct expected {
    ir_severity severity;
    uint32_t line, written_at;
    const char *at; /* "expected-..." in the source */
    bool below, unknown, is_regex, met;
    regex_t regex;
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

/* An error about the expectation itself. */
static void complain(diag_checker *c, const expected *e, const char *format, ...)
    TW_PRINTF(3, 4);
static void complain(diag_checker *c, const expected *e, const char *format, ...)
{
    const char *start = e->at;
    va_list args;
    while (start > c->source.data && start[-1] != '\n')
        start--;
    uint32_t column = (uint32_t)(e->at - start) + 1;
    fprintf(stderr, "%s:%u:%u: error: ", c->name, e->written_at, column);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    show_line(c, e->written_at, column, e->text.size);
    c->failed = true;
}

/* ---- what came against what was expected -------------------------------------------- */

static bool matches(const expected *e, const char *text)
{
    return e->is_regex ? regexec(&e->regex, text, 0, NULL, 0) == 0
                       : memmem(text, strlen(text), e->text.data, e->text.size) != NULL;
}

/* An expectation may match several diagnostics. */
static void check_one(diag_checker *c, const ir_diagnostic *d)
{
    ir_ident file;
    uint32_t line = 0, column = 0;
    const expected *near_miss = NULL;
    bool placed = ir_loc_position(c->ctx, d->loc, &file, &line, &column) &&
                  strcmp(file->text, c->name) == 0;
    for (size_t i = 0; i < c->count; i++) {
        expected *e = &c->list[i];
        if ((e->unknown ? placed : !placed || e->line != line) || !matches(e, d->text))
            continue;
        if (e->severity == d->severity) {
            e->met = true;
            return;
        }
        near_miss = e;
    }
    if (near_miss) {
        complain(c, near_miss, "'%s' diagnostic emitted when expecting a '%s'",
                 words[d->severity], words[near_miss->severity]);
        return;
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

/* ---- reading expectations --------------------------------------------------------------
 *
 * "expected-" severity [ "-re" ] { " " } [ location ] { " " } "{{" text "}}" end-of-line
 *
 * Anything else is no expectation, and no error either. */

static const char *skip(const char *c, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - c) >= n && memcmp(c, word, n) == 0 ? c + n : NULL;
}

static const char *skip_blanks(const char *c, const char *end)
{
    while (c < end && *c == ' ')
        c++;
    return c;
}

/* @above, @below, @unknown, @+N, @-N; NULL if it is none of these.  The line above is
 * `last_plain`, the one below is not known yet.  Line 0 is that of a module without text.
 */
static const char *read_place(const char *c, const char *end, uint32_t last_plain,
                              expected *e)
{
    const char *after;
    e->line = e->written_at;
    if (c == end || *c != '@')
        return c;
    c++;
    if ((after = skip(c, end, "above"))) {
        e->line = last_plain;
    } else if ((after = skip(c, end, "below"))) {
        e->below = true;
    } else if ((after = skip(c, end, "unknown"))) {
        e->unknown = true;
    } else if (end - c > 1 && (*c == '+' || *c == '-') && c[1] >= '0' && c[1] <= '9') {
        char *stop;
        unsigned long n = strtoul(c + 1, &stop, 10);
        e->line += *c == '+' ? (uint32_t)n : -(uint32_t)n;
        after = stop;
    }
    return after;
}

/* The expectation that starts at `c` and ends with the line. */
static bool read_expectation(const char *c, const char *end, uint32_t last_plain,
                             expected *e)
{
    const char *after = NULL;
    e->at = c;
    c += strlen("expected-");
    for (size_t k = 0; k < TW_COUNT(words) && !after; k++) {
        after = skip(c, end, words[k]);
        e->severity = (ir_severity)k;
    }
    if (!after)
        return false;
    c = after;
    if ((after = skip(c, end, "-re"))) {
        e->is_regex = true;
        c = after;
    }
    c = read_place(skip_blanks(c, end), end, last_plain, e);
    c = c ? skip(skip_blanks(c, end), end, "{{") : NULL;
    if (!c || end - c < 2 || end[-1] != '}' || end[-2] != '}')
        return false;
    e->text = (tw_str){c, (size_t)(end - c) - 2};
    return true;
}

/* LLVM's message for an invalid expression. */
static const char *regex_error(int code)
{
    switch (code) {
    case REG_ECOLLATE:
        return "invalid collating element";
    case REG_ECTYPE:
        return "invalid character class";
    case REG_EESCAPE:
        return "trailing backslash (\\)";
    case REG_ESUBREG:
        return "invalid backreference number";
    case REG_EBRACK:
        return "brackets ([ ]) not balanced";
    case REG_EPAREN:
        return "parentheses not balanced";
    case REG_EBRACE:
        return "braces not balanced";
    case REG_BADBR:
        return "invalid repetition count(s)";
    case REG_ERANGE:
        return "invalid character range";
    case REG_ESPACE:
        return "out of memory";
    default:
        return "repetition-operator operand invalid";
    }
}

/* Literal pieces are escaped, {{...}} is copied. */
static bool compile_regex(diag_checker *c, expected *e)
{
    tw_strbuf pattern = {0};
    const char *at = e->text.data, *end = at + e->text.size;
    while (at < end) {
        const char *body = skip(at, end, "{{");
        if (body) {
            const char *close = memmem(body, (size_t)(end - body), "}}", 2);
            if (!close) {
                complain(c, e, "found start of regex with no end '}}'");
                tw_strbuf_free(&pattern);
                return false;
            }
            tw_strbuf_putc(&pattern, '(');
            tw_strbuf_append(&pattern, body, (size_t)(close - body));
            tw_strbuf_putc(&pattern, ')');
            at = close + 2;
            continue;
        }
        if (strchr("\\^$.|?*+()[]{}", *at))
            tw_strbuf_putc(&pattern, '\\');
        tw_strbuf_putc(&pattern, *at++);
    }
    int code = regcomp(&e->regex, tw_strbuf_text(&pattern), REG_EXTENDED | REG_NOSUB);
    tw_strbuf_free(&pattern);
    if (code)
        complain(c, e, "invalid regex: %s", regex_error(code));
    return code == 0;
}

/* True if the line holds an expectation. */
static bool read_line(diag_checker *c, const char *at, const char *end, uint32_t line,
                      uint32_t last_plain)
{
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    while ((at = memmem(at, (size_t)(end - at), "expected-", 9))) {
        expected e = {.written_at = line};
        if (read_expectation(at, end, last_plain, &e)) {
            if (!e.is_regex || compile_regex(c, &e))
                TW_PUSH(c->list, c->count, c->capacity, e);
            return true;
        }
        at += 9;
    }
    return false;
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
    uint32_t last_plain = 0;
    size_t settled = 0; /* expectations before this one have their line */
    for (uint32_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (!read_line(c, at, stop, line, last_plain)) {
            last_plain = line;
            for (; settled < c->count; settled++)
                if (c->list[settled].below)
                    c->list[settled].line = line;
        }
        at = stop + 1;
    }
    ir_context_set_sink(ctx, (ir_diagnostic_sink){receive, c});
    return c;
}

bool diag_checker_finish(diag_checker *c)
{
    for (size_t i = 0; i < c->count; i++) {
        expected *e = &c->list[i];
        if (!e->met)
            complain(c, e, "expected %s \"%.*s\" was not produced", words[e->severity],
                     (int)e->text.size, e->text.data);
        if (e->is_regex)
            regfree(&e->regex);
    }
    bool ok = !c->failed;
    free(c->list);
    free(c);
    return ok;
}
