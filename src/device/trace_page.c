/* trace_page.c: what a program did in time as one page of HTML (page/page.html) that shows
 * the trace and this report of figures. */
#include "device/program.h"

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

/* Names of functions hold nothing that JSON or HTML would have to escape, mostly. */
static void put_name(tw_str name, tw_strbuf *out)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '<' && c != '&';
        tw_strbuf_putc(out, plain ? (char)c : '_');
    }
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
        tw_strbuf_printf(out, "%s\n{\"y\":%d,\"x\":%d,\"kernel\":\"", i ? "," : "", t->y,
                         t->x);
        put_name(ir_symbol_name(t->function), out);
        tw_strbuf_printf(out, "\",\"cycles\":%.0f,\"stalls\":[%.0f,%.0f,%.0f,%.0f]}",
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
            dev_trace_perfetto(m, out);
        else
            put_report(m, p, out);
    }
    tw_strbuf_puts(out, from);
}
