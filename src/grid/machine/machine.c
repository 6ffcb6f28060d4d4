/* machine.c: memory, its marks, and checks of accesses to it. */
#include "grid/machine/machine.h"

#include "grid/units/operands.h"

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
    m->noc.bank_free = tw_xcalloc((size_t)chip->dram_banks, sizeof *m->noc.bank_free);
    m->noc.link_free =
        tw_xcalloc((size_t)(chip->noc.rows * chip->noc.columns) * 4, sizeof(double));
    m->profile.bank_bytes =
        tw_xcalloc((size_t)chip->dram_banks, sizeof *m->profile.bank_bytes);
    m->profile.core_bytes =
        tw_xcalloc((size_t)(chip->grid_y * chip->grid_x), sizeof *m->profile.core_bytes);
    m->profile.busy =
        tw_xcalloc((size_t)(chip->grid_y * chip->grid_x), sizeof *m->profile.busy);
    TW_PUSH(m->noc.transfers, m->noc.n_transfers, m->noc.transfers_capacity,
            (dev_transfer){0});
    m->races = options->no_races ? NULL : dev_races_create();
    return m;
}

void dev_banks_free(const dev_machine *m, dev_buffer *b)
{
    for (int k = 0; b->banks && k < m->chip->dram_banks; k++)
        dev_memory_free(&b->banks[k]);
    free(b->banks);
    free(b->shards);
    b->shards = NULL;
    dev_bytes_free(b->bytes, (size_t)m->chip->dram_banks * b->per_bank);
    b->banks = NULL;
    b->bytes = NULL;
}

void dev_machine_destroy(dev_machine *m)
{
    if (!m)
        return;
    dev_threads_clear(m);
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++)
        if (m->cores[i]) {
            dev_memory_free(&m->cores[i]->l1);
            free(m->cores[i]->cb_times);
            free(m->cores[i]->clocks);
            free(m->cores[i]->words);
            free(m->cores[i]);
        }
    for (size_t i = 0; i < m->tensors.n; i++)
        dev_banks_free(m, &m->tensors.buffers[i]);
    dev_reports_clear(m);
    free(m->reports);
    free(m->tensors.mixes);
    free(m->cores);
    free(m->tensors.buffers);
    free(m->noc.bank_free);
    free(m->noc.link_free);
    free(m->profile.bank_bytes);
    free(m->profile.core_bytes);
    free(m->profile.busy);
    free(m->profile.spans);
    for (size_t i = 0; i < m->schedule.n_spare; i++) {
        tw_fiber_destroy(m->schedule.spare[i]->fiber);
        free(m->schedule.spare[i]->reg);
        free(m->schedule.spare[i]->compute);
        free(m->schedule.spare[i]);
    }
    free(m->schedule.spare);
    free(m->schedule.ready);
    free(m->threads);
    free(m->noc.transfers);
    free(m->loans.at);
    dev_operands_free(m->operands);
    free(m->schedule.events);
    dev_jobs_destroy(m->work.jobs);
    dev_races_destroy(m->races);
    free(m);
}

/* Untouched pages of L1 stay unmapped: calloc gets them from the system. */
dev_core *dev_core_at(dev_machine *m, int y, int x)
{
    assert(y >= 0 && y < m->chip->grid_y && x >= 0 && x < m->chip->grid_x);
    dev_core **core = &m->cores[y * m->chip->grid_x + x];
    if (!*core) {
        *core = tw_xcalloc(1, sizeof **core);
        (*core)->y = y;
        (*core)->x = x;
        (*core)->l1 = dev_memory_create(0, m->chip->l1_bytes, NULL);
    }
    return *core;
}

/* ---- marks ------------------------------------------------------------------------- */

/* True if a transfer has arrived by the thread's time: a write at its arrival, a read after
 * its thread's barrier. */
static bool has_come(dev_thread *t, uint32_t mark)
{
    const dev_transfer *x = &t->machine->noc.transfers[mark - DEV_FIRST_TRANSFER];
    if (x->kind == DEV_READ || x->arrival > t->now)
        return false;
    dev_transfer_define(t->machine, mark - DEV_FIRST_TRANSFER);
    return true;
}

static void report_pending(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                           uint32_t mark, const char *verb)
{
    const dev_transfer *x = &t->machine->noc.transfers[mark - DEV_FIRST_TRANSFER];
    tw_strbuf where = {0};
    dev_address_describe(t, memory, at, &where);
    if (x->kind == DEV_READ)
        dev_report_at(t, DEV_MISSING_BARRIER, op, x->op,
                      "the read was started here; wait for it with noc_async_read_barrier",
                      "%s bytes that a NoC read is still bringing (%s)", verb,
                      tw_strbuf_text(&where));
    else
        dev_report_at(t, x->to->base ? DEV_DRAM_RACE : DEV_RACE, op, x->op,
                      "the write was started here; let a semaphore say that it has arrived",
                      "%s bytes that a NoC write is still bringing (%s)", verb,
                      tw_strbuf_text(&where));
    tw_strbuf_free(&where);
}

/* For a page of a circular buffer the report names the thread that pushed it. */
static void report_unwritten(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                             const char *what)
{
    const dev_cb *cb = memory->base ? NULL : dev_cb_owner(dev_core_of(memory), at, 1);
    tw_strbuf where = {0};
    dev_address_describe(t, memory, at, &where);
    /* for example a column or a face written by scalar stores: the rest may not matter */
    bool partly = false;
    for (size_t page = cb ? cb->base + (at - cb->base) / cb->page * cb->page : 0, i = 0;
         cb && i < cb->page; i += DEV_GRANULE)
        partly |= dev_mark_at(memory, (page + i) / DEV_GRANULE) == DEV_DEFINED;
    const bool in_tensor = memory->base || (!cb && dev_l1_tensor(t->machine, at, 1));
    dev_report_at(
        t, partly ? DEV_PARTLY_WRITTEN : DEV_UNINITIALISED, op, cb ? cb->push_op : NULL,
        cb && cb->push_op ? "the buffer's last push is here; write all of a page first"
        : in_tensor
            ? "hardware would read what the last program left there; give the tensor "
              "values on the host, or let a kernel write it before"
            : "hardware would read what the last program left there; "
              "write all of it first, or wait for who does",
        "%s: nothing has written %s", what, tw_strbuf_text(&where));
    tw_strbuf_free(&where);
}

bool dev_find_unreadable(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                         size_t size, const char *what)
{
    for (;;) {
        size_t i = dev_mark_differs(memory, at, size, DEV_DEFINED);
        if (TW_LIKELY(i == SIZE_MAX))
            return false;
        uint32_t mark = dev_mark_at(memory, i);
        if (mark >= DEV_FIRST_TRANSFER && has_come(t, mark))
            continue;
        if (mark >= DEV_FIRST_TRANSFER)
            report_pending(t, op, memory, i * DEV_GRANULE, mark, "uses");
        else
            report_unwritten(t, op, memory, i * DEV_GRANULE, what);
        return true;
    }
}

/* What a thread's clock of the grid knows of a thread of its own core came back from
 * another core. */
bool dev_has_left(const dev_thread *t, const dev_transfer *x)
{
    const dev_far *far = t->clock.far;
    return x->flushed || (x->followed && x->arrival <= t->now && far &&
                          far->counts[x->thread->number] >= x->word);
}

/* Reports a change of bytes that a write of this core has still to send. */
static void check_sources(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                          size_t size)
{
    dev_machine *m = t->machine;
    if (memory->base) /* no transfer is sent from DRAM */
        return;
    dev_core *core = dev_core_of(memory);
    for (int i = 0; i < core->n_threads; i++) {
        dev_thread *other = core->threads[i];
        if (at >= other->traffic.end || at + size <= other->traffic.begin)
            continue;
        for (uint32_t n = other->traffic.first; n; n = m->noc.transfers[n].next) {
            const dev_transfer *x = &m->noc.transfers[n];
            if (x->kind == DEV_WRITE && !x->is_inline && !dev_has_left(t, x) &&
                x->from == memory && x->from_at < at + size && at < x->from_at + x->size) {
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

/* True if a NoC write under way has the same bytes: then their order does not matter. */
static bool brings_the_same(dev_machine *m, uint32_t mark, const dev_memory *memory,
                            size_t at, size_t size, const uint8_t *bytes)
{
    const dev_transfer *x = &m->noc.transfers[mark - DEV_FIRST_TRANSFER];
    if (!bytes || x->kind != DEV_WRITE || x->is_inline || x->to != memory ||
        x->to_at != at || x->size != size)
        return false;
    dev_await_bytes(m);
    return memcmp(memory->bytes + at, bytes, size) == 0;
}

void dev_check_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const uint8_t *bytes, bool reported)
{
    size_t first = (at + DEV_GRANULE - 1) / DEV_GRANULE, end = (at + size) / DEV_GRANULE;
    const bool quiet = dev_is_settled(memory, at, size) ||
                       dev_mark_differs(memory, at, size, DEV_DEFINED) == SIZE_MAX;
    for (size_t i = first; !quiet && i < end; i++) {
        uint32_t mark = dev_mark_at(memory, i);
        if (mark >= DEV_FIRST_TRANSFER && !has_come(t, mark)) {
            reported = !brings_the_same(t->machine, mark, memory, at, size, bytes);
            if (reported)
                report_pending(t, op, memory, i * DEV_GRANULE, mark, "overwrites");
            break;
        }
    }
    check_sources(t, op, memory, at, size);
    if (t->is_compute && t->compute->dst.lent && dev_dst_fetch(t, memory->bytes + at, size))
        dev_await_jobs(t->machine);
    if (t->machine->finds_races)
        dev_race_write(t, op, memory, at, size, bytes, reported);
}

void dev_word_changes(dev_thread *t, ir_op *op, dev_memory *memory, size_t at,
                      uint32_t from, uint32_t to, double time)
{
    dev_machine *m = t->machine;
    size_t base = m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    if (memory->base)
        return;
    dev_core *core = dev_core_of(memory);
    if (at >= base && at < m->chip->l1_base)
        core->changes[(at - base) / 16] =
            (dev_semaphore_change){op, t->core->y, t->core->x, from, to, time - m->begin};
    dev_words_changed(memory, at, 4, time);
}
