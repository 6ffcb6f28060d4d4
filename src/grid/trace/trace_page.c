/* trace_page.c: what a program did in time as one page of HTML (page/page.html) that shows
 * the trace and this report of figures. */
#include "grid/machine/program.h"
#include "grid/trace/timeline.h"
#include "support/json.h"

#include <stdlib.h>

/* made by embed.c at build time */
extern const char dev_text_page[];

static void escape(tw_str text, tw_strbuf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '<')
            tw_strbuf_puts(out, "&lt;");
        else if (c == '&')
            tw_strbuf_puts(out, "&amp;");
        else
            tw_strbuf_putc(out, c);
    }
}

/* A string in a script of the page. */
static void put_string(tw_str text, tw_strbuf *out)
{
    tw_strbuf json = {0};
    tw_json_string(&json, text);
    for (size_t i = 0; i < json.size; i++)
        if (json.data[i] == '<')
            tw_strbuf_puts(out, "\\u003c");
        else
            tw_strbuf_putc(out, json.data[i]);
    tw_strbuf_free(&json);
}

static void put_numbers(const char *name, const uint64_t *at, int n, tw_strbuf *out)
{
    tw_strbuf_printf(out, ",\n\"%s\":[", name);
    for (int i = 0; i < n; i++)
        tw_strbuf_printf(out, i ? ",%llu" : "%llu", (unsigned long long)at[i]);
    tw_strbuf_putc(out, ']');
}

static void put_threads(const dev_program *p, tw_strbuf *out)
{
    tw_strbuf_puts(out, ",\n\"threads\":[");
    for (size_t i = 0; i < p->n_threads; i++) {
        const dev_figures *t = &p->threads[i];
        tw_strbuf_printf(out, "%s\n{\"y\":%d,\"x\":%d,\"kernel\":", i ? "," : "", t->y,
                         t->x);
        put_string(ir_symbol_name(t->function), out);
        tw_strbuf_printf(out, ",\"cycles\":%.0f,\"stalls\":[%.0f,%.0f,%.0f,%.0f]}",
                         t->cycles, t->stalled[DEV_WAIT_CB_SPACE],
                         t->stalled[DEV_WAIT_CB_DATA], t->stalled[DEV_WAIT_SEMAPHORE],
                         t->stalled[DEV_WAIT_BARRIER]);
    }
    tw_strbuf_putc(out, ']');
}

static void put_report(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    const dev_roof r = dev_roof_of(m, p);
    tw_strbuf_printf(out,
                     "{\"chip\":\"%s\",\"clock\":%g,\"launch_us\":%g,\"cycles\":%.0f,"
                     "\"grid\":[%d,%d],\n\"roof\":{\"cores\":%d,\"math\":%.4f,"
                     "\"pack\":%.4f,\"flops\":%.0f,\"bytes\":%.0f,\"peak\":%g,\"dram\":%g}",
                     chip->name, chip->clock_ghz, chip->cost.launch_us, p->cycles,
                     chip->grid_y, chip->grid_x, r.cores, r.math, r.pack, r.flops, r.bytes,
                     r.peak, r.dram);
    put_numbers("cores", m->core_bytes, chip->grid_y * chip->grid_x, out);
    put_numbers("banks", m->bank_bytes, chip->dram_banks, out);
    put_threads(p, out);
    tw_strbuf_puts(out, "}");
}

/* ---- spans --------------------------------------------------------------------------- */

/* What spans say beside row and time, once for all that say the same. */
typedef struct kind {
    const dev_span_record *of;
    size_t next; /* of the same operation: 1 + its number, or 0 */
} kind;

typedef struct kinds {
    ir_mapping *first; /* of an operation: 1 + the number of its newest kind */
    kind *at;
    size_t n, capacity;
} kinds;

static size_t kind_of(kinds *k, const dev_span_record *s)
{
    const size_t first = (uintptr_t)ir_mapping_get(k->first, s->op);
    for (size_t i = first; i; i = k->at[i - 1].next) {
        const dev_span_record *of = k->at[i - 1].of;
        if (of->track == s->track && !of->cb == !s->cb &&
            (!s->cb || of->cb - of->thread->core->cb == s->cb - s->thread->core->cb))
            return i - 1;
    }
    const kind fresh = {s, first};
    TW_PUSH(k->at, k->n, k->capacity, fresh);
    ir_mapping_set(k->first, s->op, (void *)k->n);
    return k->n - 1;
}

/* [name, track, buffer or "", file or "", line] */
static void put_kind(const dev_machine *m, const dev_span_record *s, tw_strbuf *out)
{
    tw_strbuf buffer = {0};
    tw_str file = {0};
    uint32_t line = 0;
    if (s->cb)
        dev_span_buffer(s, &buffer);
    dev_span_place(m->ctx, s->op, &file, &line);
    tw_strbuf_putc(out, '[');
    put_string(dev_span_name(s->op), out);
    tw_strbuf_printf(out, ",\"%s\",", dev_track_name(s->track));
    put_string((tw_str){buffer.data, buffer.size}, out);
    tw_strbuf_putc(out, ',');
    put_string(file, out);
    tw_strbuf_printf(out, ",%u]", line);
    tw_strbuf_free(&buffer);
}

/* Rows and kinds as lists; spans as four numbers each: row, kind, start and duration in
 * tenths of a cycle.  A tenth of what Perfetto's events take, for pages of a million. */
static void put_spans(const dev_machine *m, tw_strbuf *out)
{
    dev_timeline t = dev_timeline_of(m);
    kinds k = {.first = ir_mapping_create()};
    tw_strbuf name = {0};
    tw_strbuf_puts(out, "{\"rows\":[");
    for (size_t i = 0; i < t.n_rows; i++) {
        const dev_core *core = t.rows[i].thread->core;
        name.size = 0;
        tw_strbuf_printf(&name, "core %d,%d ", core->y, core->x);
        dev_row_name(&t.rows[i], &name);
        tw_strbuf_puts(out, i ? ",\n" : "");
        put_string((tw_str){name.data, name.size}, out);
    }
    tw_strbuf_puts(out, "],\n\"spans\":[");
    for (size_t i = 0; i < m->n_spans; i++) {
        const dev_span_record *s = &m->spans[i];
        tw_strbuf_printf(out, "%s%u,%zu,%.0f,%.0f", i ? i % 16 ? "," : ",\n" : "",
                         t.row_of_span[i], kind_of(&k, s), 10 * s->start,
                         10 * (s->end - s->start));
    }
    tw_strbuf_puts(out, "],\n\"kinds\":[");
    for (size_t i = 0; i < k.n; i++) {
        tw_strbuf_puts(out, i ? ",\n" : "");
        put_kind(m, k.at[i].of, out);
    }
    tw_strbuf_puts(out, "]}");
    ir_mapping_free(k.first);
    free(k.at);
    tw_strbuf_free(&name);
    dev_timeline_free(&t);
}

void dev_trace_html(const dev_machine *m, const dev_program *p, tw_str summary,
                    tw_strbuf *out)
{
    static const char *const marks[] = {"@SUMMARY@", "@TRACE@", "@REPORT@"};
    const char *from = dev_text_page;
    for (size_t i = 0; i < TW_COUNT(marks); i++) {
        const char *mark = strstr(from, marks[i]);
        tw_strbuf_append(out, from, (size_t)(mark - from));
        from = mark + strlen(marks[i]);
        if (i == 0)
            escape(summary, out);
        else if (i == 1)
            put_spans(m, out);
        else
            put_report(m, p, out);
    }
    tw_strbuf_puts(out, from);
}
