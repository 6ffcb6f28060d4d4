/* what_if.c: see what_if.h. */
#include "grid/search/what_if.h"

#include "support/file.h"
#include "support/json.h"

#include <math.h>
#include <stdlib.h>

enum { EXPLAINED = 12 }; /* lines of which the part that they mostly are is measured */

static tw_status measure(const dev_measured *measured, dev_speed *speed, double *out)
{
    TW_TRY(measured->run(measured->user, speed));
    *out = speed->cycles;
    return TW_SUCCESS;
}

/* Prepares the change that a help is; of a line, in the costs of one part or all. */
static void apply(const dev_measured *measured, const dev_help *h, dev_part part,
                  double factor, dev_speed *speed)
{
    dev_speed_begin(speed, measured->chip);
    if (h->kind == DEV_HELP_BUFFER) {
        speed->port = h->port;
    } else if (h->kind == DEV_HELP_LINE) {
        dev_speed_scale(&speed->at_line, part, factor);
        speed->line = h->line;
    } else {
        dev_speed_scale(&speed->chip, h->part, factor);
        speed->at_line = speed->chip;
    }
}

/* The cycles that a help saves. */
static tw_status saved_by(const dev_measured *measured, const dev_helps *helps, dev_help *h,
                          dev_part part, double factor, double *out)
{
    dev_speed speed = {0};
    double cycles = 0;
    apply(measured, h, part, factor, &speed);
    tw_status status = measure(measured, &speed, &cycles);
    *out = helps->cycles - cycles;
    h->no_room = speed.no_room;
    dev_speed_free(&speed);
    return status;
}

static tw_status try_help(const dev_measured *measured, dev_helps *helps, dev_help h)
{
    h.mostly = DEV_PARTS;
    TW_TRY(saved_by(measured, helps, &h, DEV_PART_ALL, 0, &h.free));
    if (h.kind == DEV_HELP_BUFFER)
        h.twice = h.free;
    else if (fabs(h.free) >= 0.5)
        TW_TRY(saved_by(measured, helps, &h, DEV_PART_ALL, 0.5, &h.twice));
    TW_PUSH(helps->at, helps->n, helps->capacity, h);
    return TW_SUCCESS;
}

/* Finds the part whose costs at a line are more than half of what the line's would save. */
static tw_status explain(const dev_measured *measured, const dev_helps *helps, dev_help *h)
{
    for (int part = 0; part < DEV_PARTS; part++) {
        double saved;
        TW_TRY(saved_by(measured, helps, h, (dev_part)part, 0.5, &saved));
        if (2 * saved > h->twice)
            h->mostly = (dev_part)part;
    }
    return TW_SUCCESS;
}

/* ---- order --------------------------------------------------------------------------- */

static int by_savings(const void *a, const void *b)
{
    const dev_help *x = a, *y = b;
    if (x->twice != y->twice)
        return x->twice > y->twice ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->free > y->free ? -1 : x->free < y->free;
}

/* A part or buffer comes before the lines that are mostly this part: what they save is the
 * part's, with what else the line does. */
static void lead_with_parts(dev_helps *helps)
{
    for (size_t i = 0; i < helps->n; i++) {
        const dev_help part = helps->at[i];
        size_t first = i;
        for (size_t k = 0; k < i && part.kind == DEV_HELP_PART && first == i; k++)
            if (helps->at[k].kind == DEV_HELP_LINE && helps->at[k].mostly == part.part)
                first = k;
        memmove(&helps->at[first + 1], &helps->at[first], (i - first) * sizeof part);
        helps->at[first] = part;
    }
}

static tw_status rank(const dev_measured *measured, dev_helps *helps)
{
    size_t explained = 0;
    if (helps->n)
        qsort(helps->at, helps->n, sizeof *helps->at, by_savings);
    for (size_t i = 0; i < helps->n && explained < EXPLAINED; i++)
        if (helps->at[i].kind == DEV_HELP_LINE && helps->at[i].twice >= 0.5) {
            TW_TRY(explain(measured, helps, &helps->at[i]));
            explained++;
        }
    lead_with_parts(helps);
    return TW_SUCCESS;
}

static tw_status try_all(const dev_measured *measured, const dev_speed *found,
                         dev_helps *out)
{
    for (int part = 0; part < DEV_PART_CALLS; part++) /* lines have their calls */
        TW_TRY(try_help(measured, out,
                        (dev_help){.kind = DEV_HELP_PART, .part = (dev_part)part}));
    for (int port = 0; port < DEV_MAX_CBS; port++)
        if (found->ports >> port & 1)
            TW_TRY(try_help(measured, out,
                            (dev_help){.kind = DEV_HELP_BUFFER,
                                       .port = port,
                                       .pages = found->pages[port],
                                       .name = found->names[port]}));
    for (size_t i = 0; i < found->n_lines; i++)
        TW_TRY(try_help(measured, out,
                        (dev_help){.kind = DEV_HELP_LINE, .line = found->lines[i]}));
    return TW_SUCCESS;
}

tw_status dev_what_if(const dev_measured *measured, dev_helps *out)
{
    dev_speed found = {0};
    *out = (dev_helps){0};
    dev_speed_begin(&found, measured->chip);
    tw_status status = measure(measured, &found, &out->cycles);
    if (status == TW_SUCCESS)
        status = try_all(measured, &found, out);
    if (status == TW_SUCCESS)
        status = rank(measured, out);
    if (tw_status_code(status) == TW_CANCELLED && out->n) {
        tw_status_free(status);
        status = TW_SUCCESS;
        out->interrupted = true;
        qsort(out->at, out->n, sizeof *out->at, by_savings);
    }
    dev_speed_free(&found);
    return status;
}

void dev_helps_free(dev_helps *h)
{
    free(h->at);
    *h = (dev_helps){0};
}

/* ---- output -------------------------------------------------------------------------- */

void dev_help_name(const dev_help *h, tw_strbuf *out)
{
    if (h->kind == DEV_HELP_PART) {
        tw_strbuf_puts(out, dev_part_name(h->part));
    } else if (h->kind == DEV_HELP_LINE) {
        tw_strbuf_printf(out, "%s:%u", h->line.file->text, h->line.line);
    } else {
        tw_strbuf_printf(out, "circular buffer %d", h->port);
        if (h->name)
            tw_strbuf_printf(out, " ('%s')", h->name);
        tw_strbuf_printf(out, " with %u pages, not %u", 2 * h->pages, h->pages);
    }
}

/* Appends a line of a file, without its indentation; nothing if it cannot be read. */
static void quote(const dev_line *line, tw_strbuf *out)
{
    tw_strbuf text = {0};
    tw_status status = tw_file_read(line->file->text, &text);
    if (status != TW_SUCCESS) {
        tw_status_free(status);
        return;
    }
    const char *at = tw_strbuf_text(&text);
    for (uint32_t i = 1; i < line->line && at; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    at = at ? at + strspn(at, " \t") : "";
    const size_t size = strcspn(at, "\n");
    enum { SHOWN = 60 };
    if (size)
        tw_strbuf_printf(out, "  %.*s%s", (int)TW_MIN(size, (size_t)SHOWN), at,
                         size > SHOWN ? "..." : "");
    tw_strbuf_free(&text);
}

/* A thousandth of the program at least. */
static bool is_worth_a_row(const dev_helps *helps, const dev_help *h)
{
    enum { SHARE = 1000 };
    return h->twice >= 0.5 && h->twice * SHARE >= helps->cycles;
}

static void put_row(const dev_helps *helps, const dev_help *h, tw_strbuf *out)
{
    const double percent = helps->cycles > 0 ? 100 * h->twice / helps->cycles : 0;
    tw_strbuf name = {0};
    dev_help_name(h, &name);
    if (h->kind == DEV_HELP_LINE)
        quote(&h->line, &name);
    if (h->mostly < DEV_PARTS)
        tw_strbuf_printf(&name, "  (mostly %s)", dev_part_name(h->mostly));
    if (h->kind == DEV_HELP_BUFFER)
        tw_strbuf_printf(out, "%9.0f%6.1f %%        -  %s\n", h->twice, percent,
                         tw_strbuf_text(&name));
    else
        tw_strbuf_printf(out, "%9.0f%6.1f %%%9.0f  %s\n", h->twice, percent, h->free,
                         tw_strbuf_text(&name));
    tw_strbuf_free(&name);
}

void dev_helps_write(const dev_helps *helps, tw_strbuf *out)
{
    enum { SHOWN = 16 };
    size_t shown = 0;
    tw_strbuf_printf(out,
                     "what would help: %.0f cycles; saved where this is twice as fast (a "
                     "buffer: twice as deep), or takes no time\n"
                     "    twice          no time  what\n",
                     helps->cycles);
    if (helps->interrupted)
        tw_strbuf_printf(out, "  interrupted: of the first %zu that were measured\n",
                         helps->n);
    for (size_t i = 0; i < helps->n && shown < SHOWN; i++)
        if (!helps->at[i].no_room && is_worth_a_row(helps, &helps->at[i])) {
            put_row(helps, &helps->at[i], out);
            shown++;
        }
    if (!shown)
        tw_strbuf_puts(out, "        -                -  nothing alone\n");
    for (size_t i = 0; i < helps->n; i++)
        if (helps->at[i].no_room) {
            tw_strbuf name = {0};
            dev_help_name(&helps->at[i], &name);
            tw_strbuf_printf(out, "not tried: %s: L1 has no space for it\n",
                             tw_strbuf_text(&name));
            tw_strbuf_free(&name);
        }
}

/* A line as the timeline names it, without its folder; null for others. */
static void put_source(const dev_help *h, tw_strbuf *out)
{
    if (h->kind != DEV_HELP_LINE) {
        tw_strbuf_puts(out, "null");
        return;
    }
    const char *file = h->line.file->text, *slash = strrchr(file, '/');
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s:%u", slash ? slash + 1 : file, h->line.line);
    tw_json_string(out, (tw_str){tw_strbuf_text(&text), text.size});
    tw_strbuf_free(&text);
}

void dev_helps_json(const dev_helps *helps, tw_strbuf *out)
{
    bool first = true;
    tw_strbuf_putc(out, '[');
    for (size_t i = 0; i < helps->n; i++) {
        const dev_help *h = &helps->at[i];
        if (h->no_room || !is_worth_a_row(helps, h))
            continue;
        tw_strbuf name = {0};
        dev_help_name(h, &name);
        tw_strbuf_puts(out, first ? "{\"what\":" : ",\n{\"what\":");
        tw_json_string(out, (tw_str){tw_strbuf_text(&name), name.size});
        tw_strbuf_puts(out, ",\"source\":");
        put_source(h, out);
        tw_strbuf_printf(out, ",\"twice\":%.0f,\"free\":%.0f}", h->twice, h->free);
        tw_strbuf_free(&name);
        first = false;
    }
    tw_strbuf_putc(out, ']');
}
