/* cb.c: circular buffers: what producers and consumers may do, and when. */
#include "device/machine.h"

int dev_cb_port(const dev_thread *t, const dev_cb *cb)
{
    return (int)(cb - t->core->cb);
}

dev_cb *dev_cb_get(dev_thread *t, ir_op *op, int64_t port)
{
    if (port >= 0 && port < DEV_MAX_CBS && t->core->cb[port].live)
        return &t->core->cb[port];
    dev_report_at(t, DEV_ARGUMENT, op, NULL, "give the port a buffer in the program's cbs",
                  "circular buffer %lld is not configured on this core", (long long)port);
    return NULL;
}

/* The time at which the unit that finishes the thread's work is done with all so far. */
static double packed_at(const dev_thread *t)
{
    return t->compute ? TW_MAX(t->now, t->compute->pack) : t->now;
}

void dev_cb_reserve(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages <= 0 || pages > cb->pages) {
        dev_report_at(t, DEV_CB_OVERFLOW, op, NULL, "hardware would wait for ever",
                      "reserves %lld pages of circular buffer %lld, which has %u",
                      (long long)pages, (long long)port, cb->pages);
        return;
    }
    t->wait_cb = cb;
    t->wait_pages = (uint32_t)pages;
    dev_block(t, DEV_WAIT_CB_SPACE, op);
    if (cb->write + pages > cb->pages)
        dev_report_at(
            t, DEV_CB_WINDOW, op, NULL, "let the number of pages divide the buffer's size",
            "%lld pages from page %u run past the end of circular buffer %lld (%u pages)",
            (long long)pages, cb->write, (long long)port, cb->pages);
    /* reserving again without a push extends or repeats the window */
    cb->reserved = TW_MAX(cb->reserved, (uint32_t)pages);
    cb->reserve_op = op;
}

void dev_cb_push(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages <= 0 || pages > cb->reserved) {
        dev_report_at(t, DEV_CB_OVERFLOW, op, cb->reserve_op, "the last reserve is here",
                      "pushes %lld pages to circular buffer %lld, of which %u are reserved",
                      (long long)pages, (long long)port, cb->reserved);
        return;
    }
    cb->reserved -= (uint32_t)pages;
    cb->used += (uint32_t)pages;
    cb->write = (cb->write + (uint32_t)pages) % cb->pages;
    cb->packed = 0;
    cb->push_op = op;
    dev_event_add(t->machine, packed_at(t), DEV_EV_PUSH, (uint32_t)pages, cb);
    dev_sync(t);
}

void dev_cb_wait(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages <= 0 || pages > cb->pages) {
        dev_report_at(t, DEV_CB_UNDERFLOW, op, NULL, "hardware would wait for ever",
                      "waits for %lld pages of circular buffer %lld, which has %u",
                      (long long)pages, (long long)port, cb->pages);
        return;
    }
    t->wait_cb = cb;
    t->wait_pages = (uint32_t)pages;
    dev_block(t, DEV_WAIT_CB_DATA, op);
    cb->waited = TW_MAX(cb->waited, (uint32_t)pages);
    cb->wait_op = op;
}

void dev_cb_pop(dev_thread *t, ir_op *op, int64_t port, int64_t pages)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    if (pages <= 0 || pages > cb->waited) {
        dev_report_at(
            t, DEV_CB_UNDERFLOW, op, cb->wait_op, "the last wait is here",
            "pops %lld pages of circular buffer %lld, of which %u were waited for",
            (long long)pages, (long long)port, cb->waited);
        return;
    }
    cb->waited -= (uint32_t)pages;
    cb->filled -= (uint32_t)pages;
    cb->read = (cb->read + (uint32_t)pages) % cb->pages;
    cb->pop_op = op;
    dev_event_add(t->machine, t->now, DEV_EV_POP, (uint32_t)pages, cb);
    dev_sync(t);
}
