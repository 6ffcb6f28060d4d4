/* trace_csv.c: the last run in the format of tt-metal's profile_log_device.csv, which
 * tt-metal's tools read: a zone for each kernel on its processor, and one at each signpost,
 * which is a scope in C++. A compute kernel is listed as TRISC_1, the processor that
 * computes. */
#include "grid/machine/program.h"
#include "grid/trace/timeline.h"
#include "grid/units/code.h"
#include "ttl/ttl.h"

static void put_head(const dev_machine *m, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    tw_strbuf_printf(out,
                     "ARCH: %s, CHIP_FREQ[MHz]: %.0f, Max Compute Cores: %d\n"
                     "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
                     "time[cycles since reset], data, run host ID, trace id, "
                     "trace id counter, zone name, type, source line, source file, "
                     "meta data\n",
                     chip->arch, chip->clock_ghz * 1000, chip->grid_y * chip->grid_x);
}

/* A 16-bit id per zone, as in tt-metal. */
static unsigned timer_of(tw_str zone)
{
    unsigned hash = 5381;
    for (size_t i = 0; i < zone.size; i++)
        hash = hash * 33 + (unsigned char)zone.data[i];
    return hash & 0xFFFF;
}

static void put_zone(const dev_machine *m, const dev_thread *t, const ir_op *op,
                     tw_str zone, bool begins, double cycle, unsigned run, tw_strbuf *out)
{
    static const char *const movers[] = {"NCRISC", "BRISC"};
    tw_str file = TW_STR("");
    uint32_t line = 0;
    dev_span_location(m->ctx, op, &file, &line);
    tw_strbuf_printf(out, "0,%d,%d,%s,%u,%.0f,0,%u,,,%.*s,ZONE_%s,%u,%.*s,\n",
                     t->core->x + m->chip->translated_x, t->core->y + m->chip->translated_y,
                     t->is_compute ? "TRISC_1" : movers[t->noc == 1], timer_of(zone),
                     m->begin + cycle, run, (int)zone.size, zone.data,
                     begins ? "START" : "END", line, (int)file.size, file.data);
}

static void put_kernels(const dev_machine *m, const dev_program *p, bool begins,
                        unsigned run, tw_strbuf *out)
{
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        const tw_str zone = t->is_compute ? TW_STR("TRISC-KERNEL")
                            : t->noc == 1 ? TW_STR("BRISC-KERNEL")
                                          : TW_STR("NCRISC-KERNEL");
        put_zone(m, t, t->code->function, zone, begins, begins ? 0 : p->threads[i].cycles,
                 run, out);
    }
}

void dev_trace_csv(const dev_machine *m, const dev_program *p, unsigned run, tw_strbuf *out)
{
    put_head(m, out);
    put_kernels(m, p, true, run, out);
    for (size_t i = 0; i < m->profile.n_spans; i++) {
        const dev_span_record *s = &m->profile.spans[i];
        if (!s->op || !ir_op_is(s->op, TTL_OP(signpost)))
            continue;
        const tw_str name = dev_span_name(s->op);
        put_zone(m, s->thread, s->op, name, true, s->start, run, out);
        put_zone(m, s->thread, s->op, name, false, s->start, run, out);
    }
    put_kernels(m, p, false, run, out);
}
