/* trace.c: a program's timeline: spans of threads and units, as Perfetto's JSON and
 * text. */
#include "grid/check/semaphore_waits.h"
#include "grid/machine/program.h"
#include "grid/trace/timeline.h"
#include "support/json.h"
#include "ttl/ttl.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SPANS = 1 << 20 };

void dev_span_keep(dev_thread *t, dev_track track, const ir_op *op, double start,
                   double end)
{
    dev_machine *m = t->machine;
    bool point = ir_op_is(op, TTL_OP(signpost));
    if (end <= start && !point)
        return;
    if (m->profile.n_spans >= MAX_SPANS) {
        m->profile.spans_lost++;
        return;
    }
    dev_span_record s = {t,
                         track,
                         op,
                         start - m->begin,
                         end - m->begin,
                         track == DEV_TRACK_WAIT ? t->wait.cb : NULL};
    TW_PUSH(m->profile.spans, m->profile.n_spans, m->profile.spans_capacity, s);
}

/* ---- Perfetto ---------------------------------------------------------------------- */

static void write_span(const dev_machine *m, const dev_span_record *s, uint32_t row,
                       tw_strbuf *out)
{
    const dev_core *core = s->thread->core;
    double us = 1 / m->chip->clock_ghz / 1000;
    tw_str file;
    uint32_t line;
    tw_strbuf_printf(out,
                     ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,"
                     "\"cat\":\"%s\",\"name\":",
                     core->y * m->chip->grid_x + core->x, row + 1, s->start * us,
                     (s->end - s->start) * us, dev_track_name(s->track));
    tw_json_string(out, dev_span_name(s->op));
    tw_strbuf_printf(out, ",\"args\":{\"cycle\":%.0f", s->start);
    if (s->cb) {
        tw_strbuf buffer = {0};
        dev_span_buffer(s, &buffer);
        tw_strbuf_puts(out, ",\"buffer\":");
        tw_json_string(out, (tw_str){buffer.data, buffer.size});
        tw_strbuf_free(&buffer);
    }
    if (dev_span_location(m->ctx, s->op, &file, &line)) {
        tw_strbuf_printf(out, ",\"line\":%u,\"file\":", line);
        tw_json_string(out, file);
    }
    tw_strbuf_puts(out, "}}");
}

void dev_trace_perfetto(const dev_machine *m, tw_strbuf *out)
{
    dev_timeline t = dev_timeline_of(m);
    tw_strbuf name = {0};
    tw_strbuf_printf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                          "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":"
                          "{\"name\":\"core 0,0\"}}");
    for (size_t i = 0; i < t.n_rows; i++) {
        const dev_core *core = t.rows[i].thread->core;
        const int number = core->y * m->chip->grid_x + core->x;
        if (i == 0 || t.rows[i - 1].thread != t.rows[i].thread)
            tw_strbuf_printf(out,
                             ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\","
                             "\"args\":{\"name\":\"core %d,%d\"}}",
                             number, core->y, core->x);
        tw_strbuf_printf(out,
                         ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":"
                         "\"thread_name\",\"args\":{\"name\":",
                         number, i + 1);
        name.size = 0;
        dev_row_name(&t.rows[i], &name);
        tw_json_string(out, (tw_str){name.data, name.size});
        tw_strbuf_puts(out, "}}");
    }
    for (size_t i = 0; i < m->profile.n_spans; i++)
        write_span(m, &m->profile.spans[i], t.row_of_span[i], out);
    tw_strbuf_free(&name);
    dev_timeline_free(&t);
    tw_strbuf_puts(out, "\n]}\n");
}

/* ---- text -------------------------------------------------------------------------- */

static void shade(double share, tw_strbuf *out)
{
    static const char shades[] = " .:-=+*#%@";
    int i = (int)(share * 9 + 0.5);
    tw_strbuf_putc(out, shades[TW_MIN(TW_MAX(i, 0), 9)]);
}

/* Bytes moved by each core's NoC interfaces, as a map; those of each bank beside it. */
static void heat_map(const dev_machine *m, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    double most = 1, bank_most = 1;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++)
        most = fmax(most, (double)m->profile.core_bytes[i]);
    for (int i = 0; i < chip->dram_banks; i++)
        bank_most = fmax(bank_most, (double)m->profile.bank_bytes[i]);
    tw_strbuf_printf(out, "NoC, bytes of a core (@ is %.0f):\n", most);
    for (int y = 0; y < chip->grid_y; y++) {
        tw_strbuf_puts(out, "  |");
        for (int x = 0; x < chip->grid_x; x++) {
            shade((double)m->profile.core_bytes[y * chip->grid_x + x] / most, out);
            shade((double)m->profile.core_bytes[y * chip->grid_x + x] / most, out);
        }
        tw_strbuf_puts(out, "|\n");
    }
    tw_strbuf_printf(out, "DRAM, bytes of a bank (@ is %.0f): |", bank_most);
    for (int i = 0; i < chip->dram_banks; i++)
        shade((double)m->profile.bank_bytes[i] / bank_most, out);
    tw_strbuf_puts(out, "|\n");
}

dev_roof dev_roof_of(const dev_machine *m, const dev_program *p)
{
    const dev_chip *chip = m->chip;
    dev_roof r = {.flops = m->profile.matrix_flops, .bytes = (double)m->profile.dram_bytes};
    double math = 0, pack = 0;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++) {
        r.cores += m->cores[i] && m->cores[i]->n_threads;
        math += m->profile.busy[i][DEV_TRACK_MATH];
        pack += m->profile.busy[i][DEV_TRACK_PACK];
    }
    double span = p->cycles * r.cores;
    r.math = span > 0 ? math / span : 0;
    r.pack = span > 0 ? pack / span : 0;
    r.peak = r.cores * 65536.0 / chip->cost.matmul_phase;
    r.dram = chip->dram_banks * chip->cost.dram_bytes;
    return r;
}

/* Relates the program to the roofs of its cores' matrix units and of DRAM. */
static void roofline(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    const dev_roof r = dev_roof_of(m, p);
    if (!r.cores || p->cycles <= 0)
        return;
    tw_strbuf_printf(
        out,
        "%d core%s: math busy %.0f%%, packer %.0f%%; DRAM %.1f of %.0f bytes a "
        "cycle (%.0f%%)\n",
        r.cores, dev_s(r.cores), 100 * r.math, 100 * r.pack, r.bytes / p->cycles, r.dram,
        100 * r.bytes / p->cycles / r.dram);
    if (r.flops <= 0)
        return;
    tw_strbuf_printf(
        out, "roofline: %.0f of %.0f operations a cycle (%.1f%%; LoFi's roof)\n          ",
        r.flops / p->cycles, r.peak, 100 * r.flops / p->cycles / r.peak);
    if (r.bytes > 0)
        tw_strbuf_printf(out, "%.1f operations a byte of DRAM, %s\n", r.flops / r.bytes,
                         r.flops / r.bytes < r.peak / r.dram
                             ? "below the ridge: memory-bound"
                             : "above the ridge: compute-bound");
    else
        tw_strbuf_puts(out, "no byte of DRAM: compute-bound\n");
}

/* ---- waits --------------------------------------------------------------------------- */

typedef struct waited {
    const ir_op *op;
    const dev_thread *thread; /* one of the waiting threads */
    const dev_span_record *span;
    double cycles;
    size_t number; /* breaks ties between equal waits: the first comes first */
    uint64_t cores[DEV_CORE_WORDS];
} waited;

static int longer_first(const void *a, const void *b)
{
    const waited *x = a, *y = b;
    if (fabs(x->cycles - y->cycles) > 0.5)
        return x->cycles < y->cycles ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Writes the awaited circular buffer, pipe or semaphore in parentheses. */
static void put_object(const dev_span_record *s, tw_strbuf *out)
{
    tw_strbuf name = {0};
    if (s->cb)
        dev_span_buffer(s, &name);
    else
        dev_wait_name(s->op, &name);
    if (name.size)
        tw_strbuf_printf(out, " (%s)", tw_strbuf_text(&name));
    tw_strbuf_free(&name);
}

/* Lists the operations with the longest waits, with locations, summed over all cores. */
static void longest_waits(const dev_machine *m, tw_strbuf *out)
{
    enum { CAPACITY = 6 };
    ir_mapping *known = ir_mapping_create();
    waited *all = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < m->profile.n_spans; i++) {
        const dev_span_record *s = &m->profile.spans[i];
        if (s->track != DEV_TRACK_WAIT || !s->op || s->end <= s->start)
            continue;
        uintptr_t at = (uintptr_t)ir_mapping_get(known, s->op);
        if (!at) {
            waited fresh = {.op = s->op, .thread = s->thread, .span = s, .number = n};
            TW_PUSH(all, n, capacity, fresh);
            ir_mapping_set(known, s->op, (void *)(at = n));
        }
        all[at - 1].cycles += s->end - s->start;
        dev_cores_add(m, s->thread->core, all[at - 1].cores);
    }
    ir_mapping_free(known);
    if (n)
        qsort(all, n, sizeof *all, longer_first);
    for (size_t i = 0; i < TW_MIN(n, CAPACITY); i++) {
        ir_ident file;
        uint32_t line, column;
        const tw_str kernel = ir_symbol_name(all[i].thread->code->function),
                     op = dev_span_name(all[i].op);
        tw_strbuf_printf(out, "waited %10.0f cycles in %.*s", all[i].cycles, (int)op.size,
                         op.data);
        put_object(all[i].span, out);
        tw_strbuf_printf(out, " of @%.*s, ", (int)kernel.size, kernel.data);
        dev_cores_name(m, all[i].cores, out);
        if (ir_loc_position(m->ctx, all[i].op->loc, &file, &line, &column)) {
            tw_str path = ir_ident_str(file);
            tw_strbuf_printf(out, "\n       at %.*s:%u", (int)path.size, path.data, line);
        }
        tw_strbuf_putc(out, '\n');
    }
    free(all);
}

void dev_trace_text(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    roofline(m, p, out);
    if (m->profile.spans_lost)
        tw_strbuf_printf(out,
                         "timeline: of %llu spans the first %zu, of which the rest "
                         "speaks\n",
                         (unsigned long long)(m->profile.n_spans + m->profile.spans_lost),
                         m->profile.n_spans);
    longest_waits(m, out);
    dev_trace_lines(m, out);
    heat_map(m, out);
}
