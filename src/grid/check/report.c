/* report.c: errors of kernels: collected while they run, reported when they have ended.
 *
 * A report belongs to one operation and one class; repetitions on other cores (or in later
 * iterations) are counted, and their cores are recorded. Errors fail the run; warnings do
 * not. If the outcome is undefined from there on, the program stops. */
#include "grid/units/code.h"

#include <stdlib.h>

/* `advice`: a suggestion for reports whose text and note do not have one (behind a
 * semicolon). */
static const struct report_class {
    const char *name;
    bool stops, warns;
    const char *advice;
} classes[DEV_REPORT_CLASSES] = {
    [DEV_CB_OVERFLOW] = {"circular buffer overflow", true, false,
                         "reserve, in this thread, as many pages as are pushed"},
    [DEV_CB_UNRESERVED] = {"circular buffer overflow", false, false,
                           "reserve, in this thread, as many pages as are pushed"},
    [DEV_CB_UNDERFLOW] = {"circular buffer underflow", true, false,
                          "wait, in this thread, for as many pages as are popped"},
    [DEV_CB_PROTOCOL] = {"circular buffer protocol", false, false,
                         "push what was reserved"},
    [DEV_CB_KEPT] = {"circular buffer kept", false, true, "pop what was waited for"},
    [DEV_CB_OWN] =
        {"circular buffer window", false, true,
         "this kernel alone fills and empties the buffer, so this works; reserve "
         "and wait nevertheless"},
    [DEV_CB_WINDOW] = {"circular buffer window", false, false,
                       "wait for, or reserve, all pages that are used"},
    [DEV_DST_USE] = {"DST use", false, false,
                     "tile_regs_acquire, computing, tile_regs_commit, tile_regs_wait, "
                     "packing, tile_regs_release: each once, in this order"},
    [DEV_DST_RANGE] = {"DST range", true},
    [DEV_DST_LOST] = {"lost DST tile", false, true,
                      "pack or use it before, or leave out what computed it"},
    [DEV_INIT] = {"init", false, false,
                  "call the init before the operation, and again after "
                  "another operation's"},
    [DEV_UNINITIALISED] = {"uninitialised read", false, false,
                           "write all of it first, in an order that buffers or semaphores "
                           "give"},
    [DEV_PARTLY_WRITTEN] = {"uninitialised read", false, true,
                            "write all of a page, or use only what is written"},
    [DEV_MISSING_BARRIER] = {"missing barrier", false, false,
                             "noc_async_read_barrier waits for reads, "
                             "noc_async_write_barrier for writes"},
    [DEV_WRONG_BARRIER] = {"wrong barrier", false, false,
                           "name the transfer's NoC and transaction id"},
    [DEV_UNFINISHED] = {"unfinished atomics", false, true},
    [DEV_ORDER] = {"NoC order", false},
    [DEV_RACE] = {"L1 race", false},
    [DEV_DRAM_RACE] = {"DRAM race", false},
    [DEV_L1_RANGE] = {"L1 range", false, false,
                      "use addresses that circular buffers, tensors and semaphores have"},
    [DEV_NOC_RANGE] = {"NoC range", true},
    [DEV_ALIGNMENT] = {"NoC alignment", false, false,
                       "let both addresses have the same remainder"},
    [DEV_MULTICAST] = {"multicast", false, false, "count the workers that receive"},
    [DEV_SEMAPHORE] = {"semaphore", false},
    [DEV_ARGUMENT] = {"kernel argument", true, false,
                      "look at the kernel's arguments in the launch, and at its kind"},
    [DEV_FORMAT] = {"data format", false, false,
                    "let buffer, tensor and operation have one format"},
    [DEV_PAGE_SIZE] = {"page size", false, true},
    [DEV_PADDING] = {"padding", false, true},
    [DEV_PADDED_OPERAND] = {"padded operand", false, true},
    [DEV_DEADLOCK] = {"deadlock", true},
    [DEV_BUDGET] = {"budget", true},
};

const char *dev_report_name(dev_report_class what)
{
    return classes[what].name;
}

bool dev_report_warns(const dev_report *r)
{
    return classes[r->what].warns;
}

tw_str dev_function_of(const ir_op *op)
{
    while (op && !ir_symbol_name(op).size)
        op = ir_op_parent(op);
    return op ? ir_symbol_name(op) : TW_STR("?");
}

tw_str dev_report_kernel(const dev_report *r)
{
    return ir_symbol_name(r->kernel);
}

void dev_reports_clear(dev_machine *m)
{
    for (size_t i = 0; i < m->n_reports; i++) {
        dev_report *r = &m->reports[i];
        free(r->text);
        free(r->note);
        for (size_t k = 0; k < r->n_more; k++)
            free(r->more[k].text);
        free(r->more);
    }
    m->n_reports = 0;
}

/* ---- cores as rectangles ----------------------------------------------------------- */

static bool has(const uint64_t *cores, size_t i)
{
    return cores[i / 64] >> i % 64 & 1;
}

void dev_cores_add(const dev_machine *m, const dev_core *core, uint64_t *cores)
{
    size_t i = (size_t)(core->y * m->chip->grid_x + core->x);
    cores[i / 64] |= UINT64_C(1) << i % 64;
}

static bool row_has(const dev_machine *m, const uint64_t *cores, int y, int x0, int x1)
{
    for (int x = x0; x <= x1; x++)
        if (!has(cores, (size_t)(y * m->chip->grid_x + x)))
            return false;
    return true;
}

/* Prints "core 0,3" or "cores 0,0-3,7 and 5,1": rectangles, widest first, then highest. */
void dev_cores_print(const dev_machine *m, const uint64_t *given, tw_strbuf *out)
{
    uint64_t cores[DEV_CORE_WORDS];
    int rows = m->chip->grid_y, columns = m->chip->grid_x;
    size_t n = 0;
    memcpy(cores, given, sizeof cores);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            if (!has(cores, (size_t)(y * columns + x)))
                continue;
            int x1 = x, y1 = y;
            while (x1 + 1 < columns && row_has(m, cores, y, x1 + 1, x1 + 1))
                x1++;
            while (y1 + 1 < rows && row_has(m, cores, y1 + 1, x, x1))
                y1++;
            for (int cy = y; cy <= y1; cy++)
                for (int cx = x; cx <= x1; cx++) {
                    size_t i = (size_t)(cy * columns + cx);
                    cores[i / 64] &= ~(UINT64_C(1) << i % 64);
                }
            tw_strbuf_printf(out, n++ ? " and %d,%d" : "%d,%d", y, x);
            if (y1 > y || x1 > x)
                tw_strbuf_printf(out, "-%d,%d", y1, x1);
        }
}

void dev_cores_name(const dev_machine *m, const uint64_t *cores, tw_strbuf *out)
{
    int n = 0;
    for (int i = 0; i < DEV_CORE_WORDS; i++)
        n += __builtin_popcountll(cores[i]);
    tw_strbuf_printf(out, "core%s ", dev_s(n));
    dev_cores_print(m, cores, out);
}

/* ---- recording --------------------------------------------------------------------- */

dev_report *dev_report_find(dev_machine *m, dev_report_class what, const ir_op *op)
{
    for (size_t i = 0; i < m->n_reports; i++)
        if (m->reports[i].what == what && m->reports[i].op == op)
            return &m->reports[i];
    return NULL;
}

void dev_report_note(dev_report *r, ir_op *op, tw_strbuf *text)
{
    dev_report_note_at(r, op->loc, text);
}

void dev_report_note_at(dev_report *r, ir_loc loc, tw_strbuf *text)
{
    dev_note note = {loc, tw_strbuf_take(text)};
    TW_PUSH(r->more, r->n_more, r->more_capacity, note);
}

/* Replaces "circular buffer 3" by the name that the launch gave that buffer. */
static char *name_buffers(const dev_thread *t, char *text)
{
    static const char what[] = "circular buffer ";
    tw_strbuf out = {0};
    const char *at = text, *found;
    while ((found = strstr(at, what))) {
        char *end;
        const unsigned long port = strtoul(found + sizeof what - 1, &end, 10);
        tw_strbuf_append(&out, at, (size_t)(end - at));
        if (end > found + sizeof what - 1 && port < DEV_MAX_CBS && t->core->cb[port].name &&
            strncmp(end, " ('", 3) != 0)
            tw_strbuf_printf(&out, " ('%s')", t->core->cb[port].name);
        at = end;
    }
    tw_strbuf_puts(&out, at);
    free(text);
    return tw_strbuf_take(&out);
}

void dev_report_at(dev_thread *t, dev_report_class what, ir_op *op, ir_op *other,
                   const char *note, const char *format, ...)
{
    dev_machine *m = t->machine;
    if (t->silent) {
        t->silent = false;
        return;
    }
    if (classes[what].stops) {
        m->stop = true;
        for (size_t i = 0; i < m->n_threads; i++)
            m->threads[i]->limit = 0;
    }
    dev_report *known = dev_report_find(m, what, op);
    if (known) {
        known->times++;
        dev_cores_add(m, t->core, known->cores);
        return;
    }
    if (note && !other && strstr(note, " here"))
        note = NULL; /* drop a note about a missing location */
    tw_strbuf text = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    dev_report r = {.what = what,
                    .op = op,
                    .other = other,
                    .kernel = t->code->function,
                    .text = name_buffers(t, tw_strbuf_take(&text)),
                    .note = note ? tw_xstrdup(note) : NULL,
                    .y = t->core->y,
                    .x = t->core->x,
                    .times = 1,
                    .cycle = t->now - m->begin};
    dev_cores_add(m, t->core, r.cores);
    const char *advice = classes[what].advice;
    if (advice && !strchr(r.text, ';') && !(note && (strchr(note, ';') || !other))) {
        tw_strbuf what_to_do = {0};
        tw_strbuf_puts(&what_to_do, advice);
        dev_report_note(&r, op, &what_to_do);
    }
    TW_PUSH(m->reports, m->n_reports, m->reports_capacity, r);
}

/* ---- output ------------------------------------------------------------------------ */

char *dev_report_text(const dev_machine *m, const dev_report *r)
{
    tw_strbuf text = {0};
    tw_str kernel = dev_report_kernel(r);
    tw_strbuf_printf(&text, "%s: %s (kernel @%.*s, ", classes[r->what].name, r->text,
                     (int)kernel.size, kernel.data);
    dev_cores_name(m, r->cores, &text);
    tw_strbuf_printf(&text, ", cycle %.0f)", r->cycle);
    return tw_strbuf_take(&text);
}

size_t dev_machine_report(dev_machine *m)
{
    size_t errors = 0;
    for (size_t i = 0; i < m->n_reports; i++) {
        dev_report *r = &m->reports[i];
        char *text = dev_report_text(m, r);
        if (dev_report_warns(r))
            ir_warning(m->ctx, r->op->loc, "%s", text);
        else
            ir_error(m->ctx, r->op->loc, "%s", text);
        ir_rule(m->ctx, classes[r->what].name);
        errors += !dev_report_warns(r);
        free(text);
        if (r->note)
            ir_note(m->ctx, (r->other ? r->other : r->op)->loc, "%s", r->note);
        for (size_t k = 0; k < r->n_more; k++)
            ir_note(m->ctx, r->more[k].loc, "%s", r->more[k].text);
        if (r->times == 2)
            ir_note(m->ctx, r->op->loc, "the same once more");
        else if (r->times > 2)
            ir_note(m->ctx, r->op->loc, "the same %d more times", r->times - 1);
    }
    ir_flush_diagnostics(m->ctx);
    dev_reports_clear(m);
    return errors;
}

/* ---- locations --------------------------------------------------------------------- */

void dev_cb_describe(const dev_core *core, const dev_cb *cb, tw_strbuf *out)
{
    tw_strbuf_printf(out, "circular buffer %d", (int)(cb - core->cb));
    if (cb->name)
        tw_strbuf_printf(out, " ('%s')", cb->name);
}

void dev_address_describe(const dev_thread *t, dev_memory *memory, size_t at,
                          tw_strbuf *out)
{
    if (memory->base) {
        tw_strbuf_printf(out, "address 0x%llx of DRAM",
                         (unsigned long long)(memory->base + at));
        return;
    }
    dev_core *core = dev_core_of(memory);
    tw_strbuf_printf(out, "address 0x%zx", at);
    if (core != t->core)
        tw_strbuf_printf(out, " of core %d,%d", core->y, core->x);
    const dev_cb *cb = dev_cb_owner(core, at, 1);
    if (!cb)
        return;
    tw_strbuf_printf(out, ", page %zu of ", (at - cb->base) / cb->page);
    dev_cb_describe(core, cb, out);
}
