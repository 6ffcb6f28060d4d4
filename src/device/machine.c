/* machine.c: memory, marks, events and the scheduler. */
#include "device/machine.h"

#include "kernel/tile.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- memory and cores -------------------------------------------------------------- */

dev_machine *dev_machine_create(const dev_chip *chip, ir_context *ctx,
                                const dev_options *options)
{
    dev_machine *m = tw_xcalloc(1, sizeof *m);
    m->chip = chip;
    m->ctx = ctx;
    m->options = *options;
    if (!m->options.budget)
        m->options.budget = UINT64_C(1) << 32;
    m->cores = tw_xcalloc((size_t)(chip->grid_y * chip->grid_x), sizeof *m->cores);
    m->bank_free = tw_xcalloc((size_t)chip->dram_banks, sizeof *m->bank_free);
    TW_PUSH(m->transfers, m->n_transfers, m->transfers_capacity, (dev_transfer){0});
    return m;
}

static void free_memory(dev_memory *memory)
{
    free(memory->bytes);
    free(memory->marks);
}

void dev_machine_destroy(dev_machine *m)
{
    if (!m)
        return;
    dev_threads_clear(m);
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++)
        if (m->cores[i]) {
            free_memory(&m->cores[i]->l1);
            free(m->cores[i]);
        }
    for (size_t i = 0; i < m->n_buffers; i++) {
        for (int k = 0; m->buffers[i].banks && k < m->chip->dram_banks; k++)
            free_memory(&m->buffers[i].banks[k]);
        free(m->buffers[i].banks);
    }
    dev_reports_clear(m);
    free(m->reports);
    free(m->cores);
    free(m->buffers);
    free(m->bank_free);
    free(m->threads);
    free(m->transfers);
    free(m->events);
    free(m);
}

/* Pages of L1 that nobody touches stay unmapped: calloc takes them from the system. */
dev_core *dev_core_at(dev_machine *m, int y, int x)
{
    assert(y >= 0 && y < m->chip->grid_y && x >= 0 && x < m->chip->grid_x);
    dev_core **core = &m->cores[y * m->chip->grid_x + x];
    if (!*core) {
        *core = tw_xcalloc(1, sizeof **core);
        (*core)->y = y;
        (*core)->x = x;
        (*core)->l1.size = m->chip->l1_bytes;
        (*core)->l1.bytes = tw_xcalloc(1, m->chip->l1_bytes);
        (*core)->l1.marks = tw_xcalloc(m->chip->l1_bytes / DEV_GRANULE, sizeof(uint32_t));
    }
    return *core;
}

/* ---- marks ------------------------------------------------------------------------- */

void dev_mark(dev_memory *memory, size_t at, size_t size, uint32_t mark)
{
    /* a transfer marks what it covers wholly; being defined spreads to what is touched */
    size_t first = mark >= DEV_FIRST_TRANSFER ? (at + DEV_GRANULE - 1) / DEV_GRANULE
                                              : at / DEV_GRANULE;
    size_t end = mark >= DEV_FIRST_TRANSFER ? (at + size) / DEV_GRANULE
                                            : (at + size + DEV_GRANULE - 1) / DEV_GRANULE;
    for (size_t i = first; i < end; i++)
        memory->marks[i] = mark;
}

static void report_pending(dev_thread *t, ir_op *op, uint32_t mark, const char *verb)
{
    const dev_transfer *x = &t->machine->transfers[mark - DEV_FIRST_TRANSFER];
    if (x->kind == DEV_READ)
        dev_report_at(t, DEV_MISSING_BARRIER, op, x->op,
                      "the read was started here; wait for it with noc_async_read_barrier",
                      "%s bytes that a NoC read is still bringing", verb);
    else
        dev_report_at(t, DEV_RACE, op, x->op,
                      "the write was started here; let a semaphore say that it has arrived",
                      "%s bytes that a NoC write is still bringing", verb);
}

void dev_check_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                    const char *what)
{
    size_t first = at / DEV_GRANULE, end = (at + size + DEV_GRANULE - 1) / DEV_GRANULE;
    if (TW_LIKELY(krn_tiles()->all(memory->marks + first, end - first, DEV_DEFINED)))
        return;
    for (size_t i = at / DEV_GRANULE; i < (at + size + DEV_GRANULE - 1) / DEV_GRANULE;
         i++) {
        uint32_t mark = memory->marks[i];
        if (TW_LIKELY(mark == DEV_DEFINED))
            continue;
        if (mark >= DEV_FIRST_TRANSFER)
            report_pending(t, op, mark, "uses");
        else
            dev_report_at(t, DEV_UNINITIALISED, op, NULL,
                          "hardware would read what the last program left there",
                          "%s: nothing has written address 0x%llx", what,
                          (unsigned long long)(memory->base + i * DEV_GRANULE));
        return;
    }
}

/* Bytes that a write of this core still has to send must not change. */
static void check_sources(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                          size_t size)
{
    dev_machine *m = t->machine;
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *other = m->threads[i];
        if (other->core != t->core)
            continue;
        for (uint32_t n = other->transfers; n; n = m->transfers[n].next) {
            const dev_transfer *x = &m->transfers[n];
            if (x->kind == DEV_WRITE && !x->is_inline && x->from == memory &&
                x->from_at < at + size && at < x->from_at + x->size) {
                dev_report_at(
                    t, DEV_MISSING_BARRIER, op, x->op,
                    "the write was started here; wait with noc_async_write_barrier before "
                    "the source is given back",
                    "overwrites bytes that a NoC write may still be sending");
                return;
            }
        }
    }
}

void dev_check_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size)
{
    for (size_t i = (at + DEV_GRANULE - 1) / DEV_GRANULE; i < (at + size) / DEV_GRANULE;
         i++)
        if (TW_UNLIKELY(memory->marks[i] >= DEV_FIRST_TRANSFER)) {
            report_pending(t, op, memory->marks[i], "overwrites");
            break;
        }
    check_sources(t, op, memory, at, size);
}

void dev_word_changes(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                      uint32_t from, uint32_t to)
{
    dev_machine *m = t->machine;
    size_t base = m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    if (at < base || at >= m->chip->l1_base || memory->base ||
        memory->size != m->chip->l1_bytes)
        return;
    dev_core *core = (dev_core *)((char *)memory - offsetof(dev_core, l1));
    core->changes[(at - base) / 16] =
        (dev_semaphore_change){op, t->core->y, t->core->x, from, to, t->now - m->begin};
}

/* ---- events ------------------------------------------------------------------------ */

static bool earlier(const dev_event *a, const dev_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void dev_event_add(dev_machine *m, double time, dev_event_kind kind, uint32_t number,
                   dev_cb *cb)
{
    dev_event e = {time, m->order++, kind, number, cb};
    TW_PUSH(m->events, m->n_events, m->events_capacity, e);
    for (size_t i = m->n_events - 1;
         i && earlier(&m->events[i], &m->events[(i - 1) / 2]);) {
        dev_event swap = m->events[i];
        m->events[i] = m->events[(i - 1) / 2];
        m->events[(i - 1) / 2] = swap;
        i = (i - 1) / 2;
    }
}

static dev_event pop_event(dev_machine *m)
{
    dev_event first = m->events[0], last = m->events[--m->n_events];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= m->n_events)
            break;
        if (child + 1 < m->n_events && earlier(&m->events[child + 1], &m->events[child]))
            child++;
        if (!earlier(&m->events[child], &last))
            break;
        m->events[i] = m->events[child];
        i = child;
    }
    m->events[i] = last;
    return first;
}

static void happen(dev_machine *m, const dev_event *e)
{
    m->now = e->time;
    m->finish = fmax(m->finish, e->time);
    switch (e->kind) {
    case DEV_EV_TRANSFER:
        dev_transfer_arrive(m, e->number);
        break;
    case DEV_EV_PUSH:
        e->cb->filled += e->number;
        break;
    case DEV_EV_POP:
        e->cb->used -= e->number;
        e->cb->giving -= e->number;
        break;
    }
}

/* ---- threads ----------------------------------------------------------------------- */

void dev_threads_clear(dev_machine *m)
{
    for (size_t i = 0; i < m->n_threads; i++) {
        tw_fiber_destroy(m->threads[i]->fiber);
        free(m->threads[i]->reg);
        free(m->threads[i]->compute);
        free(m->threads[i]);
    }
    m->n_threads = 0;
    m->n_events = 0;
    m->stop = false;
    dev_transfers_clear(m);
    for (int i = 0; i < m->chip->dram_banks; i++)
        m->bank_free[i] = m->finish;
}

dev_thread *dev_thread_add(dev_machine *m, dev_core *core, const dev_code *code)
{
    dev_thread *t = tw_xcalloc(1, sizeof *t);
    t->machine = m;
    t->core = core;
    t->code = code;
    t->number = (uint32_t)m->n_threads;
    t->now = m->finish;
    t->rank = t->number;
    if (m->options.seed) { /* splitmix64 of seed and number */
        uint64_t z = m->options.seed * UINT64_C(0x9E3779B97F4A7C15) + t->number + 1;
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        t->rank = z ^ z >> 31;
        t->now += (double)(t->rank % 97); /* threads do not start together, either */
    }
    TW_PUSH(m->threads, m->n_threads, m->threads_capacity, t);
    return t;
}

bool dev_wait_over(dev_thread *t)
{
    switch (t->wait) {
    case DEV_WAIT_CB_SPACE:
        return t->wait_cb->pages - t->wait_cb->used >= t->wait_pages;
    case DEV_WAIT_CB_DATA:
        return t->wait_cb->filled >= t->wait_pages;
    case DEV_WAIT_SEMAPHORE: {
        uint32_t value;
        memcpy(&value, t->core->l1.bytes + t->wait_address, 4);
        return t->wait_minimum ? value >= t->wait_value : value == t->wait_value;
    }
    case DEV_WAIT_BARRIER:
        for (uint32_t n = t->transfers; n; n = t->machine->transfers[n].next) {
            const dev_transfer *x = &t->machine->transfers[n];
            if (dev_awaits(t, x) && !x->arrived)
                return false;
        }
        return true;
    case DEV_RUN:
        return true;
    default:
        return false;
    }
}

static bool before(const dev_thread *a, const dev_thread *b)
{
    return a->now < b->now || (a->now == b->now && a->rank < b->rank);
}

void dev_sync(dev_thread *t)
{
    tw_fiber_yield(t->fiber);
}

void dev_block(dev_thread *t, dev_wait_kind wait, ir_op *op)
{
    t->wait = wait;
    t->at = op;
    tw_fiber_yield(t->fiber);
    t->wait = DEV_RUN;
}

/* ---- the scheduler ----------------------------------------------------------------- */

static dev_thread *next_thread(dev_machine *m)
{
    dev_thread *best = NULL;
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        if (t->wait != DEV_DONE && (!best || before(t, best)) && dev_wait_over(t))
            best = t;
    }
    return best;
}

static void finish_thread(dev_machine *m, dev_thread *t)
{
    t->wait = DEV_DONE;
    m->finish = fmax(m->finish, t->now);
    if (t->compute)
        m->finish = fmax(m->finish, fmax(t->compute->math, t->compute->pack));
}

tw_status dev_machine_run(dev_machine *m)
{
    for (;;) {
        if (m->stop)
            return TW_SUCCESS;
        dev_thread *t = next_thread(m);
        if (m->n_events && (!t || m->events[0].time <= t->now)) {
            dev_event e = pop_event(m);
            happen(m, &e);
            continue;
        }
        if (!t)
            break;
        if (t->wait != DEV_RUN &&
            m->now > t->now) { /* it slept until the event just past */
            t->stalled[t->wait] += m->now - t->now;
            t->now = m->now;
        }
        if (!tw_fiber_resume(t->fiber))
            finish_thread(m, t);
    }
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i]->wait != DEV_DONE) {
            dev_report_deadlock(m);
            break;
        }
    return TW_SUCCESS;
}
