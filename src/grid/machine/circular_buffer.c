/* circular_buffer.c: operations of circular buffers' producers and consumers, with
 * times. */
#include "grid/machine/machine.h"

int dev_cb_port(const dev_thread *t, const dev_cb *cb)
{
    return (int)(cb - t->core->cb);
}

dev_cb *dev_cb_missing(dev_thread *t, ir_op *op, int64_t port)
{
    dev_report_at(t, DEV_ARGUMENT, op, NULL,
                  "give the port a buffer in the program's cbs, on this core if it has "
                  "core_ranges",
                  "circular buffer %lld is not configured on this core", (long long)port);
    return NULL;
}

dev_cb *dev_cb_owner(dev_core *core, size_t at, size_t size)
{
    for (int i = 0; i < core->n_live; i++) {
        dev_cb *cb = &core->cb[core->live[i]];
        if (at >= cb->base && at + size <= cb->base + (size_t)cb->page * cb->pages)
            return cb;
    }
    return NULL;
}

void dev_check_owner(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                     const char *what)
{
    const dev_machine *m = t->machine;
    if (memory->base) /* DRAM belongs to tensors by construction */
        return;
    dev_core *core = dev_core_of(memory);
    size_t semaphores = m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    if (dev_cb_owner(core, at, size) || at + size <= 512 ||
        (at >= semaphores && at + size <= m->chip->l1_base))
        return;
    if (dev_l1_tensor(m, at, size))
        return;
    dev_report_at(t, DEV_L1_RANGE, op, NULL,
                  "on hardware these bytes may be another program's, or the firmware's; "
                  "use addresses that circular buffers, tensors and semaphores have",
                  "%s 0x%zx with %zu byte%s on core %d,%d lies in no circular buffer and "
                  "no tensor",
                  what, at, size, dev_s((long long)size), core->y, core->x);
}

bool dev_cb_check_landing(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds,
                          dev_pad pad)
{
    dev_cb *cb = dev_cb_owner(t->core, at, size);
    if (!cb) {
        dev_check_owner(t, op, &t->core->l1, at, size, "destination");
        return false;
    }
    uint32_t page = (uint32_t)(at - cb->base) / cb->page;
    const bool in_rows = holds & DEV_IN_ROWS;
    holds &= (uint8_t)~DEV_IN_ROWS;
    const bool whole = holds && (in_rows || size == cb->page ||
                                 size == dev_tile_bytes((tw_dtype)(holds - 1)));
    for (uint32_t i = page; i < cb->pages && (i - page) * cb->page < size; i++) {
        cb->holds[i] = whole && !t->tensor_pages ? holds : 0;
        cb->pad[i] = size == cb->page ? pad : (dev_pad){0};
    }
    if (TW_UNLIKELY(cb->holds[page] && holds != 1 + (uint8_t)cb->format))
        cb->fill_op = op;
    uint32_t ahead = page >= cb->read ? page - cb->read : page + cb->pages - cb->read;
    /* the consumer may have run ahead: its pop may be later than this thread's clock */
    bool popped = ahead >= cb->used && cb->popped_at[page] <= t->now;
    if (popped || (ahead < cb->waited && cb->waiter == t))
        return false;
    tw_strbuf name = {0};
    dev_cb_describe(t->core, cb, &name);
    dev_report_at(t, DEV_CB_WINDOW, op, cb->push_op,
                  "it was pushed here; reserve a page before data is brought into it",
                  "brings data into page %u of %s, which has not been popped", page,
                  tw_strbuf_text(&name));
    tw_strbuf_free(&name);
    return true;
}

void dev_cb_check_leaving(dev_thread *t, ir_op *op, size_t at, size_t size, uint8_t holds)
{
    const dev_cb *cb = dev_cb_owner(t->core, at, size);
    const uint32_t in_cb = cb ? (uint32_t)(at - cb->base) : 0;
    if (!cb || t->tensor_pages || in_cb % cb->page)
        return;
    const uint8_t held = cb->holds[in_cb / cb->page];
    const bool in_rows = holds & DEV_IN_ROWS;
    holds &= (uint8_t)~DEV_IN_ROWS;
    if (!held || (held & ~DEV_PACKED) == holds)
        return;
    const tw_dtype is = (tw_dtype)((held & ~DEV_PACKED) - 1),
                   wanted = (tw_dtype)(holds - 1);
    if ((in_rows || dev_tile_bytes(is) == dev_tile_bytes(wanted)) && !(held & DEV_PACKED))
        return; /* copied without conversion */
    dev_report_at(t, DEV_FORMAT, op, cb->push_op,
                  "the page was pushed here; let the buffer have the tensor's format",
                  "sends %s of %s from circular buffer %d to a tensor of %s",
                  in_rows ? "a row" : "a tile", tw_dtype_name(is), dev_cb_port(t, cb),
                  tw_dtype_name(wanted));
}

/* A page that is popped may be overwritten: writes that read from it must have left. */
static void check_sent(dev_thread *t, ir_op *op, const dev_cb *cb, uint32_t pages)
{
    const dev_machine *m = t->machine;
    for (uint32_t n = t->traffic.first; n; n = m->noc.transfers[n].next) {
        const dev_transfer *x = &m->noc.transfers[n];
        if (x->kind != DEV_WRITE || x->is_inline || dev_has_left(t, x) ||
            x->from_at < cb->base || x->from_at >= cb->base + (size_t)cb->page * cb->pages)
            continue;
        uint32_t page = (uint32_t)((x->from_at - cb->base) / cb->page);
        if ((page + cb->pages - cb->read) % cb->pages >= pages)
            continue;
        dev_report_at(
            t, DEV_MISSING_BARRIER, op, x->op,
            "the write was started here; wait with noc_async_write_barrier "
            "before the pop",
            "gives back page %u of circular buffer %d, which a NoC write may still "
            "be sending",
            page, dev_cb_port(t, cb));
        return;
    }
}

/* Returns the time at which the thread's last unit has finished all work so far. */
static double packed_at(const dev_thread *t)
{
    return t->is_compute ? TW_MAX(t->now, t->compute->pack) : t->now;
}

/* Blocks until the other side pushes or pops, which wakes the thread. */
static void block_for_pages(dev_thread *t, dev_wait_kind wait, ir_op *op, dev_cb *cb,
                            int64_t pages)
{
    t->wait.cb = cb;
    t->wait.pages = (uint32_t)pages;
    dev_block(t, wait, op);
}

/* Waits until the time the other side released a page, and acquires its clock. */
static void take_page(dev_thread *t, dev_wait_kind wait, const ir_op *op, dev_cb *cb,
                      double time, const dev_clock *with)
{
    t->wait.cb = cb;
    dev_wait_until(t, wait, op, time);
    t->wait.cb = NULL;
    dev_race_acquire(t, with);
}

void dev_cb_reserve(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages == 0) /* the last iteration of a loop may have none */
        return;
    if (pages < 0 || pages > cb->pages) {
        dev_report_at(
            t, DEV_CB_OVERFLOW, op, NULL,
            "hardware would wait for ever; reserve fewer, or give the buffer more "
            "pages",
            "reserves %lld page%s of circular buffer %lld, which has %u", (long long)pages,
            dev_s(pages), (long long)port, cb->pages);
        return;
    }
    while (cb->pages - cb->used < pages) {
        cb->wants_room = t;
        block_for_pages(t, DEV_WAIT_CB_SPACE, op, cb, pages);
    }
    uint32_t last = dev_cb_behind(cb, cb->write, (uint32_t)pages - 1);
    take_page(t, DEV_WAIT_CB_SPACE, op, cb, cb->popped_at[last], &cb->popped_by[last]);
    if (cb->write + pages > cb->pages)
        dev_report_at(
            t, DEV_CB_WINDOW, op, NULL, "let the number of pages divide the buffer's size",
            "%lld pages from page %u run past the end of circular buffer %lld (%u page%s)",
            (long long)pages, cb->write, (long long)port, cb->pages, dev_s(cb->pages));
    /* reserving again without a push extends or repeats the window */
    cb->reserved = TW_MAX(cb->reserved, (uint32_t)pages);
    cb->reserve_op = op;
    cb->reserver = t;
}

void dev_cb_push(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages == 0)
        return;
    if (pages < 0 || pages > cb->reserved) {
        /* if there is room the hardware's counts stay valid, and the kernel continues */
        bool room = pages >= 0 && pages <= (int64_t)cb->pages - cb->used;
        dev_report_at(t,
                      !room                  ? DEV_CB_OVERFLOW
                      : dev_cb_is_own(t, cb) ? DEV_CB_OWN
                                             : DEV_CB_UNRESERVED,
                      op, cb->reserve_op, "the last reserve is here",
                      "pushes %lld page%s to circular buffer %lld, of which %u %s reserved",
                      (long long)pages, dev_s(pages), (long long)port, cb->reserved,
                      cb->reserved == 1 ? "is" : "are");
        if (!room)
            return;
        cb->reserved = (uint32_t)pages;
    }
    cb->reserved -= (uint32_t)pages;
    cb->used += (uint32_t)pages;
    cb->filled += (uint32_t)pages;
    double time = packed_at(t);
    for (int64_t i = 0; i < pages; i++) {
        cb->pushed_at[cb->write] = time;
        dev_race_release(t, &cb->pushed_by[cb->write]);
        cb->write = cb->write + 1 == cb->pages ? 0 : cb->write + 1;
    }
    cb->packed = 0;
    cb->push_op = op;
    cb->push_number = ++t->pushes;
    dev_thread *waiting = cb->wants_data;
    if (waiting && cb->filled >= waiting->wait.pages) {
        cb->wants_data = NULL;
        dev_wake(waiting, time);
    }
}

static void report_reserved(dev_thread *t, const dev_cb *cb, ir_op *op)
{
    dev_report_at(t, DEV_CB_PROTOCOL, op, NULL, "push what was reserved",
                  "circular buffer %d has %u reserved page%s that the kernel never pushes",
                  dev_cb_port(t, cb), cb->reserved, dev_s(cb->reserved));
}

/* A buffer without a consumer may serve as scratch memory of its only thread. */
void dev_cb_left_reserved(dev_thread *t, dev_cb *cb)
{
    if (cb->pointed && !cb->push_op && !cb->wait_op && !cb->wants_data)
        cb->keeper = t;
    else
        report_reserved(t, cb, cb->reserve_op);
}

void dev_cb_wait(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages == 0)
        return;
    if (pages < 0 || pages > cb->pages) {
        dev_report_at(
            t, DEV_CB_UNDERFLOW, op, NULL,
            "hardware would wait for ever; wait for fewer, or give the buffer more "
            "pages",
            "waits for %lld page%s of circular buffer %lld, which has %u", (long long)pages,
            dev_s(pages), (long long)port, cb->pages);
        return;
    }
    while (cb->filled < pages) {
        if (TW_UNLIKELY(cb->keeper))
            report_reserved(cb->keeper, cb, cb->reserve_op);
        cb->keeper = NULL;
        cb->wants_data = t;
        block_for_pages(t, DEV_WAIT_CB_DATA, op, cb, pages);
    }
    uint32_t last = dev_cb_behind(cb, cb->read, (uint32_t)pages - 1);
    take_page(t, DEV_WAIT_CB_DATA, op, cb, cb->pushed_at[last], &cb->pushed_by[last]);
    cb->waited = TW_MAX(cb->waited, (uint32_t)pages);
    cb->wait_op = op;
    cb->waiter = t;
    if (cb->reserver == t && cb->filled == pages)
        t->own_pushes_seen = TW_MAX(t->own_pushes_seen, cb->push_number);
}

bool dev_cb_is_own(const dev_thread *t, const dev_cb *cb)
{
    return cb->reserver == t &&
           (cb->waiter ? cb->waiter == t
                       : cb->push_number && cb->push_number <= t->own_pushes_seen);
}

void dev_cb_pop(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages == 0)
        return;
    if (pages < 0 || pages > cb->waited) {
        const bool there = dev_cb_is_own(t, cb) && pages > 0 && pages <= cb->filled &&
                           cb->push_number <= t->own_pushes_seen;
        dev_report_at(t, there ? DEV_CB_OWN : DEV_CB_UNDERFLOW, op, cb->wait_op,
                      "the last wait is here",
                      "pops %lld page%s of circular buffer %lld, of which %u %s waited for",
                      (long long)pages, dev_s(pages), (long long)port, cb->waited,
                      cb->waited == 1 ? "was" : "were");
        if (!there)
            return;
    }
    check_sent(t, op, cb, (uint32_t)pages);
    dev_dst_fetch_all(t);
    cb->waited -= TW_MIN(cb->waited, (uint32_t)pages);
    cb->filled -= (uint32_t)pages;
    cb->used -= (uint32_t)pages;
    for (int64_t i = 0; i < pages; i++) {
        cb->popped_at[cb->read] = t->now;
        cb->holds[cb->read] = 0;
        cb->pad[cb->read] = (dev_pad){0};
        dev_race_release(t, &cb->popped_by[cb->read]);
        cb->read = cb->read + 1 == cb->pages ? 0 : cb->read + 1;
    }
    cb->pop_op = op;
    dev_thread *waiting = cb->wants_room;
    if (waiting && cb->pages - cb->used >= waiting->wait.pages) {
        cb->wants_room = NULL;
        dev_wake(waiting, t->now);
    }
}
