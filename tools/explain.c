/* explain.c: see explain.h. */
#include "explain.h"

#include "ir/op.h"
#include "ir/text.h"
#include "line_diff.h"
#include "rule_source.h"
#include "support/arena.h"
#include "support/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTEXT = 3, MAX_SHOWN_OPS = 12 };

/* A rule that fired in a pass, and where. */
typedef struct fired {
    void (*rule)(void); /* NULL: folding */
    const char *op;
    size_t times;
    ir_loc at[MAX_SHOWN_OPS];
    size_t n_at;
} fired;

/* A printed program, with the line of the user's program for each of its operations. */
typedef struct printed {
    tw_strbuf text;
    struct mark {
        size_t offset;
        const char *file;
        uint32_t line;
    } * at; /* by offset */
    size_t n, capacity;
} printed;

static void printed_free(printed *p)
{
    tw_strbuf_free(&p->text);
    free(p->at);
    *p = (printed){0};
}

struct explainer {
    ir_watch watch; /* the first member */
    FILE *file;
    ir_op *root;
    printed before;
    fired *rules;
    size_t n_rules, capacity;
    double start;
    size_t passes, changed;
    const char *path;
    int error; /* of the first write that failed */
};

static void write_out(explainer *e, tw_strbuf *text)
{
    if ((fwrite(text->data, 1, text->size, e->file) != text->size || fflush(e->file)) &&
        !e->error)
        e->error = errno ? errno : EIO;
    tw_strbuf_free(text);
}

/* ---- the page */

static const char style[] =
    "body{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:1em;"
    "color:#1f2328}h2{font-size:1.05em;margin:1.4em 0 .3em}code,pre,td.c{font:12px/1.45 "
    "ui-monospace,Menlo,Consolas,monospace}pre{border:1px solid #d1d9e0;border-radius:6px;"
    "overflow:auto;margin:.4em 0;padding:.3em 0}pre span{display:block;padding:0 .6em}"
    ".a::after,.r::after{content:attr(data-at);float:right;color:#59636e;margin-left:2em}"
    ".a{background:#dafbe1}.r{background:#ffebe9}.n{color:#59636e}.k{color:#59636e;"
    "background:#f6f8fa}td{padding:0 1em 0 0;vertical-align:top}small{color:#59636e}"
    "@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}pre{border-"
    "color:#30363d}.a{background:#12361f}.r{background:#4a1d1f}.n,.k,small{color:#8b949e}"
    ".k{background:#161b22}}";

static void put_head(explainer *e, const char *tool, const char *input)
{
    tw_strbuf out = {0};
    tw_strbuf_puts(&out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
                         "charset=\"utf-8\"><title>");
    tw_strbuf_markup(&out, tw_str_from(tool));
    tw_strbuf_putc(&out, ' ');
    tw_strbuf_markup(&out, tw_str_from(input));
    tw_strbuf_printf(&out, "</title><style>%s</style></head><body>\n<h1>", style);
    tw_strbuf_markup(&out, tw_str_from(tool));
    tw_strbuf_putc(&out, ' ');
    tw_strbuf_markup(&out, tw_str_from(input));
    tw_strbuf_printf(
        &out,
        "</h1>\n<p>What each pass changed, by Tilewright %s: removed and added "
        "lines with the line of your program that they come from, the rules that "
        "fired and their source lines. Lines in grey differ in the numbers of "
        "values only.</p>\n",
        TW_VERSION);
    write_out(e, &out);
}

/* The first mark within the line. */
static const struct mark *mark_of(const printed *p, tw_str line)
{
    const size_t begin = (size_t)(line.data - tw_strbuf_text(&p->text));
    size_t low = 0, high = p->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->at[middle].offset < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->n && p->at[low].offset < begin + line.size ? &p->at[low] : NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* `from`: the program that the line is of. */
static void put_line(tw_strbuf *out, const diff_line *line, const printed *from)
{
    static const struct {
        const char *class;
        char sign;
    } kinds[] = {[DIFF_SAME] = {NULL, ' '},
                 [DIFF_RENAMED] = {"n", ' '},
                 [DIFF_REMOVED] = {"r", '-'},
                 [DIFF_ADDED] = {"a", '+'}};
    const char *class = kinds[line->kind].class;
    const struct mark *mark = mark_of(from, line->text);
    tw_strbuf_puts(out, "<span");
    if (class)
        tw_strbuf_printf(out, " class=\"%s\"", class);
    if (mark) {
        tw_strbuf_puts(out, " data-at=\"");
        tw_strbuf_markup(out, tw_str_from(base_name(mark->file)));
        tw_strbuf_printf(out, ":%u\"", mark->line);
    }
    tw_strbuf_printf(out, ">%c ", kinds[line->kind].sign);
    tw_strbuf_markup(out, line->text);
    tw_strbuf_puts(out, "</span>");
}

static bool is_change(const diff_line *line)
{
    return line->kind == DIFF_REMOVED || line->kind == DIFF_ADDED;
}

/* Changed lines with CONTEXT lines around them. */
static void put_diff(tw_strbuf *out, const diff_line *lines, size_t n,
                     const printed *before, const printed *after)
{
    size_t shown = 0; /* the lines before this one are done */
    tw_strbuf_puts(out, "<pre>");
    for (size_t i = 0; i < n; i++) {
        if (!is_change(&lines[i]))
            continue;
        const size_t from = TW_MAX(shown, i > CONTEXT ? i - CONTEXT : 0);
        if (from > shown)
            tw_strbuf_printf(out, "<span class=\"k\">%zu lines</span>", from - shown);
        for (size_t k = from; k < i; k++)
            put_line(out, &lines[k], after);
        for (; i < n && is_change(&lines[i]); i++)
            put_line(out, &lines[i], lines[i].kind == DIFF_REMOVED ? before : after);
        shown = i;
        for (; shown < n && shown < i + CONTEXT && !is_change(&lines[shown]); shown++)
            put_line(out, &lines[shown], after);
        i = shown - 1;
    }
    if (n > shown)
        tw_strbuf_printf(out, "<span class=\"k\">%zu lines</span>", n - shown);
    tw_strbuf_puts(out, "</pre>\n");
}

static void put_source(tw_strbuf *out, const rule_source *source)
{
    if (source)
        tw_strbuf_printf(out, "<code>%s</code> <small>%s:%u</small>", source->name,
                         source->file, source->line);
}

static void put_places(tw_strbuf *out, const explainer *e, const fired *f)
{
    for (size_t i = 0; i < f->n_at; i++) {
        ir_ident file;
        uint32_t line, column;
        if (!ir_loc_position(e->root->ctx, f->at[i], &file, &line, &column))
            continue;
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_markup(out, tw_str_from(base_name(file->text)));
        tw_strbuf_printf(out, ":%u", line);
    }
    if (f->times > f->n_at)
        tw_strbuf_puts(out, ", ...");
}

static void put_rules(tw_strbuf *out, const explainer *e)
{
    if (!e->n_rules)
        return;
    tw_strbuf_puts(out, "<table>");
    for (size_t i = 0; i < e->n_rules; i++) {
        const fired *f = &e->rules[i];
        tw_strbuf_printf(out, "<tr><td>%zu x</td><td>", f->times);
        const rule_source *source = f->rule ? rule_source_of(f->rule) : NULL;
        if (source)
            put_source(out, source);
        else
            tw_strbuf_puts(out, f->rule ? "a rule" : "folding");
        tw_strbuf_printf(out, "</td><td class=\"c\">%s</td><td><small>", f->op);
        put_places(out, e, f);
        tw_strbuf_puts(out, "</small></td></tr>\n");
    }
    tw_strbuf_puts(out, "</table>\n");
}

/* ---- observing */

static ir_op *root_of(ir_op *op)
{
    for (ir_op *parent; (parent = ir_op_parent(op));)
        op = parent;
    return op;
}

static void mark_op(void *user, ir_op *op, size_t offset)
{
    printed *p = user;
    ir_ident file;
    uint32_t line, column;
    if (!ir_loc_position(op->ctx, op->loc, &file, &line, &column))
        return;
    const struct mark mark = {offset, file->text, line};
    TW_PUSH(p->at, p->n, p->capacity, mark);
}

static int by_offset(const void *a, const void *b)
{
    const size_t x = ((const struct mark *)a)->offset, y = ((const struct mark *)b)->offset;
    return (x > y) - (x < y);
}

static void print(ir_op *op, printed *out)
{
    ir_print_op(op,
                &(ir_print_options){.assume_verified = true,
                                    .elide_elements = 16,
                                    .at_op = mark_op,
                                    .at_op_user = out},
                &out->text);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_offset);
}

static void before_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    explainer *e = (explainer *)watch;
    (void)pass;
    if (!e->root)
        e->root = root_of(op);
    if (root_of(op) != e->root)
        return;
    if (!e->before.text.size)
        print(e->root, &e->before);
    e->n_rules = 0;
    e->start = tw_clock_seconds();
}

static void rewrote(ir_watch *watch, void (*rule)(void), const char *op, ir_loc loc)
{
    explainer *e = (explainer *)watch;
    fired *f = NULL;
    for (size_t i = 0; i < e->n_rules && !f; i++)
        if (e->rules[i].rule == rule && strcmp(e->rules[i].op, op) == 0)
            f = &e->rules[i];
    if (!f) {
        fired new = {.rule = rule, .op = op};
        TW_PUSH(e->rules, e->n_rules, e->capacity, new);
        f = &e->rules[e->n_rules - 1];
    }
    f->times++;
    if (f->n_at < MAX_SHOWN_OPS)
        f->at[f->n_at++] = loc;
}

static bool after_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    explainer *e = (explainer *)watch;
    if (root_of(op) != e->root)
        return true;
    const double ms = 1e3 * (tw_clock_seconds() - e->start);
    tw_strbuf out = {0};
    printed after = {0};
    size_t n = 0, added = 0, removed = 0;
    e->passes++;
    print(e->root, &after);
    const tw_str old = {e->before.text.data, e->before.text.size},
                 new = {after.text.data, after.text.size};
    if (tw_str_equal(old, new)) {
        printed_free(&after);
        return true;
    }
    e->changed++;
    diff_line *lines = line_diff(old, new, &n);
    for (size_t i = 0; i < n; i++) {
        added += lines[i].kind == DIFF_ADDED;
        removed += lines[i].kind == DIFF_REMOVED;
    }
    tw_strbuf_printf(&out, "<h2 id=\"p%zu\">%zu. %s</h2>\n<p>", e->passes, e->passes, pass);
    put_source(&out, pass_source_of(pass));
    tw_strbuf_printf(&out, " <small>+%zu -%zu lines, %.2f ms, %zu bytes</small></p>\n",
                     added, removed, ms, new.size);
    put_rules(&out, e);
    put_diff(&out, lines, n, &e->before, &after);
    write_out(e, &out);
    free(lines);
    printed_free(&e->before);
    e->before = after;
    return true;
}

/* ---- life */

tw_status explainer_open(const char *path, const char *tool, const char *input,
                         explainer **out)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return tw_error(TW_IO, "cannot write '%s': %s", path, strerror(errno));
    explainer *e = tw_xcalloc(1, sizeof *e);
    e->watch.before_pass = before_pass;
    e->watch.after_pass = after_pass;
    e->watch.rewrote = rewrote;
    e->file = file;
    e->path = path;
    put_head(e, tool, input);
    *out = e;
    return TW_SUCCESS;
}

ir_watch *explainer_watch(explainer *e)
{
    return &e->watch;
}

void explainer_follow_next(explainer *e)
{
    e->root = NULL;
    printed_free(&e->before);
}

tw_status explainer_close(explainer *e)
{
    tw_strbuf out = {0};
    if (!e)
        return TW_SUCCESS;
    tw_strbuf_printf(&out, "<p>%zu passes, %zu of them changed the program.</p>\n",
                     e->passes, e->changed);
    if (e->before.text.size) {
        tw_strbuf_puts(&out, "<details><summary>The program at the end</summary><pre>");
        tw_strbuf_markup(&out, (tw_str){e->before.text.data, e->before.text.size});
        tw_strbuf_puts(&out, "</pre></details>\n");
    }
    tw_strbuf_puts(&out, "</body></html>\n");
    write_out(e, &out);
    if (fclose(e->file) && !e->error)
        e->error = errno;
    tw_status status =
        e->error ? tw_error(TW_IO, "cannot write '%s': %s", e->path, strerror(e->error))
                 : TW_SUCCESS;
    printed_free(&e->before);
    free(e->rules);
    free(e);
    return status;
}
