/* trace.c: what a program did in time: spans of threads and units, as Perfetto's JSON and
 * as text. */
#include "device/program.h"
#include "dialect/ttl/ttl.h"

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
    if (m->n_spans >= MAX_SPANS) {
        m->spans_lost++;
        return;
    }
    dev_span_record s = {t,
                         track,
                         op,
                         start - m->begin,
                         end - m->begin,
                         track == DEV_TRACK_WAIT ? t->wait_cb : NULL};
    TW_PUSH(m->spans, m->n_spans, m->spans_capacity, s);
}

static const char *const track_names[DEV_TRACKS] = {
    [DEV_TRACK_WAIT] = "waits", [DEV_TRACK_UNPACK] = "unpack", [DEV_TRACK_MATH] = "math",
    [DEV_TRACK_PACK] = "pack",  [DEV_TRACK_NOC] = "NoC",
};

/* ---- Perfetto ---------------------------------------------------------------------- */

/* Rows of the timeline: each thread has one for what it does and waits for, and one for
 * each unit that works for it. Transfers of a NoC are under way together: they have lanes,
 * since viewers take what overlaps in one row for nested. */
enum { LANES = 8 };

static unsigned row_of(const dev_thread *t, int track, int lane)
{
    return t->number * (DEV_TRACKS + LANES) + (unsigned)(track + lane) + 1;
}

/* The lane of each span; *out_used: how many each thread has. */
static uint8_t *lanes_of(const dev_machine *m, uint8_t **out_used)
{
    _Static_assert(DEV_TRACK_NOC == DEV_TRACKS - 1, "its lanes are the last rows");
    uint8_t *lanes = tw_xcalloc(m->n_spans + 1, 1);
    double(*ends)[LANES] = tw_xcalloc(m->n_threads + 1, sizeof *ends);
    *out_used = tw_xcalloc(m->n_threads + 1, 1);
    for (size_t i = 0; i < m->n_spans; i++) {
        const dev_span_record *s = &m->spans[i];
        const uint32_t t = s->thread->number;
        if (s->track != DEV_TRACK_NOC)
            continue;
        int lane = 0;
        while (lane + 1 < LANES && ends[t][lane] > s->start)
            lane++;
        ends[t][lane] = fmax(ends[t][lane], s->end);
        lanes[i] = (uint8_t)lane;
        (*out_used)[t] = (uint8_t)TW_MAX((*out_used)[t], lane + 1);
    }
    free(ends);
    return lanes;
}

/* Names are identifiers mostly; what would need escaping in JSON or HTML is shown as _. */
static void put_name(tw_str name, tw_strbuf *out)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '.' || c == '-';
        tw_strbuf_putc(out, plain ? c : '_');
    }
}

static void name_row(const dev_machine *m, const dev_thread *t, int track, int lane,
                     tw_strbuf *out)
{
    tw_str name = ir_symbol_name(t->code->function);
    int core = t->core->y * m->chip->grid_x + t->core->x;
    tw_strbuf_printf(out,
                     ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"thread_name\","
                     "\"args\":{\"name\":\"",
                     core, row_of(t, track, lane));
    put_name(name, out);
    tw_strbuf_printf(out, lane ? " %s %d\"}}" : " %s\"}}", track_names[track], lane + 1);
}

/* "add_tiles" of "ttkernel.add_tiles". */
static const char *short_name(const ir_op *op)
{
    const char *dot = op ? strchr(op->def->name, '.') : NULL;
    return dot ? dot + 1 : "?";
}

/* The circular buffer that was waited for: its name, or its number. */
static void put_buffer(const dev_span_record *s, tw_strbuf *out)
{
    if (s->cb->name)
        put_name((tw_str){s->cb->name, strlen(s->cb->name)}, out);
    else
        tw_strbuf_printf(out, "buffer %d", (int)(s->cb - s->thread->core->cb));
}

static void write_span(const dev_machine *m, const dev_span_record *s, int lane,
                       tw_strbuf *out)
{
    const dev_core *core = s->thread->core;
    double us = 1 / m->chip->clock_ghz / 1000;
    ir_ident file;
    uint32_t line, column;
    tw_strbuf_printf(out,
                     ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,"
                     "\"cat\":\"%s\",\"name\":\"",
                     core->y * m->chip->grid_x + core->x, row_of(s->thread, s->track, lane),
                     s->start * us, (s->end - s->start) * us, track_names[s->track]);
    if (ir_op_is(s->op, TTL_OP(signpost)))
        put_name(ir_attr_str(ir_op_attr(s->op, "name")), out);
    else
        tw_strbuf_puts(out, short_name(s->op));
    tw_strbuf_printf(out, "\",\"args\":{\"cycle\":%.0f", s->start);
    if (s->cb) {
        tw_strbuf_puts(out, ",\"buffer\":\"");
        put_buffer(s, out);
        tw_strbuf_putc(out, '"');
    }
    if (s->op && ir_loc_position(m->ctx, s->op->loc, &file, &line, &column)) {
        tw_str path = ir_ident_str(file);
        const char *slash = memrchr(path.data, '/', path.size);
        size_t before = slash ? (size_t)(slash + 1 - path.data) : 0;
        tw_strbuf_printf(out, ",\"line\":%u,\"file\":\"", line);
        put_name((tw_str){path.data + before, path.size - before}, out);
        tw_strbuf_putc(out, '"');
    }
    tw_strbuf_puts(out, "}}");
}

void dev_trace_perfetto(const dev_machine *m, tw_strbuf *out)
{
    tw_strbuf_printf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                          "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":"
                          "{\"name\":\"core 0,0\"}}");
    uint8_t *used, *lanes = lanes_of(m, &used);
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        int core = t->core->y * m->chip->grid_x + t->core->x;
        tw_strbuf_printf(out,
                         ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":"
                         "{\"name\":\"core %d,%d\"}}",
                         core, t->core->y, t->core->x);
        for (int track = 0; track < DEV_TRACKS; track++)
            if (track == DEV_TRACK_WAIT || (track == DEV_TRACK_NOC) != t->is_compute)
                name_row(m, t, track, 0, out);
        for (int lane = 1; lane < used[t->number]; lane++)
            name_row(m, t, DEV_TRACK_NOC, lane, out);
    }
    for (size_t i = 0; i < m->n_spans; i++)
        write_span(m, &m->spans[i], lanes[i], out);
    free(lanes);
    free(used);
    tw_strbuf_puts(out, "\n]}\n");
}

/* ---- text -------------------------------------------------------------------------- */

static void shade(double share, tw_strbuf *out)
{
    static const char shades[] = " .:-=+*#%@";
    int i = (int)(share * 9 + 0.5);
    tw_strbuf_putc(out, shades[TW_MIN(TW_MAX(i, 0), 9)]);
}

/* Bytes that each core's NoC interfaces moved, as a map; each bank's beside it. */
static void heat_map(const dev_machine *m, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    double most = 1, bank_most = 1;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++)
        most = fmax(most, (double)m->core_bytes[i]);
    for (int i = 0; i < chip->dram_banks; i++)
        bank_most = fmax(bank_most, (double)m->bank_bytes[i]);
    tw_strbuf_printf(out, "NoC, bytes of a core (@ is %.0f):\n", most);
    for (int y = 0; y < chip->grid_y; y++) {
        tw_strbuf_puts(out, "  |");
        for (int x = 0; x < chip->grid_x; x++) {
            shade((double)m->core_bytes[y * chip->grid_x + x] / most, out);
            shade((double)m->core_bytes[y * chip->grid_x + x] / most, out);
        }
        tw_strbuf_puts(out, "|\n");
    }
    tw_strbuf_printf(out, "DRAM, bytes of a bank (@ is %.0f): |", bank_most);
    for (int i = 0; i < chip->dram_banks; i++)
        shade((double)m->bank_bytes[i] / bank_most, out);
    tw_strbuf_puts(out, "|\n");
}

dev_roof dev_roof_of(const dev_machine *m, const dev_program *p)
{
    const dev_chip *chip = m->chip;
    dev_roof r = {.flops = m->matrix_flops, .bytes = (double)m->dram_bytes};
    double math = 0, pack = 0;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++) {
        r.cores += m->cores[i] && m->cores[i]->n_threads;
        math += m->busy[i][DEV_TRACK_MATH];
        pack += m->busy[i][DEV_TRACK_PACK];
    }
    double span = p->cycles * r.cores;
    r.math = span > 0 ? math / span : 0;
    r.pack = span > 0 ? pack / span : 0;
    r.peak = r.cores * 65536.0 / chip->cost.matmul_phase;
    r.dram = chip->dram_banks * chip->cost.dram_bytes;
    return r;
}

/* Where the program stands below the roofs of its cores' matrix units and of DRAM. */
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

/* ---- what was waited for ------------------------------------------------------------- */

typedef struct waited {
    const ir_op *op;
    const dev_thread *thread; /* one of those */
    const dev_span_record *span;
    double cycles;
    size_t number; /* of those that waited as long the first comes first */
    uint64_t cores[DEV_CORE_WORDS];
} waited;

static int longer_first(const void *a, const void *b)
{
    const waited *x = a, *y = b;
    if (fabs(x->cycles - y->cycles) > 0.5)
        return x->cycles < y->cycles ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The operations in which threads waited longest, at their places, all cores together. */
static void longest_waits(const dev_machine *m, tw_strbuf *out)
{
    enum { MOST = 6 };
    ir_mapping *known = ir_mapping_create();
    waited *all = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < m->n_spans; i++) {
        const dev_span_record *s = &m->spans[i];
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
    qsort(all, n, sizeof *all, longer_first);
    for (size_t i = 0; i < TW_MIN(n, MOST); i++) {
        ir_ident file;
        uint32_t line, column;
        tw_str kernel = ir_symbol_name(all[i].thread->code->function);
        tw_strbuf_printf(out, "waited %10.0f cycles in %s", all[i].cycles,
                         short_name(all[i].op));
        if (all[i].span->cb) {
            tw_strbuf_puts(out, " (");
            put_buffer(all[i].span, out);
            tw_strbuf_putc(out, ')');
        }
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
    if (m->spans_lost)
        tw_strbuf_printf(out,
                         "timeline: of %llu spans the first %zu, of which the rest "
                         "speaks\n",
                         (unsigned long long)(m->n_spans + m->spans_lost), m->n_spans);
    longest_waits(m, out);
    dev_trace_lines(m, out);
    heat_map(m, out);
}
