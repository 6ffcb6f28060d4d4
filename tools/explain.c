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

struct explainer {
    ir_watch watch; /* the first member */
    FILE *file;
    ir_op *root;
    tw_strbuf before;
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

/* ---- the page -------------------------------------------------------------------------
 */

static const char style[] =
    "body{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:1em;"
    "color:#1f2328}h2{font-size:1.05em;margin:1.4em 0 .3em}code,pre,td.c{font:12px/1.45 "
    "ui-monospace,Menlo,Consolas,monospace}pre{border:1px solid #d1d9e0;border-radius:6px;"
    "overflow:auto;margin:.4em 0;padding:.3em 0}pre span{display:block;padding:0 .6em}"
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
        "lines, the rules that fired and their source lines. Lines in grey "
        "differ in the numbers of values only.</p>\n",
        TW_VERSION);
    write_out(e, &out);
}

static void put_line(tw_strbuf *out, const diff_line *line)
{
    static const struct {
        const char *class;
        char sign;
    } kinds[] = {[DIFF_SAME] = {NULL, ' '},
                 [DIFF_RENAMED] = {"n", ' '},
                 [DIFF_REMOVED] = {"r", '-'},
                 [DIFF_ADDED] = {"a", '+'}};
    const char *class = kinds[line->kind].class;
    tw_strbuf_puts(out, "<span");
    if (class)
        tw_strbuf_printf(out, " class=\"%s\"", class);
    tw_strbuf_printf(out, ">%c ", kinds[line->kind].sign);
    tw_strbuf_markup(out, line->text);
    tw_strbuf_puts(out, "</span>");
}

static bool is_change(const diff_line *line)
{
    return line->kind == DIFF_REMOVED || line->kind == DIFF_ADDED;
}

/* Changed lines with CONTEXT lines around them. */
static void put_diff(tw_strbuf *out, const diff_line *lines, size_t n)
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
            put_line(out, &lines[k]);
        while (i < n && is_change(&lines[i]))
            put_line(out, &lines[i++]);
        shown = i;
        for (; shown < n && shown < i + CONTEXT && !is_change(&lines[shown]); shown++)
            put_line(out, &lines[shown]);
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
        const char *slash = strrchr(file->text, '/');
        tw_strbuf_puts(out, i ? ", " : "");
        tw_strbuf_markup(out, tw_str_from(slash ? slash + 1 : file->text));
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

/* ---- observing ------------------------------------------------------------------------
 */

static ir_op *root_of(ir_op *op)
{
    for (ir_op *parent; (parent = ir_op_parent(op));)
        op = parent;
    return op;
}

static void print(ir_op *op, tw_strbuf *out)
{
    ir_print_op(op, &(ir_print_options){.assume_verified = true, .elide_elements = 16},
                out);
}

static void before_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    explainer *e = (explainer *)watch;
    (void)pass;
    if (!e->root)
        e->root = root_of(op);
    if (root_of(op) != e->root)
        return;
    if (!e->passes && !e->before.size)
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
    tw_strbuf after = {0}, out = {0};
    size_t n = 0, added = 0, removed = 0;
    e->passes++;
    print(e->root, &after);
    if (after.size == e->before.size && !memcmp(after.data, e->before.data, after.size)) {
        tw_strbuf_free(&after);
        return true;
    }
    e->changed++;
    diff_line *lines = line_diff((tw_str){e->before.data, e->before.size},
                                 (tw_str){after.data, after.size}, &n);
    for (size_t i = 0; i < n; i++) {
        added += lines[i].kind == DIFF_ADDED;
        removed += lines[i].kind == DIFF_REMOVED;
    }
    tw_strbuf_printf(&out, "<h2 id=\"p%zu\">%zu. %s</h2>\n<p>", e->passes, e->passes, pass);
    put_source(&out, pass_source_of(pass));
    tw_strbuf_printf(&out, " <small>+%zu -%zu lines, %.2f ms, %zu bytes</small></p>\n",
                     added, removed, ms, after.size);
    put_rules(&out, e);
    put_diff(&out, lines, n);
    write_out(e, &out);
    free(lines);
    tw_strbuf_free(&e->before);
    e->before = after;
    return true;
}

/* ---- life -----------------------------------------------------------------------------
 */

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

tw_status explainer_close(explainer *e)
{
    tw_strbuf out = {0};
    if (!e)
        return TW_SUCCESS;
    tw_strbuf_printf(&out, "<p>%zu passes, %zu of them changed the program.</p>\n",
                     e->passes, e->changed);
    if (e->before.size) {
        tw_strbuf_puts(&out, "<details><summary>The program at the end</summary><pre>");
        tw_strbuf_markup(&out, (tw_str){e->before.data, e->before.size});
        tw_strbuf_puts(&out, "</pre></details>\n");
    }
    tw_strbuf_puts(&out, "</body></html>\n");
    write_out(e, &out);
    if (fclose(e->file) && !e->error)
        e->error = errno;
    tw_status status =
        e->error ? tw_error(TW_IO, "cannot write '%s': %s", e->path, strerror(e->error))
                 : TW_SUCCESS;
    tw_strbuf_free(&e->before);
    free(e->rules);
    free(e);
    return status;
}
