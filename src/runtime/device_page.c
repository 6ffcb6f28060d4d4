/* device_page.c: both times of a program's operations as a page of HTML: the graph, a table
 * by operation, a table by line of the model. Nothing is loaded from elsewhere. */
#include "support/arena.h"
#include "support/file.h"
#include "support/guard.h"
#include "support/strbuf.h"
#include "tilewright/tilewright.h"

#include <stdlib.h>

static const char style[] =
    "body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:1em;"
    "color:#1f2328}h2{font-size:1.1em;margin:1.4em 0 .3em}table{border-collapse:collapse;"
    "font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}th,td{padding:1px 10px 1px 0;"
    "text-align:right;white-space:nowrap}th{cursor:pointer;border-bottom:1px solid #888;"
    "position:sticky;top:0;background:#fff}td.l,th.l{text-align:left}tr.on,tr:hover{"
    "background:#ddf4ff}#graph{overflow:auto;max-height:75vh;border:1px solid #d1d9e0;"
    "border-radius:6px}svg text{font:11px ui-monospace,Menlo,Consolas,monospace;"
    "pointer-events:none}svg rect.b{fill:#f6f8fa;stroke:#8b949e}svg path{fill:none;"
    "stroke:#8b949e}svg g.on rect.b{stroke:#0969da;stroke-width:2.5}svg g{cursor:pointer}"
    ".compute{fill:#f0883e;color:#bc4c00}.noc{fill:#58a6ff;color:#0969da}.dram{fill:"
    "#3fb950;color:#1a7f37}small{color:#59636e}";

static const char script[] =
    "const rows=[...document.querySelectorAll('#ops tbody tr')];"
    "function show(i,scroll){document.querySelectorAll('.on').forEach(e=>e.classList."
    "remove('on'));for(const e of document.querySelectorAll('[data-op=\"'+i+'\"]')){"
    "e.classList.add('on');if(scroll===e.tagName)e.scrollIntoView({block:'nearest'})}}"
    "for(const e of document.querySelectorAll('[data-op]'))e.onclick=()=>show(e.dataset.op,"
    "e.tagName==='TR'?'g':'TR');"
    "document.querySelectorAll('th').forEach(h=>h.onclick=()=>{const t=h.closest('table')."
    "tBodies[0],i=[...h.parentNode.children].indexOf(h),k=r=>{const s=r.children[i]."
    "dataset.v??r.children[i].textContent,n=parseFloat(s);return isNaN(n)?s:n},up=h.up="
    "!h.up;[...t.rows].sort((a,b)=>{const x=k(a),y=k(b);return(x<y?1:x>y?-1:0)*(up?1:-1)})"
    ".forEach(r=>t.append(r))});";

static const char *const bounds[] = {[TW_BOUND_NOTHING] = "",
                                     [TW_BOUND_COMPUTE] = "compute",
                                     [TW_BOUND_NOC] = "noc",
                                     [TW_BOUND_DRAM] = "dram"};

typedef struct page {
    tw_program *program;
    const tw_device_time *time;
    tw_strbuf out;
    double slowest;
    bool measured; /* the last run was profiled */
} page;

static double us_of(const page *p, double cycles)
{
    return cycles / (1000 * p->time->clock_ghz);
}

static double op_us(const page *p, const tw_device_op *op)
{
    return op->cycles > 0 ? us_of(p, op->cycles) + p->time->launch_us : 0;
}

static void text(page *p, const char *s)
{
    tw_strbuf_markup(&p->out, tw_str_from(s));
}

static const char *short_name(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

static bool is_first_of_step(const page *p, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (p->time->ops[k].step == p->time->ops[i].step)
            return false;
    return true;
}

/* ---- the graph: programs of the chip in a run ---------------------------------------- */

enum { BOX_WIDTH = 200, BOX_HEIGHT = 34, GAP_X = 16, GAP_Y = 22, MAX_NODES = 4000 };

typedef struct node {
    size_t depth, slot;
    bool shown;
} node;

static void put_edge(page *p, const node *from, const node *to)
{
    const double x1 = (double)from->slot * (BOX_WIDTH + GAP_X) + BOX_WIDTH / 2.0,
                 x2 = (double)to->slot * (BOX_WIDTH + GAP_X) + BOX_WIDTH / 2.0;
    const double y1 = (double)from->depth * (BOX_HEIGHT + GAP_Y) + BOX_HEIGHT,
                 y2 = (double)to->depth * (BOX_HEIGHT + GAP_Y);
    const double side = to->depth > from->depth + 1 ? BOX_WIDTH / 2.0 + GAP_X / 2.0 : 0;
    tw_strbuf_printf(&p->out, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"/>\n",
                     x1, y1, x1 + side, y1 + GAP_Y, x2 + side, y2 - GAP_Y, x2, y2);
}

/* Edges from the nearest shown operations before `at`. */
static void put_edges(page *p, const node *nodes, size_t at, const node *to, int left)
{
    const tw_device_op *op = &p->time->ops[at];
    for (size_t i = 0; i < op->n_from && left; i++)
        if (nodes[op->from[i]].shown)
            put_edge(p, &nodes[op->from[i]], to);
        else
            put_edges(p, nodes, op->from[i], to, left - 1);
}

static void put_box(page *p, size_t i, const node *n)
{
    const tw_device_op *op = &p->time->ops[i];
    const double x = (double)n->slot * (BOX_WIDTH + GAP_X),
                 y = (double)n->depth * (BOX_HEIGHT + GAP_Y), us = op_us(p, op);
    tw_strbuf_printf(
        &p->out, "<g data-op=\"%zu\" transform=\"translate(%.0f %.0f)\"><title>", i, x, y);
    text(p, op->name);
    tw_strbuf_putc(&p->out, ' ');
    text(p, op->result);
    tw_strbuf_printf(&p->out,
                     "</title><rect class=\"b\" width=\"%d\" height=\"%d\" rx=\"4\"/><rect "
                     "class=\"%s\" y=\"%d\" width=\"%.1f\" height=\"5\"/><text x=\"6\" "
                     "y=\"18\">",
                     BOX_WIDTH, BOX_HEIGHT, bounds[op->bound], BOX_HEIGHT - 5,
                     p->slowest > 0 ? BOX_WIDTH * us / p->slowest : 0);
    tw_strbuf_markup(&p->out, (tw_str){short_name(op->name),
                                       TW_MIN(strlen(short_name(op->name)), (size_t)20)});
    tw_strbuf_printf(
        &p->out, "</text><text x=\"%d\" y=\"18\" text-anchor=\"end\">%.1f us</text></g>\n",
        BOX_WIDTH - 6, us);
}

static void put_graph(page *p)
{
    const size_t n = p->time->n_ops;
    node *nodes = tw_xcalloc(n + 1, sizeof *nodes);
    size_t *width = tw_xcalloc(n + 2, sizeof *width), deepest = 0, widest = 1, shown = 0;
    size_t timed = 0;
    for (size_t i = 0; i < n; i++) {
        const tw_device_op *op = &p->time->ops[i];
        node *me = &nodes[i];
        const bool takes_time = !op->once && op->cycles > 0;
        timed += takes_time;
        me->shown = takes_time && shown < MAX_NODES;
        for (size_t k = 0; k < op->n_from; k++) {
            const node *before = &nodes[op->from[k]];
            me->depth = TW_MAX(me->depth, before->depth + before->shown);
        }
        if (!me->shown)
            continue;
        shown++;
        me->slot = width[me->depth]++;
        widest = TW_MAX(widest, width[me->depth]);
        deepest = TW_MAX(deepest, me->depth);
    }
    tw_strbuf_printf(&p->out,
                     "<div id=\"graph\"><svg width=\"%zu\" height=\"%zu\" "
                     "xmlns=\"http://www.w3.org/2000/svg\">\n",
                     widest * (BOX_WIDTH + GAP_X) + GAP_X,
                     (deepest + 1) * (BOX_HEIGHT + GAP_Y));
    for (size_t i = 0; i < n; i++)
        if (nodes[i].shown)
            put_edges(p, nodes, i, &nodes[i], 8);
    for (size_t i = 0; i < n; i++)
        if (nodes[i].shown)
            put_box(p, i, &nodes[i]);
    tw_strbuf_puts(&p->out, "</svg></div>\n");
    if (timed > shown)
        tw_strbuf_printf(&p->out,
                         "<p>The graph shows the first %zu of %zu operations.</p>\n", shown,
                         timed);
    free(nodes);
    free(width);
}

/* ---- tables -------------------------------------------------------------------------- */

static void put_place(page *p, const tw_device_op *op)
{
    const char *slash = op->file ? strrchr(op->file, '/') : NULL;
    tw_strbuf_puts(&p->out, "<td class=\"l\">");
    if (op->file) {
        text(p, slash ? slash + 1 : op->file);
        tw_strbuf_printf(&p->out, ":%u", op->line);
    }
    tw_strbuf_puts(&p->out, "</td>");
}

static void put_row(page *p, size_t i)
{
    const tw_device_op *op = &p->time->ops[i];
    const bool host = op->step != SIZE_MAX && p->measured;
    tw_strbuf_printf(&p->out, "<tr data-op=\"%zu\"><td>%zu</td><td class=\"l\">", i, i);
    text(p, short_name(op->name));
    tw_strbuf_puts(&p->out, "</td><td class=\"l\">");
    text(p, op->result);
    tw_strbuf_puts(&p->out, "</td>");
    if (op->once)
        tw_strbuf_puts(&p->out, "<td data-v=\"-1\">once</td>");
    else if (op->cycles <= 0)
        tw_strbuf_puts(&p->out, "<td data-v=\"-1\">-</td>");
    else
        tw_strbuf_printf(&p->out, "<td>%.2f</td>", op_us(p, op));
    tw_strbuf_printf(&p->out,
                     "<td class=\"l %s\">%s%s</td><td>%d</td><td>%.0f</td><td>%.0f</td>"
                     "<td>%.0f</td><td>%.0f</td><td>%.1f</td><td>%.1f</td>",
                     bounds[op->bound], bounds[op->bound],
                     op->bytes_only && op->cycles > 0 ? " (bytes only)" : "", op->cores,
                     op->cycles, op->compute, op->noc, op->dram,
                     (op->read_bytes + op->write_bytes) / 1024, op->noc_bytes / 1024);
    if (host && is_first_of_step(p, i))
        tw_strbuf_printf(&p->out, "<td>%.2f</td>",
                         (double)tw_program_step_time(p->program, op->step) / 1000);
    else
        tw_strbuf_printf(&p->out, "<td data-v=\"-1\">%s</td>", host ? "with another" : "-");
    put_place(p, op);
    tw_strbuf_puts(&p->out, "</tr>\n");
}

static void put_operations(page *p)
{
    tw_strbuf_puts(&p->out, "<h2>Operations</h2>\n<table "
                            "id=\"ops\"><thead><tr><th></th><th class=\"l\">operation"
                            "</th><th class=\"l\">result</th><th>chip, us</th><th "
                            "class=\"l\">bound</th><th>cores"
                            "</th><th>cycles</th><th>compute</th><th>NoC</th><th>DRAM</"
                            "th><th>DRAM, KiB</th><th>"
                            "NoC, KiB</th><th>this machine, us</th><th "
                            "class=\"l\">line</th></tr></thead><tbody>"
                            "\n");
    for (size_t i = 0; i < p->time->n_ops; i++)
        put_row(p, i);
    tw_strbuf_puts(&p->out, "</tbody></table>\n");
}

typedef struct line {
    const tw_device_op *op;
    double chip, host;
    size_t n;
} line;

static int slower_first(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return x->chip < y->chip ? 1 : x->chip > y->chip ? -1 : 0;
}

static void put_lines(page *p)
{
    line *lines = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < p->time->n_ops; i++) {
        const tw_device_op *op = &p->time->ops[i];
        size_t k = 0;
        if (!op->file || op->once)
            continue;
        while (k < n &&
               (lines[k].op->line != op->line || strcmp(lines[k].op->file, op->file) != 0))
            k++;
        if (k == n) {
            const line fresh = {.op = op};
            TW_PUSH(lines, n, capacity, fresh);
        }
        lines[k].chip += op_us(p, op);
        lines[k].n += op->cycles > 0;
        if (op->step != SIZE_MAX && is_first_of_step(p, i))
            lines[k].host += (double)tw_program_step_time(p->program, op->step) / 1000;
    }
    if (n)
        qsort(lines, n, sizeof *lines, slower_first);
    tw_strbuf_puts(
        &p->out, "<h2>Lines of the model</h2>\n<table><thead><tr><th class=\"l\">line</th>"
                 "<th>programs</th><th>chip, us</th><th>this machine, us</th></tr></thead>"
                 "<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        tw_strbuf_puts(&p->out, "<tr><td class=\"l\">");
        text(p, lines[i].op->file);
        tw_strbuf_printf(&p->out, ":%u</td><td>%zu</td><td>%.2f</td><td>%.2f</td></tr>\n",
                         lines[i].op->line, lines[i].n, lines[i].chip, lines[i].host);
    }
    tw_strbuf_puts(&p->out, "</tbody></table>\n");
    free(lines);
}

static void put_summary(page *p)
{
    const tw_device_time *t = p->time;
    double by[4] = {0}, host = 0;
    for (size_t i = 0; i < t->n_ops; i++)
        if (!t->ops[i].once && t->ops[i].cycles > 0)
            by[t->ops[i].bound] += op_us(p, &t->ops[i]);
    for (size_t i = 0; i < tw_program_step_count(p->program); i++)
        host += (double)tw_program_step_time(p->program, i) / 1000;
    tw_strbuf_printf(
        &p->out,
        "<p><b>Chip</b> (predicted, %s, %d cores, %.2f GHz): <b>%.1f us</b> a run "
        "in %zu programs, of which launches take %.1f us. Bound by <span "
        "class=\"compute\">compute %.1f us</span>, <span class=\"noc\">NoC %.1f "
        "us</span>, <span class=\"dram\">DRAM %.1f us</span>.</p>\n",
        t->chip, t->cores, t->clock_ghz, t->us, t->launches,
        (double)t->launches * t->launch_us, by[TW_BOUND_COMPUTE], by[TW_BOUND_NOC],
        by[TW_BOUND_DRAM]);
    if (p->measured)
        tw_strbuf_printf(
            &p->out,
            "<p><b>This machine</b> (measured, the last run): <b>%.1f us</b>. It "
            "computes the same values with kernels of its own, several "
            "operations in one step.</p>\n",
            host);
}

static tw_status write_page(tw_program *program, const char *path)
{
    page p = {.program = program, .time = tw_program_device_time(program)};
    if (!p.time)
        return tw_error(TW_INVALID,
                        "no operation of the program is lowered to the chip: there is no "
                        "device time to show");
    for (size_t i = 0; i < p.time->n_ops; i++)
        p.slowest = TW_MAX(p.slowest, p.time->ops[i].once ? 0 : op_us(&p, &p.time->ops[i]));
    for (size_t i = 0; i < tw_program_step_count(program); i++)
        p.measured |= tw_program_step_time(program, i) > 0;
    tw_strbuf_printf(&p.out,
                     "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<title>Device time</title><style>%s</style></head><body>\n<h1>Device "
                     "time</h1>\n",
                     style);
    put_summary(&p);
    tw_strbuf_puts(&p.out, "<h2>Graph</h2>\n");
    put_graph(&p);
    put_operations(&p);
    put_lines(&p);
    tw_strbuf_printf(&p.out,
                     "<p><small>Tilewright %s. Cycles by the cost tables of the simulated "
                     "grid. A column's title sorts.</small></p>\n<script>%s</script>\n"
                     "</body></html>\n",
                     tw_version(), script);
    tw_status status = tw_file_write(path, p.out.data, p.out.size);
    tw_strbuf_free(&p.out);
    return status;
}

TW_UNDER_GUARD guarded_write_page(tw_program *program, const char *path)
{
    return write_page(program, path);
}

TW_EXPORT tw_status tw_program_write_page(tw_program *program, const char *path)
{
    TW_RETURN_GUARDED(guarded_write_page(program, path));
}
