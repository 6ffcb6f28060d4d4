/* deadlock.c: reports which thread waits for which when no thread can continue.
 *
 * Threads blocked at the same operation of one kernel are reported together, whatever their
 * cores; where values or partners differ between cores, the text lists them per core. The
 * report is at the operation that most likely causes the deadlock; notes describe the other
 * waits. */
#include "grid/check/semaphore_waits.h"
#include "grid/units/code.h"
#include "ttkernel/ttkernel.h"

/* ---- who can end a wait ------------------------------------------------------------ */

static const dev_semaphore_change *last_change(const dev_thread *t)
{
    uint32_t base = (uint32_t)t->machine->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    uint32_t i = (t->wait.address - base) / 16;
    return t->wait.kind == DEV_WAIT_SEMAPHORE && t->wait.address >= base &&
                   i < DEV_MAX_SEMAPHORES && t->core->changes[i].op
               ? &t->core->changes[i]
               : NULL;
}

static bool waits_for_pages(const dev_thread *t)
{
    return t->wait.kind == DEV_WAIT_CB_SPACE || t->wait.kind == DEV_WAIT_CB_DATA;
}

static dev_thread *thread_of(dev_machine *m, const dev_core *core, const ir_op *op)
{
    tw_str function = dev_function_of(op);
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i]->core == core &&
            tw_str_equal(ir_symbol_name(m->threads[i]->code->function), function))
            return m->threads[i];
    return NULL;
}

typedef struct search {
    const dev_thread *thread;
    const ir_op_def *wanted; /* operation to search for */
    int64_t port;
    bool found;
} search;

static ir_walk look(ir_op *op, void *user)
{
    search *s = user;
    if (!ir_op_is(op, s->wanted))
        return IR_WALK_ON;
    const ir_op *cb = ir_value_def(ir_op_operand(op, 0));
    int64_t i = cb && ir_op_is(cb, &ttkernel_ops[TTKERNEL_get_compile_time_arg_val])
                    ? ir_op_int(cb, "arg_index", -1)
                    : -1;
    s->found =
        i >= 0 && (uint64_t)i < s->thread->n_args[2] && s->thread->args[2][i] == s->port;
    return s->found ? IR_WALK_STOP : IR_WALK_ON;
}

typedef struct partner {
    dev_thread *thread; /* NULL: none exists, if that is known */
    bool known, ever;   /* ever: it has pushed (or popped) before */
} partner;

/* Returns the thread that supplies the pages: the one that last pushed to (or popped
 * from) the buffer, else the one whose IR would. The code of kernels in C++ cannot be
 * searched. */
static partner partner_of(dev_machine *m, const dev_thread *t)
{
    const bool data = t->wait.kind == DEV_WAIT_CB_DATA;
    const ir_op *last = data ? t->wait.cb->push_op : t->wait.cb->pop_op;
    if (last)
        return (partner){thread_of(m, t->core, last), true, true};
    search s = {.wanted =
                    &ttkernel_ops[data ? TTKERNEL_cb_push_back : TTKERNEL_cb_pop_front],
                .port = t->wait.cb - t->core->cb};
    partner out = {.known = true};
    for (size_t i = 0; i < m->n_threads && !out.thread; i++) {
        s.thread = m->threads[i];
        if (s.thread->core != t->core || s.thread == t)
            continue;
        out.known = out.known && !s.thread->code->entry;
        ir_walk_pre(s.thread->code->function, look, &s);
        out.thread = s.found ? m->threads[i] : NULL;
    }
    out.known = out.known || out.thread;
    return out;
}

/* True if the awaited pages can never come, whatever other threads do. */
static bool is_dead_end(dev_machine *m, const dev_thread *t)
{
    if (!waits_for_pages(t))
        return false;
    const partner g = partner_of(m, t);
    return g.known && (!g.thread || g.thread->wait.kind == DEV_DONE);
}

/* Returns the thread that most likely causes the deadlock: one whose pages never come; else
 * one waiting for a semaphore, which another core should change; else the first. */
static dev_thread *root_of(dev_machine *m)
{
    dev_thread *first = NULL, *word = NULL;
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        if (t->wait.kind == DEV_DONE)
            continue;
        if (is_dead_end(m, t))
            return t;
        first = first ? first : t;
        word = word || t->wait.kind != DEV_WAIT_SEMAPHORE ? word : t;
    }
    return word ? word : first;
}

/* ---- text ---------------------------------------------------------------------------- */

/* Threads blocked at the same operation. */
typedef struct group {
    dev_thread *first;
    size_t n;
    uint64_t cores[DEV_CORE_WORDS];
    uint32_t min, max;               /* value or pages available */
    uint32_t min_wanted, max_wanted; /* value or pages waited for */
} group;

static bool same_wait(const dev_thread *a, const dev_thread *b)
{
    return a->at == b->at && a->wait.kind == b->wait.kind && a->code == b->code;
}

static uint32_t available(const dev_thread *t)
{
    uint32_t value = 0;
    if (t->wait.kind == DEV_WAIT_CB_SPACE)
        return t->wait.cb->pages - t->wait.cb->used;
    if (t->wait.kind == DEV_WAIT_CB_DATA)
        return t->wait.cb->filled;
    if (t->wait.kind == DEV_WAIT_SEMAPHORE)
        memcpy(&value, t->core->l1.bytes + t->wait.address, 4);
    return value;
}

static group group_of(dev_machine *m, dev_thread *first)
{
    group g = {.first = first, .min = UINT32_MAX, .min_wanted = UINT32_MAX};
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        if (t->wait.kind == DEV_DONE || !same_wait(t, first))
            continue;
        const uint32_t is = available(t);
        const uint32_t wanted =
            t->wait.kind == DEV_WAIT_SEMAPHORE ? t->wait.value : t->wait.pages;
        g.n++;
        dev_cores_add(m, t->core, g.cores);
        g.min = TW_MIN(g.min, is);
        g.max = TW_MAX(g.max, is);
        g.min_wanted = TW_MIN(g.min_wanted, wanted);
        g.max_wanted = TW_MAX(g.max_wanted, wanted);
    }
    return g;
}

static void put_range(tw_strbuf *out, uint32_t min, uint32_t max, const char *none)
{
    if (none && !max)
        tw_strbuf_puts(out, none);
    else if (min == max)
        tw_strbuf_printf(out, "%u", min);
    else
        tw_strbuf_printf(out, "%u to %u", min, max);
}

static void describe_pages(const group *g, tw_strbuf *out)
{
    const dev_thread *t = g->first;
    const bool data = t->wait.kind == DEV_WAIT_CB_DATA;
    tw_strbuf_puts(out, "waits for ");
    put_range(out, g->min_wanted, g->max_wanted, NULL);
    tw_strbuf_printf(out, data ? " filled page%s of " : " free page%s of ",
                     dev_s(g->max_wanted));
    dev_cb_describe(t->core, t->wait.cb, out);
    tw_strbuf_puts(out, " (");
    put_range(out, g->min, g->max, "none");
    if (!data)
        tw_strbuf_printf(out, " of %u", t->wait.cb->pages);
    tw_strbuf_printf(out, " %s %s)", g->max < 2 ? "is" : "are", data ? "there" : "free");
}

static void describe_wait(const group *g, tw_strbuf *out)
{
    const dev_thread *t = g->first;
    dev_pipe pipe;
    if (waits_for_pages(t)) {
        describe_pages(g, out);
    } else if (t->wait.kind == DEV_WAIT_SEMAPHORE && dev_pipe_of(t->at, &pipe)) {
        tw_strbuf_puts(out, pipe.sends ? "waits for the receiver" : "waits for a block");
        tw_strbuf_puts(out, pipe.sends && g->max_wanted > 1 ? "s of " : " of ");
        dev_pipe_name(&pipe, out);
    } else if (t->wait.kind == DEV_WAIT_SEMAPHORE) {
        tw_strbuf_puts(out, "waits for ");
        if (!dev_wait_name(t->at, out))
            tw_strbuf_printf(out, "the semaphore at 0x%x", t->wait.address);
        tw_strbuf_printf(out, " to be %s", t->wait.minimum ? "at least " : "");
        put_range(out, g->min_wanted, g->max_wanted, NULL);
        tw_strbuf_puts(out, " (it is ");
        put_range(out, g->min, g->max, NULL);
        tw_strbuf_puts(
            out, !t->wait.minimum && g->min > g->max_wanted ? ": it has gone past)" : ")");
    } else {
        tw_strbuf_puts(out, "waits for its NoC transfers");
    }
}

/* True if a thread of the core waits at that end of the pipe. */
static bool is_at_pipe(const dev_machine *m, const dev_core *core, const dev_pipe *p,
                       bool sends)
{
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        dev_pipe other;
        if (t->core == core && t->wait.kind == DEV_WAIT_SEMAPHORE &&
            dev_pipe_of(t->at, &other) && other.sends == sends && dev_same_pipe(p, &other))
            return true;
    }
    return false;
}

static bool has_ended(const dev_machine *m, const dev_core *core)
{
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i]->core == core && m->threads[i]->wait.kind != DEV_DONE)
            return false;
    return true;
}

/* Lists the cores at the other end of a pipe that have not reached their copy. */
static void describe_other_end(dev_machine *m, const dev_pipe *p, tw_strbuf *out)
{
    const int64_t *first = p->sends ? p->first : p->src,
                  *last = p->sends ? p->last : p->src;
    uint64_t missing[DEV_CORE_WORDS] = {0};
    bool ended = true;
    int n = 0;
    for (int64_t y = first[0]; y <= last[0]; y++)
        for (int64_t x = first[1]; x <= last[1]; x++) {
            const bool inside =
                y >= 0 && x >= 0 && y < m->chip->grid_y && x < m->chip->grid_x;
            const dev_core *core = inside ? dev_core_at(m, (int)y, (int)x) : NULL;
            if (!core || is_at_pipe(m, core, p, !p->sends))
                continue;
            dev_cores_add(m, core, missing);
            ended = ended && has_ended(m, core);
            n++;
        }
    if (!n) {
        tw_strbuf_puts(out, "its source waits for other receivers");
        return;
    }
    dev_cores_name(m, missing, out);
    tw_strbuf_printf(out, " do%s not come to %s", n == 1 ? "es" : "",
                     p->sends ? "receive" : "send");
    if (ended)
        tw_strbuf_puts(out, ": all threads there have ended");
}

/* Describes the thread that could end the wait: where it waits, or that it has ended. */
static void describe_partner(dev_machine *m, const dev_thread *t, bool alone,
                             tw_strbuf *out)
{
    const dev_semaphore_change *c = last_change(t);
    dev_pipe pipe;
    if (t->wait.kind == DEV_WAIT_SEMAPHORE && dev_pipe_of(t->at, &pipe)) {
        describe_other_end(m, &pipe, out);
    } else if (c) {
        tw_str name = dev_function_of(c->op);
        tw_strbuf_printf(out, "@%.*s ", (int)name.size, name.data);
        if (alone)
            tw_strbuf_printf(out, "on core %d,%d changed it last, in cycle %.0f", c->y,
                             c->x, c->cycle);
        else
            tw_strbuf_puts(out, "changed it last");
    } else if (t->wait.kind == DEV_WAIT_SEMAPHORE) {
        tw_strbuf_puts(out, "no thread ever changed it");
    } else if (waits_for_pages(t)) {
        const bool data = t->wait.kind == DEV_WAIT_CB_DATA;
        const partner g = partner_of(m, t);
        tw_str name = g.thread ? ir_symbol_name(g.thread->code->function) : TW_STR("?");
        const bool ended = g.thread && g.thread->wait.kind == DEV_DONE;
        if (!g.ever)
            tw_strbuf_printf(out, "no thread ever %s it",
                             data ? "pushed to" : "popped from");
        if (g.ever)
            tw_strbuf_printf(out, "@%.*s, which %s it last, %s", (int)name.size, name.data,
                             data ? "pushed to" : "popped from",
                             ended ? "has ended" : "waits, too");
        else if (g.thread)
            tw_strbuf_printf(out, ": @%.*s, which would, %s", (int)name.size, name.data,
                             ended ? "has ended" : "waits, too");
        else if (g.known)
            tw_strbuf_puts(out, ", and no other kernel of the core does");
    }
}

/* Describes the partners of a group, by core where they differ, up to a limit. */
static void describe_partners(dev_machine *m, const group *g, tw_strbuf *out)
{
    enum { CAPACITY = 4 };
    struct {
        tw_strbuf text;
        uint64_t cores[DEV_CORE_WORDS];
    } all[CAPACITY] = {0};
    size_t n = 0;
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        tw_strbuf text = {0};
        size_t at = 0;
        if (t->wait.kind == DEV_DONE || !same_wait(t, g->first))
            continue;
        describe_partner(m, t, g->n == 1, &text);
        while (at < n && strcmp(tw_strbuf_text(&all[at].text), tw_strbuf_text(&text)) != 0)
            at++;
        if (at == n && n < CAPACITY) {
            all[n++].text = text;
            text = (tw_strbuf){0};
        }
        if (at < n)
            dev_cores_add(m, t->core, all[at].cores);
        tw_strbuf_free(&text);
    }
    for (size_t i = 0; i < n; i++) {
        if (all[i].text.size)
            tw_strbuf_puts(out, "; ");
        if (n > 1) {
            tw_strbuf_puts(out, "on ");
            dev_cores_name(m, all[i].cores, out);
            tw_strbuf_putc(out, ' ');
        }
        tw_strbuf_puts(out, tw_strbuf_text(&all[i].text));
        tw_strbuf_free(&all[i].text);
    }
}

static const char *advice(dev_machine *m, const dev_thread *t)
{
    const uint32_t base = (uint32_t)m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    dev_pipe pipe;
    switch (t->wait.kind) {
    case DEV_WAIT_CB_SPACE:
        return "pop as many pages as are pushed, or give the buffer room for all that are "
               "filled at once";
    case DEV_WAIT_CB_DATA:
        return "fill and push these pages in another thread of the same core, before it "
               "waits itself, or wait for fewer";
    case DEV_WAIT_SEMAPHORE:
        if (dev_pipe_of(t->at, &pipe))
            return "each block that is sent into a pipe is received by every core at its "
                   "end: "
                   "copy as often, and in the same order, on both sides";
        if (t->wait.address < base)
            return "the word is no semaphore of the program; pass its address";
        if (available(t) > t->wait.value)
            return dev_wait_is_named(t->at)
                       ? "stop counting at that number, or wait with wait_ge"
                       : "stop counting at that number, or wait with "
                         "noc_semaphore_wait_min";
        return "let another core count it up as often as this kernel expects, before it "
               "waits itself";
    default:
        return "wait for what was started";
    }
}

/* ---- the report ---------------------------------------------------------------------- */

static void describe(dev_machine *m, const group *g, tw_strbuf *out)
{
    describe_wait(g, out);
    describe_partners(m, g, out);
}

/* Adds a note where the awaited pipe or semaphore was created, unless there is one. */
static void note_maker(dev_report *report, const dev_thread *t)
{
    const bool waits = t->wait.kind == DEV_WAIT_SEMAPHORE;
    ir_attr made = waits ? dev_wait_made(t->at) : NULL;
    const ir_loc loc = ir_loc_from_attr(made);
    tw_strbuf text = {0};
    for (size_t i = 0; i < report->n_more; i++)
        if (ir_loc_equal(report->more[i].loc, loc))
            return;
    if (!made || !dev_wait_name(t->at, &text))
        return;
    tw_strbuf_puts(&text, " is made here");
    dev_report_note_at(report, loc, &text);
}

/* Adds a note where the awaited semaphore got its value. */
static void note_change(dev_report *report, const dev_thread *t)
{
    const dev_semaphore_change *c = last_change(t);
    tw_strbuf text = {0};
    dev_pipe pipe;
    if (!c || dev_pipe_of(t->at, &pipe))
        return;
    tw_strbuf_printf(&text, "that semaphore was changed last here, from %u to %u", c->from,
                     c->to);
    dev_report_note(report, c->op, &text);
}

static dev_report *report_root(dev_machine *m, dev_thread *root)
{
    const group g = group_of(m, root);
    tw_str name = ir_symbol_name(root->code->function);
    tw_strbuf text = {0};
    describe(m, &g, &text);
    dev_report_at(root, DEV_DEADLOCK, root->at, NULL, NULL, "no thread can go on: @%.*s %s",
                  (int)name.size, name.data, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    dev_report *report = dev_report_find(m, DEV_DEADLOCK, root->at);
    if (!report)
        return NULL;
    memcpy(report->cores, g.cores, sizeof g.cores);
    note_change(report, root);
    tw_strbuf_puts(&text, advice(m, root));
    dev_report_note(report, root->at, &text);
    note_maker(report, root);
    return report;
}

static void note_group(dev_machine *m, dev_report *report, dev_thread *first)
{
    const group g = group_of(m, first);
    tw_str name = ir_symbol_name(first->code->function);
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "@%.*s on ", (int)name.size, name.data);
    dev_cores_name(m, g.cores, &text);
    tw_strbuf_putc(&text, ' ');
    describe(m, &g, &text);
    dev_report_note(report, first->at, &text);
    note_change(report, first);
    note_maker(report, first);
}

static bool noted_before(const dev_machine *m, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (m->threads[k]->wait.kind != DEV_DONE && same_wait(m->threads[k], m->threads[i]))
            return true;
    return false;
}

void dev_report_deadlock(dev_machine *m)
{
    dev_thread *root = root_of(m);
    dev_report *report = root ? report_root(m, root) : NULL;
    for (size_t i = 0; report && i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        if (t->wait.kind != DEV_DONE && !same_wait(t, root) && !noted_before(m, i))
            note_group(m, report, t);
    }
}
